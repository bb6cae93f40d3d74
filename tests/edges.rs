//! Checks which module of `src` may use which: no module may use one of a later stage.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library, and the modules that it may use.
const MAY_NAME: [(&str, &[&str]); 14] = [
    ("normalize", &["printable"]),
    ("lock", &[]),
    ("printable", &[]),
    ("temporary", &["lock", "printable"]),
    ("input", &["lock", "printable", "temporary"]),
    ("records", &["input", "lock", "printable", "temporary"]),
    ("dedup", &["lock", "printable", "records", "temporary"]),
    ("error", &["dedup", "input", "printable", "records"]),
    ("structure", &["printable"]),
    ("report", &["error", "input", "records", "structure"]),
    (
        "task",
        &[
            "error",
            "input",
            "lock",
            "printable",
            "records",
            "temporary",
        ],
    ),
    (
        "column",
        &[
            "error",
            "input",
            "lock",
            "normalize",
            "printable",
            "records",
            "report",
            "task",
        ],
    ),
    (
        "pipeline",
        &[
            "column",
            "dedup",
            "error",
            "input",
            "lock",
            "printable",
            "records",
            "report",
            "structure",
            "task",
            "temporary",
        ],
    ),
    (
        "merge",
        &[
            "dedup",
            "error",
            "input",
            "records",
            "report",
            "task",
            "temporary",
        ],
    ),
];

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    fs::read_dir(path)
        .unwrap()
        .flat_map(|entry| sources(&entry.unwrap().path()))
        .collect()
}

/// Whether a file holds tests alone, which may use every module.
fn is_test(path: &Path) -> bool {
    path.file_stem().is_some_and(|stem| stem == "tests")
        || path.components().any(|part| part.as_os_str() == "tests")
}

/// The files of a module without its tests: `name.rs`, or all files in the folder `name`.
fn files(module: &str) -> Vec<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let candidates = [source.join(format!("{module}.rs")), source.join(module)];
    candidates
        .iter()
        .filter(|path| path.exists())
        .flat_map(|path| sources(path))
        .filter(|path| !is_test(path))
        .collect()
}

/// Code without comments, since links in comments may point to any module.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The names after each `crate::`, with the members of a group one by one.
fn named(code: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, start) in code.match_indices("crate::") {
        let path = &code[at + start.len()..];
        let members = match path.strip_prefix('{') {
            Some(group) => &group[..group.find('}').unwrap()],
            None => path,
        };
        let many = if path.starts_with('{') { usize::MAX } else { 1 };
        let word = |text: &str| {
            text.trim()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect()
        };
        found.extend(members.split(',').take(many).map(word));
    }
    found
}

#[test]
fn modules_use_only_those_below_them() {
    for (module, may) in MAY_NAME {
        let files = files(module);
        assert!(!files.is_empty(), "no module {module}");
        for file in files {
            for name in named(&code(&file)) {
                let allowed = name == module || may.contains(&name.as_str());
                assert!(allowed, "{}: {module} must not name {name}", file.display());
            }
        }
    }
}

#[test]
fn every_module_has_its_edges_listed() {
    let root = code(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"));
    let modules = root
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    let listed: BTreeSet<_> = MAY_NAME.iter().map(|(module, _)| *module).collect();
    assert_eq!(modules.collect::<BTreeSet<_>>(), listed);
}
