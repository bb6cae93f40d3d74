//! Commands that are stopped together with all processes that they start.

use std::io;
use std::process::{Child, Command, ExitStatus};

use crate::os;

/// A command and the processes that it started: a process group, or a job on Windows.
#[derive(Debug)]
pub struct CommandGroup {
    child: Child,
    group: os::ProcessGroup,
}

impl CommandGroup {
    /// Starts a command in a group of its own.
    ///
    /// # Errors
    /// If the system does not start it.
    pub fn start(command: &mut Command) -> io::Result<Self> {
        let (child, group) = os::start(command)?;
        Ok(CommandGroup { child, group })
    }

    /// Returns the command itself.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Kills the command and the processes that it started, and waits for the end of the command. It must not have been
    /// waited for before, since its number may already belong to another process.
    pub fn kill(&mut self) {
        // These fail only if all of them have ended already.
        self.group.kill();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the number of the signal that ended a process; `None` on Windows.
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    os::signal_of(status)
}
