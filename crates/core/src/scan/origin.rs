//! Maps the bytes of decoded text to their places in the text as found.
//!
//! Lists only escapes: between two escapes the bytes are unchanged.

use super::rules::Escape;

/// An escape that was undone.
#[derive(Clone, Copy, Debug)]
struct UndoneEscape {
    /// Range of its meaning in the decoded text; empty if it was dropped.
    start: u32,
    end: u32,
    /// Range of the escape in the text as found.
    written_start: u32,
    written_end: u32,
    escape: Escape,
}

impl UndoneEscape {
    fn holds(&self, at: usize) -> bool {
        at < self.end as usize
    }
}

/// The escapes of a text, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins {
    escapes: Vec<UndoneEscape>,
}

impl Origins {
    pub(super) fn clear(&mut self) {
        self.escapes.clear();
    }

    /// Returns the last escape whose meaning starts at or before `at`.
    fn last(&self, at: usize) -> Option<&UndoneEscape> {
        let after = self
            .escapes
            .partition_point(|escape| escape.start as usize <= at);
        self.escapes[..after].last()
    }

    /// Returns where byte `at` starts in the text as found.
    pub(super) fn start(&self, at: usize) -> usize {
        match self.last(at) {
            None => at,
            Some(escape) if escape.holds(at) => escape.written_start as usize,
            Some(escape) => escape.written_end as usize + at - escape.end as usize,
        }
    }

    /// Returns where byte `at` ends in the text as found.
    pub(super) fn end(&self, at: usize) -> usize {
        match self.last(at) {
            None => at + 1,
            Some(escape) if escape.holds(at) => escape.written_end as usize,
            Some(escape) => escape.written_end as usize + at - escape.end as usize + 1,
        }
    }

    /// Returns how byte `at` was written.
    pub(super) fn escape(&self, at: usize) -> Escape {
        match self.last(at) {
            Some(escape) if escape.holds(at) => escape.escape,
            _ => Escape::Plain,
        }
    }

    /// Returns the first byte that starts at or after `written` of the text as found.
    pub(super) fn position(&self, written: usize) -> usize {
        let after = self
            .escapes
            .partition_point(|escape| (escape.written_start as usize) < written);
        match self.escapes[..after].last() {
            None => written,
            Some(escape) => {
                escape.end as usize + written.saturating_sub(escape.written_end as usize)
            }
        }
    }

    /// Starts the list of escapes for a text in which more are undone than in that of `self`.
    pub(super) fn rewrite<'o>(&'o self, into: &'o mut Origins) -> OriginsRewrite<'o> {
        into.clear();
        OriginsRewrite {
            before: self,
            next: 0,
            into,
        }
    }
}

/// Builds the list of escapes while a text is rewritten.
pub(super) struct OriginsRewrite<'o> {
    before: &'o Origins,
    /// Index of the first known escape that may still be needed.
    next: usize,
    into: &'o mut Origins,
}

impl OriginsRewrite<'_> {
    /// Records that bytes `read` to `end` of the old text stay, and start at `write` of the new one.
    pub(super) fn keep(&mut self, read: usize, end: usize, write: usize) {
        while let Some(escape) = self.before.escapes.get(self.next) {
            let (from, to) = (
                (escape.start as usize).max(read),
                (escape.end as usize).min(end),
            );
            if from > to || escape.start as usize >= end {
                break;
            }
            self.into.escapes.push(UndoneEscape {
                start: (write + from - read) as u32,
                end: (write + to - read) as u32,
                ..*escape
            });
            if escape.end as usize > end {
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
        self.into.escapes.push(UndoneEscape {
            start: write as u32,
            end: (write + len) as u32,
            written_start: self.before.start(read) as u32,
            written_end: self.before.end(end - 1) as u32,
            escape,
        });
        let known = &self.before.escapes[self.next..];
        self.next += known
            .iter()
            .take_while(|escape| (escape.start as usize) < end && escape.end as usize <= end)
            .count();
    }
}
