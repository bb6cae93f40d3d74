//! Runs the commands of the README and compares their output.

use std::path::Path;
use std::process::Command;

use crate::place::{Place, binary};

const README: &str = include_str!("../../README.md");

/// A command of a `console` block and the output shown below it.
struct Session {
    command: String,
    shown: String,
}

fn blocks(language: &str) -> impl Iterator<Item = &'static str> {
    let fence = format!("```{language}\n");
    let starts: Vec<_> = README
        .match_indices(&fence)
        .map(|(at, _)| at + fence.len())
        .collect();
    starts
        .into_iter()
        .map(|start| README[start..].split("```").next().unwrap())
}

fn sessions() -> Vec<Session> {
    let mut all: Vec<Session> = Vec::new();
    for line in blocks("console").flat_map(str::lines) {
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

#[test]
fn every_session_shows_what_the_readme_says() {
    let place = Place::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    std::os::unix::fs::symlink(root.join("corpora"), place.path("corpora")).unwrap();
    let binary = binary();
    let folder = binary.parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let sessions = sessions();
    assert!(sessions.len() > 4);
    for session in sessions {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &session.command])
            .env("PATH", &path)
            .current_dir(place.path("."));
        let output = shell.output().unwrap();
        let out = String::from_utf8(output.stdout).unwrap();
        assert_eq!(out, session.shown, "{}", session.command);
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "",
            "{}",
            session.command
        );
    }
}

#[test]
fn every_other_command_is_run_by_ci() {
    let ci =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run")).unwrap();
    for command in blocks("sh").flat_map(str::lines) {
        assert!(ci.contains(command), "{command} is not in .ci/run");
    }
}
