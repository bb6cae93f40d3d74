//! Encodings of tables: their names, detection from the head of a table, and conversion from and to UTF-8.

use std::borrow::Cow;
use std::str::FromStr;

use doisift_core::ParseError;
use doisift_documents::{InputError, ReadBytes};
use encoding_rs::{
    Decoder, EUC_JP, EncoderResult, Encoding, GB18030, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252,
};

/// The encoding of a table.
///
/// Its name is a label of the [Encoding Standard](https://encoding.spec.whatwg.org/#names-and-labels), such as `windows-1252`,
/// `macintosh` or `shift_jis`, or one of `utf-32le`, `utf-32be`, `macroman`, `cp932`, `cp936`, `cp949` and `cp950`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charset(CharsetKind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CharsetKind {
    Utf8,
    Utf16Le,
    Utf16Be,
    Utf32Le,
    Utf32Be,
    /// Any other encoding.
    Known(&'static Encoding),
}

/// Parses a name, ignoring case.
impl FromStr for Charset {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Self, ParseError> {
        const EXPECTED: &str =
            "a name such as utf-8, utf-16le, windows-1252, macintosh or shift_jis";
        let lower = name.trim().to_ascii_lowercase().replace('_', "-");
        let label = match &*lower {
            "utf-32le" => return Ok(Charset(CharsetKind::Utf32Le)),
            "utf-32be" => return Ok(Charset(CharsetKind::Utf32Be)),
            "macroman" | "mac-roman" => "macintosh",
            "cp932" => "shift_jis",
            "cp936" => "gbk",
            "cp949" => "euc-kr",
            "cp950" => "big5",
            _ => name,
        };
        let found = [label, &lower].map(str::as_bytes).into_iter();
        let mut found = found.filter_map(Encoding::for_label_no_replacement);
        let unknown = || ParseError::new("encoding", name, EXPECTED);
        found.next().map(Charset::of_encoding).ok_or_else(unknown)
    }
}

impl Charset {
    /// UTF-8.
    pub const UTF_8: Charset = Charset(CharsetKind::Utf8);

    /// Returns the encoding of Windows for western languages.
    pub fn windows_1252() -> Charset {
        Charset::of_encoding(WINDOWS_1252)
    }

    fn of_encoding(encoding: &'static Encoding) -> Charset {
        Charset(match encoding {
            _ if encoding == UTF_8 => CharsetKind::Utf8,
            _ if encoding == UTF_16LE => CharsetKind::Utf16Le,
            _ if encoding == UTF_16BE => CharsetKind::Utf16Be,
            other => CharsetKind::Known(other),
        })
    }

    /// Returns `None` for UTF-32, which encoding_rs lacks.
    fn encoding(self) -> Option<&'static Encoding> {
        match self.0 {
            CharsetKind::Utf8 => Some(UTF_8),
            CharsetKind::Utf16Le => Some(UTF_16LE),
            CharsetKind::Utf16Be => Some(UTF_16BE),
            CharsetKind::Known(encoding) => Some(encoding),
            CharsetKind::Utf32Le | CharsetKind::Utf32Be => None,
        }
    }

    /// Returns the name of the encoding.
    pub fn name(self) -> &'static str {
        match self.0 {
            CharsetKind::Utf32Le => "UTF-32LE",
            CharsetKind::Utf32Be => "UTF-32BE",
            _ => self.encoding().map_or("", Encoding::name),
        }
    }

    /// Whether a text in this encoding may start with a byte order mark.
    pub fn has_mark(self) -> bool {
        !matches!(self.0, CharsetKind::Known(_))
    }

    /// Whether each byte below 0x80 is the ASCII character; with `trails`, each byte below 0x40 suffices.
    pub fn holds_ascii(self, trails: bool) -> bool {
        let CharsetKind::Known(encoding) = self.0 else {
            return self == Charset::UTF_8;
        };
        let is_clear = encoding.is_single_byte() || encoding == EUC_JP;
        encoding.is_ascii_compatible() && (is_clear || (trails && encoding != GB18030))
    }

    /// Detects the encoding from the head of a table without a byte order mark: windows-1252 if more sequences are invalid UTF-8
    /// than valid, otherwise UTF-8.
    pub fn detect(head: &[u8]) -> Charset {
        let (mut valid, mut invalid) = (0_usize, 0_usize);
        for chunk in head.utf8_chunks() {
            valid += chunk
                .valid()
                .chars()
                .filter(|char| !char.is_ascii())
                .count();
            invalid += usize::from(!chunk.invalid().is_empty());
        }
        // The head may end within a character.
        let cut = str::from_utf8(head).is_err_and(|error| error.error_len().is_none());
        if invalid > valid && !(cut && invalid == 1) {
            Charset::windows_1252()
        } else {
            Charset::UTF_8
        }
    }

    /// Decodes bytes. Invalid ones become U+FFFD.
    pub fn decode(self, bytes: &[u8]) -> Cow<'_, str> {
        match self.encoding() {
            Some(encoding) => encoding.decode_without_bom_handling(bytes).0,
            None => String::from_utf8_lossy(bytes),
        }
    }

    /// Decodes bytes to bytes of UTF-8. UTF-8 stays unchanged, even if it is invalid.
    pub fn text(self, bytes: &[u8]) -> Cow<'_, [u8]> {
        if self == Charset::UTF_8 {
            return bytes.into();
        }
        match self.decode(bytes) {
            Cow::Borrowed(text) => text.as_bytes().into(),
            Cow::Owned(text) => text.into_bytes().into(),
        }
    }

    /// Encodes a text.
    ///
    /// # Errors
    /// The offset in `text` of a character that the encoding lacks.
    pub fn encode(self, text: &str) -> Result<Cow<'_, [u8]>, usize> {
        match self.0 {
            CharsetKind::Utf8 => Ok(text.as_bytes().into()),
            CharsetKind::Utf16Le => Ok(units(text, u16::to_le_bytes)),
            CharsetKind::Utf16Be => Ok(units(text, u16::to_be_bytes)),
            CharsetKind::Known(encoding) => encode(encoding, text),
            CharsetKind::Utf32Le => Ok(chars(text, u32::to_le_bytes)),
            CharsetKind::Utf32Be => Ok(chars(text, u32::to_be_bytes)),
        }
    }

    /// Escapes each character of `text` that the encoding lacks.
    pub fn escaped(self, text: &str) -> String {
        if self.encode(text).is_ok() {
            return text.to_owned();
        }
        let mut out = String::new();
        for char in text.chars() {
            match self.encode(char.encode_utf8(&mut [0; 4])) {
                Ok(_) => out.push(char),
                Err(_) => out.extend(char.escape_unicode()),
            }
        }
        out
    }
}

fn units(text: &str, bytes: fn(u16) -> [u8; 2]) -> Cow<'_, [u8]> {
    text.encode_utf16().flat_map(bytes).collect()
}

fn chars(text: &str, bytes: fn(u32) -> [u8; 4]) -> Cow<'_, [u8]> {
    text.chars().flat_map(|char| bytes(char.into())).collect()
}

fn encode<'t>(encoding: &'static Encoding, text: &'t str) -> Result<Cow<'t, [u8]>, usize> {
    let mut encoder = encoding.new_encoder();
    let (mut out, mut at) = (Vec::with_capacity(text.len() + 16), 0);
    loop {
        let (result, read) =
            encoder.encode_from_utf8_to_vec_without_replacement(&text[at..], &mut out, true);
        at += read;
        match result {
            EncoderResult::InputEmpty => return Ok(out.into()),
            EncoderResult::OutputFull => out.reserve(text.len() - at + 16),
            EncoderResult::Unmappable(char) => return Err(at - char.len_utf8()),
        }
    }
}

/// Formats the character of `text` at `at`: `U+2010`.
pub fn shown_at(text: &str, at: usize) -> String {
    let char = text[at..].chars().next().map_or(0, u32::from);
    format!("U+{char:04X}")
}

/// Bytes that are decoded at once.
const STEP_BYTES: usize = 16 << 10;

/// Decodes `raw` to UTF-8. Invalid bytes become U+FFFD. Only the first are reported, as an [`InputError::Encoding`].
pub struct Utf8Text<R> {
    raw: R,
    charset: Charset,
    decoder: Decoder,
    held: Vec<u8>,
    out: Vec<u8>,
    start: usize,
    is_end: bool,
    reported: bool,
}

impl<R: ReadBytes> Utf8Text<R> {
    /// Returns `None` for UTF-32, which is supported only with a byte order mark.
    pub fn new(raw: R, charset: Charset) -> Option<Self> {
        let encoding = charset.encoding()?;
        Some(Utf8Text {
            raw,
            charset,
            decoder: encoding.new_decoder_with_bom_removal(),
            held: Vec::new(),
            out: Vec::new(),
            start: 0,
            is_end: false,
            reported: false,
        })
    }

    /// Decodes more. Returns whether invalid bytes were replaced.
    fn fill(&mut self) -> Result<bool, InputError> {
        self.held.resize(STEP_BYTES, 0);
        let count = self.raw.read(&mut self.held)?;
        self.is_end = count == 0;
        let max = self
            .decoder
            .max_utf8_buffer_length(count)
            .unwrap_or(4 * STEP_BYTES);
        self.out.clear();
        self.out.resize(max, 0);
        let (_, _, written, replaced) =
            self.decoder
                .decode_to_utf8(&self.held[..count], &mut self.out, self.is_end);
        self.out.truncate(written);
        self.start = 0;
        Ok(replaced)
    }
}

impl<R: ReadBytes> ReadBytes for Utf8Text<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.start == self.out.len() && !self.is_end && !into.is_empty() {
            if self.fill()? && !std::mem::replace(&mut self.reported, true) {
                return Err(InputError::Encoding(self.charset.name()));
            }
        }
        let count = into.len().min(self.out.len() - self.start);
        into[..count].copy_from_slice(&self.out[self.start..self.start + count]);
        self.start += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_shows_utf8_or_windows_1252() {
        for (head, wanted) in [
            (&b"id,doi\n"[..], Charset::UTF_8),
            ("caf\u{e9}".as_bytes(), Charset::UTF_8),
            (b"caf\xe9,x", Charset::windows_1252()),
            (b"caf\xc3", Charset::UTF_8),
            ("\u{e9}\u{e8} \u{e7}".as_bytes(), Charset::UTF_8),
            (b"\xc3\xa9 \xc3\xa8 caf\xe9", Charset::UTF_8),
        ] {
            assert_eq!(Charset::detect(head), wanted, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn every_encoding_reads_what_it_wrote() {
        let text = "id,\u{e9}\u{df}\n";
        for name in [
            "utf-8", "utf-16le", "UTF-16BE", "cp1252", "MacRoman", "latin1", "utf_16",
        ] {
            let charset: Charset = name.parse().unwrap();
            let bytes = charset.encode(text).unwrap();
            let mut read = Vec::new();
            let mut decoded = Utf8Text::new(&bytes[..], charset).unwrap();
            decoded.read_to_end(&mut read).unwrap();
            assert_eq!(read, text.as_bytes(), "{name}");
        }
        let japanese: Charset = "shift_jis".parse().unwrap();
        assert_eq!(japanese.encode("\u{65e5}a\u{e9}"), Err(4));
        assert_eq!(japanese.escaped("\u{65e5}\u{e9}"), "\u{65e5}\\u{e9}");
        assert!("klingon".parse::<Charset>().is_err());
    }

    #[test]
    fn bytes_that_are_no_character_are_reported_once() {
        let japanese: Charset = "shift_jis".parse().unwrap();
        let mut decoded = Utf8Text::new(&b"a\xff\xffb"[..], japanese).unwrap();
        let mut out = Vec::new();
        assert!(decoded.read_to_end(&mut out).is_err());
        decoded.read_to_end(&mut out).unwrap();
        assert_eq!(out, "a\u{fffd}\u{fffd}b".as_bytes());
    }
}
