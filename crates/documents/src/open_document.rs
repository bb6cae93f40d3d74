//! Recognises OpenDocument and other office documents by the root element of their XML.

use memchr::{memchr, memmem};

use crate::xml::{XmlPiece, XmlReader};

/// Start of the media type of any OpenDocument file.
pub(crate) const OPEN_DOCUMENT: &[u8] = b"application/vnd.oasis.opendocument.";

/// Whether `head` is the start of flat OpenDocument, the XML of a whole document.
pub(crate) fn is_flat(head: &[u8]) -> bool {
    flat_kind(head).is_some_and(|kind| kind.starts_with(OPEN_DOCUMENT))
}

/// Returns the media type that the root element of flat OpenDocument states.
pub(crate) fn flat_kind(head: &[u8]) -> Option<Vec<u8>> {
    root(head).filter(|root| *root == b"document")?;
    let mut bytes = head;
    let mut xml = XmlReader::new(&mut bytes);
    loop {
        if let XmlPiece::Start(root) = xml.next().ok()?? {
            return root.attribute("mimetype");
        }
    }
}

/// Bytes of an archive that are enough to recognise an office document.
pub(crate) const HEAD_BYTES: u64 = 512;

/// Returns the kind of an office document, by the first member of its archive, which starts with `head`; `None` for another
/// archive.
pub(crate) fn package_kind(head: &[u8]) -> Option<&'static str> {
    /// Parts that writers of Office Open XML put first.
    const FIRST_PARTS: [&[u8]; 4] = [
        b"[Content_Types].xml",
        b"_rels/.rels",
        b"docProps/app.xml",
        b"docProps/core.xml",
    ];
    let (fields, rest) = head.split_first_chunk::<30>()?;
    let length = u16::from_le_bytes([fields[26], fields[27]]);
    let name = rest.get(..length.into())?;
    if FIRST_PARTS.contains(&name) {
        Some("ooxml")
    } else {
        let is_kind = name == b"mimetype" && memmem::find(rest, OPEN_DOCUMENT).is_some();
        is_kind.then_some("opendocument")
    }
}

/// Returns the local name of the root element.
pub(crate) fn root(head: &[u8]) -> Option<&[u8]> {
    let mut rest = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = match rest {
            [b'<', b'?', ..] => b"?>",
            [b'<', b'!', b'-', b'-', ..] => b"-->",
            [b'<', name @ ..] => {
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'>' | b'/');
                let name = &name[..name.iter().position(is_end)?];
                return Some(memchr(b':', name).map_or(name, |at| &name[at + 1..]));
            }
            _ => return None,
        };
        rest = &rest[memmem::find(rest, end)? + end.len()..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_office_document_is_known_by_its_first_member() {
        let kind = |name: &[u8], text: &[u8]| {
            let mut local = [0; 30];
            local[26] = name.len() as u8;
            package_kind(&[&local, name, text].concat())
        };
        assert_eq!(kind(b"[Content_Types].xml", b"<"), Some("ooxml"));
        let text = [OPEN_DOCUMENT, b"text"].concat();
        assert_eq!(kind(b"mimetype", &text), Some("opendocument"));
        assert_eq!(kind(b"mimetype", b"application/epub+zip"), None);
        assert_eq!(kind(b"a.txt", &text), None);
        assert_eq!(package_kind(b"PK\x03\x04"), None);
    }
}
