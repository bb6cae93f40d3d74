//! Runs `tests/cases/clean.toml` through `doisift::clean` and through `normalize --clean`.

use doisift::{Doi, clean};
use serde::Deserialize;

use crate::common;
use crate::place::binary;

/// A class of dirty texts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CleanClass {
    name: String,
    why: String,
    #[serde(default)]
    cut: Vec<(String, String)>,
    #[serde(default)]
    several: Vec<(String, String)>,
    #[serde(default)]
    keep: Vec<String>,
    #[serde(default)]
    refuse: Vec<String>,
}

impl CleanClass {
    /// Returns each text with its name, or the first of several.
    fn cases(&self) -> Vec<(&str, Option<String>)> {
        let cut = self
            .cut
            .iter()
            .chain(&self.several)
            .map(|(dirty, name)| (&**dirty, Some(name.clone())));
        let kept = |text: &str| Doi::parse(text).map(|doi| doi.as_str().to_owned());
        let keep = self
            .keep
            .iter()
            .map(|text| (&**text, Some(kept(text).expect(text))));
        let refuse = self.refuse.iter().map(|text| (&**text, None));
        cut.chain(keep).chain(refuse).collect()
    }
}

fn classes() -> Vec<CleanClass> {
    common::classes("tests/cases/clean.toml")
}

/// Fails with a line for each case from which `found` differs. `reads_first` says whether the first of several names is read.
fn check(reads_first: bool, found: impl Fn(&str) -> Option<String>) {
    let mut wrong = Vec::new();
    for class in classes() {
        let is_several = |text: &str| class.several.iter().any(|(several, _)| several == text);
        for (text, wanted) in class.cases() {
            let name = found(text);
            let wanted = wanted.filter(|_| reads_first || !is_several(text));
            if name != wanted {
                wrong.push(format!(
                    "{}: {text:?}: {name:?}, not {wanted:?}",
                    class.name
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn every_case_by_the_library() {
    check(true, |text| {
        clean(text)
            .ok()
            .map(|cleaned| cleaned.doi.as_str().to_owned())
    });
}

/// Returns the outputs of `doisift normalize --clean` for `texts`.
fn printed(options: &[&str], texts: &[&str]) -> (String, String) {
    let mut command = std::process::Command::new(binary());
    command
        .args(["normalize", "--clean", "--to=name"])
        .args(options);
    let output = command
        .arg("--")
        .args(texts)
        .output()
        .expect("the command runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (text(output.stdout), text(output.stderr))
}

#[test]
fn every_case_by_the_command_is_one_line() {
    check(false, |text| {
        let (out, _) = printed(&[], &[text]);
        let line = out.strip_suffix('\n').expect("a line");
        (!line.is_empty()).then(|| line.to_owned())
    });
}

#[test]
fn what_holds_no_name_is_an_empty_line_and_a_reason() {
    let (out, err) = printed(&[], &["10.5555/a.", "none", "10.5555/..."]);
    assert_eq!(out, "10.5555/a\n\n\n");
    let reasons: Vec<_> = err.lines().collect();
    assert_eq!(
        reasons,
        [
            "doisift: argument 2: \"none\": no directory indicator \"10.\", at byte 0",
            "doisift: argument 3: \"10.5555/...\": empty suffix, at byte 8",
        ]
    );
}

#[test]
fn strict_looks_at_what_is_left() {
    let (out, err) = printed(&["--strict"], &["10.5555/a/b/full", "10.5555/ab/full"]);
    assert_eq!(out, "\n10.5555/ab\n");
    assert!(err.contains("reserved"), "{err}");
}

#[test]
fn a_presentation_form_is_no_change_and_a_cut_is_one() {
    let changed = |text: &str| clean(text).map(|cleaned| cleaned.changed);
    for class in classes() {
        for text in &class.keep {
            assert_eq!(changed(text), Ok(false), "{text}");
        }
    }
    assert_eq!(changed("10.5555/abc/full"), Ok(true));
    assert_eq!(changed("TN_10.5555/abc"), Ok(true));
}

#[test]
fn what_was_changed_is_reported_with_its_rule() {
    for (text, expected) in [
        ("10.5555/abc", &[][..]),
        ("https://doi.org/10.5555/a%2Fb", &[]),
        (
            "TN_10. 5555/abc/full.",
            &[
                ("dirt.lead", "TN_"),
                ("dirt.prefix", "10. 5555/"),
                ("tail.stop-alone", "."),
                ("tail.page-word", "/full"),
            ],
        ),
        (
            "10.5555/a&lt;b&amp;gt;1\u{2010}2 pmid:1",
            &[
                ("escape.entity", "&lt;"),
                ("escape.entity", "&amp;"),
                ("escape.entity", "&gt;"),
                ("dirt.dash", "\u{2010}"),
                ("dirt.tag", "<b>"),
                ("suffix.mark", " pmid:1"),
            ],
        ),
        (
            "10.5555/x.1%2D2,85,1494(2006)",
            &[
                ("escape.percent", "%2D"),
                ("dirt.place-in-print", ",85,1494(2006)"),
            ],
        ),
        (
            "10.5555/<i>a</i> 12345<sup>2</sup>",
            &[
                ("dirt.note", "<sup>2</sup>"),
                ("dirt.tag", "<i>"),
                ("dirt.tag", "</i>"),
                ("dirt.break", " "),
            ],
        ),
        (
            "https://a.example/doi/10.5555/a1/pdf?x=y",
            &[
                ("dirt.lead", "https://a.example/doi/"),
                ("tail.page-word", "/pdf?x=y"),
            ],
        ),
        ("1O.5555/a1", &[("dirt.reread", "1O.5555/")]),
        (
            "10.5555_a1.pdf",
            &[
                ("dirt.underscored-prefix", "_"),
                ("dirt.underscored-prefix", ".pdf"),
            ],
        ),
    ] {
        let changes = clean(text).expect(text).changes;
        let changes: Vec<_> = changes
            .iter()
            .map(|change| (change.rule, &*change.text))
            .collect();
        assert_eq!(changes, expected, "{text}");
    }
}

#[test]
fn each_changed_text_has_its_changes() {
    for class in classes() {
        for (text, _) in class.cases() {
            let Ok(cleaned) = clean(text) else { continue };
            assert_eq!(cleaned.changed, !cleaned.changes.is_empty(), "{text}");
        }
    }
}

#[test]
fn every_class_has_a_reason_and_five_cases_to_cut() {
    for class in classes() {
        assert!(!class.why.is_empty(), "{} has no reason", class.name);
        assert!(
            class.cut.len() >= 5,
            "{} has {} cases",
            class.name,
            class.cut.len()
        );
    }
}

#[test]
fn long_dirt_costs_no_more_than_its_length() {
    // Each of these texts takes minutes if a rule is not linear in the length of the text.
    for piece in [
        "10.5555/\"",
        "<",
        "<i>",
        "<sup>",
        "a <b ",
        "[1]",
        ",1",
        "&lt;",
        "10.5555/",
        ".com",
        "%3C",
        "{",
        "\\_",
        "(",
    ] {
        let text = format!("10.5555/a{}", piece.repeat(20_000));
        assert!(clean(&text).is_ok(), "{piece}");
    }
}
