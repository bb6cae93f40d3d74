//! Edges from JSON Lines that are damaged, and from files that are not JSON Lines.

use serde_json::Value;

use crate::place::{Place, gzip};

/// Returns works. The names of their references end with the number of the work.
fn works(start: usize, count: usize) -> String {
    let work = |n: usize| {
        format!(
            "{{\"DOI\":\"10.5555/work-{n}\",\"reference\":[{{\"key\":\"r\",\"DOI\":\"10.5555/stated-{n}\"}},\
             {{\"unstructured\":\"See doi:10.5555/mined-{n}.\"}}]}}\n"
        )
    };
    (start..start + count).map(work).collect()
}

/// Scans a file beside an undamaged one. Returns the rows of the file, and the messages.
fn scanned(name: &str, bytes: &[u8], code: i32) -> (Vec<Value>, String) {
    let place = Place::new();
    place
        .file(format!("in/{name}"), bytes)
        .file("in/z.jsonl.gz", gzip(works(90_000, 3)));
    let seen = place.scan("in --edges --fields source,record,doi,ref_index,role,asserted");
    assert_eq!(seen.code, Some(code), "{}", seen.err);
    let rows = seen.rows().into_iter();
    let (own, sound): (Vec<_>, Vec<_>) =
        rows.partition(|row| row["source"] == format!("in/{name}"));
    assert_eq!(sound.len(), 9);
    (own, seen.err)
}

/// Asserts that the record of each row is the work of its reference. Returns the number of rows with a record.
fn check(rows: &[Value]) -> usize {
    let number = |name: &str| name.rsplit('-').next().map(str::to_owned);
    let recorded = rows.iter().filter(|row| !row["record"].is_null());
    let wrong = |row: &&Value| {
        number(row["doi"].as_str().unwrap()) != number(row["record"].as_str().unwrap())
    };
    assert!(!recorded.clone().any(|row| wrong(&row)), "{rows:?}");
    recorded.count()
}

#[test]
fn a_truncated_file_gives_its_first_records() {
    let packed = gzip(works(0, 2000));
    let (rows, messages) = scanned("a.jsonl.gz", &packed[..packed.len() / 2], 1);
    assert!(check(&rows) > 2500, "{}", rows.len());
    assert!(messages.contains("it ends too early"), "{messages}");
}

#[test]
fn an_empty_file_is_named() {
    let (rows, messages) = scanned("a.jsonl.gz", b"", 0);
    assert!(
        rows.is_empty() && messages.contains("but it is empty"),
        "{messages}"
    );
    let (rows, messages) = scanned("a.jsonl.gz", &gzip(""), 0);
    assert!(rows.is_empty() && messages.is_empty(), "{messages}");
}

#[test]
fn damage_in_one_member_leaves_the_others_whole() {
    let members = [0, 1, 2].map(|n| gzip(works(1000 * n, 300)));
    let mut packed = members.concat();
    let at = members[0].len() + 1;
    packed[at..at + 9].fill(0xff);
    let (rows, messages) = scanned("a.jsonl.gz", &packed, 1);
    assert!(check(&rows) >= 1700, "{}", rows.len());
    assert!(messages.contains("a.jsonl.gz: at byte "), "{messages}");
}

#[test]
fn a_page_in_place_of_json_is_warned_of() {
    for page in [
        "<html><body>503: see 10.5555/page</body></html>",
        "Service Unavailable, 10.5555/page",
    ] {
        for (name, bytes) in [("a.jsonl.gz", gzip(page)), ("a.json", page.into())] {
            let (rows, messages) = scanned(name, &bytes, 0);
            assert_eq!((rows.len(), &rows[0]["record"]), (1, &Value::Null));
            assert!(
                messages.contains("its name says JSON, but it is not JSON"),
                "{messages}"
            );
        }
    }
}

#[test]
fn a_broken_line_costs_no_record_but_its_own() {
    let mut lines: Vec<_> = works(0, 50).lines().map(str::to_owned).collect();
    lines[20].truncate(40);
    let (rows, messages) = scanned("a.jsonl.gz", &gzip(lines.join("\n")), 0);
    let recorded = check(&rows);
    assert!((147..=150).contains(&recorded), "{recorded}");
    assert!(messages.contains("the structure is broken"), "{messages}");
}
