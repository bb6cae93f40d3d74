//! Runs a command for a file, and reads its output instead of the file.
//!
//! As with ripgrep's option `--pre`, the command gets the path as its only argument, and the file as its standard input.
//! It runs in a group of its own, with all processes that it starts. The group is killed if the task ends before the command
//! does. No process is left unreaped.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::Path;
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use doisift_system::{CommandGroup, ReadyPipes, signal_of};
use globset::{GlobSet, GlobSetBuilder};

use super::fault::InputError;
use super::find::{BadGlob, compiled};
use super::halt::HaltSignal;
use super::read::{FromRead, ReadBytes};
use super::sources::{Source, SourceKind};

/// Maximum length of a command's standard error in a message, in characters.
const MAX_SHOWN_CHARS: usize = 300;
/// Maximum wait for the command before it is checked whether the task must end.
const MAX_CHECK_PAUSE: Duration = Duration::from_millis(50);
/// The first wait for the end of a command that closed its output. Each further one is twice as long, up to [`MAX_CHECK_PAUSE`].
const FIRST_EXIT_PAUSE: Duration = Duration::from_micros(200);

/// A command, and the files for which it is run.
#[derive(Debug)]
pub struct Preprocessor {
    command: OsString,
    globs: GlobSet,
    /// For each glob, whether the files that match it are excluded.
    leaves_out: Vec<bool>,
}

impl Preprocessor {
    /// Runs `command` for files that match one of `globs`, or for all if it is empty. Files that match a glob after `!` are
    /// excluded. Of several globs that match, the last one decides. If all globs start with `!`, all other files are taken.
    pub fn new(command: OsString, globs: &[String]) -> Result<Self, BadGlob> {
        let mut set = GlobSetBuilder::new();
        let mut leaves_out = Vec::new();
        for typed in globs {
            let glob = typed.strip_prefix('!');
            leaves_out.push(glob.is_some());
            let glob = compiled(glob.unwrap_or(typed));
            set.add(glob.map_err(|error| BadGlob::new(typed, &error))?);
        }
        let globs = set
            .build()
            .map_err(|error| BadGlob::new(&globs.join(" "), &error))?;
        Ok(Preprocessor {
            command,
            globs,
            leaves_out,
        })
    }

    /// Whether the command is run for a source. Standard input and streams of a caller are excluded, since they have no
    /// path.
    pub fn takes(&self, source: &Source) -> bool {
        if matches!(source.kind, SourceKind::Stdin | SourceKind::Reader) {
            return false;
        }
        let path = source.below();
        match self.globs.matches(path).last() {
            Some(&last) => !self.leaves_out[last],
            None => self.leaves_out.iter().all(|leaves_out| *leaves_out),
        }
    }

    /// Starts the command for an opened file. `halt` says when it must end.
    ///
    /// # Errors
    /// If the system does not start it.
    pub(super) fn start<'r>(
        &'r self,
        file: File,
        path: &Path,
        halt: Option<&'r dyn HaltSignal>,
    ) -> Result<CommandOutput<'r>, InputError> {
        let command = &self.command;
        let mut prepared = Command::new(command);
        prepared
            .arg(argument(path))
            .stdin(Stdio::from(file))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = CommandGroup::start(&mut prepared);
        let mut group = started.map_err(|error| InputError::NoCommand {
            command: command.to_string_lossy().into(),
            error,
        })?;
        Ok(CommandOutput {
            output: group.child().stdout.take(),
            errors: group.child().stderr.take(),
            group,
            command,
            said: Vec::new(),
            halt,
            is_reaped: false,
        })
    }
}

/// Returns the path as an argument that no command takes for an option.
fn argument(path: &Path) -> OsString {
    let mut argument = OsString::new();
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        argument.push("./");
    }
    argument.push(path);
    argument
}

/// The standard output of a command.
///
/// The end of the output waits for the end of the command, and is an error if the command failed. If the task must end, the
/// output ends and the command is killed. Dropping this kills the command too.
pub(super) struct CommandOutput<'r> {
    group: CommandGroup,
    command: &'r OsStr,
    /// `None` after its end.
    output: Option<ChildStdout>,
    /// The standard error; `None` after its end.
    errors: Option<ChildStderr>,
    /// The first bytes of the standard error.
    said: Vec<u8>,
    halt: Option<&'r dyn HaltSignal>,
    is_reaped: bool,
}

impl CommandOutput<'_> {
    /// Reads the rest, so that the command ends by itself.
    pub(super) fn finish(&mut self) -> Result<(), InputError> {
        self.skip(u64::MAX).map(drop)
    }

    /// Waits until the output can be read or `max` has passed, and takes the standard error written meanwhile. Returns
    /// whether the output can be read.
    fn wait(&mut self, max: Duration) -> Result<bool, InputError> {
        let ready = ReadyPipes::wait(self.output.as_ref(), self.errors.as_ref(), max)?;
        if ready.errors {
            self.take_errors()?;
        }
        Ok(ready.output)
    }

    /// Reads the available bytes of the standard error.
    fn take_errors(&mut self) -> Result<(), InputError> {
        let Some(errors) = &mut self.errors else {
            return Ok(());
        };
        let mut some = [0; 4 << 10];
        let read = FromRead(errors).read(&mut some)?;
        if read == 0 {
            self.errors = None;
        }
        let room = (4 * MAX_SHOWN_CHARS).saturating_sub(self.said.len());
        self.said.extend_from_slice(&some[..read.min(room)]);
        Ok(())
    }

    /// Waits for the end of the command, which has closed its output.
    fn wait_for_exit(&mut self) -> Result<(), InputError> {
        let mut pause = FIRST_EXIT_PAUSE;
        loop {
            if let Some(status) = self.group.child().try_wait()? {
                self.is_reaped = true;
                // A process that the command started may still hold the pipe open, so this reads the available bytes and
                // does not wait.
                while self.errors.is_some() && self.wait_for_errors()? {}
                return self.outcome(status);
            }
            if self.halt.is_halted() {
                self.kill();
                return Ok(());
            }
            match self.errors {
                Some(_) => drop(self.wait(pause)?),
                None => thread::sleep(pause),
            }
            pause = MAX_CHECK_PAUSE.min(2 * pause);
        }
    }

    /// Reads the available bytes of the standard error. Returns false if no bytes were added.
    fn wait_for_errors(&mut self) -> Result<bool, InputError> {
        let before = self.said.len();
        self.wait(Duration::ZERO)?;
        Ok(self.said.len() > before)
    }

    fn outcome(&self, status: ExitStatus) -> Result<(), InputError> {
        if status.success() {
            Ok(())
        } else {
            Err(InputError::Command {
                command: self.command.to_string_lossy().into(),
                ending: ending(status, &said(&self.said)).into(),
            })
        }
    }

    /// Kills the command and the processes that it started, and reaps it.
    fn kill(&mut self) {
        if std::mem::replace(&mut self.is_reaped, true) {
            return;
        }
        self.group.kill();
    }
}

impl ReadBytes for CommandOutput<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if into.is_empty() {
            return Ok(0);
        }
        while self.output.is_some() {
            if self.halt.is_halted() {
                self.kill();
                self.output = None;
            } else if self.wait(MAX_CHECK_PAUSE)?
                && let Some(output) = &mut self.output
            {
                match FromRead(output).read(into)? {
                    0 => {
                        self.output = None;
                        self.wait_for_exit()?;
                    }
                    read => return Ok(read),
                }
            }
        }
        Ok(0)
    }
}

impl Drop for CommandOutput<'_> {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Says how a failed command ended, and the start of its standard error.
fn ending(status: ExitStatus, said: &str) -> String {
    let mut ending = match (status.code(), signal_of(status)) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit status".to_owned(),
    };
    if !said.is_empty() {
        ending.push_str(": ");
        ending.push_str(said);
    }
    ending
}

/// Returns the start of the standard error as one line.
fn said(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn takes(globs: &[&str], path: &str) -> bool {
        let globs: Vec<String> = globs.iter().map(|glob| (*glob).to_owned()).collect();
        let source = Source {
            path: path.into(),
            kind: SourceKind::File,
            is_named: true,
            folder_bytes: 0,
        };
        Preprocessor::new("cat".into(), &globs).is_ok_and(|by| by.takes(&source))
    }

    #[test]
    fn the_last_glob_that_matches_decides() {
        assert!(takes(&[], "a.txt"));
        assert!(takes(&["*.djvu"], "x/a.djvu") && !takes(&["*.djvu"], "a.txt"));
        assert!(takes(&["*.djvu", "*.doc"], "a.doc"));
        assert!(takes(&["!*.txt"], "a.doc") && !takes(&["!*.txt"], "d/a.txt"));
        assert!(!takes(&["*.doc", "!old*"], "old.doc"));
        assert!(takes(&["!old*", "*.doc"], "old.doc"));
        assert!(takes(&["d/*.doc"], "d/a.doc") && !takes(&["d/*.doc"], "a.doc"));
    }

    #[test]
    fn a_source_without_a_path_is_not_taken() {
        let by = Preprocessor::new("cat".into(), &[]).unwrap();
        for kind in [SourceKind::Stdin, SourceKind::Reader] {
            let source = Source {
                path: "-".into(),
                kind,
                is_named: true,
                folder_bytes: 0,
            };
            assert!(!by.takes(&source), "{kind:?}");
        }
    }

    #[test]
    fn a_path_is_no_option() {
        assert_eq!(argument(Path::new("-o.doc")), "./-o.doc");
        assert_eq!(argument(Path::new("a-o.doc")), "a-o.doc");
    }

    #[test]
    fn what_a_command_says_is_one_short_line() {
        assert_eq!(said(b" no\nsuch  page\xff\n"), "no such page\u{fffd}");
        assert_eq!(said(&[b'x'; 2000]).chars().count(), MAX_SHOWN_CHARS + 1);
        assert_eq!(said(b""), "");
    }
}
