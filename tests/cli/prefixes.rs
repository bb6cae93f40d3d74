//! Lists of registered prefixes.

use crate::place::{Place, Seen};

const MEMBERS: &str = r#"{"status":"ok","message":{"total-results":2,"items":[{"id":1,"primary-name":"A","prefixes":["10.1000","10.2000"],"prefix":[{"value":"10.1000"}]},
{"id":2,"primary-name":"B","prefixes":[]}]}}"#;
const DATACITE: &str = r#"{"data":[{"id":"10.5281","type":"prefixes","attributes":{"registrationAgency":"DataCite"}},
{"id":"10.3000","type":"prefixes"}],"meta":{"total":2}}"#;
const REFS: &str =
    "10.1000/a\n10.99999/b\n10.5281/zenodo.7\n10.1000.7/c\n10.5555/d\n10.1186/s40981-020-0399-0\n";

impl Place {
    fn index_prefixes(&self, line: &str) -> Seen {
        Seen::of(self.command(["index"]).args(line.split_whitespace()))
    }

    fn verdicts_of(&self, line: &str) -> Vec<String> {
        let line = format!("refs.txt --known {line} -f jsonl");
        let seen = Seen::of(self.command(["check"]).args(line.split_whitespace()));
        let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
        let row = |row: &serde_json::Value| [text(&row["verdict"]), text(&row["detail"])].join("|");
        seen.rows().iter().map(row).collect()
    }
}

fn place() -> Place {
    let place = Place::new();
    place
        .file("members.json", MEMBERS)
        .file("datacite.json", DATACITE)
        .file("list.csv", "id,name,prefix\n7,\"C, D\",10.4000\n")
        .file(
            "list.txt",
            "10.6000\nhttps://doi.org/10.7000/x\nno prefix\n",
        )
        .file("refs.txt", REFS);
    place
}

#[test]
fn lists_of_prefixes_are_read_as_registries_publish_them() {
    let place = place();
    let seen = place.index_prefixes(
        "--prefixes members.json datacite.json list.csv list.txt -o all.doix --report report.json",
    );
    assert_eq!(seen.code, Some(1), "{}", seen.err);
    assert!(seen.err.contains("list.txt"), "{}", seen.err);
    let report = place.json("report.json");
    assert_eq!(
        (&report["prefixes"], &report["known"], &report["refused"]),
        (&7.into(), &0.into(), &1.into())
    );
    let shown = place.index_prefixes("--show all.doix").out;
    assert!(
        shown.contains("names: 0\nnames with notices: 0\nregistered prefixes: 7\n"),
        "{shown}"
    );
    // The order of the sources does not matter, and an index can be made in steps.
    place.index_prefixes("--prefixes list.txt list.csv datacite.json members.json -o again.doix");
    assert_eq!(
        std::fs::read(place.path("all.doix")).unwrap(),
        std::fs::read(place.path("again.doix")).unwrap()
    );
}

#[test]
fn a_name_with_another_prefix_is_a_finding() {
    let place = place();
    place
        .index_prefixes("--prefixes members.json datacite.json --date 2026 -o prefixes.doix")
        .quiet();
    let found = place.verdicts_of("prefixes.doix --stale-after 36500d");
    let verdicts: Vec<_> = found
        .iter()
        .filter_map(|row| row.split('|').next())
        .collect();
    let wanted = [
        "well_formed",
        "unknown_prefix",
        "well_formed",
        "well_formed",
        "placeholder",
        "wrong_check_digit",
    ];
    assert_eq!(verdicts, wanted);
    let detail = "not a prefix of datacite.json 2026, members.json 2026";
    assert_eq!(found[1], format!("unknown_prefix|{detail}"));
    assert!(found[4].ends_with(&format!("; {detail}")), "{}", found[4]);
}

#[test]
fn an_index_of_names_may_list_prefixes_too() {
    let place = place();
    place.file("names.txt", "10.1000/a\n10.8000/x\n");
    place.index_prefixes("names.txt -o names.doix").quiet();
    assert!(place.verdicts_of("names.doix")[1].starts_with("not_in_index|"));
    place
        .index_prefixes("--prefixes --add names.doix -o prefixes.doix")
        .quiet();
    assert!(
        place
            .index_prefixes("--show prefixes.doix")
            .out
            .contains("registered prefixes: 2\n")
    );
    place
        .index_prefixes("--add names.doix --add prefixes.doix -o both.doix")
        .quiet();
    let found = place.verdicts_of("both.doix");
    assert!(found[0].starts_with("known|"), "{found:?}");
    assert!(
        found[1].starts_with("unknown_prefix|not a prefix of "),
        "{found:?}"
    );
    assert!(found[3].starts_with("not_in_index|"), "{found:?}");
}
