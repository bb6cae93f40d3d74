//! The kind of text of a document: set by an option, or read from its head.

use std::fs::File;
use std::io::{self, Read};

use super::options::ScanOptions;
use crate::input::{Raw, Section};
use crate::scan::TextKind;

/// A document with its kind. Its bytes are read from the start.
pub(super) struct KnownText<'b> {
    pub(super) kind: TextKind,
    pub(super) bytes: Raw<&'b mut dyn Read>,
}

impl<'b> KnownText<'b> {
    /// Reads the head of a document into `buffer`, which is empty or was given back by an earlier document.
    pub(super) fn new(options: &ScanOptions, bytes: &'b mut dyn Read, buffer: Box<[u8]>) -> Self {
        let mut bytes = match buffer.len() {
            TextKind::HEAD => Raw::with_buffer(bytes, buffer),
            _ => Raw::with_capacity(bytes, TextKind::HEAD),
        };
        let kind = options
            .kind
            .unwrap_or_else(|| of(bytes.peek(TextKind::HEAD)));
        KnownText { kind, bytes }
    }
}

/// The kind of a plain file of `size` bytes.
pub(super) fn of_file(options: &ScanOptions, file: &File, size: u64) -> io::Result<TextKind> {
    if let Some(kind) = options.kind {
        return Ok(kind);
    }
    let head = Section::new(file, 0, size.min(TextKind::HEAD as u64));
    let mut bytes = Vec::with_capacity(TextKind::HEAD);
    match head.take(TextKind::HEAD as u64).read_to_end(&mut bytes) {
        // If the file became shorter, the scan reports that.
        Err(error) if error.raw_os_error().is_some() => Err(error),
        _ => Ok(of(&bytes)),
    }
}

fn of(head: &[u8]) -> TextKind {
    TextKind::of(head, head.len() < TextKind::HEAD)
}
