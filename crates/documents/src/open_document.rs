//! The root element of XML, by which OpenDocument and other office documents are recognised.

use memchr::{memchr, memmem};

use crate::xml::{XmlPiece, XmlReader};

/// The start of the kind of any OpenDocument file.
pub(crate) const OPEN_DOCUMENT: &[u8] = b"application/vnd.oasis.opendocument.";

/// Whether `head` is the start of flat OpenDocument: of the XML of a whole document.
pub(crate) fn is_flat(head: &[u8]) -> bool {
    flat_kind(head).is_some_and(|kind| kind.starts_with(OPEN_DOCUMENT))
}

/// The kind that the root element of flat OpenDocument states.
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

/// The local name of the root element.
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
