//! Checks the README, the pages beside it and the book: commands give the output shown, links have targets, and generated pages
//! are up to date.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::root;
use crate::place::{Place, binary, without_data};

/// A page, with its path below the root of the repository.
struct Page {
    path: PathBuf,
    text: String,
}

/// A command of a `console` block and the output shown below it.
struct Session {
    command: String,
    shown: String,
}

fn pages() -> Vec<Page> {
    let beside = fs::read_dir(root()).unwrap();
    let mut paths: Vec<_> = beside.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    pages_below(&root().join("docs/src"), &mut paths);
    pages_below(&root().join("lab"), &mut paths);
    paths.sort();
    let page = |path: PathBuf| Page {
        text: fs::read_to_string(&path).unwrap(),
        path: path.strip_prefix(root()).unwrap().to_owned(),
    };
    paths.into_iter().map(page).collect()
}

fn pages_below(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            pages_below(&path, paths);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            paths.push(path);
        }
    }
}

impl Page {
    /// Returns the code blocks of a language.
    fn blocks(&self, language: &str) -> Vec<&str> {
        let fence = format!("```{language}\n");
        let starts = self.text.match_indices(&fence);
        let rest = starts.map(|(at, _)| &self.text[at + fence.len()..]);
        rest.map(|rest| rest.split("```").next().unwrap()).collect()
    }

    fn sessions(&self) -> Vec<Session> {
        let mut all: Vec<Session> = Vec::new();
        for line in self.blocks("console").into_iter().flat_map(str::lines) {
            match line.strip_prefix("$ ") {
                Some(command) => all.push(Session {
                    command: command.to_owned(),
                    shown: String::new(),
                }),
                None => {
                    let shown = &mut all.last_mut().unwrap().shown;
                    shown.push_str(line);
                    shown.push('\n');
                }
            }
        }
        all
    }

    /// Returns the lines outside of code blocks.
    fn lines(&self) -> impl Iterator<Item = &str> {
        let parts = self.text.split("```").step_by(2);
        parts.flat_map(str::lines)
    }

    /// Returns the targets of its relative links and pictures.
    fn links(&self) -> Vec<&str> {
        let mut links = Vec::new();
        for line in self.lines() {
            let starts = line.match_indices("](");
            let targets = starts.map(|(at, _)| line[at + 2..].split(')').next().unwrap());
            links.extend(targets.filter(|target| !target.contains("://")));
        }
        links
    }

    /// Returns the anchors of its headings, as GitHub and mdbook make them.
    fn anchors(&self) -> Vec<String> {
        let headings = self.lines().filter_map(|line| line.strip_prefix('#'));
        let kept = |c: &char| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ');
        let anchor = |text: &str| -> String {
            let text = text.trim_start_matches('#').trim();
            text.to_lowercase().chars().filter(kept).collect()
        };
        headings
            .map(|text| anchor(text).replace(' ', "-"))
            .collect()
    }

    /// Returns the message for a broken link, or `None` if the link has a target.
    fn fault(&self, link: &str, pages: &[Page]) -> Option<String> {
        let here = self.path.parent().unwrap();
        let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = match file {
            "" => self.path.clone(),
            file => joined(here, file),
        };
        let is_in_book = |path: &Path| path.starts_with("docs/src");
        let page = pages.iter().find(|page| page.path == path);
        let is_missing = !root().join(&path).exists()
            // The built book contains only its own folder.
            || is_in_book(&self.path) && !is_in_book(&path)
            || !anchor.is_empty() && !page.is_some_and(|page| page.anchors().iter().any(|own| own == anchor));
        is_missing.then(|| format!("{}: {link}", self.path.display()))
    }

    fn run(&self) {
        let place = Place::new();
        std::os::unix::fs::symlink(root().join("corpora"), place.path("corpora")).unwrap();
        let binary = binary();
        let folder = binary.parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        for session in self.sessions() {
            let mut shell = Command::new("sh");
            shell
                .args(["-c", &session.command])
                .env("PATH", &path)
                .current_dir(place.path("."));
            let output = without_data(&mut shell).output().unwrap();
            let which = format!("{}: {}", self.path.display(), session.command);
            let out = String::from_utf8(output.stdout).unwrap();
            assert_eq!(out, session.shown, "{which}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{which}");
        }
    }
}

/// Resolves `path` relative to `folder`, without `..`.
fn joined(folder: &Path, path: &str) -> PathBuf {
    let mut joined = folder.to_owned();
    for part in path.split('/') {
        match part {
            ".." => assert!(joined.pop(), "{path} leaves the repository"),
            part => joined.push(part),
        }
    }
    joined
}

#[test]
fn every_session_shows_what_the_page_says() {
    let pages = pages();
    assert!(
        pages
            .iter()
            .map(|page| page.sessions().len())
            .sum::<usize>()
            > 30
    );
    pages.iter().for_each(Page::run);
}

#[test]
fn every_other_command_is_run_by_ci() {
    let ci = fs::read_to_string(root().join(".ci/run")).unwrap();
    let pages = pages();
    let commands = pages.iter().flat_map(|page| page.blocks("sh"));
    for command in commands.flat_map(str::lines) {
        assert!(ci.contains(command), "{command} is not in .ci/run");
    }
}

/// The files of these commands do not exist. With `--help` at its end a command succeeds if all its options are valid.
#[test]
fn every_command_of_the_cheat_sheet_has_valid_options() {
    let page = fs::read_to_string(root().join("docs/src/cheatsheet.md")).unwrap();
    let code = page.split('`').skip(1).step_by(2);
    let commands: Vec<_> = code
        .filter_map(|code| code.split("doisift ").nth(1))
        .collect();
    assert!(commands.len() > 30);
    for command in commands {
        let script = format!("\"$0\" {command} --help");
        let mut shell = Command::new("sh");
        let output = shell.arg("-c").arg(script).arg(binary()).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{command}: {message}");
    }
}

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let faults = |page| -> Vec<String> {
        let links = Page::links(page).into_iter();
        links.filter_map(|link| page.fault(link, &pages)).collect()
    };
    let faults: Vec<String> = pages.iter().flat_map(faults).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(pages.iter().map(|page| page.links().len()).sum::<usize>() > 60);
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let pages = pages();
    let book = pages
        .iter()
        .filter_map(|page| page.path.strip_prefix("docs/src").ok());
    let summary = fs::read_to_string(root().join("docs/src/SUMMARY.md")).unwrap();
    for path in book.filter(|path| *path != Path::new("SUMMARY.md")) {
        let link = format!("]({})", path.display());
        assert!(summary.contains(&link), "{link} is not in SUMMARY.md");
    }
}

/// Not in a build without these features, which lacks their formats.
#[test]
fn the_generated_pages_are_what_the_command_writes() {
    for (path, args) in [
        (
            "docs/src/reference/options.md",
            &["--generate", "markdown"][..],
        ),
        ("python/doisift/_options.pyi", &["--generate", "python"][..]),
        ("docs/src/rules.md", &["explain", "--rules"]),
        ("docs/schemas/doisift.json", &["--generate", "schemas"]),
    ] {
        let written = Command::new(binary()).args(args).output().unwrap();
        let kept = fs::read(root().join(path)).unwrap_or_default();
        let args = args.join(" ");
        assert!(
            written.stdout == kept,
            "write it anew: doisift {args} > {path}"
        );
    }
}

#[test]
fn the_reports_page_has_every_member_of_a_report() {
    let place = Place::new();
    place.file("a.json", "{\"DOI\":\"10.5555/a\"}\n");
    place
        .scan("a.json --edges -o a.jsonl --report r.json")
        .quiet();
    let report = place.json("r.json");
    let page = fs::read_to_string(root().join("docs/src/reference/reports.md")).unwrap();
    let explained: String = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split('|').next())
        .collect();
    for member in report.as_object().unwrap().keys() {
        assert!(explained.contains(&format!("`{member}`")), "{member}");
    }
}

#[test]
fn every_script_that_is_named_exists() {
    for page in pages() {
        for folder in ["scripts/", "lab/"] {
            for (at, _) in page.text.match_indices(folder) {
                if !page.text[..at].ends_with(char::is_alphanumeric) {
                    let path = script(folder, &page.text[at + folder.len()..]);
                    assert!(path.exists(), "{}: {}", page.path.display(), path.display());
                }
            }
        }
    }
}

/// Returns the path of the script that a text names in a folder: `evaluate`, or a part of a family, `bench compare`.
fn script(folder: &str, text: &str) -> PathBuf {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "-/.".contains(c);
    let mut words = text.split(|c| !is_part(c));
    let name = words.next().unwrap();
    let families = ["scripts", "lab"].map(|home| root().join(home).join(format!("{name}.d")));
    let family = families.into_iter().find(|family| family.is_dir());
    match family.filter(|_| text[name.len()..].starts_with(' ')) {
        Some(family) => family.join(words.next().unwrap()),
        None => root().join(folder).join(name.trim_end_matches('.')),
    }
}

/// Compares paths below `src`, which do not depend on the place of a crate.
#[test]
fn every_file_that_the_architecture_names_exists() {
    let mut files = Vec::new();
    for folder in ["src", "crates", "tests", "python"] {
        files_below(&root().join(folder), &mut files);
    }
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let code = page.split('`').skip(1).step_by(2);
    let paths = code.filter(|text| text.ends_with(".rs"));
    let paths: Vec<&str> = paths
        .map(|path| path.rsplit("src/").next().unwrap())
        .collect();
    assert!(paths.len() > 20);
    for path in paths {
        assert!(files.iter().any(|file| file.ends_with(path)), "{path}");
    }
}

fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files_below(&path, files),
            false => files.push(path),
        }
    }
}
