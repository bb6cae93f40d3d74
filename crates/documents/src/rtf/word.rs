//! Control words that concern the text.

/// The meaning of a control word for the text. All other words change only its appearance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RtfWord {
    /// A paragraph, cell or row ends.
    Paragraph,
    Line,
    Char(char),
    /// A character by its number; a fallback follows.
    Unicode,
    /// Sets the length of fallbacks.
    FallbackLength,
    /// Marks the next text as deleted, or not.
    Deleted,
    /// Formats are reset.
    Plain,
    /// The code page of the document, and words for three of them.
    CodePage,
    Ansi,
    Mac,
    Pc,
    /// The font of the text, and in the list of fonts its character set.
    Font,
    FontCharset,
    /// Not one of these.
    Other,
}

/// The meaning of the first control word of a group for the text in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Destination {
    /// The group has no text.
    NoText,
    /// The group is a text of its own: a note, a header, a field of the metadata.
    Apart,
    /// The group is the code of a field.
    Code,
    Fonts,
    /// The group belongs to the text around it.
    Same,
}

/// Destinations without text that are not marked as ignorable.
const TEXTLESS_DESTINATIONS: [&[u8]; 16] = [
    b"colortbl",
    b"stylesheet",
    b"pict",
    b"nonshppict",
    b"listtext",
    b"pntext",
    b"filetbl",
    b"revtbl",
    b"xe",
    b"tc",
    b"sp",
    b"objdata",
    b"objclass",
    b"fldtype",
    b"formfield",
    b"template",
];
/// Destinations that are texts of their own.
const SEPARATE_DESTINATIONS: [&[u8]; 22] = [
    b"footnote",
    b"annotation",
    b"header",
    b"headerl",
    b"headerr",
    b"headerf",
    b"footer",
    b"footerl",
    b"footerr",
    b"footerf",
    b"shptxt",
    b"title",
    b"subject",
    b"author",
    b"manager",
    b"company",
    b"operator",
    b"category",
    b"keywords",
    b"comment",
    b"doccomm",
    b"hlinkbase",
];

/// Returns the meaning of the first control word of a group. `is_ignorable` says that a reader which does not know the word
/// must skip the group.
pub(super) fn destination(word: &[u8], is_ignorable: bool) -> Destination {
    match word {
        b"fonttbl" => Destination::Fonts,
        b"fldinst" => Destination::Code,
        // Drawings hold texts as well as their properties.
        b"shpinst" => Destination::Same,
        _ if SEPARATE_DESTINATIONS.contains(&word) => Destination::Apart,
        _ if is_ignorable || TEXTLESS_DESTINATIONS.contains(&word) => Destination::NoText,
        _ => Destination::Same,
    }
}

/// Returns the meaning of a control word in text.
pub(super) fn meaning(word: &[u8]) -> RtfWord {
    match word {
        b"par" | b"sect" | b"page" | b"column" | b"cell" | b"row" | b"nestcell" | b"nestrow" => {
            RtfWord::Paragraph
        }
        b"line" | b"lbr" => RtfWord::Line,
        b"tab" => RtfWord::Char('\t'),
        b"emspace" | b"enspace" | b"qmspace" => RtfWord::Char(' '),
        b"emdash" => RtfWord::Char('\u{2014}'),
        b"endash" => RtfWord::Char('\u{2013}'),
        b"lquote" => RtfWord::Char('\u{2018}'),
        b"rquote" => RtfWord::Char('\u{2019}'),
        b"ldblquote" => RtfWord::Char('\u{201c}'),
        b"rdblquote" => RtfWord::Char('\u{201d}'),
        b"bullet" => RtfWord::Char('\u{2022}'),
        b"zwbo" => RtfWord::Char('\u{200b}'),
        b"zwnbo" => RtfWord::Char('\u{2060}'),
        b"u" => RtfWord::Unicode,
        b"uc" => RtfWord::FallbackLength,
        b"deleted" => RtfWord::Deleted,
        b"plain" => RtfWord::Plain,
        b"ansicpg" => RtfWord::CodePage,
        b"ansi" => RtfWord::Ansi,
        b"mac" => RtfWord::Mac,
        b"pc" | b"pca" => RtfWord::Pc,
        b"f" => RtfWord::Font,
        b"fcharset" => RtfWord::FontCharset,
        _ => RtfWord::Other,
    }
}
