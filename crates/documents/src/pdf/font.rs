//! Fonts: the text and the width of each character code (ISO 32000-2, 9.5 to 9.10).

use encoding_rs::Encoding;

use super::cmap::CodeMap;
use super::encoding::{BaseEncoding, glyph, standard_width};
use super::file::PdfFile;
use super::filter::StreamFlaw;
use super::object::{PdfDict, PdfObject};

/// Maximum number of widths of a composite font; more are ignored.
const MAX_WIDTHS: usize = 1 << 16;
/// Bytes at the start of a Type 1 font program in which its encoding is searched.
const PROGRAM_HEAD_BYTES: usize = 32 << 10;

/// A font.
#[derive(Debug)]
pub(super) enum PdfFont {
    Simple(Box<SimpleFont>),
    Composite(CompositeFont),
}

/// A font whose codes are single bytes.
#[derive(Debug)]
pub(super) struct SimpleFont {
    texts: Vec<String>,
    /// Widths of codes in units of the font's size.
    widths: Vec<f32>,
}

/// A font whose codes are of one or more bytes (Type 0).
#[derive(Debug)]
pub(super) struct CompositeFont {
    codes: CodeMap,
    to_unicode: CodeMap,
    meaning: CodeMeaning,
    /// The first and the last glyph of a range, and its width; sorted.
    widths: Vec<(u32, u32, f32)>,
    default_width: f32,
    pub(super) is_vertical: bool,
}

/// Meaning of the codes of a composite font without a map to Unicode.
#[derive(Clone, Copy, Debug, PartialEq)]
enum CodeMeaning {
    Unknown,
    /// UTF-16.
    Unicode,
    /// Text in this encoding.
    Charset(&'static Encoding),
    /// Glyphs of one of Adobe's collections, which all start with ASCII.
    Collection,
}

/// A glyph that is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    /// Bytes of its code.
    pub(super) len: usize,
    /// Its width in units of the font's size.
    pub(super) width: f32,
    /// Whether it is the single byte 32, to which word spacing applies.
    pub(super) is_blank: bool,
}

impl PdfFont {
    pub(super) fn of(file: &PdfFile<'_>, dict: &PdfDict) -> PdfFont {
        let to_unicode = map(file, dict, b"ToUnicode");
        match file.get(dict, b"Subtype").name() {
            b"Type0" => PdfFont::Composite(CompositeFont::of(file, dict, to_unicode)),
            kind => PdfFont::Simple(Box::new(SimpleFont::of(file, dict, kind, &to_unicode))),
        }
    }

    /// Returns the approximate bytes of memory that it takes.
    pub(super) fn size(&self) -> usize {
        match self {
            PdfFont::Simple(font) => {
                let texts = font.texts.iter().map(String::capacity);
                (16 << 10) + texts.sum::<usize>()
            }
            PdfFont::Composite(font) => {
                font.codes.size() + font.to_unicode.size() + font.widths.capacity() * 12
            }
        }
    }

    /// Reads the glyph at the start of `bytes`, which are not empty, and writes its text.
    pub(super) fn next_glyph(&self, bytes: &[u8], out: &mut String) -> Glyph {
        match self {
            PdfFont::Simple(font) => {
                let code = usize::from(bytes[0]);
                out.push_str(&font.texts[code]);
                Glyph {
                    len: 1,
                    width: font.widths[code],
                    is_blank: code == 32,
                }
            }
            PdfFont::Composite(font) => font.next_glyph(bytes, out),
        }
    }
}

/// Returns the map in the stream `key`; an empty one if there is none.
fn map(file: &PdfFile<'_>, dict: &PdfDict, key: &[u8]) -> CodeMap {
    match file.get(dict, key) {
        PdfObject::Stream(stream) => {
            let held = file.decode(&stream);
            let map = CodeMap::parse(&held);
            let cut = map.is_cut.then_some(StreamFlaw::Characters);
            file.note(held.flaw.or(cut), &stream);
            map
        }
        _ => CodeMap::default(),
    }
}

impl SimpleFont {
    fn of(file: &PdfFile<'_>, dict: &PdfDict, kind: &[u8], to_unicode: &CodeMap) -> SimpleFont {
        let mut texts = own_texts(file, dict);
        let mut text = String::new();
        for (code, own) in texts.iter_mut().enumerate() {
            text.clear();
            if to_unicode.write_text(code as u32, &mut text) {
                own.clone_from(&text);
            }
        }
        SimpleFont {
            widths: simple_widths(file, dict, kind),
            texts,
        }
    }
}

/// Returns the text of each code by the font's encoding.
fn own_texts(file: &PdfFile<'_>, dict: &PdfDict) -> Vec<String> {
    let encoding = file.get(dict, b"Encoding");
    let descriptor = file.get(dict, b"FontDescriptor");
    let named = match &encoding {
        PdfObject::Name(name) => BaseEncoding::named(name),
        other => BaseEncoding::named(file.get(other.dict(), b"BaseEncoding").name()),
    };
    let mut texts: Vec<String> = match named {
        Some(base) => (0..=255).map(|code| base.text(code)).collect(),
        None => {
            let base = match file.get(dict, b"Subtype").name() {
                b"TrueType" => BaseEncoding::WinAnsi,
                _ => BaseEncoding::Standard,
            };
            let mut texts: Vec<_> = (0..=255).map(|code| base.text(code)).collect();
            built_in(file, descriptor.dict(), &mut texts);
            texts
        }
    };
    let differences = file.items(encoding.dict().get(b"Differences"));
    let numbering = NumberedGlyphs::of(&differences);
    let mut code = 0;
    for item in &differences {
        match item {
            PdfObject::Number(number) => code = *number as usize,
            PdfObject::Name(name) => {
                if let Some(text) = texts.get_mut(code) {
                    *text = match numbering {
                        Some(numbering) => numbering.text(name),
                        None => glyph(name),
                    };
                }
                code += 1;
            }
            _ => {}
        }
    }
    texts
}

/// Reads the encoding in the plain part of a Type 1 font program: `dup 65 /A put`.
fn built_in(file: &PdfFile<'_>, descriptor: &PdfDict, texts: &mut [String]) -> Option<()> {
    let PdfObject::Stream(stream) = file.get(descriptor, b"FontFile") else {
        return None;
    };
    let program = file.decode(&stream);
    let program = &program[..program.len().min(PROGRAM_HEAD_BYTES)];
    let start = memchr::memmem::find(program, b"/Encoding")?;
    let end = memchr::memmem::find(&program[start..], b"readonly")
        .map_or(program.len(), |len| start + len);
    for entry in memchr::memmem::find_iter(&program[start..end], b"dup ") {
        let rest = &program[start + entry + 4..end];
        let mut words = rest.split(|byte| matches!(byte, b' ' | b'/' | b'\n' | b'\r'));
        let mut word = || words.find(|word| !word.is_empty());
        let (Some(code), Some(name)) = (word(), word()) else {
            break;
        };
        let code = str::from_utf8(code).ok().and_then(|code| code.parse().ok());
        if let Some(text) = code.and_then(|code: usize| texts.get_mut(code)) {
            *text = glyph(name);
        }
    }
    Some(())
}

/// Names of glyphs that only have their ASCII code, such as `a65`, `C65` or `G41`, as some converters make them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NumberedGlyphs {
    /// Letters before the number.
    letters: usize,
    radix: u32,
}

impl NumberedGlyphs {
    /// Returns the numbering of all names in `differences`; `None` if one of them is a name of another kind.
    fn of(differences: &[PdfObject]) -> Option<NumberedGlyphs> {
        let names: Vec<_> = differences.iter().map(PdfObject::name).collect();
        let names = || {
            let names = names.iter();
            names.filter(|name| !name.is_empty() && **name != b".notdef" && **name != b"space")
        };
        let first = names().next()?;
        let letters = first
            .iter()
            .take_while(|byte| byte.is_ascii_alphabetic())
            .count();
        let mut numberings = [10, 16]
            .map(|radix| NumberedGlyphs { letters, radix })
            .into_iter();
        numberings.find(|numbering| {
            names().count() > 1 && names().all(|name| numbering.code(name).is_some())
        })
    }

    fn code(self, name: &[u8]) -> Option<u32> {
        let digits = name.get(self.letters..).filter(|_| self.letters == 1)?;
        let code = u32::from_str_radix(str::from_utf8(digits).ok()?, self.radix).ok()?;
        (digits.len() >= 2 && code < 256).then_some(code)
    }

    fn text(self, name: &[u8]) -> String {
        match self.code(name) {
            Some(code @ 32..=126) => char::from(code as u8).into(),
            Some(code) => tex_ligature(code).map_or_else(|| glyph(name), Into::into),
            None => glyph(name),
        }
    }
}

/// Returns a ligature or dash that fonts of TeX have among the control characters: from 11 in its old encoding, from 21 in
/// its new one.
fn tex_ligature(code: u32) -> Option<&'static str> {
    Some(match code {
        11 | 27 => "ff",
        12 | 28 => "fi",
        13 | 29 => "fl",
        14 | 30 => "ffi",
        15 | 31 => "ffl",
        21 => "\u{2013}",
        22 => "\u{2014}",
        127 => "-",
        _ => return None,
    })
}

fn simple_widths(file: &PdfFile<'_>, dict: &PdfDict, kind: &[u8]) -> Vec<f32> {
    let scale = match kind {
        // Glyphs of a Type 3 font have their own units.
        b"Type3" => {
            let matrix = file.items(dict.get(b"FontMatrix"));
            let scale = matrix.first().and_then(PdfObject::number);
            scale.map_or(0.001, |scale| scale as f32)
        }
        _ => 0.001,
    };
    let first = file.get(dict, b"FirstChar").count().unwrap_or(0);
    let widths = file.items(dict.get(b"Widths"));
    let descriptor = file.get(dict, b"FontDescriptor");
    let missing = file.get(descriptor.dict(), b"MissingWidth").number();
    let name = file.get(dict, b"BaseFont");
    let width = |code: usize| {
        let listed = code
            .checked_sub(first)
            .and_then(|at| widths.get(at)?.number());
        match (listed, missing) {
            (Some(width), _) => width as f32,
            (None, Some(missing)) => missing as f32,
            (None, None) => standard_width(name.name(), code as u8),
        }
    };
    (0..256).map(|code| width(code) * scale).collect()
}

impl CompositeFont {
    fn of(file: &PdfFile<'_>, dict: &PdfDict, to_unicode: CodeMap) -> CompositeFont {
        let descendants = file.items(dict.get(b"DescendantFonts"));
        let descendant = descendants
            .first()
            .map(PdfObject::dict)
            .cloned()
            .unwrap_or_default();
        let encoding = file.get(dict, b"Encoding");
        let name = encoding.name();
        let system = file.get(&descendant, b"CIDSystemInfo");
        let ordering = file.get(system.dict(), b"Ordering");
        CompositeFont {
            codes: map(file, dict, b"Encoding"),
            meaning: CodeMeaning::of(name, ordering.text().unwrap_or_default()),
            to_unicode,
            widths: composite_widths(file, &descendant),
            default_width: default_width(file, &descendant),
            is_vertical: name.ends_with(b"-V"),
        }
    }

    fn next_glyph(&self, bytes: &[u8], out: &mut String) -> Glyph {
        let (code, len) = match self.meaning {
            CodeMeaning::Charset(_) if bytes[0] < 0x80 => (u32::from(bytes[0]), 1),
            _ => self.codes.next_code(bytes),
        };
        let len = len.clamp(1, bytes.len());
        if !self.to_unicode.write_text(code, out) {
            self.write_meaning(code, &bytes[..len], out);
        }
        let glyph = self.codes.glyph(code).unwrap_or(code);
        let end = self.widths.partition_point(|(first, _, _)| *first <= glyph);
        let listed = end.checked_sub(1).map(|at| self.widths[at]);
        let width = listed.filter(|(_, last, _)| glyph <= *last);
        Glyph {
            len,
            width: width.map_or(self.default_width, |(_, _, width)| width),
            is_blank: len == 1 && code == 32,
        }
    }

    fn write_meaning(&self, code: u32, bytes: &[u8], out: &mut String) {
        let glyph = || self.codes.glyph(code).unwrap_or(code);
        match self.meaning {
            CodeMeaning::Unicode => out.extend(char::from_u32(code).filter(|c| !c.is_control())),
            CodeMeaning::Charset(charset) => {
                out.push_str(&charset.decode_without_bom_handling(bytes).0)
            }
            CodeMeaning::Collection => match glyph() {
                glyph @ 1..=95 => out.push(char::from(b' ' + glyph as u8 - 1)),
                glyph @ 231..=325 => out.push(char::from(b' ' + (glyph - 231) as u8)),
                _ => out.push(char::REPLACEMENT_CHARACTER),
            },
            // A font without any map shows shapes that have no text.
            CodeMeaning::Unknown if self.to_unicode.is_empty() => {}
            CodeMeaning::Unknown => out.push(char::REPLACEMENT_CHARACTER),
        }
    }
}

impl CodeMeaning {
    /// Returns the meaning by the name of the predefined map (9.7.5.2) and the collection of the glyphs.
    fn of(map: &[u8], ordering: &[u8]) -> CodeMeaning {
        let has = |word: &[u8]| memchr::memmem::find(map, word).is_some();
        match map {
            _ if has(b"UCS2") || has(b"UTF16") => CodeMeaning::Unicode,
            _ if has(b"RKSJ") => CodeMeaning::Charset(encoding_rs::SHIFT_JIS),
            _ if has(b"GBK") || has(b"GB-EUC") || has(b"GBpc") => {
                CodeMeaning::Charset(encoding_rs::GBK)
            }
            _ if has(b"B5") || has(b"ETen") => CodeMeaning::Charset(encoding_rs::BIG5),
            _ if has(b"KSC") => CodeMeaning::Charset(encoding_rs::EUC_KR),
            _ if map.starts_with(b"EUC-") => CodeMeaning::Charset(encoding_rs::EUC_JP),
            _ => match ordering {
                b"Japan1" | b"GB1" | b"CNS1" | b"Korea1" | b"KR" => CodeMeaning::Collection,
                _ => CodeMeaning::Unknown,
            },
        }
    }
}

fn default_width(file: &PdfFile<'_>, dict: &PdfDict) -> f32 {
    let width = file.get(dict, b"DW").number();
    width.unwrap_or(1000.0) as f32 * 0.001
}

/// Reads the widths in the array `W` (9.7.4.3): `first [w w …]` and `first last w`.
fn composite_widths(file: &PdfFile<'_>, dict: &PdfDict) -> Vec<(u32, u32, f32)> {
    let items = file.items(dict.get(b"W"));
    let mut widths = Vec::new();
    let mut rest = &items[..];
    while let [first, second, after @ ..] = rest {
        let first = first.count().unwrap_or(0) as u32;
        match (second, after) {
            (PdfObject::Array(list), _) => {
                for (at, width) in (0..).zip(list) {
                    let glyph = first.saturating_add(at);
                    widths.push((glyph, glyph, width.number().unwrap_or(0.0) as f32 * 0.001));
                }
                rest = after;
            }
            (last, [width, after @ ..]) => {
                let last = last.count().unwrap_or(0) as u32;
                widths.push((first, last, width.number().unwrap_or(0.0) as f32 * 0.001));
                rest = after;
            }
            _ => break,
        }
        if widths.len() > MAX_WIDTHS {
            break;
        }
    }
    widths.sort_by_key(|(first, _, _)| *first);
    widths
}
