//! Maps the bytes of decoded text to their places in the text as found.
//!
//! Lists only escapes: between two escapes the bytes are unchanged.

use super::rules::Escape;

/// An escape that was undone.
#[derive(Clone, Copy, Debug)]
struct Meant {
    /// Range of its meaning in the decoded text; empty if it was dropped.
    at: u32,
    end: u32,
    /// Range of the escape in the text as found.
    found: u32,
    found_end: u32,
    escape: Escape,
}

impl Meant {
    fn holds(&self, at: usize) -> bool {
        at < self.end as usize
    }
}

/// The escapes of a text, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins {
    meant: Vec<Meant>,
}

impl Origins {
    pub(super) fn clear(&mut self) {
        self.meant.clear();
    }

    /// Returns the last escape whose meaning starts at or before `at`.
    fn last(&self, at: usize) -> Option<&Meant> {
        let after = self.meant.partition_point(|meant| meant.at as usize <= at);
        self.meant[..after].last()
    }

    /// Returns where byte `at` starts in the text as found.
    pub(super) fn start(&self, at: usize) -> usize {
        match self.last(at) {
            None => at,
            Some(meant) if meant.holds(at) => meant.found as usize,
            Some(meant) => meant.found_end as usize + at - meant.end as usize,
        }
    }

    /// Returns where byte `at` ends in the text as found.
    pub(super) fn end(&self, at: usize) -> usize {
        match self.last(at) {
            None => at + 1,
            Some(meant) if meant.holds(at) => meant.found_end as usize,
            Some(meant) => meant.found_end as usize + at - meant.end as usize + 1,
        }
    }

    /// Returns how byte `at` was written.
    pub(super) fn escape(&self, at: usize) -> Escape {
        match self.last(at) {
            Some(meant) if meant.holds(at) => meant.escape,
            _ => Escape::Plain,
        }
    }

    /// Returns the first byte that starts at or after `found` of the text as found.
    pub(super) fn position(&self, found: usize) -> usize {
        let after = self
            .meant
            .partition_point(|meant| (meant.found as usize) < found);
        match self.meant[..after].last() {
            None => found,
            Some(meant) => meant.end as usize + found.saturating_sub(meant.found_end as usize),
        }
    }

    /// Starts the list of escapes for a text in which more are undone than in that of `self`.
    pub(super) fn rewrite<'o>(&'o self, into: &'o mut Origins) -> Rewrite<'o> {
        into.clear();
        Rewrite {
            before: self,
            next: 0,
            into,
        }
    }
}

/// Builds the list of escapes while a text is rewritten.
pub(super) struct Rewrite<'o> {
    before: &'o Origins,
    /// Index of the first known escape that may still be needed.
    next: usize,
    into: &'o mut Origins,
}

impl Rewrite<'_> {
    /// Records that bytes `read` to `end` of the old text stay, and start at `write` of the new one.
    pub(super) fn keep(&mut self, read: usize, end: usize, write: usize) {
        while let Some(meant) = self.before.meant.get(self.next) {
            let (from, to) = ((meant.at as usize).max(read), (meant.end as usize).min(end));
            if from > to || meant.at as usize >= end {
                break;
            }
            self.into.meant.push(Meant {
                at: (write + from - read) as u32,
                end: (write + to - read) as u32,
                ..*meant
            });
            if meant.end as usize > end {
                break;
            }
            self.next += 1;
        }
    }

    /// Records that bytes `read` to `end` of the old text are an escape, which means `len` bytes at `write` of the new one.
    pub(super) fn replace(
        &mut self,
        read: usize,
        end: usize,
        write: usize,
        len: usize,
        escape: Escape,
    ) {
        self.into.meant.push(Meant {
            at: write as u32,
            end: (write + len) as u32,
            found: self.before.start(read) as u32,
            found_end: self.before.end(end - 1) as u32,
            escape,
        });
        let known = &self.before.meant[self.next..];
        self.next += known
            .iter()
            .take_while(|meant| (meant.at as usize) < end && meant.end as usize <= end)
            .count();
    }
}
