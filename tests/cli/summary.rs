//! The summary line of a run, and the log of its options.

use crate::place::{Place, gzip};

fn place() -> Place {
    let place = Place::new();
    place
        .file("d/a", "10.5555/a 10.5555/b 10.0.0.0/8\n")
        .file("d/b.gz", gzip("10.5555/a\n"))
        .file("d/c.ogg", "OggS\0")
        .file("d/e.gz", &gzip("10.5555/e ".repeat(99))[..40]);
    place
}

#[test]
fn stats_sum_a_scan_up_in_one_line() {
    let place = place();
    for threads in ["-j1", "-j2"] {
        let seen = place.scan(&format!("d -f names --stats {threads}"));
        assert_eq!(seen.code, Some(1));
        let last = seen.err.lines().last().unwrap();
        for part in [
            "doisift: 3 documents of 4 sources, ",
            "mentions of ",
            " names; skipped: 1 (ogg 1); errors: 1; ",
            " s",
        ] {
            assert!(last.contains(part), "{last}");
        }
        let quiet = place.scan(&format!("d -f names --stats -q {threads}"));
        assert_eq!(quiet.err, "");
        let plain = place.scan(&format!("d -f names {threads}"));
        assert!(!plain.err.contains("sources"), "{}", plain.err);
    }
    let mentions = place.scan("d/a --mentions --stats").err;
    assert!(
        mentions.contains("; 2 mentions; skipped: 0; "),
        "{mentions}"
    );
}

#[test]
fn stats_sum_a_merge_up_in_one_line() {
    let place = place();
    place.scan("d/a -o a.csv");
    place.scan("d/b.gz -o b.csv");
    let seen = crate::place::Seen::of(&mut place.command(["merge", "a.csv", "b.csv", "--stats"]));
    assert_eq!((seen.code, seen.err.lines().count()), (Some(0), 1));
    let wanted = "doisift: 3 rows of 2 inputs; 3 mentions of 2 names; ";
    assert!(seen.err.starts_with(wanted), "{}", seen.err);
}

#[test]
fn verbose_reports_decisions_and_twice_each_skipped_document() {
    let place = place();
    for number in 0..180 {
        place.file(format!("d/many/{number}.ogg"), "OggS\0");
    }
    let seen = place.scan("d -o out.csv -j2 --memory 64M -v --tmp-dir d");
    for part in [
        "doisift: output: out.csv; csv, by the ending\n",
        "doisift: threads: 2, as asked\n",
        "doisift: memory: 64.00 MiB, as asked;",
        "doisift: temporary files: d, as asked\n",
        "doisift: sources: 184\n",
        "doisift: sources recognised as: gzip 2, ogg 181, text 1\n",
        "doisift: candidates rejected: 1 (registrant_code 1)\n",
        "skipped: 181 (ogg 181)",
    ] {
        assert!(seen.err.contains(part), "{part}: {}", seen.err);
    }
    assert!(seen.err.lines().count() < 15, "{}", seen.err);
    let seen = place.scan("d -o out.csv -vv");
    assert_eq!(seen.err.matches(".ogg: skipped: ogg\n").count(), 181);
}
