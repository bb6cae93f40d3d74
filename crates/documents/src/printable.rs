//! Escapes and shortens text from outside for a line on a terminal: names of files and members, URIs, values of rows, paths.
//!
//! All messages with such text use this module.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

/// Maximum length in bytes of a name that rows repeat: of a document or a record, or a path in a document.
const MAX_NAME_BYTES: usize = 4096;

/// Length in bytes of the end of a long name that is kept, since it may have the file name's ending.
const NAME_END_BYTES: usize = 64;

/// Length in characters to which a name is shortened for a message. An escape counts with its own length.
const MAX_SHOWN_CHARS: usize = 300;

/// Displays its content, and escapes characters that could change a terminal or end the line.
///
/// These are escaped as in Rust's string literals: control characters (C0, DEL and C1, with line ends and tabs), the line
/// and the paragraph separator, and the marks, embeddings, overrides and isolates of bidirectional text. All other
/// characters are unchanged, even backslashes, so the escapes cannot be undone. [`InputError`](crate::InputError)s are
/// already escaped.
///
/// ```
/// use doisift_documents::printable::Printable;
///
/// assert_eq!(Printable("a\u{1b}[31m\nb").to_string(), r"a\u{1b}[31m\nb");
/// assert_eq!(Printable(format_args!("{}: {}", "caf\u{e9}", 7)).to_string(), "caf\u{e9}: 7");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Printable<T>(pub T);

impl<'t> Printable<Cow<'t, str>> {
    /// Shortens a name to about 300 characters by a cut in its middle.
    pub fn name(text: &'t str) -> Self {
        Printable(shortened(text))
    }
}

impl<T: Display> Display for Printable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(EscapingWriter(f), "{}", self.0)
    }
}

/// A writer that escapes.
struct EscapingWriter<'a, 'f>(&'a mut fmt::Formatter<'f>);

impl Write for EscapingWriter<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for part in text.split_inclusive(is_unprintable) {
            match part.char_indices().next_back() {
                Some((at, last)) if is_unprintable(last) => {
                    write!(self.0, "{}{}", &part[..at], last.escape_default())?;
                }
                _ => self.0.write_str(part)?,
            }
        }
        Ok(())
    }
}

fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `text` for a message: escaped, and cut in the middle if it is long.
pub fn name(text: &str) -> String {
    Printable::name(text).to_string()
}

/// Returns `path` for a message: escaped, and cut in the middle if it is long.
pub fn path(path: &Path) -> String {
    name(&display_name(path))
}

/// Shortens a name of more than 4,096 bytes: its middle is replaced by the xxh3-64 hash of the whole name, between two `…`,
/// so that different names stay different. Returns `None` if the name is short enough.
pub fn shortened_name(name: &str) -> Option<String> {
    if name.len() <= MAX_NAME_BYTES {
        return None;
    }
    let mark = format!("…{:016x}…", xxh3_64(name.as_bytes()));
    let start = (0..=MAX_NAME_BYTES - NAME_END_BYTES - mark.len()).rev();
    let start = start.into_iter().find(|&at| name.is_char_boundary(at));
    let end = (name.len() - NAME_END_BYTES..=name.len()).find(|&at| name.is_char_boundary(at));
    let (start, end) = (start.unwrap_or(0), end.unwrap_or(name.len()));
    Some(format!("{}{mark}{}", &name[..start], &name[end..]))
}

/// Returns the start and the end of `text`, with the number of bytes left out between them.
fn shortened(text: &str) -> Cow<'_, str> {
    let start = fitting(text.chars());
    let end = text.len() - fitting(text.chars().rev());
    if start >= end || fitting(text[start..].chars()) + start >= text.len() {
        return Cow::Borrowed(text);
    }
    let cut = end - start;
    Cow::Owned(format!(
        "{}[... {cut} bytes ...]{}",
        &text[..start],
        &text[end..]
    ))
}

/// Returns the UTF-8 length of the first of `chars` that fit in half of [`MAX_SHOWN_CHARS`] when escaped.
fn fitting(chars: impl Iterator<Item = char>) -> usize {
    let mut room = MAX_SHOWN_CHARS / 2;
    let fits = |c: &char| {
        let width = if is_unprintable(*c) {
            c.escape_default().len()
        } else {
            1
        };
        let fits = width <= room;
        room = room.saturating_sub(width);
        fits
    };
    chars.take_while(fits).map(char::len_utf8).sum()
}

/// Returns the path as a name: bytes that are not UTF-8 are written `\xNN`.
pub fn display_name(path: &Path) -> Cow<'_, str> {
    match path.to_str() {
        Some(name) => Cow::Borrowed(name),
        None => Cow::Owned(bytes_as_name(path.as_os_str().as_encoded_bytes())),
    }
}

/// Returns the bytes as a name: those that are not UTF-8 are written `\xNN`.
pub fn bytes_as_name(bytes: &[u8]) -> String {
    let mut name = String::with_capacity(bytes.len() + 16);
    for part in bytes.utf8_chunks() {
        name.push_str(part.valid());
        for byte in part.invalid() {
            // Writing to a string cannot fail.
            let _ = write!(name, "\\x{byte:02X}");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_could_change_a_terminal_is_escaped() {
        for c in (0..0x20).chain(0x7f..0xa0).filter_map(char::from_u32) {
            let shown = name(&format!("a{c}b"));
            assert!(shown.starts_with("a\\") && shown.ends_with('b'), "{shown}");
        }
        let bidi = "\u{61c}\u{200e}\u{202a}\u{202e}\u{2066}\u{2069}\u{2028}\u{2029}";
        assert_eq!(name(bidi).matches("\\u{").count(), 8);
        assert_eq!(name("\u{1b}]0;x\u{7}\n\r\t"), r"\u{1b}]0;x\u{7}\n\r\t");
        assert_eq!(
            name("\u{e9}\u{4e2d}\u{5d0} \\n"),
            "\u{e9}\u{4e2d}\u{5d0} \\n"
        );
    }

    #[test]
    fn a_long_name_keeps_its_start_and_its_end() {
        let fits = "x".repeat(MAX_SHOWN_CHARS);
        assert_eq!(name(&fits), fits);
        let long = format!("start{}end.gz", "\u{e9}".repeat(50_000));
        let shown = name(&long);
        assert!(shown.starts_with("start") && shown.ends_with("end.gz"));
        assert!(shown.contains("[... 99422 bytes ...]"), "{shown}");
        assert!(shown.chars().count() < MAX_SHOWN_CHARS + 30, "{shown}");
        let escapes = name(&"\u{202e}".repeat(10_000));
        assert!(escapes.len() < MAX_SHOWN_CHARS + 30, "{escapes}");
    }

    #[cfg(unix)]
    #[test]
    fn bytes_that_are_not_utf8_are_written_in_hexadecimal() {
        use std::os::unix::ffi::OsStrExt;
        let given = Path::new(std::ffi::OsStr::from_bytes(b"caf\xe9/\xc3\xa9"));
        assert_eq!(display_name(given), "caf\\xE9/é");
        assert_eq!(path(given), "caf\\xE9/é");
    }

    #[test]
    fn long_names_are_cut_between_characters_and_stay_apart() {
        let long = "é".repeat(MAX_NAME_BYTES / 2);
        assert_eq!(shortened_name(&long), None);
        let names = ["a", "b", "ab"].map(|middle| format!("{long}{middle}{long}.xml"));
        let cut: Vec<_> = names
            .iter()
            .filter_map(|name| shortened_name(name))
            .collect();
        assert!(cut.len() == 3 && cut[0] != cut[1] && cut[1] != cut[2] && cut[0] != cut[2]);
        for name in cut {
            let parts: Vec<_> = name.split('…').collect();
            assert!(long.starts_with(parts[0]) && parts[1].len() == 16, "{name}");
            assert!(parts[2].ends_with("é.xml"), "{name}");
            assert!(
                (MAX_NAME_BYTES - 4..=MAX_NAME_BYTES).contains(&name.len()),
                "{}",
                name.len()
            );
        }
    }
}
