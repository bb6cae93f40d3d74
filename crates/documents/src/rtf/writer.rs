//! The groups of RTF, and the text that is written.

use std::collections::HashMap;

use encoding_rs::{Decoder, Encoding, WINDOWS_1252};

use super::charset;
use super::word::{Destination, RtfWord, destination, meaning};

/// Maximum depth of groups whose state is held. Deeper groups share the state of the last one.
const MAX_GROUPS: usize = 1000;
/// Maximum number of fonts whose character sets are held.
const MAX_FONTS: usize = 10_000;
/// Maximum bytes of field codes that are held until their paragraph ends.
const MAX_FIELD_CODE_BYTES: usize = 64 << 10;
/// The end of a paragraph.
const PARAGRAPH_END: &[u8] = b"\n\n";

/// Destination of the text of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextTarget {
    Body,
    /// After the paragraph.
    Code,
    Fonts,
    Nowhere,
}

/// The state of a group. Groups in it start with a copy.
#[derive(Clone, Copy)]
struct RtfGroup {
    target: TextTarget,
    /// Whether the group is a text of its own.
    is_apart: bool,
    /// Whether the group is empty so far, except for the mark of an ignorable destination.
    is_new: bool,
    is_ignorable: bool,
    is_deleted: bool,
    /// The number of characters of a fallback.
    fallback: i64,
    /// The font, if one was chosen.
    font: Option<i64>,
}

/// Writes the text of groups.
pub(super) struct TextWriter {
    pub(super) text: Vec<u8>,
    /// Codes of fields of the paragraph.
    pub(super) code: Vec<u8>,
    group: RtfGroup,
    around: Vec<RtfGroup>,
    /// Number of open groups beyond those that are held.
    deeper: u64,
    /// The encoding of the document, and of fonts with another one.
    encoding: &'static Encoding,
    fonts: HashMap<i64, &'static Encoding>,
    decoder: Decoder,
    /// Destination of the bytes in the decoder.
    decoded: TextTarget,
    /// Characters of a fallback that are still to be skipped.
    skipped: i64,
    /// The first half of a pair of UTF-16.
    high: Option<u16>,
}

impl TextWriter {
    pub(super) fn new() -> Self {
        TextWriter {
            text: Vec::new(),
            code: Vec::new(),
            group: RtfGroup {
                target: TextTarget::Body,
                is_apart: false,
                is_new: false,
                is_ignorable: false,
                is_deleted: false,
                fallback: 1,
                font: None,
            },
            around: Vec::new(),
            deeper: 0,
            encoding: WINDOWS_1252,
            fonts: HashMap::new(),
            decoder: WINDOWS_1252.new_decoder_without_bom_handling(),
            decoded: TextTarget::Body,
            skipped: 0,
            high: None,
        }
    }

    /// Opens a group.
    pub(super) fn open(&mut self) {
        self.skipped = 0;
        if self.around.len() == MAX_GROUPS {
            self.deeper += 1;
            return;
        }
        self.around.push(self.group);
        self.group = RtfGroup {
            is_new: true,
            is_apart: false,
            is_ignorable: false,
            ..self.group
        };
    }

    /// Closes a group. An end without an open group is ignored.
    pub(super) fn close(&mut self) {
        self.skipped = 0;
        if self.deeper > 0 {
            self.deeper -= 1;
            return;
        }
        let Some(around) = self.around.pop() else {
            return;
        };
        if self.group.is_apart {
            self.end_paragraph();
        }
        if self.group.target == TextTarget::Code && around.target != TextTarget::Code {
            self.end_code();
        }
        self.group = around;
    }

    /// Ends the document. Returns whether all groups were closed.
    pub(super) fn end_document(&mut self) -> bool {
        self.end_paragraph();
        self.around.is_empty()
    }

    /// Takes bytes of text.
    pub(super) fn bytes(&mut self, mut bytes: &[u8]) {
        self.group.is_new = false;
        if self.skipped > 0 {
            let count = bytes.len().min(self.skipped as usize);
            self.skipped -= count as i64;
            bytes = &bytes[count..];
        }
        self.decode(bytes);
    }

    /// Takes a byte that was written in hexadecimal digits.
    pub(super) fn escaped_byte(&mut self, byte: u8) {
        self.bytes(&[byte]);
    }

    /// Takes a control symbol.
    pub(super) fn symbol(&mut self, symbol: u8) {
        if symbol == b'*' {
            self.group.is_ignorable = true;
            return;
        }
        let is_new = std::mem::replace(&mut self.group.is_new, false);
        match symbol {
            b'\r' | b'\n' => self.meant(RtfWord::Paragraph, None),
            _ if self.skips_one() => {}
            b'\\' | b'{' | b'}' => self.decode(&[symbol]),
            b'~' => self.char('\u{a0}'),
            // A hyphen of the text, at which a line may not break.
            b'_' => self.char('-'),
            // A possible break, and marks of indexes.
            b'-' | b'|' | b':' => self.group.is_new = is_new,
            _ => {}
        }
    }

    /// Takes a control word.
    pub(super) fn word(&mut self, word: &[u8], parameter: Option<i64>) {
        let meaning = meaning(word);
        if std::mem::replace(&mut self.group.is_new, false) {
            self.enter(destination(word, self.group.is_ignorable));
        }
        self.meant(meaning, parameter);
    }

    /// Begins a destination.
    fn enter(&mut self, destination: Destination) {
        if self.group.target == TextTarget::Nowhere {
            return;
        }
        match destination {
            Destination::Same => {}
            Destination::NoText => self.group.target = TextTarget::Nowhere,
            Destination::Fonts => self.group.target = TextTarget::Fonts,
            Destination::Code => self.group.target = TextTarget::Code,
            Destination::Apart => {
                self.end_paragraph();
                (self.group.target, self.group.is_apart) = (TextTarget::Body, true);
            }
        }
    }

    fn meant(&mut self, word: RtfWord, parameter: Option<i64>) {
        match word {
            RtfWord::Other if self.skips_one() => {}
            RtfWord::Char(char) if char != '\t' && self.skips_one() => {}
            RtfWord::Char(char) => self.char(char),
            RtfWord::Unicode => self.unicode(parameter.unwrap_or(0)),
            RtfWord::FallbackLength => self.group.fallback = parameter.unwrap_or(1).clamp(0, 255),
            RtfWord::Line => self.line_end(b"\n"),
            RtfWord::Paragraph => self.line_end(PARAGRAPH_END),
            RtfWord::Deleted => self.group.is_deleted = parameter != Some(0),
            RtfWord::Plain => (self.group.is_deleted, self.group.font) = (false, None),
            RtfWord::CodePage => self.encoding = charset::of_code_page(parameter.unwrap_or(0)),
            RtfWord::Ansi | RtfWord::Pc => self.encoding = WINDOWS_1252,
            RtfWord::Mac => self.encoding = charset::of_code_page(10000),
            RtfWord::Font => self.group.font = parameter,
            RtfWord::FontCharset => self.font_charset(parameter.unwrap_or(0)),
            RtfWord::Other => {}
        }
    }

    /// Skips a word or symbol that is a character of a fallback.
    fn skips_one(&mut self) -> bool {
        let skips = self.skipped > 0;
        self.skipped -= i64::from(skips);
        skips
    }

    /// Takes a character by its number: a unit of UTF-16 as a signed number of 16 bits.
    fn unicode(&mut self, number: i64) {
        self.skipped = self.group.fallback;
        let unit = number as u16;
        match (self.high.take(), unit) {
            (_, 0xd800..=0xdbff) => self.high = Some(unit),
            (high, _) => {
                let units = high.into_iter().chain([unit]);
                for char in char::decode_utf16(units) {
                    self.char(char.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
            }
        }
    }

    fn font_charset(&mut self, charset: i64) {
        let font = self
            .group
            .font
            .filter(|_| self.group.target == TextTarget::Fonts);
        if let Some(font) = font.filter(|_| self.fonts.len() < MAX_FONTS)
            && let Some(encoding) = charset::of_font(charset)
        {
            self.fonts.insert(font, encoding);
        }
    }

    /// Writes a character.
    fn char(&mut self, char: char) {
        self.flush_decoder();
        let mut bytes = [0; 4];
        let bytes = char.encode_utf8(&mut bytes).as_bytes();
        self.put(bytes);
    }

    /// Writes a line end; in a field code, a blank.
    fn line_end(&mut self, end: &[u8]) {
        self.skipped = 0;
        match self.group.target {
            TextTarget::Body if end == PARAGRAPH_END => self.end_paragraph(),
            TextTarget::Body => {
                self.flush_decoder();
                self.put(end);
            }
            _ => self.decode(b" "),
        }
    }

    /// Ends the paragraph, and writes the codes of its fields.
    fn end_paragraph(&mut self) {
        self.skipped = 0;
        self.flush_decoder();
        self.text.extend_from_slice(PARAGRAPH_END);
        if !self.code.is_empty() {
            self.text.append(&mut self.code);
            self.text.extend_from_slice(PARAGRAPH_END);
        }
    }

    /// Ends the code of a field.
    fn end_code(&mut self) {
        self.flush_decoder();
        if !self.code.is_empty() {
            self.code.extend_from_slice(PARAGRAPH_END);
        }
    }

    /// Returns the encoding of the text of the group.
    fn encoding(&self) -> &'static Encoding {
        let of_font = self.group.font.and_then(|font| self.fonts.get(&font));
        of_font.copied().unwrap_or(self.encoding)
    }

    /// Writes bytes in the encoding of the text.
    fn decode(&mut self, bytes: &[u8]) {
        let encoding = self.encoding();
        if self.decoder.encoding() != encoding || self.decoded != self.group.target {
            self.flush_decoder();
            self.decoder = encoding.new_decoder_without_bom_handling();
            self.decoded = self.group.target;
        }
        if encoding.is_single_byte() && bytes.is_ascii() {
            return self.put(bytes);
        }
        let mut out = vec![
            0;
            self.decoder
                .max_utf8_buffer_length(bytes.len())
                .unwrap_or(0)
        ];
        let (_, _, written, _) = self.decoder.decode_to_utf8(bytes, &mut out, false);
        self.put(&out[..written]);
    }

    /// Writes the rest of an incomplete character of several bytes.
    fn flush_decoder(&mut self) {
        let encoding = self.decoder.encoding();
        if encoding.is_single_byte() {
            return;
        }
        let mut out = [0; 16];
        let (_, _, written, _) = self.decoder.decode_to_utf8(b"", &mut out, true);
        self.decoder = encoding.new_decoder_without_bom_handling();
        let target = self.decoded;
        self.put_to(target, &out[..written]);
    }

    fn put(&mut self, bytes: &[u8]) {
        self.put_to(self.group.target, bytes);
    }

    fn put_to(&mut self, target: TextTarget, bytes: &[u8]) {
        match target {
            _ if self.group.is_deleted => {}
            TextTarget::Body => self.text.extend_from_slice(bytes),
            TextTarget::Code => {
                self.code.extend_from_slice(bytes);
                if self.code.len() > MAX_FIELD_CODE_BYTES {
                    self.text.extend_from_slice(PARAGRAPH_END);
                    self.text.append(&mut self.code);
                    self.text.extend_from_slice(PARAGRAPH_END);
                }
            }
            TextTarget::Fonts | TextTarget::Nowhere => {}
        }
    }
}
