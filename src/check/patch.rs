//! Writes edits of a file as a unified diff, for `patch -p0` and `git apply -p0`.
//!
//! The edits say which lines change, so that no texts are compared.

use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use doisift_system::bytes_of;

/// Unchanged lines before and after each change.
const CONTEXT_LINES: usize = 3;

/// Replaces a range of a text.
pub(super) struct PatchEdit {
    pub(super) place: Range<usize>,
    pub(super) new: String,
}

/// The edits of a file.
pub(super) struct Patch<'p> {
    pub(super) path: &'p Path,
    /// The file before the edits.
    pub(super) text: &'p [u8],
    /// In the order of their places, without overlaps.
    pub(super) edits: &'p [PatchEdit],
}

/// Consecutive lines and the bytes that replace them.
struct Change {
    lines: Range<usize>,
    new: Vec<u8>,
}

impl Patch<'_> {
    /// Writes the diff. Writes nothing if there are no edits.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.edits.is_empty() {
            return Ok(());
        }
        let name = quoted(&bytes_of(self.path));
        for mark in ["---", "+++"] {
            out.write_all(&[mark.as_bytes(), b" ", &name, b"\n"].concat())?;
        }
        let starts = starts_of_lines(self.text);
        let changes = self.changes(&starts);
        let is_near =
            |one: &Change, next: &Change| next.lines.start <= one.lines.end + 2 * CONTEXT_LINES;
        let mut shift = 0;
        for hunk in changes.chunk_by(is_near) {
            shift = self.write_hunk(hunk, shift, &starts, out)?;
        }
        Ok(())
    }

    /// Returns the lines that change. Edits that share a line are one change.
    fn changes(&self, starts: &[usize]) -> Vec<Change> {
        let line_of = |at: usize| starts.partition_point(|start| *start <= at) - 1;
        let lines_of = |edit: &PatchEdit| {
            let last = edit.place.end.max(edit.place.start + 1) - 1;
            line_of(edit.place.start)..line_of(last) + 1
        };
        let shares_line =
            |one: &PatchEdit, next: &PatchEdit| lines_of(next).start < lines_of(one).end;
        let change = |edits: &[PatchEdit]| {
            let lines =
                lines_of(&edits[0]).start..edits.last().map_or(0, |edit| lines_of(edit).end);
            let (mut at, mut new) = (starts[lines.start], Vec::new());
            for edit in edits {
                new.extend_from_slice(&self.text[at..edit.place.start]);
                new.extend_from_slice(edit.new.as_bytes());
                at = edit.place.end;
            }
            new.extend_from_slice(&self.text[at..self.end_of(lines.end, starts)]);
            Change { lines, new }
        };
        self.edits.chunk_by(shares_line).map(change).collect()
    }

    /// Returns the offset of the end of the lines before `line`.
    fn end_of(&self, line: usize, starts: &[usize]) -> usize {
        starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// Writes changes whose context lines touch as one hunk. `shift` is the number of lines that earlier hunks add; returns that
    /// number including this hunk.
    fn write_hunk(
        &self,
        changes: &[Change],
        shift: isize,
        starts: &[usize],
        out: &mut dyn Write,
    ) -> io::Result<isize> {
        let (Some(first), Some(last)) = (changes.first(), changes.last()) else {
            return Ok(shift);
        };
        let from = first.lines.start.saturating_sub(CONTEXT_LINES);
        let to = (last.lines.end + CONTEXT_LINES).min(starts.len());
        let lines = |text: &[u8]| text.split_inclusive(|byte| *byte == b'\n').count() as isize;
        let growth = |change: &Change| lines(&change.new) - change.lines.len() as isize;
        let growth: isize = changes.iter().map(growth).sum();
        let (old, length) = (from as isize + 1, (to - from) as isize);
        writeln!(
            out,
            "@@ -{old},{length} +{},{} @@",
            old + shift,
            length + growth
        )?;
        let text =
            |lines: Range<usize>| &self.text[starts[lines.start]..self.end_of(lines.end, starts)];
        let mut at = from;
        for change in changes {
            write_lines(b' ', text_or_none(at..change.lines.start, text), out)?;
            write_lines(b'-', text(change.lines.clone()), out)?;
            write_lines(b'+', &change.new, out)?;
            at = change.lines.end;
        }
        write_lines(b' ', text_or_none(at..to, text), out)?;
        Ok(shift + growth)
    }
}

/// Returns the text of `lines`, which may be empty.
fn text_or_none<'t>(lines: Range<usize>, text: impl Fn(Range<usize>) -> &'t [u8]) -> &'t [u8] {
    match lines.is_empty() {
        true => &[],
        false => text(lines),
    }
}

/// Returns the offset of the start of each line.
fn starts_of_lines(text: &[u8]) -> Vec<usize> {
    let ends = memchr::memchr_iter(b'\n', text).map(|end| end + 1);
    [0].into_iter()
        .chain(ends.filter(|end| *end < text.len()))
        .collect()
}

/// Writes lines with `mark` before each.
fn write_lines(mark: u8, lines: &[u8], out: &mut dyn Write) -> io::Result<()> {
    for line in lines.split_inclusive(|byte| *byte == b'\n') {
        out.write_all(&[&[mark], line].concat())?;
        if !line.ends_with(b"\n") {
            out.write_all(b"\n\\ No newline at end of file\n")?;
        }
    }
    Ok(())
}

/// Formats a path for `patch` and `git`: quoted if it holds quotes, backslashes or control characters; otherwise ended by a tab
/// if it holds a blank.
fn quoted(path: &[u8]) -> Vec<u8> {
    let is_odd = |byte: &u8| byte.is_ascii_control() || matches!(byte, b'"' | b'\\');
    if !path.iter().any(is_odd) {
        let end: &[u8] = if path.contains(&b' ') { b"\t" } else { b"" };
        return [path, end].concat();
    }
    let mut quoted = vec![b'"'];
    for byte in path {
        match byte {
            b'"' | b'\\' => quoted.extend([b'\\', *byte]),
            byte if byte.is_ascii_control() => quoted.extend(format!("\\{byte:03o}").bytes()),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the diff that removes each `.` of a text.
    fn diff(text: &str) -> String {
        let dots = text.match_indices('.').map(|(at, dot)| PatchEdit {
            place: at..at + dot.len(),
            new: String::new(),
        });
        let edits: Vec<_> = dots.collect();
        let patch = Patch {
            path: Path::new("a b"),
            text: text.as_bytes(),
            edits: &edits,
        };
        let mut out = Vec::new();
        patch.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn hunks_hold_the_changed_lines_and_three_around_them() {
        assert_eq!(diff("no change\n"), "");
        let head = "--- a b\t\n+++ a b\t\n";
        let wanted = "@@ -1,2 +1,2 @@\n-a.\r\n+a\r\n b\n\\ No newline at end of file\n";
        assert_eq!(diff("a.\r\nb"), format!("{head}{wanted}"));
        let wanted = "@@ -1,1 +1,1 @@\n-a.b.\n\\ No newline at end of file\n+ab\n\\ No newline at end of file\n";
        assert_eq!(diff("a.b."), format!("{head}{wanted}"));
        let wanted = "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5.\n+5\n 6\n 7\n 8\n";
        assert_eq!(
            diff("1\n2\n3\n4\n5.\n6\n7\n8\n9\n"),
            format!("{head}{wanted}")
        );
        let two = diff("a.\n1\n2\n3\n4\n5\n6\nb.\n1\n2\n3\n4\n5\n6\n7\nc.\n");
        assert_eq!(two.matches("@@ -").count(), 2, "{two}");
    }

    #[test]
    fn odd_paths_are_quoted() {
        assert_eq!(quoted(b"a\n\"b"), b"\"a\\012\\\"b\"");
        assert_eq!(quoted(b"a/b.bib"), b"a/b.bib");
    }
}
