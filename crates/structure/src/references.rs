//! A list of references in one field.

use super::place::{Event, keep_within};
use super::table::ItemPart;
use super::wanted::{MAX_CAPTURED_BYTES, StructureRequest};

/// The references of a record, which are in one field.
#[derive(Default)]
pub(super) struct ReferenceList {
    /// Number of references so far.
    count: u64,
    is_open: bool,
    /// Offset of the open reference in the document.
    offset: u64,
    text: Vec<u8>,
    /// The byte before.
    last: u8,
}

impl ReferenceList {
    /// Starts a reference at an offset of the document. `path` is the name of the field.
    pub(super) fn start(
        &mut self,
        offset: u64,
        path: &str,
        request: &StructureRequest,
        report: &mut dyn FnMut(Event<'_>),
    ) {
        (self.is_open, self.offset) = (true, offset);
        self.count += 1;
        if request.has_items() {
            let reference = self.index();
            report(Event::Item {
                reference,
                offset,
                path: if request.paths { path } else { "" },
            });
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the index of the open reference.
    pub(super) fn index(&self) -> Option<u64> {
        self.is_open.then(|| self.count - 1)
    }

    /// Returns the index of the open reference, or of the next one.
    pub(super) fn next_index(&self) -> u64 {
        self.index().unwrap_or(self.count)
    }

    /// Whether the reference ends before a byte, if a semicolon and a blank end it.
    pub(super) fn ends_at_semicolon(&self, byte: u8) -> bool {
        self.last == b';' && byte.is_ascii_whitespace()
    }

    /// Takes the next byte of the field.
    pub(super) fn take(&mut self, byte: u8, request: &StructureRequest) {
        self.last = byte;
        if self.is_open && request.texts {
            keep_within(&mut self.text, MAX_CAPTURED_BYTES, &[byte]);
        }
    }

    /// Ends the reference that is open before an offset.
    pub(super) fn end(
        &mut self,
        end: u64,
        request: &StructureRequest,
        report: &mut dyn FnMut(Event<'_>),
    ) {
        if std::mem::take(&mut self.is_open) && request.has_items() {
            let text = String::from_utf8_lossy(&self.text);
            let text =
                text.trim_matches(|c: char| c.is_whitespace() || matches!(c, ';' | '{' | '}'));
            report(Event::Part {
                part: ItemPart::Text,
                text,
                place: (self.offset, end),
            });
            report(Event::EndItem(end));
        }
        self.text.clear();
    }
}
