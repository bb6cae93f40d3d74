//! The syntax of a decoded name (N1 to N3), and its key (U5).

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory, get_general_category};

use super::error::{DoiError, DoiErrorKind};

/// The directory indicator with its full stop (N1).
pub(super) const DIRECTORY: &str = "10.";

/// Checks that `name` is a DOI name. Returns the byte offset of the `/` that ends its prefix.
pub(crate) fn check(name: &str) -> Result<usize, DoiError> {
    let slash = prefix_end(name)?;
    let suffix = &name[slash + 1..];
    if suffix.is_empty() {
        return Err(DoiError::new(DoiErrorKind::EmptySuffix, name.len()));
    }
    match first_not_graphic(suffix) {
        Some((at, c)) => Err(DoiError::new(DoiErrorKind::NotGraphic(c), slash + 1 + at)),
        None => Ok(slash),
    }
}

fn prefix_end(name: &str) -> Result<usize, DoiError> {
    let end = registrant_code_end(name).ok_or_else(|| no_directory(name))?;
    let whole = name.as_bytes()[end - 1].is_ascii_digit();
    match name.as_bytes().get(end) {
        Some(b'/') if whole => Ok(end),
        None if whole => Err(DoiError::new(DoiErrorKind::NoSeparator, end)),
        _ => Err(DoiError::new(DoiErrorKind::RegistrantCode, end)),
    }
}

/// Returns the byte offset of the end of the digits and single full stops after the directory indicator. `None` without a
/// directory indicator.
pub(super) fn registrant_code_end(name: &str) -> Option<usize> {
    let mut end = name.starts_with(DIRECTORY).then_some(DIRECTORY.len())?;
    let bytes = name.as_bytes();
    while bytes
        .get(end)
        .is_some_and(|&b| b.is_ascii_digit() || b == b'.' && bytes[end - 1] != b'.')
    {
        end += 1;
    }
    Some(end)
}

fn no_directory(name: &str) -> DoiError {
    let short = name
        .strip_prefix("10/")
        .is_some_and(|alias| !alias.is_empty());
    let kind = if short {
        DoiErrorKind::ShortDoi
    } else {
        DoiErrorKind::NoDirectory
    };
    DoiError::new(kind, 0)
}

/// Returns the first character that a suffix must not contain (N3), and its byte offset. Checks plain ASCII without decoding.
pub(crate) fn first_not_graphic(text: &str) -> Option<(usize, char)> {
    // The fold reads all bytes, without an early exit, so that the compiler can use vector instructions.
    let is_plain = text
        .bytes()
        .fold(true, |all, b| all & matches!(b, b' '..=b'~'));
    if is_plain {
        return None;
    }
    text.char_indices().find(|&(_, c)| !is_graphic(c))
}

fn is_graphic(c: char) -> bool {
    use GeneralCategory::*;
    !matches!(
        get_general_category(c),
        Control | Format | Surrogate | PrivateUse | Unassigned | LineSeparator | ParagraphSeparator
    )
}

/// Returns the key of a name: ASCII letters in lower case (U5).
pub(crate) fn key(name: &str) -> Cow<'_, str> {
    if !name.bytes().any(|b| b.is_ascii_uppercase()) {
        return Cow::Borrowed(name);
    }
    let mut key = String::with_capacity(name.len());
    key_into(name, &mut key);
    Cow::Owned(key)
}

/// Appends the key of `name` to `out`.
pub(crate) fn key_into(name: &str, out: &mut String) {
    let start = out.len();
    out.push_str(name);
    out[start..].make_ascii_lowercase();
}
