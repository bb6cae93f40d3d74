//! Tokens of PDF syntax (ISO 32000-2, 7.2), in files and in content streams.

use std::borrow::Cow;

use crate::numbers::{hex_digit, hex_pair};

/// Maximum number of objects in one object, since each takes many times its bytes of memory.
pub(super) const MAX_OBJECTS: usize = 3 << 19;

/// A token. Strings and names without escapes are parts of the bytes that were read.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'d> {
    Number(f64),
    /// Without its slash.
    Name(Cow<'d, [u8]>),
    Text(Cow<'d, [u8]>),
    ArrayStart,
    ArrayEnd,
    DictStart,
    DictEnd,
    /// A keyword or an operator.
    Word(&'d [u8]),
}

/// Reads tokens. Never fails: other bytes are passed over.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'d> {
    bytes: &'d [u8],
    pub(super) at: usize,
    /// Number of objects that were read. At the maximum the rest of an object is left out.
    pub(super) objects: usize,
}

/// Whether `byte` is white space (Table 1).
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, 0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ')
}

/// Whether `byte` is neither white space nor a delimiter (Table 2).
fn is_regular(byte: u8) -> bool {
    !is_blank(byte) && !b"()<>[]{}/%".contains(&byte)
}

impl<'d> Lexer<'d> {
    pub(super) fn new(bytes: &'d [u8], at: usize) -> Self {
        let at = at.min(bytes.len());
        let objects = 0;
        Lexer { bytes, at, objects }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Returns the bytes that are left.
    pub(super) fn rest(&self) -> &'d [u8] {
        &self.bytes[self.at..]
    }

    /// Passes over white space and comments.
    pub(super) fn skip_blanks(&mut self) {
        while let Some(byte) = self.peek() {
            if byte == b'%' {
                let line = memchr::memchr2(b'\n', b'\r', self.rest());
                self.at += line.unwrap_or(self.rest().len());
            } else if is_blank(byte) {
                self.at += 1;
            } else {
                break;
            }
        }
    }

    /// Reads the next token; `None` at the end.
    pub(super) fn token(&mut self) -> Option<Token<'d>> {
        loop {
            self.skip_blanks();
            let next = self.bytes.get(self.at + 1);
            return Some(match self.peek()? {
                b'0'..=b'9' | b'+' | b'-' | b'.' => self.number(),
                b'/' => self.name(),
                b'(' => self.text(),
                b'<' if next == Some(&b'<') => self.mark(2, Token::DictStart),
                b'>' if next == Some(&b'>') => self.mark(2, Token::DictEnd),
                b'<' => self.hex_text(),
                b'[' => self.mark(1, Token::ArrayStart),
                b']' => self.mark(1, Token::ArrayEnd),
                byte if is_regular(byte) => Token::Word(self.regular()),
                _ => {
                    self.at += 1;
                    continue;
                }
            });
        }
    }

    fn mark(&mut self, len: usize, token: Token<'d>) -> Token<'d> {
        self.at += len;
        token
    }

    fn regular(&mut self) -> &'d [u8] {
        let len = self.rest().iter().take_while(|byte| is_regular(**byte));
        let word = &self.rest()[..len.count()];
        self.at += word.len();
        word
    }

    /// Reads a number. Writers make slips such as `--5`, `1.2.3` and `5-3`, which readers take for -5, 1.2 and 5.
    fn number(&mut self) -> Token<'d> {
        let word = self.regular();
        let (mut value, mut scale, mut is_negative) = (0.0, 0.0, false);
        let mut has_digit = false;
        for (at, byte) in word.iter().enumerate() {
            match byte {
                b'0'..=b'9' => {
                    has_digit = true;
                    value = value * 10.0 + f64::from(byte - b'0');
                    scale *= 10.0;
                }
                b'.' if scale == 0.0 => scale = 1.0,
                b'-' if !has_digit && scale == 0.0 => is_negative = true,
                b'+' if at == 0 => {}
                b'.' | b'-' | b'+' => break,
                _ if has_digit => {
                    // An operator without a blank before it, as in `0Tc`.
                    self.at -= word.len() - at;
                    break;
                }
                _ => return Token::Word(word),
            }
        }
        if scale > 1.0 {
            value /= scale;
        }
        Token::Number(if is_negative { -value } else { value })
    }

    fn name(&mut self) -> Token<'d> {
        self.at += 1;
        let raw = self.regular();
        if !raw.contains(&b'#') {
            return Token::Name(raw.into());
        }
        let mut name = Vec::with_capacity(raw.len());
        let mut rest = raw;
        while let Some((first, after)) = rest.split_first() {
            match after.get(..2).filter(|_| *first == b'#').and_then(hex_pair) {
                Some(byte) => {
                    name.push(byte);
                    rest = &after[2..];
                }
                None => {
                    name.push(*first);
                    rest = after;
                }
            }
        }
        Token::Name(name.into())
    }

    fn text(&mut self) -> Token<'d> {
        self.at += 1;
        let raw = self.rest();
        let mut depth = 1;
        let mut end = 0;
        let mut has_escapes = false;
        while let Some(byte) = raw.get(end) {
            match byte {
                b'\\' => {
                    has_escapes = true;
                    end += 1;
                }
                b'\r' => has_escapes = true,
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            end += 1;
        }
        let end = end.min(raw.len());
        self.at += (end + 1).min(raw.len());
        Token::Text(if has_escapes {
            unescaped(&raw[..end]).into()
        } else {
            raw[..end].into()
        })
    }

    fn hex_text(&mut self) -> Token<'d> {
        self.at += 1;
        let len = memchr::memchr(b'>', self.rest()).unwrap_or(self.rest().len());
        let digits = self.rest()[..len]
            .iter()
            .filter_map(|byte| hex_digit(*byte));
        let mut text = Vec::with_capacity(len / 2);
        let mut high = None;
        for digit in digits {
            match high.take() {
                None => high = Some(digit),
                Some(high) => text.push(high << 4 | digit),
            }
        }
        text.extend(high.map(|high| high << 4));
        self.at = (self.at + len + 1).min(self.bytes.len());
        Token::Text(text.into())
    }
}

/// Returns a literal string with its escapes undone (7.3.4.2).
fn unescaped(raw: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(byte) = raw.get(at) {
        at += 1;
        match byte {
            b'\\' => at += escape(&raw[at..], &mut text),
            b'\r' => {
                text.push(b'\n');
                at += usize::from(raw.get(at) == Some(&b'\n'));
            }
            other => text.push(*other),
        }
    }
    text
}

/// Writes the meaning of the escape whose backslash comes before `rest`. Returns its length.
fn escape(rest: &[u8], text: &mut Vec<u8>) -> usize {
    let Some(first) = rest.first() else { return 0 };
    match first {
        b'n' => text.push(b'\n'),
        b'r' => text.push(b'\r'),
        b't' => text.push(b'\t'),
        b'b' => text.push(8),
        b'f' => text.push(0x0c),
        b'\r' if rest.get(1) == Some(&b'\n') => return 2,
        b'\r' | b'\n' => {}
        b'0'..=b'7' => {
            let digits = rest.iter().take(3).take_while(|b| matches!(b, b'0'..=b'7'));
            let len = digits.clone().count();
            text.push(digits.fold(0_u8, |code, digit| code << 3 | (digit - b'0')));
            return len;
        }
        other => text.push(*other),
    }
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<Token<'_>> {
        let mut lexer = Lexer::new(text.as_bytes(), 0);
        std::iter::from_fn(move || lexer.token()).collect()
    }

    fn text(bytes: &[u8]) -> Token<'_> {
        Token::Text(bytes.into())
    }

    #[test]
    fn numbers_are_read_as_readers_do() {
        for (written, value) in [
            ("0", 0.0),
            ("-12.50", -12.5),
            ("+.5", 0.5),
            ("4.", 4.0),
            ("--5", -5.0),
            ("5-3", 5.0),
            ("1.2.3", 1.2),
        ] {
            assert_eq!(tokens(written), [Token::Number(value)], "{written}");
        }
        assert_eq!(tokens("0Tc"), [Token::Number(0.0), Token::Word(b"Tc")]);
    }

    #[test]
    fn strings_lose_their_escapes() {
        assert_eq!(tokens(r"(a(b)\)\n\101\7x)"), [text(b"a(b))\nA\x07x")]);
        assert_eq!(tokens("(a\\\r\nb\r\nc)"), [text(b"ab\nc")]);
        assert_eq!(tokens("<41 4 2 5>"), [text(b"ABP")]);
        assert_eq!(tokens("(open"), [text(b"open")]);
        assert_eq!(tokens("(\\"), [text(b"")]);
    }

    #[test]
    fn names_arrays_and_dictionaries() {
        let name = |name: &'static [u8]| Token::Name(name.into());
        assert_eq!(
            tokens("<</A#20B[/C]>>% comment\nTj"),
            [
                Token::DictStart,
                name(b"A B"),
                Token::ArrayStart,
                name(b"C"),
                Token::ArrayEnd,
                Token::DictEnd,
                Token::Word(b"Tj"),
            ]
        );
        assert_eq!(tokens("/#4"), [name(b"#4")]);
    }
}
