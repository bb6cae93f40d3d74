//! Maps of character codes (ISO 32000-2, 9.7.5 and 9.10.3): to Unicode, or to the numbers of glyphs.

use super::lexer::{Lexer, Token};

/// Maximum number of ranges of a map; more are ignored.
const MAX_RANGES: usize = 1 << 17;
/// Maximum number of ranges of codes by their length; more are ignored. Maps have up to ten.
const MAX_CODE_SPACES: usize = 256;
/// Maximum number of UTF-16 units of a code's text; more are cut. The format allows 256.
const MAX_TEXT_UNITS: usize = 256;
/// Number of ranges before the nearest one that are searched for a code too, since ranges may overlap.
const OVERLAPPING_RANGES: usize = 8;

/// The codes from `first` to `last` and their meaning.
#[derive(Clone, Copy, Debug)]
struct CodeRange {
    first: u32,
    last: u32,
    to: MappedText,
}

#[derive(Clone, Copy, Debug)]
enum MappedText {
    /// UTF-16 units of the first code's text. The last unit increases with the code.
    Units { at: u32, len: u32 },
    /// The number of the first code's glyph.
    Glyph(u32),
}

/// A map.
#[derive(Debug, Default)]
pub(super) struct CodeMap {
    /// Lengths of codes in bytes, with their minimum and maximum code.
    spaces: Vec<(usize, u32, u32)>,
    ranges: Vec<CodeRange>,
    units: Vec<u16>,
    /// Whether something was ignored or cut.
    pub(super) is_cut: bool,
}

fn code(token: Option<&Token<'_>>) -> Option<u32> {
    match token? {
        Token::Text(text) if text.len() <= 4 => {
            Some(text.iter().fold(0, |n, byte| n << 8 | u32::from(*byte)))
        }
        _ => None,
    }
}

impl CodeMap {
    pub(super) fn parse(bytes: &[u8]) -> CodeMap {
        let mut map = CodeMap::default();
        let mut lexer = Lexer::new(bytes, 0);
        // Each operand is a token, or the tokens of an array.
        let mut operands: Vec<Vec<Token<'_>>> = Vec::new();
        let mut array = None;
        while let Some(token) = lexer.token() {
            match token {
                Token::Word(_) if map.is_full() => {
                    map.is_cut = true;
                    break;
                }
                Token::Word(word) => {
                    map.section(word, &operands);
                    operands.clear();
                }
                Token::ArrayStart => array = Some(Vec::new()),
                Token::ArrayEnd => operands.extend(array.take()),
                token => match &mut array {
                    Some(items) => items.push(token),
                    None => operands.push(vec![token]),
                },
            }
        }
        map.ranges.sort_by_key(|range| range.first);
        map
    }

    fn is_full(&self) -> bool {
        self.ranges.len() >= MAX_RANGES
    }

    fn section(&mut self, word: &[u8], operands: &[Vec<Token<'_>>]) {
        let one = |operand: &Vec<Token<'_>>| code(operand.first());
        let pairs = operands.chunks_exact(2);
        let triples = operands.chunks_exact(3);
        match word {
            b"endcodespacerange" => pairs.for_each(|pair| self.add_space(pair)),
            b"endbfchar" => pairs.for_each(|pair| {
                if let Some(first) = one(&pair[0]) {
                    self.add_text(first, first, pair[1].first());
                }
            }),
            b"endbfrange" => triples.for_each(|range| self.add_texts(range)),
            b"endcidchar" => pairs.for_each(|pair| {
                self.add_glyph(one(&pair[0]), one(&pair[0]), pair[1].first());
            }),
            b"endcidrange" => triples.for_each(|range| {
                self.add_glyph(one(&range[0]), one(&range[1]), range[2].first());
            }),
            _ => {}
        }
    }

    /// Adds the codes from a first to a last one, which have the same number of bytes.
    fn add_space(&mut self, pair: &[Vec<Token<'_>>]) {
        let [low, high] = [pair[0].first(), pair[1].first()];
        if let (Some(Token::Text(text)), Some(first), Some(last)) = (low, code(low), code(high)) {
            self.is_cut |= self.spaces.len() == MAX_CODE_SPACES;
            if self.spaces.len() < MAX_CODE_SPACES {
                self.spaces.push((text.len(), first, last));
            }
        }
    }

    /// Adds the texts of the codes from a first to a last one: the text of the first, or a list of all.
    fn add_texts(&mut self, range: &[Vec<Token<'_>>]) {
        let [first, last] = [code(range[0].first()), code(range[1].first())];
        let (Some(first), Some(last)) = (first, last) else {
            return;
        };
        match &range[2][..] {
            [text] => self.add_text(first, last, Some(text)),
            texts => {
                for (code, text) in (first..=last).zip(texts) {
                    self.add_text(code, code, Some(text));
                }
            }
        }
    }

    fn add_text(&mut self, first: u32, last: u32, text: Option<&Token<'_>>) {
        let Some(Token::Text(text)) = text else {
            return;
        };
        let at = self.units.len() as u32;
        match &text[..] {
            [byte] => self.units.push(u16::from(*byte)),
            text => {
                self.is_cut |= text.len() > 2 * MAX_TEXT_UNITS;
                let units = text.chunks_exact(2).take(MAX_TEXT_UNITS);
                self.units
                    .extend(units.map(|unit| u16::from_be_bytes([unit[0], unit[1]])));
            }
        }
        let len = self.units.len() as u32 - at;
        let to = MappedText::Units { at, len };
        self.push(CodeRange { first, last, to });
    }

    fn add_glyph(&mut self, first: Option<u32>, last: Option<u32>, glyph: Option<&Token<'_>>) {
        if let (Some(first), Some(last), Some(Token::Number(glyph))) = (first, last, glyph) {
            let to = MappedText::Glyph(*glyph as u32);
            self.push(CodeRange { first, last, to });
        }
    }

    fn push(&mut self, range: CodeRange) {
        self.is_cut |= self.is_full();
        if !self.is_full() {
            self.ranges.push(range);
        }
    }

    fn find(&self, code: u32) -> Option<CodeRange> {
        let end = self.ranges.partition_point(|range| range.first <= code);
        let mut near = self.ranges[..end].iter().rev().take(OVERLAPPING_RANGES);
        near.find(|range| code <= range.last).copied()
    }

    /// Writes the text of `code`. Returns false if the map has none.
    pub(super) fn write_text(&self, code: u32, out: &mut String) -> bool {
        let Some(range) = self.find(code) else {
            return false;
        };
        let MappedText::Units { at, len } = range.to else {
            return false;
        };
        let units = &self.units[at as usize..(at + len) as usize];
        let last = units.len().wrapping_sub(1);
        let counted = units.iter().enumerate().map(|(at, unit)| {
            if at == last {
                unit.wrapping_add((code - range.first) as u16)
            } else {
                *unit
            }
        });
        let before = out.len();
        for c in char::decode_utf16(counted) {
            out.extend(c.ok().filter(|c| !c.is_control() || *c == '\t'));
        }
        out.len() > before
    }

    /// Returns the number of the glyph for `code`.
    pub(super) fn glyph(&self, code: u32) -> Option<u32> {
        let range = self.find(code)?;
        match range.to {
            MappedText::Glyph(glyph) => Some(glyph.wrapping_add(code - range.first)),
            MappedText::Units { .. } => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the bytes of memory that it takes.
    pub(super) fn size(&self) -> usize {
        self.ranges.capacity() * size_of::<CodeRange>() + self.units.capacity() * 2
    }

    /// Returns the code at the start of `bytes`, and its length; two bytes if the map does not say otherwise.
    pub(super) fn next_code(&self, bytes: &[u8]) -> (u32, usize) {
        let mut code = 0;
        for (at, byte) in bytes.iter().take(4).enumerate() {
            code = code << 8 | u32::from(*byte);
            let fits = |(len, first, last): &(usize, u32, u32)| {
                *len == at + 1 && (*first..=*last).contains(&code)
            };
            if self.spaces.iter().any(fits) {
                return (code, at + 1);
            }
        }
        let len = bytes.len().min(2);
        let code = bytes[..len]
            .iter()
            .fold(0, |n, byte| n << 8 | u32::from(*byte));
        (code, len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(map: &CodeMap, code: u32) -> Option<String> {
        let mut text = String::new();
        map.write_text(code, &mut text).then_some(text)
    }

    #[test]
    fn codes_have_texts() {
        let map = CodeMap::parse(
            b"1 begincodespacerange <00> <80> <8100> <ffff> endcodespacerange
              2 beginbfchar <01> <0041> <02> <00660069> endbfchar
              2 beginbfrange <10> <1F> <0061> <20> <21> [<0078> <0079007A>] endbfrange",
        );
        assert_eq!(text(&map, 1).as_deref(), Some("A"));
        assert_eq!(text(&map, 2).as_deref(), Some("fi"));
        assert_eq!(text(&map, 0x12).as_deref(), Some("c"));
        assert_eq!(text(&map, 0x21).as_deref(), Some("yz"));
        assert_eq!(text(&map, 0x22), None);
        assert_eq!(map.next_code(&[0x10, 0x11]), (0x10, 1));
        assert_eq!(map.next_code(&[0x81, 0x11, 0]), (0x8111, 2));
    }

    #[test]
    fn a_code_has_no_more_text_than_the_format_allows() {
        let map = |units: usize| {
            let text = "0041".repeat(units);
            CodeMap::parse(format!("beginbfrange <00> <ff> <{text}> endbfrange").as_bytes())
        };
        let (max, more) = (map(MAX_TEXT_UNITS), map(MAX_TEXT_UNITS + 1));
        assert_eq!(text(&max, 0), Some("A".repeat(MAX_TEXT_UNITS)));
        assert_eq!(text(&more, 0), Some("A".repeat(MAX_TEXT_UNITS)));
        assert_eq!((max.is_cut, more.is_cut), (false, true));
    }

    #[test]
    fn a_range_of_all_codes_takes_no_memory() {
        let map = CodeMap::parse(b"beginbfrange <0000> <ffffffff> <0041> endbfrange");
        assert_eq!(text(&map, 0xffff).as_deref(), Some("@"));
        assert_eq!(map.ranges.len(), 1);
        let many = b"1 begincidrange <00> <ff> 0 endcidrange ".repeat(MAX_RANGES + 9);
        assert_eq!(CodeMap::parse(&many).ranges.len(), MAX_RANGES);
    }
}
