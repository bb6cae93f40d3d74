//! Kinds of content that a stream is recognised as.

use super::fault::Packing;

/// The content of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamContent {
    /// Text, or anything that is not recognised.
    Text,
    /// Text in another encoding, as its byte order mark says.
    Unicode(UnicodeEncoding),
    /// RTF.
    Rtf,
    /// A packing or a container.
    Packed(Packing),
    /// Not text, and not a container of text that doisift reads. The string is its kind.
    Binary(&'static str),
}

impl StreamContent {
    /// Returns its name in the log.
    pub(super) fn name(self) -> &'static str {
        match self {
            StreamContent::Text => "text",
            StreamContent::Unicode(way) => way.name(),
            StreamContent::Rtf => "RTF",
            StreamContent::Packed(packing) => packing.name(),
            StreamContent::Binary(kind) => kind,
        }
    }
}

/// An encoding of text in units of 16 or 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnicodeEncoding {
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
}

impl UnicodeEncoding {
    /// Returns the name in the terms of iconv(1), with the order of bytes.
    pub(super) fn with_order(self) -> &'static str {
        match self {
            UnicodeEncoding::Utf16Le => "UTF-16LE",
            UnicodeEncoding::Utf16Be => "UTF-16BE",
            UnicodeEncoding::Utf32Le => "UTF-32LE",
            UnicodeEncoding::Utf32Be => "UTF-32BE",
        }
    }

    /// Returns the byte order mark.
    pub(super) fn mark(self) -> &'static [u8] {
        match self {
            UnicodeEncoding::Utf16Le => &[0xff, 0xfe],
            UnicodeEncoding::Utf16Be => &[0xfe, 0xff],
            UnicodeEncoding::Utf32Le => &[0xff, 0xfe, 0, 0],
            UnicodeEncoding::Utf32Be => &[0, 0, 0xfe, 0xff],
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            UnicodeEncoding::Utf16Le | UnicodeEncoding::Utf16Be => "UTF-16",
            UnicodeEncoding::Utf32Le | UnicodeEncoding::Utf32Be => "UTF-32",
        }
    }

    /// Returns the number of bytes of a unit.
    pub(super) fn unit(self) -> usize {
        match self {
            UnicodeEncoding::Utf16Le | UnicodeEncoding::Utf16Be => 2,
            UnicodeEncoding::Utf32Le | UnicodeEncoding::Utf32Be => 4,
        }
    }
}
