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
    /// Replaces a packing that this build leaves out by its kind of binary content.
    pub(super) fn in_this_build(self) -> Self {
        match self {
            StreamContent::Packed(packing) => left_out(packing).map_or(self, StreamContent::Binary),
            other => other,
        }
    }

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

/// Returns the kind of a packing that this build leaves out and skips.
fn left_out(packing: Packing) -> Option<&'static str> {
    match packing {
        Packing::Arrow if cfg!(not(feature = "arrow")) => Some("arrow"),
        Packing::Mail if cfg!(not(feature = "mail")) => Some("mail"),
        Packing::Ole2 if cfg!(not(feature = "office")) => Some("ole2"),
        Packing::FlatOpenDocument if cfg!(not(feature = "office")) => Some("opendocument"),
        Packing::SevenZip if cfg!(not(feature = "seven-zip")) => Some("7z"),
        _ => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packing_is_read_if_its_feature_is_on_and_skipped_by_its_kind_if_not() {
        for (packing, is_on, kind) in [
            (Packing::Arrow, cfg!(feature = "arrow"), "arrow"),
            (Packing::Mail, cfg!(feature = "mail"), "mail"),
            (Packing::Ole2, cfg!(feature = "office"), "ole2"),
            (
                Packing::FlatOpenDocument,
                cfg!(feature = "office"),
                "opendocument",
            ),
            (Packing::SevenZip, cfg!(feature = "seven-zip"), "7z"),
            (Packing::Zip, true, ""),
        ] {
            let content = StreamContent::Packed(packing);
            let read = if is_on {
                content
            } else {
                StreamContent::Binary(kind)
            };
            assert_eq!(content.in_this_build(), read, "{packing}");
        }
    }
}
