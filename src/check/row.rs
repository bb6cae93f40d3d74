//! The rows of a check.

use doisift_core::Doi;
use serde::Serialize;

use super::document::DocumentReader;
use super::judge::Judgement;
use super::reference::{Escape, Reference, ReferenceName, text};
use super::verdict::CheckVerdict;
use crate::records::{Field, Row, Value};

/// A reference with its verdict: a row of `doisift check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CheckedReference {
    /// The source.
    pub source: String,
    /// The document in the source, such as a page or a member of an archive. `None` for the source itself.
    pub document: Option<String>,
    /// The line of the text, from 1. `None` in a table whose rows have no lines.
    pub line: Option<u64>,
    /// The column of the first character of the text in its line, from 1.
    pub column: Option<u64>,
    /// The row of a table, from 1, without the header.
    pub row: Option<u64>,
    /// The key by which documents cite the reference.
    pub key: Option<String>,
    /// The text as written. `None` if the reference has no text, or an empty one.
    pub text: Option<String>,
    /// The key of the name. `None` if the reference has no name.
    pub doi: Option<String>,
    /// The verdict.
    pub verdict: CheckVerdict,
    /// Explanation for people. `None` if the verdict says enough.
    pub detail: Option<String>,
    /// The name to write instead.
    pub repair: Option<String>,
    /// Whether the repair was written.
    pub fixed: bool,
    /// Whether it would be a finding, but was accepted.
    pub accepted: bool,
    /// The title of the cited work, as the entry or reference gives it. That of what holds the work, if it gives no other.
    pub title: Option<String>,
    /// The authors of the cited work, as the entry or reference gives them. Several values are joined by `; `.
    pub authors: Option<String>,
    /// The year or date of the cited work, as the entry or reference gives it.
    pub year: Option<String>,
}

impl Row for CheckedReference {
    fn value(&self, field: Field) -> Value<'_> {
        match field {
            Field::Source => Value::Text(&self.source),
            Field::Document => Value::Nullable(self.document.as_deref()),
            Field::Line => Value::NullableNumber(self.line),
            Field::ColumnOfLine => Value::NullableNumber(self.column),
            Field::RowOfTable => Value::NullableNumber(self.row),
            Field::Key => Value::Nullable(self.key.as_deref()),
            Field::TextOrNull => Value::Nullable(self.text.as_deref()),
            Field::DoiOrNull => Value::Nullable(self.doi.as_deref()),
            Field::Verdict => Value::Text(self.verdict.name()),
            Field::Detail => Value::Nullable(self.detail.as_deref()),
            Field::Repair => Value::Nullable(self.repair.as_deref()),
            Field::Fixed => Value::Flag(self.fixed),
            Field::Accepted => Value::Flag(self.accepted),
            Field::Title => Value::Nullable(self.title.as_deref()),
            Field::Authors => Value::Nullable(self.authors.as_deref()),
            Field::Year => Value::Nullable(self.year.as_deref()),
            _ => Value::Nullable(None),
        }
    }
}

impl CheckedReference {
    /// Whether the verdict counts. False if the only fault was fixed, or the finding is accepted.
    pub fn is_open(&self) -> bool {
        let only_writing = matches!(
            self.verdict,
            CheckVerdict::WrittenWrongly | CheckVerdict::DidYouMean
        );
        !(self.fixed && only_writing || self.accepted)
    }
}

impl CheckedReference {
    /// Returns the bytes that it takes.
    pub(super) fn bytes(&self) -> usize {
        let texts = [
            &self.document,
            &self.key,
            &self.text,
            &self.doi,
            &self.detail,
            &self.repair,
            &self.title,
            &self.authors,
            &self.year,
        ];
        let texts = texts.into_iter().flatten().map(String::len);
        size_of::<Self>() + self.source.len() + texts.sum::<usize>()
    }

    /// Adds that the entry at `first` has the same name. A verdict that states another fault stays.
    pub(super) fn add_first(&mut self, first: &str) {
        let note = format!("the same name as {first}");
        let is_good = !self.verdict.is_finding() || self.verdict == CheckVerdict::Placeholder;
        let detail = self.detail.take();
        self.detail = Some(match detail {
            None => note,
            Some(detail) if is_good => format!("{note}; {detail}"),
            Some(detail) => format!("{detail}; {note}"),
        });
        if is_good {
            self.verdict = CheckVerdict::Duplicate;
        }
    }
}

/// Returns the name of a document for messages: `paper.zip!/refs.bib`, `paper.pdf#page=3`.
pub fn document_name(source: &str, document: Option<&str>) -> String {
    let document = document.unwrap_or_default();
    let between = match document {
        "" => "",
        page if page.starts_with('#') => "",
        _ => "!/",
    };
    let source = match source {
        "-" => "standard input",
        source => source,
    };
    format!("{source}{between}{document}")
}

/// Position of the rows in a document.
pub(super) struct RowPlace<'p> {
    pub(super) source: &'p str,
    pub(super) document: Option<&'p str>,
    /// Counter of lines, if the rows have lines.
    pub(super) lines: Option<LineCount>,
    /// The number of the last row, if the document is a table.
    pub(super) row: Option<u64>,
}

impl<'p> RowPlace<'p> {
    /// Returns the place before the first row of a document.
    pub(super) fn of(source: &'p str, document: Option<&'p str>, reader: &DocumentReader) -> Self {
        RowPlace {
            source,
            document,
            lines: Some(LineCount::new()),
            row: reader.is_table().then_some(0),
        }
    }

    /// Makes the row of the next reference, which is in the `held` bytes of the document.
    pub(super) fn row(
        &mut self,
        held: &[u8],
        reference: &Reference,
        judged: Judgement,
    ) -> CheckedReference {
        let place = reference.place.clone();
        let lines = self.lines.as_mut();
        let at = lines.map(|lines| lines.at(held, place.start));
        self.row = self.row.map(|row| row + 1);
        let key = |doi: &Doi| doi.key().into_owned();
        CheckedReference {
            source: self.source.to_owned(),
            document: self.document.map(str::to_owned),
            line: at.map(|at| at.line),
            column: at.map(|at| at.column),
            row: self.row,
            key: reference.key.clone().and_then(non_empty),
            text: shown(held, reference).and_then(non_empty),
            doi: judged.doi.as_ref().map(key),
            verdict: judged.verdict,
            detail: non_empty(judged.detail),
            repair: judged.repair.map(|doi| doi.as_str().to_owned()),
            fixed: false,
            accepted: false,
            title: reference.work.title().cloned(),
            authors: reference.work.authors.clone(),
            year: reference.work.year.clone(),
        }
    }
}

/// Returns `None` for an empty value.
fn non_empty(value: String) -> Option<String> {
    Some(value).filter(|value| !value.is_empty())
}

/// Returns the text of a reference as written, but a cell decoded. `None` if the reference has no text.
fn shown(held: &[u8], reference: &Reference) -> Option<String> {
    let written = text(&held[reference.place.clone()]);
    match &reference.name {
        ReferenceName::Nothing => None,
        ReferenceName::Field(field) if field.escape == Escape::Cell => {
            Some(field.escape.decode(&written).into_owned())
        }
        _ => Some(written.into_owned()),
    }
}

/// Counts the lines of a document that is held in part.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineCount {
    /// The place up to which lines were counted, and the place of the first held byte.
    last: LinePlace,
    first: LinePlace,
}

/// An offset in the held bytes, with its line and its character in the line, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LinePlace {
    offset: usize,
    line: u64,
    column: u64,
}

impl LineCount {
    /// Starts at the first byte of a document.
    pub(super) fn new() -> Self {
        let start = LinePlace {
            offset: 0,
            line: 1,
            column: 1,
        };
        LineCount {
            last: start,
            first: start,
        }
    }

    /// Returns the place of an offset of the held bytes. An offset before the last one is slower: it counts from the first held
    /// byte.
    fn at(&mut self, held: &[u8], offset: usize) -> LinePlace {
        if offset < self.last.offset {
            self.last = self.first;
        }
        let passed = &held[self.last.offset..offset];
        let mut start = self.last.offset;
        for at in memchr::memchr2_iter(b'\n', b'\r', passed) {
            let at = self.last.offset + at;
            // A line end of two bytes counts at its second byte.
            if held[at] == b'\n' || held.get(at + 1) != Some(&b'\n') {
                (self.last.line, self.last.column, start) = (self.last.line + 1, 1, at + 1);
            }
        }
        self.last.column += text(&held[start..offset]).chars().count() as u64;
        self.last.offset = offset;
        self.last
    }

    /// Returns the line of an offset of the held bytes.
    pub(super) fn line(mut self, held: &[u8], offset: usize) -> u64 {
        self.at(held, offset).line
    }

    /// Drops the first `count` of the held bytes.
    pub(super) fn pass(&mut self, held: &[u8], count: usize) {
        self.first = LinePlace {
            offset: 0,
            ..self.at(held, count)
        };
        self.last = self.first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_any_system_writes_them() {
        let text = "a\r\nb\rc\n\u{e9}d".as_bytes();
        let mut lines = LineCount::new();
        let mut at = |place| {
            let found = lines.at(text, place);
            (found.line, found.column)
        };
        let places: Vec<_> = [0, 3, 5, 7, 9].map(&mut at).into();
        assert_eq!(places, [(1, 1), (2, 1), (3, 1), (4, 1), (4, 2)]);
        assert_eq!(at(3), (2, 1));
        for passed in 0..text.len() {
            if text[..passed].ends_with(b"\xc3") {
                continue;
            }
            let mut lines = LineCount::new();
            lines.pass(text, passed);
            let end = lines.at(&text[passed..], text.len() - passed);
            assert_eq!((end.line, end.column), (4, 3), "{passed}");
        }
    }
}
