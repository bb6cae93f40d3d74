//! Recognises the format of a document, and reads the references of the part that is in memory.

use doisift_core::TextKind;
use doisift_documents::TextOrigin;

use super::bibliography::csl::CslReader;
use super::bibliography::entries::EntryReader;
use super::bibliography::yaml::YamlLayout;
use super::reference::TakenReferences;
use super::table::TableReader;
use super::text::{self as prose, ProseReader};
use crate::error::TableError;
use doisift_structure::{Syntax, TagSyntax};
use doisift_tables::{HeaderChoice, TableFormat};

/// Reads the references of one document, part by part.
pub(super) enum DocumentReader {
    Table(Box<TableReader>),
    Entries(Box<EntryReader>),
    Csl(CslReader),
    Yaml(YamlLayout),
    List,
    Prose(Box<ProseReader>),
}

/// Names of a document that are compared, to find two entries with one name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compared {
    /// None: names may be repeated.
    Nothing,
    /// Those of all entries of the run.
    All,
    /// Those of the references of one work.
    InRecord,
}

impl DocumentReader {
    /// Creates the reader of a document that starts with `head`; `is_whole` says that the document ends with it.
    ///
    /// # Errors
    /// If a column is wanted, and the document is not a table or lacks the column.
    pub(super) fn of(
        head: &[u8],
        is_whole: bool,
        column: Option<(&str, HeaderChoice)>,
        origin: Option<TextOrigin>,
    ) -> Result<DocumentReader, TableError> {
        if let Some(column) = column {
            let format = TableFormat::of_origin(origin);
            let table = TableReader::new(head, is_whole, column, format)?;
            return Ok(DocumentReader::Table(Box::new(table)));
        }
        if let Some(entries) = EntryReader::of(head) {
            return Ok(DocumentReader::Entries(Box::new(entries)));
        }
        if CslReader::is_csl(head) {
            return Ok(DocumentReader::Csl(CslReader::default()));
        }
        if let Some(layout) = YamlLayout::of(&head[..head.len().min(Syntax::HEAD_BYTES)]) {
            return Ok(DocumentReader::Yaml(layout));
        }
        if prose::is_list(head) {
            return Ok(DocumentReader::List);
        }
        let kind = kind(origin, head, is_whole);
        let syntax = Syntax::of(head).filter(|syntax| {
            let exports = Syntax::Tagged(TagSyntax::WebOfScience);
            let has_references = matches!(syntax, Syntax::Json | Syntax::Xml) || *syntax == exports;
            has_references && matches!(kind, TextKind::Unknown)
        });
        Ok(DocumentReader::Prose(Box::new(ProseReader::new(
            kind, syntax,
        ))))
    }

    /// Returns the next references of the document. `held` starts at the first byte that was not passed; `is_last` says that the
    /// document ends with it. If nothing was passed, more bytes are needed.
    ///
    /// # Errors
    /// If a table lacks the column.
    pub(super) fn take(
        &mut self,
        held: &[u8],
        is_last: bool,
    ) -> Result<TakenReferences, TableError> {
        let taken = match self {
            DocumentReader::Table(table) => return table.take(held, is_last),
            DocumentReader::Entries(entries) => entries.take(held, is_last),
            DocumentReader::Csl(csl) => csl.take(held, is_last),
            DocumentReader::Yaml(layout) => layout.take(held),
            DocumentReader::List => {
                let passed = match is_last {
                    true => held.len(),
                    false => memchr::memrchr(b'\n', held).map_or(0, |line| line + 1),
                };
                let references = prose::lines(&held[..passed]);
                TakenReferences { references, passed }
            }
            DocumentReader::Prose(prose) => prose.take(held, is_last),
        };
        Ok(taken)
    }

    /// Whether the document must be held as a whole.
    pub(super) fn is_whole(&self) -> bool {
        matches!(self, DocumentReader::Yaml(_))
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self, DocumentReader::Table(_))
    }

    pub(super) fn compared(&self) -> Compared {
        match self {
            DocumentReader::Entries(_) | DocumentReader::Csl(_) | DocumentReader::Yaml(_) => {
                Compared::All
            }
            DocumentReader::Prose(_) => Compared::InRecord,
            DocumentReader::Table(_) | DocumentReader::List => Compared::Nothing,
        }
    }
}

fn kind(origin: Option<TextOrigin>, head: &[u8], is_whole: bool) -> TextKind {
    match origin {
        Some(TextOrigin::Page) => TextKind::Printed,
        Some(TextOrigin::Web) => TextKind::Html,
        Some(_) => TextKind::Unknown,
        None => TextKind::of(head, is_whole),
    }
}
