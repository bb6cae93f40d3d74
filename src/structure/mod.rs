//! Finds the place of a byte in a structured text: its record, path and reference.
//!
//! `syntax` recognises the syntax from a document's head. A reader per syntax (`json`, `xml`, `bibtex`, `ris`) takes the bytes of
//! a document in order, in pieces of any size, and knows at each moment where it is. It reports records and their identifiers as
//! [`Event`]s. `table` lists the meanings of paths in the known formats. `pointers` and `elements` look paths up in it. `stack`
//! keeps the names of open levels, `xml_name` finds the ends of names in XML, and `tags` numbers the names of elements.
//! `wikitext` reads the text of MediaWiki's pages. `wanted` lists the further data that a run takes from records, `record_field`
//! parses their columns, types and paths, and `gather` collects the text of elements. `value` finds the whole value of a field
//! around a mention. `join` joins mentions with their places, whose `paths` are stored without their common starts. Knows bytes
//! only: nothing of DOI names or files.
//!
//! The readers do not validate. Memory is bounded by the depth of a path and the length of its names, never by the size of a
//! record. After broken structure a reader reports a fault once and continues at the next record or line that it can recognise.

mod bibtex;
mod elements;
mod gather;
mod join;
mod json;
mod paths;
mod place;
mod pointers;
mod record_field;
mod ris;
mod stack;
mod syntax;
mod table;
mod tags;
mod value;
mod wanted;
mod wikitext;
mod xml;
mod xml_name;

#[cfg(test)]
mod tests;

pub(crate) use join::{
    BareReference, Edge, EdgeDetails, EdgeJoin, JoinedRow, Mistyped, Node, RowSink,
    StructureFaults, UnnamedRow,
};
pub(crate) use paths::{PathReader, Paths, StoredPath};
use place::BytePlace;
pub(crate) use place::Event;
pub use place::Role;
pub(crate) use syntax::Syntax;
pub(crate) use table::ItemPart;
pub(crate) use table::RecordId;
pub(crate) use value::ValueSyntax;
pub(crate) use value::{LATEX_MARKS, without_latex};

pub(crate) use record_field::BadRecordField;
pub(crate) use record_field::{
    RecordColumn, RecordField, RecordFields, RecordType, RecordValue, record_value,
};
pub(crate) use wanted::StructureRequest;

use std::sync::Arc;

use bibtex::Bibtex;
use json::Json;
pub(crate) use json::string_bytes;
use ris::Ris;
use xml::Xml;

/// The reader of one document.
pub(crate) enum Structure {
    Json(Box<Json>),
    Xml(Box<Xml>),
    Bibtex(Box<Bibtex>),
    Ris(Box<Ris>),
}

impl Structure {
    /// Creates a reader at the start of a document.
    pub(crate) fn new(syntax: Syntax, wanted: &Arc<StructureRequest>) -> Structure {
        match syntax {
            Syntax::Json => Structure::Json(Box::new(Json::new(wanted))),
            Syntax::Xml => Structure::Xml(Box::new(Xml::new(wanted))),
            Syntax::Bibtex => Structure::Bibtex(Box::new(Bibtex::new(wanted))),
            Syntax::Ris => Structure::Ris(Box::new(Ris::new(wanted))),
        }
    }

    /// Reads the next `to` bytes of the document. The bytes after them may be looked at, but do not change the result.
    pub(crate) fn read(&mut self, bytes: &[u8], to: usize, report: &mut dyn FnMut(Event<'_>)) {
        let new = &bytes[..to];
        match self {
            Structure::Json(json) => json.read(bytes, to, report),
            Structure::Xml(xml) => xml.read(new, report),
            Structure::Bibtex(bibtex) => bibtex.read(new, report),
            Structure::Ris(ris) => ris.read(new, report),
        }
    }

    /// Returns the syntax of the value that has the next byte. `None` if the ends of the value cannot be found.
    pub(crate) fn value(&self) -> Option<ValueSyntax> {
        match self {
            Structure::Json(json) => json.value(),
            Structure::Xml(xml) => xml.value(),
            Structure::Bibtex(_) => Some(ValueSyntax::Bibtex),
            Structure::Ris(_) => Some(ValueSyntax::Ris),
        }
    }

    /// Returns the place of the next byte.
    #[inline]
    pub(crate) fn place(&self) -> BytePlace {
        match self {
            Structure::Json(json) => json.place(),
            Structure::Xml(xml) => xml.place(),
            Structure::Bibtex(bibtex) => bibtex.place(),
            Structure::Ris(ris) => ris.place(),
        }
    }

    /// Appends the path of the next byte to `path`.
    pub(crate) fn path(&self, path: &mut String) {
        match self {
            Structure::Json(json) => json.path(path),
            Structure::Xml(xml) => xml.path(path),
            Structure::Bibtex(bibtex) => bibtex.path(path),
            Structure::Ris(ris) => ris.path(path),
        }
    }

    /// Ends the document, and all records that are open.
    pub(crate) fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        match self {
            Structure::Json(json) => json.end(report),
            Structure::Xml(xml) => xml.end(report),
            Structure::Bibtex(bibtex) => bibtex.end(report),
            Structure::Ris(ris) => ris.end(report),
        }
    }
}
