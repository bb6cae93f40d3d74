//! The objects below a prefix, page by page, with any keys.
//!
//! object_store fails for a page with a key that its paths cannot hold: one that starts or ends with `/`, or has `//`, `.`, `..` or control
//! characters. So such keys are [escaped](escape_keys) in the answer of a service before object_store parses it.

use std::borrow::Cow;

use bytes::Bytes;
use http::Uri;
use object_store::path::{Path, PathPart};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use quick_xml::escape::unescape;

use crate::address::StoreAddress;
use crate::error::RemoteError;
use object_store::ObjectStore;
use object_store::list::PaginatedListStore;

/// A store with lists.
pub(crate) trait Store: ObjectStore + PaginatedListStore {}

impl<T: ObjectStore + PaginatedListStore> Store for T {}

/// Starts an escaped key. Unicode assigns no character to it.
const ESCAPED: char = '\u{FDD0}';
/// The elements of lists that have a key: of S3 and Google, and of Azure.
const KEY_ELEMENTS: [&str; 2] = ["<Key>", "<Name>"];

/// Whether a request asks for a list.
pub(crate) fn is_list(uri: &Uri) -> bool {
    let mut parameters = uri.query().unwrap_or_default().split('&');
    parameters.any(|parameter| matches!(parameter, "list-type=2" | "comp=list"))
}

/// Escapes the keys of a list that paths of object_store cannot hold.
pub(crate) fn escape_keys(list: Bytes) -> Bytes {
    let Ok(mut rest) = std::str::from_utf8(&list) else {
        return list;
    };
    let mut escaped = String::new();
    while let Some((start, end)) = next_key(rest) {
        escaped.push_str(&rest[..start]);
        escaped.push_str(&escape_key(&rest[start..end]));
        rest = &rest[end..];
    }
    match escaped.is_empty() {
        true => list,
        false => (escaped + rest).into(),
    }
}

/// Returns where the next key starts and ends.
fn next_key(list: &str) -> Option<(usize, usize)> {
    let mut tags = list.match_indices('<').map(|(at, _)| at);
    let start = tags.find_map(|at| {
        let element = KEY_ELEMENTS
            .iter()
            .find(|tag| list[at..].starts_with(**tag));
        element.map(|tag| at + tag.len())
    })?;
    Some((start, tags.next()?))
}

/// Escapes a key in XML, if it must be.
fn escape_key(xml: &str) -> Cow<'_, str> {
    match unescape(xml) {
        Ok(key) if key.starts_with(ESCAPED) || !is_path(&key) => {
            let key = utf8_percent_encode(&key, NON_ALPHANUMERIC);
            format!("{ESCAPED}{key}").into()
        }
        _ => xml.into(),
    }
}

/// Whether the paths of object_store hold a key without a change.
fn is_path(key: &str) -> bool {
    Path::parse(key).is_ok_and(|path| path.as_ref() == key)
}

/// Returns the key of an object of a list.
pub(crate) fn key_of(listed: &Path) -> Cow<'_, str> {
    match listed.as_ref().strip_prefix(ESCAPED) {
        Some(escaped) => percent_decode_str(escaped).decode_utf8_lossy(),
        None => listed.as_ref().into(),
    }
}

/// Returns the path by which object_store asks for a key.
///
/// # Errors
/// If it cannot ask for it.
pub(crate) fn path_of(store: &StoreAddress, key: &str) -> Result<Path, RemoteError> {
    let bad = RemoteError::UnaskableKey;
    if key.starts_with('/') {
        return Err(bad("it starts with `/`"));
    }
    if key.ends_with('/') && matches!(store, StoreAddress::Azure { .. }) {
        return Err(bad("it ends with `/`"));
    }
    let mut path = Path::ROOT;
    for part in key.split('/') {
        let part = PathPart::parse(part)
            .map_err(|_| bad("a part of it is `.` or `..`, or has a control character"))?;
        path = path.join(part);
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(key: &str) -> String {
        let xml = format!("<Name>b</Name><Key>{key}</Key><Size>1</Size>");
        String::from_utf8(escape_keys(xml.into()).to_vec()).unwrap()
    }

    #[test]
    fn keys_that_are_paths_are_not_escaped() {
        for key in ["a/b", "a&amp;b", "a%2Fb", "é", ".a/b..", "&#x41;"] {
            assert_eq!(
                listed(key),
                format!("<Name>b</Name><Key>{key}</Key><Size>1</Size>")
            );
        }
        let other = Bytes::from_static(b"\xff<Key>//</Key>");
        assert_eq!(escape_keys(other.clone()), other);
    }

    #[test]
    fn any_key_is_the_same_after_a_list() {
        for (xml, key) in [
            ("a//b", "a//b"),
            ("/a&amp;/é", "/a&/é"),
            ("a/../b/", "a/../b/"),
            ("./&#10;%41", "./\n%41"),
            ("\u{FDD0}a", "\u{FDD0}a"),
            ("a/b", "a/b"),
        ] {
            let list = listed(xml);
            let (start, end) = next_key(&list[14..]).unwrap();
            let path = Path::parse(&list[14 + start..14 + end]).unwrap();
            assert_eq!(key_of(&path), key);
        }
    }

    #[test]
    fn a_key_is_asked_for_as_it_is_or_not_at_all() {
        let s3 = StoreAddress::S3("b".to_owned());
        for key in ["a//b", "a/b/", "a///", "a b%20/é"] {
            assert_eq!(path_of(&s3, key).unwrap().as_ref(), key);
        }
        for key in ["/a", "//", "a/../b", ".", "a/\n"] {
            assert!(path_of(&s3, key).is_err(), "{key}");
        }
        let azure = StoreAddress::Azure {
            scheme: "az".to_owned(),
            container: "c".to_owned(),
            account: None,
        };
        assert!(path_of(&azure, "a//b").is_ok() && path_of(&azure, "a/").is_err());
    }
}
