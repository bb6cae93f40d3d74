//! Imports between the files of `src` form no large circles, so that each file can be read after the files that it needs.
//!
//! What counts as an import of file A from file B:
//! - a `use` in A of something that B defines. Re-exports are followed to the file that defines the thing, so a `mod.rs`
//!   that only re-exports its children imports nothing, and `super::Thing` is an import from the sibling that defines it;
//! - a path in the code of A (`super::b::thing()`), the arguments of macros included. A `use` of the module B alone counts
//!   only through such paths.
//!
//! `use b::*` is an import from B itself, and does not make the names of B those of A.
//!
//! Declarations (`mod b;`) and code for tests (`#[cfg(test)]`) do not count.
//!
//! A circle is a largest set of files that all reach each other. One of up to four files of one folder is allowed: a parent that
//! calls its child, which uses a type of the parent. A file with children (`b.rs` or `b/mod.rs`) belongs to their folder.
#![allow(missing_docs, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Token, UseTree, Visibility};

/// The most files of one folder that a circle may hold.
const MOST: usize = 4;

/// A module's path from the root of the crate.
type Module = Vec<String>;

/// What one file holds.
#[derive(Default)]
struct Source {
    name: String,
    children: BTreeSet<String>,
    /// The local name of each import, and its path.
    uses: BTreeMap<String, Vec<String>>,
    /// Paths that this file needs itself.
    needs: BTreeSet<Vec<String>>,
    /// While the file is read: modules within it that are open, `mod inner { }`. They count as the file.
    inner: usize,
}

/// The files of one crate by module.
#[derive(Default)]
struct Crate {
    sources: BTreeMap<Module, Source>,
}

impl Crate {
    /// Reads the crate whose root is `root`; `text` gives the content of a file, if there is such a file.
    fn read(root: &str, text: &dyn Fn(&str) -> Option<String>) -> Self {
        let folder = root.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut read = Self::default();
        let mut open = vec![(Module::new(), root.to_owned())];
        while let Some((module, name)) = open.pop() {
            let parsed = syn::parse_file(&text(&name).unwrap()).unwrap();
            let mut source = Source {
                name,
                ..Source::default()
            };
            source.visit_file(&parsed);
            for child in &source.children {
                let module = [&module[..], std::slice::from_ref(child)].concat();
                let stem = format!("{folder}/{}", module.join("/"));
                let names = [format!("{stem}.rs"), format!("{stem}/mod.rs")];
                let name = names.into_iter().find(|name| text(name).is_some());
                open.push((module, name.unwrap()));
            }
            read.sources.insert(module, source);
        }
        read
    }

    /// The module that defines the item that `path` names when written in `module`; none for other crates, for local names and
    /// for modules. `imported` says that the first word may be the local name of an import, as it may in code but not in a
    /// `use`.
    fn definer(&self, module: &[String], path: &[String], imported: bool) -> Option<Module> {
        let mut at = module.to_vec();
        let mut known = false;
        for (index, word) in path.iter().enumerate() {
            let source = &self.sources[&at];
            match (word.as_str(), source.uses.get(word)) {
                ("crate", _) => at.clear(),
                ("self", _) => {}
                ("super", _) => drop(at.pop()),
                ("*", _) => return Some(at),
                _ if source.children.contains(word) => at.push(word.clone()),
                (_, Some(import)) if known || imported => {
                    let path = [import, &path[index + 1..]].concat();
                    return self.definer(&at, &path, false);
                }
                _ => return known.then_some(at),
            }
            known = true;
        }
        None
    }

    /// The imports of each module.
    fn imports(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let of = |module: &Module, source: &Source| {
            let definers = source
                .needs
                .iter()
                .filter_map(|path| self.definer(module, path, true));
            definers.filter(|other| other != module).collect()
        };
        let sources = self.sources.iter();
        sources
            .map(|(module, source)| (module.clone(), of(module, source)))
            .collect()
    }

    /// The folder that a module's file belongs to.
    fn folder<'a>(&self, module: &'a [String]) -> &'a [String] {
        if self.sources[module].children.is_empty() {
            module.split_last().map_or(module, |(_, parent)| parent)
        } else {
            module
        }
    }

    /// Each circle that is not allowed, as a text with its imports.
    fn faults(&self) -> Vec<String> {
        let imports = self.imports();
        let mut faults = Vec::new();
        for circle in circles(&imports) {
            let folders: BTreeSet<_> = circle.iter().map(|module| self.folder(module)).collect();
            if folders.len() > 1 || circle.len() > MOST {
                faults.push(self.describe(&circle, &imports));
            }
        }
        faults
    }

    fn describe(
        &self,
        circle: &BTreeSet<Module>,
        imports: &BTreeMap<Module, BTreeSet<Module>>,
    ) -> String {
        let name = |module: &Module| self.sources[module].name.as_str();
        let lines = circle.iter().map(|module| {
            let others: Vec<_> = imports[module].intersection(circle).map(name).collect();
            format!("  {} imports {}\n", name(module), others.join(", "))
        });
        format!(
            "a circle of {} files:\n{}",
            circle.len(),
            lines.collect::<String>()
        )
    }
}

/// The largest sets of modules that all reach each other.
fn circles(imports: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<BTreeSet<Module>> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = imports
        .keys()
        .map(|start| {
            let mut seen = BTreeSet::new();
            let mut open = vec![start];
            while let Some(at) = open.pop() {
                open.extend(imports[at].iter().filter(|next| seen.insert(*next)));
            }
            (start, seen)
        })
        .collect();
    let circle = |start| {
        let both = |other: &&&Module| reached[**other].contains(start);
        reached[start]
            .iter()
            .filter(both)
            .map(|other| (*other).clone())
            .collect()
    };
    let all = imports.keys().map(circle);
    all.filter(|circle: &BTreeSet<Module>| circle.len() > 1)
        .collect()
}

impl<'a> Visit<'a> for Source {
    fn visit_item(&mut self, item: &'a Item) {
        if attributes(item).iter().any(is_for_tests) {
            return;
        }
        match item {
            Item::Mod(child) if child.content.is_none() => {
                self.children.insert(child.ident.to_string());
            }
            Item::Use(import) => {
                let private = matches!(import.vis, Visibility::Inherited);
                self.import(&import.tree, Vec::new(), private);
            }
            Item::Mod(_) => {
                self.inner += 1;
                visit::visit_item(self, item);
                self.inner -= 1;
            }
            _ => visit::visit_item(self, item),
        }
    }

    /// `pub(super)` imports nothing.
    fn visit_visibility(&mut self, _: &'a Visibility) {}

    fn visit_path(&mut self, path: &'a syn::Path) {
        if path.leading_colon.is_none() {
            let words = path.segments.iter().map(|part| part.ident.to_string());
            let path = self.outer_path(words.collect());
            self.needs.insert(path);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'a syn::Macro) {
        let arguments = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
        // Macros with a grammar of their own are left out.
        for argument in arguments.into_iter().flatten() {
            Visit::visit_expr(self, &argument);
        }
        visit::visit_macro(self, call);
    }
}

impl Source {
    fn import(&mut self, tree: &UseTree, mut path: Vec<String>, private: bool) {
        let (local, word) = match tree {
            UseTree::Path(step) => {
                path.push(step.ident.to_string());
                return self.import(&step.tree, path, private);
            }
            UseTree::Group(group) => {
                for member in &group.items {
                    self.import(member, path.clone(), private);
                }
                return;
            }
            UseTree::Name(name) => (name.ident.to_string(), name.ident.to_string()),
            UseTree::Rename(name) => (name.rename.to_string(), name.ident.to_string()),
            UseTree::Glob(_) => ("*".to_owned(), "*".to_owned()),
        };
        let local = if local == "self" {
            path.last().unwrap().clone()
        } else {
            local
        };
        if word != "self" {
            path.push(word);
        }
        let path = self.outer_path(path);
        if private {
            self.needs.insert(path.clone());
        }
        if self.inner == 0 {
            self.uses.insert(local, path);
        }
    }

    /// A path that is written in a module within the file, as the file itself would write it.
    fn outer_path(&self, path: Vec<String>) -> Vec<String> {
        let up = path.iter().take_while(|word| *word == "super").count();
        match up.min(self.inner) {
            0 => path,
            up => [&["self".to_owned()], &path[up..]].concat(),
        }
    }
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Const(item) => &item.attrs,
        _ => &[],
    }
}

fn is_for_tests(attribute: &Attribute) -> bool {
    let list = attribute.meta.require_list();
    attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
}

#[test]
fn no_large_circle_of_imports() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = |name: &str| fs::read_to_string(base.join(name)).ok();
    for root in ["src/lib.rs", "src/bin/doisift/main.rs"] {
        let faults = Crate::read(root, &text).faults();
        assert!(faults.is_empty(), "{root}: {}", faults.join("\n"));
    }
}

/// The files of each circle that is not allowed among made-up files.
fn faults(files: &[(&str, &str)]) -> Vec<String> {
    let files: BTreeMap<_, _> = files.iter().copied().collect();
    let text = |name: &str| files.get(name).map(|text| (*text).to_owned());
    Crate::read("src/lib.rs", &text).faults()
}

#[test]
fn a_circle_between_folders_is_a_fault() {
    let found = faults(&[
        ("src/lib.rs", "mod a; mod b;"),
        ("src/a/mod.rs", "mod inner; pub use inner::A;"),
        ("src/a/inner.rs", "use crate::b::B; pub struct A(B);"),
        ("src/b/mod.rs", "mod inner; pub use self::inner::B;"),
        (
            "src/b/inner.rs",
            "use crate::a; pub struct B; fn f(_: a::A) {}",
        ),
    ]);
    // The two that only re-export are not part of it.
    let expected = "a circle of 2 files:\n  src/a/inner.rs imports src/b/inner.rs\n  src/b/inner.rs imports src/a/inner.rs\n";
    assert_eq!(found, [expected]);
}

#[test]
fn a_circle_of_five_files_of_a_folder_is_a_fault() {
    let parent = "mod a; mod b; mod c; mod d; fn f() { println!(\"{}\", a::f(1)) }";
    let last = "pub fn f() { super::f() }";
    let files = [
        ("src/lib.rs", parent),
        ("src/a.rs", "pub fn f(_: u8) { crate::b::f() }"),
        (
            "src/b.rs",
            "use super::{c as other, d}; pub fn f() { other::f(); d::f() }",
        ),
        ("src/c.rs", "use crate::d::f as g; pub fn f() { g() }"),
        ("src/d.rs", last),
    ];
    assert_eq!(faults(&files).len(), 1);
    let mut four = files;
    // The child `d` reaches the parent only in its tests.
    four[4].1 = "pub fn f() {} #[cfg(test)] mod tests { use super::super::f; }";
    assert_eq!(faults(&four), [""; 0]);
}

#[test]
fn all_names_of_a_file_are_imported_from_it() {
    let files = [
        ("src/lib.rs", "mod a; mod b;"),
        ("src/a/mod.rs", "mod c; use crate::b::*;"),
        ("src/a/c.rs", "use super::*;"),
        ("src/b.rs", "use crate::a::*;"),
    ];
    // `c` imports from the circle and is no part of it.
    let expected =
        "a circle of 2 files:\n  src/a/mod.rs imports src/b.rs\n  src/b.rs imports src/a/mod.rs\n";
    assert_eq!(faults(&files), [expected]);
}

#[test]
fn a_module_within_a_file_counts_as_the_file() {
    let files = [
        ("src/lib.rs", "mod a; mod b;"),
        (
            "src/a/mod.rs",
            "mod c; pub struct A; mod inner { use super::A; use super::super::b::B; }",
        ),
        ("src/a/c.rs", "use super::A;"),
        ("src/b.rs", "pub struct B; fn f() -> crate::a::A { }"),
    ];
    let found = faults(&files);
    assert!(
        found[0].contains("src/a/mod.rs imports src/b.rs"),
        "{found:?}"
    );
}

#[test]
fn a_parent_and_its_child_may_import_each_other() {
    let files = [
        ("src/lib.rs", "mod a;"),
        ("src/a.rs", "mod b; pub struct A; fn f() { b::f(A) }"),
        ("src/a/b.rs", "use super::A; pub fn f(_: A) {}"),
    ];
    assert_eq!(faults(&files), [""; 0]);
}

#[test]
fn other_crates_and_enclosing_names_are_no_imports() {
    let files = [
        ("src/lib.rs", "mod a; mod b; use memchr::memchr;"),
        (
            "src/a.rs",
            "use std::b; pub(super) fn f() { memchr::memchr(b::C) }",
        ),
        ("src/b.rs", "use crate::a; use super::memchr;"),
    ];
    assert_eq!(faults(&files), [""; 0]);
}
