//! Comments in a document by which people accept findings: `% doisift: ignore wrong-check-digit`.
//!
//! A comment is alone on its line, after a mark that starts comments in some language, and is about the text or the entry that
//! starts on the next line. So it is read before what it is about, in whatever parts a document is read.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use memchr::{memchr2, memmem, memrchr2};

use super::reference::{Reference, text};
use super::row::LineCount;
use super::verdict::CheckVerdict;

const IGNORE: &[u8] = b"doisift: ignore";
/// Marks that start comments.
const MARKS: [&str; 4] = ["%", "#", "//", "<!--"];
/// Max bytes of the line of a comment.
const MAX_LINE_BYTES: usize = 1024;
/// Max comments of a document. Later ones accept nothing.
const MAX_COMMENTS: usize = 1 << 16;

/// A comment that accepts findings.
#[derive(Debug)]
pub(super) struct IgnoreComment {
    /// Its line, from 1.
    pub(super) line: u64,
    verdicts: Vec<CheckVerdict>,
    /// Words that are no verdicts.
    pub(super) unknown: Vec<String>,
    is_used: AtomicBool,
}

/// The comments of a document that was read so far.
#[derive(Default)]
pub(super) struct IgnoreComments {
    /// Each with the offset of the line after it, in order.
    found: Vec<(u64, Arc<IgnoreComment>)>,
    /// The offset of the first line that was not read.
    read: u64,
}

impl IgnoreComment {
    /// Whether it accepts a verdict. Then it is used.
    pub(super) fn accepts(&self, verdict: CheckVerdict) -> bool {
        let accepts = self.verdicts.contains(&verdict);
        self.is_used.fetch_or(accepts, Ordering::Relaxed);
        accepts
    }

    pub(super) fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }
}

impl IgnoreComments {
    /// Reads the whole lines of the `held` bytes that were not read. They start at `offset`, where `lines` counts from.
    pub(super) fn read(&mut self, held: &[u8], offset: u64, has_ended: bool, lines: &LineCount) {
        // A line end of two bytes may go on.
        let cut = held.strip_suffix(b"\r").filter(|_| !has_ended);
        let held = cut.unwrap_or(held);
        let from = (self.read.saturating_sub(offset) as usize).min(held.len());
        for at in memmem::find_iter(&held[from..], IGNORE) {
            let line = line_at(held, from + at);
            if !has_ended && line.end == held.len() {
                break;
            }
            let parsed = parsed(&held[line.clone()]);
            if let Some((verdicts, unknown)) = parsed.filter(|_| self.found.len() < MAX_COMMENTS) {
                let comment = IgnoreComment {
                    line: lines.line(held, line.start),
                    verdicts,
                    unknown,
                    is_used: AtomicBool::new(false),
                };
                self.found
                    .push((offset + after(held, line.end) as u64, Arc::new(comment)));
            }
        }
        let last = line_at(held, held.len());
        let is_read = has_ended || last.len() > MAX_LINE_BYTES;
        self.read = offset + if is_read { last.end } else { last.start } as u64;
    }

    /// Returns the comment about a reference in the `held` bytes, which start at `offset`.
    pub(super) fn about(
        &self,
        held: &[u8],
        offset: u64,
        reference: &Reference,
    ) -> Option<&Arc<IgnoreComment>> {
        if self.found.is_empty() {
            return None;
        }
        [reference.place.start, reference.start]
            .into_iter()
            .find_map(|at| {
                let line = offset + line_at(held, at).start as u64;
                let found = self.found.binary_search_by_key(&line, |(next, _)| *next);
                found.ok().map(|found| &self.found[found].1)
            })
    }

    /// Returns all comments.
    pub(super) fn all(self) -> Vec<Arc<IgnoreComment>> {
        self.found.into_iter().map(|(_, comment)| comment).collect()
    }
}

/// Whether a line is a comment that accepts findings.
pub(super) fn is_comment(line: &[u8]) -> bool {
    memmem::find(line, IGNORE).is_some() && parsed(line).is_some()
}

/// Returns the range of the line that holds an offset, without its end.
fn line_at(bytes: &[u8], at: usize) -> Range<usize> {
    let start = memrchr2(b'\n', b'\r', &bytes[..at]).map_or(0, |end| end + 1);
    let end = memchr2(b'\n', b'\r', &bytes[at..]).map_or(bytes.len(), |end| at + end);
    start..end
}

/// Returns the offset after the line end at `at`.
fn after(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at..) {
        Some([b'\r', b'\n', ..]) => at + 2,
        Some([_, ..]) => at + 1,
        _ => at,
    }
}

/// Returns the verdicts that the comment on a line accepts, and the words that are no verdicts.
fn parsed(line: &[u8]) -> Option<(Vec<CheckVerdict>, Vec<String>)> {
    let line = text(line.get(..MAX_LINE_BYTES).unwrap_or(line));
    let line = line.trim();
    let mark = MARKS.into_iter().find(|mark| line.starts_with(mark))?;
    let line = line.trim_start_matches(mark).trim_start();
    let words = line.strip_prefix("doisift: ignore")?;
    let words = words.trim_end().trim_end_matches("-->");
    if !words.starts_with(char::is_whitespace) {
        return None;
    }
    let (mut verdicts, mut unknown) = (Vec::new(), Vec::new());
    for word in words
        .split([',', ' ', '\t'])
        .filter(|word| !word.is_empty())
    {
        match word.replace('-', "_").parse() {
            Ok(verdict) => verdicts.push(verdict),
            Err(_) => unknown.push(word.to_owned()),
        }
    }
    Some((verdicts, unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_is_alone_on_its_line_and_names_verdicts() {
        use CheckVerdict::{NotADoi, WrongCheckDigit};
        for (line, wanted) in [
            (
                "% doisift: ignore wrong-check-digit",
                Some((vec![WrongCheckDigit], 0)),
            ),
            (
                "  %% doisift: ignore wrong_check_digit, not-a-doi",
                Some((vec![WrongCheckDigit, NotADoi], 0)),
            ),
            (
                "<!-- doisift: ignore not-a-doi -->",
                Some((vec![NotADoi], 0)),
            ),
            ("# doisift: ignore everything", Some((Vec::new(), 1))),
            ("// doisift: ignored not-a-doi", None),
            ("doi = {a}, % doisift: ignore not-a-doi", None),
            ("doisift: ignore not-a-doi", None),
        ] {
            let found = parsed(line.as_bytes());
            let found = found.map(|(verdicts, unknown)| (verdicts, unknown.len()));
            assert_eq!(found, wanted, "{line}");
        }
    }

    #[test]
    fn a_comment_is_found_in_whatever_parts_a_document_is_read() {
        let document =
            b"a\r\n% doisift: ignore not-a-doi\r\n@misc{a}\n% doisift: ignore no-doi\nb".as_slice();
        for part in 0..=document.len() {
            let mut comments = IgnoreComments::default();
            for (end, has_ended) in [(part, false), (document.len(), true)] {
                comments.read(&document[..end], 0, has_ended, &LineCount::new());
            }
            let found: Vec<_> = comments
                .found
                .iter()
                .map(|(next, one)| (*next, one.line))
                .collect();
            assert_eq!(found, [(32, 2), (66, 4)], "{part}");
        }
    }
}
