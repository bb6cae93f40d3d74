//! Symbolic links below folders.

use std::os::unix::fs::symlink;

use crate::place::Place;

/// Creates a folder whose subfolder `in` has two files, and symbolic links of every kind.
fn linked() -> Place {
    let place = Place::new();
    place
        .file("in/b/file", "10.5555/file")
        .file("in/b/other", "10.5555/other")
        .file("outside/deep/far", "10.5555/far");
    let link = |to: &str, at: &str| symlink(to, place.path(at)).unwrap();
    link("b/file", "in/a-link-to-file");
    link("b", "in/a-link-to-folder");
    link("..", "in/b/loop");
    link("../outside", "in/z-outside");
    link("../outside/deep", "in/y-inside-outside");
    link("loop-of-links", "in/loop-of-links");
    place
}

fn sources(place: &Place, line: &str) -> (Option<i32>, Vec<String>, String) {
    let seen = place.scan(&format!("{line} --mentions"));
    (seen.code, seen.field("source"), seen.err)
}

#[test]
fn links_are_passed_over_and_counted_unless_they_are_followed() {
    let place = linked();
    let (code, sources, said) = sources(&place, "in --report r.json");
    assert_eq!(code, Some(0));
    assert!(said.contains("not followed: 6"), "{said}");
    assert_eq!(sources, ["in/b/file", "in/b/other"]);
    assert_eq!(place.json("r.json")["links"], 6);
}

#[test]
fn followed_links_lead_to_each_file_once_and_loops_end() {
    let place = linked();
    std::fs::remove_file(place.path("in/loop-of-links")).unwrap();
    for line in ["in -L -j1", "--follow in -j2", "-L in in/b"] {
        let (code, sources, said) = sources(&place, line);
        assert_eq!((code, said.as_str()), (Some(0), ""), "{line}");
        let wanted = ["in/b/file", "in/b/other", "in/y-inside-outside/far"];
        assert_eq!(sources, wanted, "{line}");
    }
}

#[test]
fn a_file_that_two_links_lead_to_is_read_under_the_lesser() {
    let place = Place::new();
    place
        .file("outside/file", "10.5555/file")
        .file("in/real", "10.5555/real");
    for link in ["in/2", "in/1", "in/3"] {
        symlink("../outside/file", place.path(link)).unwrap();
    }
    assert_eq!(sources(&place, "in -L").1, ["in/1", "in/real"]);
    assert_eq!(
        sources(&place, "in -L outside").1,
        ["in/real", "outside/file"]
    );
    assert_eq!(sources(&place, "in -L --exclude 1").1, ["in/2", "in/real"]);
    assert_eq!(sources(&place, "in -L --include 3").1, ["in/3"]);
}

#[test]
fn many_links_between_folders_are_walked_in_no_time() {
    let place = Place::new();
    for from in 0..12 {
        place.file(format!("in/{from}/file"), format!("10.5555/{from}"));
        for to in 0..12 {
            let link = place.path(format!("in/{from}/to-{to}"));
            symlink(format!("../{to}"), link).unwrap();
        }
    }
    assert_eq!(sources(&place, "in -L").1.len(), 12);
}

#[test]
fn links_that_lead_nowhere_are_errors_that_say_so() {
    let place = linked();
    symlink("gone", place.path("in/broken")).unwrap();
    let (code, sources, said) = sources(&place, "in -L");
    assert_eq!((code, sources.len()), (Some(1), 3));
    let mut said: Vec<_> = said.lines().collect();
    said.sort();
    assert!(
        said[0].contains("in/broken: the link leads to gone, which does not exist"),
        "{said:?}"
    );
    assert!(said[1].contains("in/loop-of-links: "), "{said:?}");
    assert_eq!(said.len(), 2);
}
