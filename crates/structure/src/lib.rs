//! Reads structured text: JSON, XML, BibTeX, RIS, tables of records and the wikitext of MediaWiki. Bytes in, events with byte ranges out.
//!
//! [`Syntax`] recognises the syntax from a document's head. A [`Structure`] takes the bytes of a document in order, in pieces of any
//! size, and knows at each moment where it is: in which record, field and reference. It reports records, their identifiers, fields
//! and references as [`Event`]s. A [`StructureRequest`] says which data a caller wants besides the places of bytes.
//!
//! ```
//! use std::sync::Arc;
//!
//! use doisift_structure::{Event, Structure, StructureRequest, Syntax};
//!
//! let text = br#"{"DOI": "10.5555/a", "reference": [{"DOI": "10.5555/b"}]}"#;
//! let syntax = Syntax::of(text).unwrap();
//! let mut structure = Structure::new(syntax, &Arc::new(StructureRequest::default()));
//! let mut identifiers = Vec::new();
//! structure.read(text, text.len(), &mut |event| {
//!     if let Event::Id { text, .. } = event {
//!         identifiers.push(text.to_owned());
//!     }
//! });
//! assert_eq!(identifiers, ["10.5555/a"]);
//! ```
//!
//! Knows bytes only: nothing of DOI names, files or rows. The readers do not validate. Memory is bounded by the depth of a path and
//! the length of its names, never by the size of a record. After broken structure a reader reports a fault once and continues at
//! the next record or line that it can recognise.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

// A reader per syntax: `json`, `xml`, `yaml`, `bibtex`, `tagged`, `delimited`. `references` reads lists of references in one field. `table` lists the meanings of paths in the known formats; `pointers` and
// `elements` look paths up in it. `stack` keeps the names of open levels, `xml_name` finds the ends of names in XML, and `tags`
// numbers the names of elements. `wikitext` reads the text of MediaWiki's pages. `wanted` lists the further data that a run takes
// from records, `record_field` parses their columns, types and paths, and `gather` collects the text of elements. `json_text` undoes
// escapes, and `value` finds the whole value of a field around a byte.
mod bibtex;
mod delimited;
mod elements;
mod gather;
mod json;
mod json_text;
mod place;
mod pointers;
mod record_field;
mod references;
mod stack;
mod syntax;
mod table;
mod tagged;
mod tags;
mod value;
mod wanted;
mod wikitext;
mod xml;
mod xml_name;
mod yaml;

pub use place::{BytePlace, Event, Role};
pub use record_field::{
    BadRecordField, BadRecordPath, RecordColumn, RecordField, RecordFields, RecordPath, RecordType,
    RecordValue, record_value,
};
pub use syntax::Syntax;
pub use table::{ItemPart, RecordId};
pub use tagged::TagSyntax;
pub use value::{LATEX_MARKS, ValueSyntax, without_latex};
pub use wanted::{MAX_CAPTURED_BYTES, RequestTables, StructureRequest};

use std::sync::Arc;

use bibtex::Bibtex;
use delimited::Delimited;
use json::Json;
use tagged::Tagged;
use xml::Xml;
use yaml::Yaml;

/// The reader of one document.
pub struct Structure(Reader);

enum Reader {
    Json(Box<Json>),
    Xml(Box<Xml>),
    Bibtex(Box<Bibtex>),
    Tagged(Box<Tagged>),
    Yaml(Box<Yaml>),
    Delimited(Box<Delimited>),
}

impl Structure {
    /// Creates a reader at the start of a document.
    pub fn new(syntax: Syntax, wanted: &Arc<StructureRequest>) -> Structure {
        Structure(match syntax {
            Syntax::Json => Reader::Json(Box::new(Json::new(wanted))),
            Syntax::Xml => Reader::Xml(Box::new(Xml::new(wanted))),
            Syntax::Bibtex => Reader::Bibtex(Box::new(Bibtex::new(wanted))),
            Syntax::Yaml => Reader::Yaml(Box::new(Yaml::new(wanted))),
            Syntax::Tagged(tags) => Reader::Tagged(Box::new(Tagged::new(tags, wanted))),
            Syntax::Delimited(delimiter) => {
                Reader::Delimited(Box::new(Delimited::new(delimiter, wanted)))
            }
        })
    }

    /// Creates a reader that starts with a line at `offset` of a document of JSON Lines. The document must be one by
    /// [`starts_json_lines`](Self::starts_json_lines).
    pub fn json_line(wanted: &Arc<StructureRequest>, offset: u64) -> Structure {
        Structure(Reader::Json(Box::new(Json::at_line(wanted, offset))))
    }

    /// Whether a document that starts with `head` is JSON Lines, since its first line is a value. Then each line is read
    /// independently of those before it. False if the first line does not end in `head`.
    pub fn starts_json_lines(head: &[u8]) -> bool {
        memchr::memchr(b'\n', head).is_some_and(|end| {
            let mut json = Json::new(&Arc::default());
            json.read(&head[..=end], end + 1, &mut |_| {});
            json.is_at_line()
        })
    }

    /// Reads the next `to` bytes of the document. The bytes after them may be looked at, but do not change the result.
    pub fn read(&mut self, bytes: &[u8], to: usize, report: &mut dyn FnMut(Event<'_>)) {
        let new = &bytes[..to];
        match &mut self.0 {
            Reader::Json(json) => json.read(bytes, to, report),
            Reader::Xml(xml) => xml.read(new, report),
            Reader::Bibtex(bibtex) => bibtex.read(new, report),
            Reader::Tagged(tagged) => tagged.read(new, report),
            Reader::Yaml(yaml) => yaml.read(new, report),
            Reader::Delimited(table) => table.read(new, report),
        }
    }

    /// Returns the syntax of the value that has the next byte. `None` if the ends of the value cannot be found.
    pub fn value(&self) -> Option<ValueSyntax> {
        match &self.0 {
            Reader::Json(json) => json.value(),
            Reader::Xml(xml) => xml.value(),
            Reader::Bibtex(_) => Some(ValueSyntax::Bibtex),
            Reader::Yaml(yaml) => yaml.value(),
            // A cell of a table has no escapes that a scanner does not undo.
            Reader::Delimited(_) => None,
            Reader::Tagged(tagged) => Some(ValueSyntax::Tagged(tagged.syntax())),
        }
    }

    /// Returns the place of the next byte.
    #[inline]
    pub fn place(&self) -> BytePlace {
        match &self.0 {
            Reader::Json(json) => json.place(),
            Reader::Xml(xml) => xml.place(),
            Reader::Bibtex(bibtex) => bibtex.place(),
            Reader::Tagged(tagged) => tagged.place(),
            Reader::Yaml(yaml) => yaml.place(),
            Reader::Delimited(table) => table.place(),
        }
    }

    /// Appends the path of the next byte to `path`.
    pub fn path(&self, path: &mut String) {
        match &self.0 {
            Reader::Json(json) => json.path(path),
            Reader::Xml(xml) => xml.path(path),
            Reader::Bibtex(bibtex) => bibtex.path(path),
            Reader::Tagged(tagged) => tagged.path(path),
            Reader::Yaml(yaml) => yaml.path(path),
            Reader::Delimited(table) => table.path(path),
        }
    }

    /// Ends the document, and all records that are open.
    pub fn end(&mut self, report: &mut dyn FnMut(Event<'_>)) {
        match &mut self.0 {
            Reader::Json(json) => json.end(report),
            Reader::Xml(xml) => xml.end(report),
            Reader::Bibtex(bibtex) => bibtex.end(report),
            Reader::Tagged(tagged) => tagged.end(report),
            Reader::Yaml(yaml) => yaml.end(report),
            Reader::Delimited(table) => table.end(report),
        }
    }
}

/// Compiles and runs the README's examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
