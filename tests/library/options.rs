//! Options of tasks, set by name.

use std::collections::BTreeSet;

use doisift::internal::{BadOption, OptionHelp, OptionKind, OptionSpec, OptionTask, OptionValue};
use doisift::{BuildIndex, Check, CleanTable, Diff, Edges, ErrorKind, Limits, Merge, Role, Scan};

/// Returns the options of all tasks except scan.
fn other_tasks() -> Vec<Vec<&'static OptionSpec>> {
    vec![
        Merge::options(),
        CleanTable::options(),
        Diff::options(),
        BuildIndex::options(),
        Check::options(),
        #[cfg(feature = "resolve")]
        doisift::Resolve::options(),
    ]
}

#[test]
fn every_option_has_a_name_of_its_own_and_a_sentence() {
    let scan = [Scan::options()];
    for options in scan.into_iter().chain(other_tasks()) {
        let names: BTreeSet<_> = options.iter().map(|option| option.name).collect();
        assert_eq!(names.len(), options.len());
        for option in options {
            let summary = option.summary();
            assert!(summary.len() > 15 && !summary.ends_with('.'), "{summary}");
            let has_value = !matches!(option.kind, OptionKind::Flag);
            let is_typed = option.help != OptionHelp::Library;
            assert_eq!(
                !option.value.is_empty(),
                has_value && is_typed,
                "{}",
                option.name
            );
        }
    }
}

/// Options with their own help for an index, since it writes no rows and keeps none in memory.
const OF_INDEX: [&str; 2] = ["output", "memory"];

#[test]
fn an_option_is_the_same_for_all_tasks_that_have_it() {
    let scan = Scan::options();
    for other in other_tasks() {
        for option in other {
            let named = scan.iter().find(|own| own.name == option.name);
            if let Some(own) = named {
                let is_own = option.tasks.len() == 1 && OF_INDEX.contains(&option.name);
                assert_eq!(own.doc != option.doc, is_own, "{}", option.name);
            }
        }
    }
}

#[test]
fn what_is_set_by_name_is_in_the_report() {
    let texts = |words: &[&str]| OptionValue::List(words.iter().map(Into::into).collect());
    let given = [
        (
            "max_members",
            OptionValue::Text("5".into()),
            OptionValue::Number(5),
        ),
        (
            "max_window",
            OptionValue::Text("1K".into()),
            OptionValue::Number(1024),
        ),
        ("lines", OptionValue::Flag(true), OptionValue::Flag(true)),
        ("prefix", texts(&["10.1", "10.2"]), texts(&["10.1", "10.2"])),
        (
            "shard",
            OptionValue::Pair(1, 2),
            OptionValue::Text("1/2".into()),
        ),
        (
            "on_error",
            OptionValue::Text("fail".into()),
            OptionValue::Text("fail".into()),
        ),
    ];
    let mut scan = Scan::new().input("a");
    for (name, value, _) in &given {
        scan = scan.set(name, value.clone()).unwrap();
    }
    let options = scan.chosen().unwrap().reported;
    for (name, _, shown) in &given {
        assert_eq!(options.get(name), Some(shown), "{name}");
    }
    assert_eq!(options.get("columns"), Some(&OptionValue::Unset));
    assert_eq!(options.get("max_depth"), Some(&OptionValue::Number(3)));
}

#[test]
fn a_wrong_option_is_refused_with_the_reason() {
    let refused = |name: &str, value| Scan::new().set(name, value).unwrap_err();
    assert_eq!(
        refused("colour", OptionValue::Flag(true)),
        BadOption::Unknown
    );
    // It is an option of tables.
    assert_eq!(
        refused("in_place", OptionValue::Flag(true)),
        BadOption::Unknown
    );
    assert!(matches!(
        refused("lines", OptionValue::Number(1)),
        BadOption::Type(_)
    ));
    for (name, wrong) in [
        ("threads", "0"),
        ("threads", "+1"),
        ("memory", "512"),
        ("max_window", "1GX"),
        ("shard", "3/2"),
        ("tmp_dir", "tests/none"),
    ] {
        let error = refused(name, OptionValue::Text(wrong.into()));
        assert!(matches!(error, BadOption::Value(_)), "{name}: {error}");
    }
}

#[test]
fn a_group_that_is_set_as_a_whole_is_in_the_report() {
    let limits = Limits {
        max_depth: 5,
        ..Limits::default()
    };
    let edges = Edges {
        role: vec![Role::Own, Role::Reference],
        ..Edges::default()
    };
    let scan = Scan::new().input("a").limits(limits).edges(edges);
    let options = scan.chosen().unwrap().reported;
    let value = |name| options.get(name).map(ToString::to_string);
    assert_eq!(value("max_depth").as_deref(), Some("5"));
    assert_eq!(value("max_window").as_deref(), Some("134217728"));
    assert_eq!(value("edges").as_deref(), Some("true"));
    assert_eq!(value("role").as_deref(), Some("self,reference"));
}

#[test]
fn a_task_with_nothing_to_read_is_refused_before_it_writes() {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.csv");
    let errors = [
        Scan::new().output(&output).run().map(drop),
        Merge::new().output(&output).run().map(drop),
        CleanTable::new()
            .column("doi")
            .output(&output)
            .run()
            .map(drop),
        Check::new().output(&output).run().map(drop),
        BuildIndex::new().output(&output).run().map(drop),
        Diff::between("", "").output(&output).run().map(drop),
    ];
    for error in errors.map(Result::unwrap_err) {
        assert!(error.kind() == ErrorKind::Options, "{error}");
    }
    assert!(!output.exists());
    Scan::new().files_from("list").chosen().unwrap();
    Scan::new().reader("a", &b""[..]).chosen().unwrap();
}

#[test]
fn values_of_settings_are_shown_nowhere() {
    let settings = [("aws_secret_access_key", "planted")].into_iter().collect();
    let scan = Scan::new().input("a").storage_options(settings);
    let reported = scan.chosen().unwrap().reported;
    let json = serde_json::to_string(&reported).unwrap();
    let shown = format!("{scan:?} {reported:?} {json}");
    assert!(
        shown.contains("aws_secret_access_key") && !shown.contains("planted"),
        "{shown}"
    );
}
