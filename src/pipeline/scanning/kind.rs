//! Determines the kind of a text: by an option, its origin, or its head.

use doisift_core::TextKind;
use doisift_documents::{FileSection, InputError, ReadBytes, SourceFile, TextOrigin};

use crate::pipeline::plan::ScanOptions;

/// Returns how many bytes of a document determine its kind; 0 if an option sets the kind.
pub(crate) fn head(options: &ScanOptions) -> usize {
    match options.reading.input_kind {
        Some(_) => 0,
        None => TextKind::HEAD_BYTES,
    }
}

/// Returns the kind of a document that starts with `bytes`. These must be its [`head`] or more, or the whole document.
pub(crate) fn of(options: &ScanOptions, bytes: &[u8]) -> TextKind {
    let is_whole = bytes.len() < TextKind::HEAD_BYTES;
    options
        .reading
        .input_kind
        .unwrap_or_else(|| TextKind::of(bytes, is_whole))
}

/// Returns the kind of a cell with this text. If columns are chosen, an option that sets the kind to a table applies to the text
/// around the cell, not to the cell.
pub(crate) fn of_cell(options: &ScanOptions, text: &[u8]) -> TextKind {
    match options.reading.input_kind {
        Some(kind) if kind.delimiter().is_some() && options.columns.is_given() => {
            TextKind::of(text, text.len() < TextKind::HEAD_BYTES)
        }
        _ => of(options, text),
    }
}

/// Returns the kind of a document by its origin. Only web pages follow the option that sets the kind.
pub(crate) fn of_origin(options: &ScanOptions, origin: TextOrigin) -> TextKind {
    match origin {
        TextOrigin::Page => TextKind::Printed,
        TextOrigin::Metadata | TextOrigin::Office | TextOrigin::Sheet(_) => TextKind::Unknown,
        TextOrigin::Web => options.reading.input_kind.unwrap_or(TextKind::Html),
    }
}

/// Reads the kind of a plain file of `size` bytes.
pub(crate) fn of_file(
    options: &ScanOptions,
    file: &SourceFile,
    size: u64,
) -> Result<TextKind, InputError> {
    let max = size.min(head(options) as u64);
    let mut bytes = Vec::with_capacity(max as usize);
    match FileSection::new(file, 0, max).read_to_end(&mut bytes) {
        // If the file became shorter, the scan reports that.
        Ok(_) | Err(InputError::Shrunk) => Ok(of(options, &bytes)),
        Err(error) => Err(error),
    }
}
