//! Undoes the escapes of strings of JSON.

use std::borrow::Cow;

use memchr::memchr;

/// Returns the decoded bytes of a string or a name of JSON, for comparisons. `written` has no quotes.
pub(super) fn string_bytes(written: &[u8]) -> Cow<'_, [u8]> {
    match memchr(b'\\', written) {
        None => Cow::Borrowed(written),
        Some(_) => Cow::Owned(unescaped(written).into_owned().into_bytes()),
    }
}

/// Decodes a JSON string without its quotes. If its escapes are not valid, returns it as written. Bytes that are not UTF-8 are
/// replaced.
pub(super) fn unescaped(text: &[u8]) -> Cow<'_, str> {
    if memchr(b'\\', text).is_none() {
        return String::from_utf8_lossy(text);
    }
    if let Some(text) = without_slash_escapes(text) {
        return text.into();
    }
    let quoted = [b"\"", text, b"\""].concat();
    match serde_json::from_slice::<String>(&quoted) {
        Ok(text) => text.into(),
        Err(_) => String::from_utf8_lossy(text),
    }
}

/// Returns the text if slashes are its only escapes, the usual ones in names. Otherwise returns `None`.
fn without_slash_escapes(text: &[u8]) -> Option<String> {
    let mut plain = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr(b'\\', rest) {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if rest.first() != Some(&b'/') {
            return None;
        }
    }
    plain.extend_from_slice(rest);
    String::from_utf8(plain).ok()
}
