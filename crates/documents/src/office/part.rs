//! Recognises the parts of office documents among the members of an archive.

use memchr::memmem;

use super::prose::ProseDialect;
use crate::content::StreamContent;
use crate::encoding::Transcoded;
use crate::magic;
use crate::open_document::{flat_kind, root};
use crate::peek::PeekReader;
use crate::read::ReadBytes;

/// Bytes of a member that must have the start of its root element, with its namespace.
pub(super) const HEAD_BYTES: usize = 4 << 10;
/// Parts of the namespaces of office documents (ISO/IEC 29500, ISO/IEC 26300).
const NAMESPACES: [&[u8]; 3] = [
    b"openxmlformats.org/",
    b"purl.oclc.org/ooxml/",
    b"urn:oasis:names:tc:opendocument:",
];

/// Start of the media type of OpenDocument spreadsheets, and of their templates.
const SPREADSHEET_TYPE: &[u8] = b"application/vnd.oasis.opendocument.spreadsheet";
/// The member of OpenDocument that has the text, or all sheets.
pub(super) const CONTENT_PART: &str = "content.xml";

/// Kind of member of an office document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfficePart {
    Prose(ProseDialect),
    /// The cells of a sheet (Office Open XML).
    Sheet,
    /// The texts that cells share.
    Strings,
    /// The names of the sheets.
    Workbook,
    /// The formats of cells.
    Styles,
}

/// Calls `take` with the text of a member in UTF-8: XML may be in UTF-16.
pub(super) fn in_utf8<T>(
    bytes: &mut dyn ReadBytes,
    take: impl FnOnce(&mut PeekReader<&mut dyn ReadBytes>) -> T,
) -> T {
    let mut raw = PeekReader::with_capacity(bytes, HEAD_BYTES);
    match magic::recognise(raw.peek(magic::HEAD_BYTES)) {
        StreamContent::Unicode(way) => {
            let mut text = Transcoded::new(way, raw);
            take(&mut PeekReader::with_capacity(&mut text, HEAD_BYTES))
        }
        _ => take(&mut raw),
    }
}

/// Returns the part that starts with `head`; `None` if it is not text of an office document.
pub(super) fn part(head: &[u8]) -> Option<OfficePart> {
    let root = root(head)?;
    let ooxml = |head| {
        NAMESPACES[..2]
            .iter()
            .any(|own| memmem::find(head, own).is_some())
    };
    let odf = |head| memmem::find(head, NAMESPACES[2]).is_some();
    let part = match root {
        b"document" | b"footnotes" | b"endnotes" | b"comments" | b"hdr" | b"ftr"
        | b"glossaryDocument" | b"sld" | b"notes" | b"sldLayout" | b"sldMaster"
        | b"notesMaster" | b"handoutMaster" | b"cmLst" | b"dataModel" | b"drawing"
        | b"chartSpace" | b"wsDr" | b"userShapes"
            if ooxml(head) =>
        {
            OfficePart::Prose(ProseDialect::Ooxml)
        }
        b"document-content" | b"document-styles" | b"document" if odf(head) => {
            OfficePart::Prose(ProseDialect::Odf)
        }
        b"worksheet" if ooxml(head) => OfficePart::Sheet,
        b"sst" if ooxml(head) => OfficePart::Strings,
        b"workbook" if ooxml(head) => OfficePart::Workbook,
        b"styleSheet" if ooxml(head) => OfficePart::Styles,
        _ => return None,
    };
    Some(part)
}

/// Whether a member states that the document is an OpenDocument spreadsheet.
pub(super) fn is_spreadsheet(name: &str, head: &[u8]) -> bool {
    match name {
        "mimetype" => head.starts_with(SPREADSHEET_TYPE),
        CONTENT_PART => {
            flat_kind(head).is_some_and(|kind| kind.as_bytes().starts_with(SPREADSHEET_TYPE))
        }
        _ => false,
    }
}

/// Whether `name` is the member with the shared texts of a binary workbook.
pub(super) fn is_binary_strings(name: &str) -> bool {
    name.eq_ignore_ascii_case("xl/sharedStrings.bin")
}

/// Whether `name` is a part of a binary workbook.
pub(super) fn is_binary(name: &str) -> bool {
    name.starts_with("xl/") && name.ends_with(".bin")
}

/// Whether `name` is the member with the relationships of a sheet, which have the targets of its links.
pub(super) fn is_sheet_links(name: &str) -> bool {
    name.contains("worksheets/_rels/") && name.ends_with(".rels")
}

/// Whether the name of a member allows that it is a part with text.
pub(super) fn is_xml(name: &str) -> bool {
    let ending = name.len().checked_sub(4).and_then(|at| name.get(at..));
    ending.is_some_and(|ending| ending.eq_ignore_ascii_case(".xml"))
}
