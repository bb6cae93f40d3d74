//! Recognises OpenDocument and other office documents by the root element of their XML.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use crate::xml::{XmlPiece, XmlReader, attribute};

/// Start of the media type of any OpenDocument file.
pub(crate) const OPEN_DOCUMENT: &[u8] = b"application/vnd.oasis.opendocument.";

/// Whether `head` is the start of flat OpenDocument, the XML of a whole document.
pub(crate) fn is_flat(head: &[u8]) -> bool {
    flat_kind(head).is_some_and(|kind| kind.as_bytes().starts_with(OPEN_DOCUMENT))
}

/// Returns the media type that the root element of flat OpenDocument states.
pub(crate) fn flat_kind(head: &[u8]) -> Option<String> {
    root(head).filter(|root| *root == b"document")?;
    let mut bytes = head;
    let mut xml = XmlReader::new(&mut bytes);
    loop {
        if let XmlPiece::Start(root) = xml.next_piece().ok()?? {
            return attribute(&root, "mimetype").map(Cow::into_owned);
        }
    }
}

/// Bytes of an archive that are enough to recognise an office document.
pub(crate) const HEAD_BYTES: u64 = 512;

/// Whether an archive that starts with `head` is an office document, by its first member.
pub(crate) fn is_package(head: &[u8]) -> bool {
    /// Parts that writers of Office Open XML put first.
    const FIRST_PARTS: [&[u8]; 4] = [
        b"[Content_Types].xml",
        b"_rels/.rels",
        b"docProps/app.xml",
        b"docProps/core.xml",
    ];
    let Some((fields, rest)) = head.split_first_chunk::<30>() else {
        return false;
    };
    let length = u16::from_le_bytes([fields[26], fields[27]]);
    let is_first = |name| {
        FIRST_PARTS.contains(&name)
            || name == b"mimetype" && memmem::find(rest, OPEN_DOCUMENT).is_some()
    };
    rest.get(..length.into()).is_some_and(is_first)
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
        let is_document = |name: &[u8], text: &[u8]| {
            let mut local = [0; 30];
            local[26] = name.len() as u8;
            is_package(&[&local, name, text].concat())
        };
        assert!(is_document(b"[Content_Types].xml", b"<"));
        let text = [OPEN_DOCUMENT, b"text"].concat();
        assert!(is_document(b"mimetype", &text));
        assert!(!is_document(b"mimetype", b"application/epub+zip"));
        assert!(!is_document(b"a.txt", &text));
        assert!(!is_package(b"PK\x03\x04"));
    }
}
