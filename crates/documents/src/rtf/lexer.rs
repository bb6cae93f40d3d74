//! Cuts RTF into groups, control words, control symbols and text.

use super::writer::TextWriter;
use crate::numbers::hex_digit;

/// Maximum letters of a control word (RTF 1.9.1, "Control Word"). The rest of a longer one is dropped.
const MAX_WORD_LETTERS: usize = 32;

/// The state of the lexer. Words and escapes may be divided among pieces of the input.
#[derive(Default)]
pub(super) struct RtfLexer {
    place: LexerPlace,
    word: [u8; MAX_WORD_LETTERS],
    letters: usize,
    parameter: Option<i64>,
    is_negative: bool,
}

#[derive(Clone, Copy, Default)]
enum LexerPlace {
    #[default]
    Text,
    /// After a backslash.
    Escape,
    Letters,
    Digits,
    /// After `\'`, and after the first digit.
    Hex,
    HexDigit(u8),
    /// In binary data, of which this many bytes are left.
    Binary(u64),
}

impl RtfLexer {
    /// Passes on the words and texts in `bytes`, the next bytes of the document.
    pub(super) fn read_bytes(&mut self, mut bytes: &[u8], to: &mut TextWriter) {
        while let [first, rest @ ..] = bytes {
            bytes = match self.place {
                LexerPlace::Text => self.text(bytes, to),
                LexerPlace::Binary(left) => {
                    let count = left.min(bytes.len() as u64);
                    self.place = match left - count {
                        0 => LexerPlace::Text,
                        left => LexerPlace::Binary(left),
                    };
                    &bytes[count as usize..]
                }
                _ => match self.step(*first, to) {
                    true => rest,
                    false => bytes,
                },
            };
        }
    }

    /// Ends the document.
    pub(super) fn end_document(&mut self, to: &mut TextWriter) {
        if matches!(self.place, LexerPlace::Letters | LexerPlace::Digits) {
            self.end_word(to);
        }
    }

    /// Passes on text up to the next byte of markup. Returns the bytes after that.
    fn text<'b>(&mut self, bytes: &'b [u8], to: &mut TextWriter) -> &'b [u8] {
        let is_other = |byte: &u8| matches!(byte, b'\\' | b'{' | b'}' | b'\r' | b'\n' | b'\t' | 0);
        let end = bytes.iter().position(is_other).unwrap_or(bytes.len());
        let (text, rest) = bytes.split_at(end);
        if !text.is_empty() {
            to.bytes(text);
        }
        match rest.first() {
            Some(b'\\') => self.place = LexerPlace::Escape,
            Some(b'{') => to.open(),
            Some(b'}') => to.close(),
            Some(b'\t') => to.word(b"tab", None),
            _ => {}
        }
        rest.get(1..).unwrap_or_default()
    }

    /// Takes a byte of an escape. Returns false if it belongs to the text after the escape.
    fn step(&mut self, byte: u8, to: &mut TextWriter) -> bool {
        match self.place {
            LexerPlace::Escape => self.escaped(byte, to),
            LexerPlace::Letters => match byte {
                b'a'..=b'z' | b'A'..=b'Z' => self.letter(byte),
                b'-' => (self.is_negative, self.place) = (true, LexerPlace::Digits),
                b'0'..=b'9' => {
                    self.place = LexerPlace::Digits;
                    return false;
                }
                _ => return self.after_word(byte, to),
            },
            LexerPlace::Digits => match byte {
                b'0'..=b'9' => {
                    let digits = self.parameter.unwrap_or(0).saturating_mul(10);
                    self.parameter = Some(digits.saturating_add(i64::from(byte - b'0')));
                }
                _ => return self.after_word(byte, to),
            },
            LexerPlace::Hex => match hex_digit(byte) {
                Some(digit) => self.place = LexerPlace::HexDigit(digit),
                None => {
                    self.place = LexerPlace::Text;
                    return false;
                }
            },
            LexerPlace::HexDigit(high) => {
                self.place = LexerPlace::Text;
                match hex_digit(byte) {
                    Some(low) => to.escaped_byte(high << 4 | low),
                    None => return false,
                }
            }
            LexerPlace::Text | LexerPlace::Binary(_) => return false,
        }
        true
    }

    /// Takes the byte after a backslash.
    fn escaped(&mut self, byte: u8, to: &mut TextWriter) {
        self.place = LexerPlace::Text;
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {
                (self.letters, self.parameter, self.is_negative) = (0, None, false);
                self.place = LexerPlace::Letters;
                self.letter(byte);
            }
            b'\'' => self.place = LexerPlace::Hex,
            _ => to.symbol(byte),
        }
    }

    fn letter(&mut self, byte: u8) {
        if let Some(place) = self.word.get_mut(self.letters) {
            *place = byte;
            self.letters += 1;
        }
    }

    /// Ends a word before `byte`. Returns whether `byte` belongs to the word, as a blank does.
    fn after_word(&mut self, byte: u8, to: &mut TextWriter) -> bool {
        self.end_word(to);
        if self.is_negative && self.parameter.is_none() {
            // The hyphen was not a sign.
            to.bytes(b"-");
            return false;
        }
        // Binary bytes follow the blank.
        byte == b' '
    }

    fn end_word(&mut self, to: &mut TextWriter) {
        let sign = if self.is_negative { -1 } else { 1 };
        let parameter = self.parameter.map(|number| number * sign);
        let word = &self.word[..self.letters];
        self.place = match (word, parameter) {
            (b"bin", Some(count @ 1..)) => LexerPlace::Binary(count.unsigned_abs()),
            _ => LexerPlace::Text,
        };
        to.word(word, parameter);
    }
}
