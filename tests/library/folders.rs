//! Checks that the modules at the root of each crate form no circle. So a crate can be read from the modules without dependencies
//! upwards.
//!
//! A module needs another if its code names it by `crate::` or by enough `super::` to reach the root. Code for tests and comments
//! do not count. Dependencies between crates are in `Cargo.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 10] = [
    "crates/cli/src",
    "crates/core/src",
    "crates/documents/src",
    "crates/known/src",
    "crates/structure/src",
    "crates/system/src",
    "crates/remote/src",
    "crates/resolve/src",
    "crates/tables/src",
    "src",
];

/// Modules at the root of a crate, each with the modules that it needs.
type Needs = BTreeMap<String, BTreeSet<String>>;

fn files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap();
    entries
        .flat_map(|entry| files(&entry.unwrap().path()))
        .collect()
}

/// Returns the names of modules in their own files that only tests compile.
fn test_modules(files: &[PathBuf]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for path in files {
        let text = fs::read_to_string(path).unwrap();
        for (at, start) in text.match_indices("#[cfg(test)]\nmod ") {
            let name = text[at + start.len()..].split([';', ' ']).next().unwrap();
            names.insert(name.to_owned());
        }
    }
    names
}

/// Whether a file contains only tests, or code that only fuzz targets and benchmarks call.
fn is_for_tests(path: &Path, tests: &BTreeSet<String>) -> bool {
    let mut names = path.iter().map(|part| part.to_str().unwrap());
    names.any(|part| {
        let name = part.trim_end_matches(".rs");
        tests.contains(name) || name.ends_with("_support")
    })
}

/// Returns the code of a file without comments and tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n");
    let opens_tests = |at: &usize| {
        let next = code[*at..].lines().nth(1).unwrap_or_default();
        next.contains("mod ") && next.ends_with('{')
    };
    let mut marks = code.match_indices("#[cfg(test)]").map(|(at, _)| at);
    let tests = marks.find(opens_tests);
    code[..tests.unwrap_or(code.len())].to_owned()
}

/// Returns the names at the root that `code` mentions. `up` is the path to the root.
fn named(code: &str, up: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, start) in code.match_indices(up) {
        if code[..at].ends_with("::") || code[at + start.len()..].starts_with("super::") {
            continue;
        }
        let path = &code[at + start.len()..];
        let members = match path.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap(),
            None => path
                .split(|c: char| !c.is_alphanumeric() && c != '_')
                .next()
                .unwrap(),
        };
        let word = |member: &str| member.trim().split("::").next().unwrap().to_owned();
        found.extend(members.split(',').map(word));
    }
    found
}

/// Returns the modules in the folder of a crate, each with the modules that it needs.
fn needs(source: &Path) -> Needs {
    let mut needs = Needs::new();
    let files = files(source);
    let tests = test_modules(&files);
    for path in &files {
        let below = path.strip_prefix(source).unwrap().to_owned();
        let first = below.iter().next().unwrap().to_str().unwrap();
        let module = first.trim_end_matches(".rs");
        if matches!(module, "lib" | "bin") || is_for_tests(&below, &tests) {
            continue;
        }
        let is_parent = below.ends_with("mod.rs");
        let depth = below.iter().count() - usize::from(is_parent);
        let text = code(path);
        let named = [
            named(&text, "crate::"),
            named(&text, &"super::".repeat(depth)),
        ];
        let own = needs.entry(module.to_owned()).or_default();
        own.extend(named.into_iter().flatten());
        own.remove(module);
    }
    let modules: BTreeSet<_> = needs.keys().cloned().collect();
    needs
        .values_mut()
        .for_each(|needs| needs.retain(|name| modules.contains(name)));
    needs
}

/// Returns the modules that need each other, directly or through others.
fn in_circles(needs: &Needs) -> BTreeSet<&str> {
    let reaches_itself = |start: &String| {
        let mut seen = BTreeSet::new();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            open.extend(needs[at].iter().filter(|next| seen.insert(*next)));
        }
        seen.contains(start)
    };
    let circled = needs.keys().filter(|module| reaches_itself(module));
    circled.map(String::as_str).collect()
}

#[test]
fn modules_form_no_circle() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for source in CRATES {
        let needs = needs(&root.join(source));
        assert!(needs.len() > 3, "{source}");
        let circled = in_circles(&needs);
        assert!(circled.is_empty(), "{source}: {circled:?} of {needs:#?}");
    }
}

#[test]
fn a_circle_is_found_in_all_ways_to_name_a_module() {
    let text =
        "use crate::{a::A, b};\nuse super::super::c::C;\nfn f() { crate::d() }\nuse super::e;";
    let all = [named(text, "crate::"), named(text, "super::super::")];
    assert_eq!(all[0], ["a", "b", "d"].map(str::to_owned).into());
    assert_eq!(all[1], ["c"].map(str::to_owned).into());
    let needs = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")];
    let needs = needs.map(|(from, to)| (from.to_owned(), BTreeSet::from([to.to_owned()])));
    assert_eq!(in_circles(&needs.into()), BTreeSet::from(["b", "c"]));
}
