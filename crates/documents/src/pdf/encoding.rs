//! Characters of simple fonts: the predefined encodings (ISO 32000-2, annex D) and the names of glyphs.

/// Names of the glyphs of ASCII, starting with the blank.
#[rustfmt::skip]
const ASCII_GLYPHS: [&str; 95] = [
    "space", "exclam", "quotedbl", "numbersign", "dollar", "percent", "ampersand", "quotesingle", "parenleft",
    "parenright", "asterisk", "plus", "comma", "hyphen", "period", "slash", "zero", "one", "two", "three", "four",
    "five", "six", "seven", "eight", "nine", "colon", "semicolon", "less", "equal", "greater", "question", "at", "A",
    "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N", "O", "P", "Q", "R", "S", "T", "U", "V", "W", "X",
    "Y", "Z", "bracketleft", "backslash", "bracketright", "asciicircum", "underscore", "grave", "a", "b", "c", "d",
    "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z",
    "braceleft", "bar", "braceright", "asciitilde",
];

/// Names of other glyphs in the text of articles.
#[rustfmt::skip]
const OTHER_GLYPHS: [(&str, &str); 72] = [
    ("quoteright", "\u{2019}"), ("quoteleft", "\u{2018}"), ("quotedblleft", "\u{201c}"), ("quotedblright", "\u{201d}"),
    ("quotesinglbase", "\u{201a}"), ("quotedblbase", "\u{201e}"), ("guillemotleft", "\u{ab}"),
    ("guillemotright", "\u{bb}"), ("guilsinglleft", "\u{2039}"), ("guilsinglright", "\u{203a}"), ("endash", "\u{2013}"),
    ("emdash", "\u{2014}"), ("minus", "\u{2212}"), ("sfthyphen", "-"), ("hyphenchar", "-"), ("hyphenminus", "-"),
    ("bullet", "\u{2022}"), ("ellipsis", "\u{2026}"), ("periodcentered", "\u{b7}"), ("fi", "fi"), ("fl", "fl"),
    ("ff", "ff"), ("ffi", "ffi"), ("ffl", "ffl"), ("f_i", "fi"), ("f_l", "fl"), ("f_f", "ff"), ("f_f_i", "ffi"),
    ("f_f_l", "ffl"), ("germandbls", "\u{df}"), ("ae", "\u{e6}"), ("AE", "\u{c6}"), ("oe", "\u{153}"),
    ("OE", "\u{152}"), ("oslash", "\u{f8}"), ("Oslash", "\u{d8}"), ("dotlessi", "\u{131}"), ("lslash", "\u{142}"),
    ("Lslash", "\u{141}"), ("eth", "\u{f0}"), ("Eth", "\u{d0}"), ("thorn", "\u{fe}"), ("Thorn", "\u{de}"),
    ("section", "\u{a7}"), ("paragraph", "\u{b6}"), ("dagger", "\u{2020}"), ("daggerdbl", "\u{2021}"),
    ("copyright", "\u{a9}"), ("registered", "\u{ae}"), ("trademark", "\u{2122}"), ("degree", "\u{b0}"),
    ("plusminus", "\u{b1}"), ("multiply", "\u{d7}"), ("divide", "\u{f7}"), ("mu", "\u{b5}"), ("Euro", "\u{20ac}"),
    ("sterling", "\u{a3}"), ("yen", "\u{a5}"), ("cent", "\u{a2}"), ("exclamdown", "\u{a1}"),
    ("questiondown", "\u{bf}"), ("ordfeminine", "\u{aa}"), ("ordmasculine", "\u{ba}"), ("macron", "\u{af}"),
    ("nbspace", " "), ("nonbreakingspace", " "), ("acute", "\u{b4}"), ("dieresis", "\u{a8}"), ("cedilla", "\u{b8}"),
    ("circumflex", "\u{2c6}"), ("tilde", "\u{2dc}"), ("caron", "\u{2c7}"),
];

/// Accents in names of letters, such as `eacute`, as the characters that combine with the letter.
const ACCENTS: [(&str, char); 12] = [
    ("acute", '\u{301}'),
    ("grave", '\u{300}'),
    ("circumflex", '\u{302}'),
    ("dieresis", '\u{308}'),
    ("tilde", '\u{303}'),
    ("ring", '\u{30a}'),
    ("cedilla", '\u{327}'),
    ("caron", '\u{30c}'),
    ("macron", '\u{304}'),
    ("breve", '\u{306}'),
    ("ogonek", '\u{328}'),
    ("hungarumlaut", '\u{30b}'),
];

/// Codes of the standard encoding beyond ASCII whose glyphs are in OTHERS.
#[rustfmt::skip]
const STANDARD_CODES: [(u8, &str); 34] = [
    (161, "exclamdown"), (162, "cent"), (163, "sterling"), (165, "yen"), (167, "section"), (169, "quotesingle"),
    (170, "quotedblleft"), (171, "guillemotleft"), (172, "guilsinglleft"), (173, "guilsinglright"), (174, "fi"),
    (175, "fl"), (177, "endash"), (178, "dagger"), (179, "daggerdbl"), (180, "periodcentered"), (182, "paragraph"),
    (183, "bullet"), (184, "quotesinglbase"), (185, "quotedblbase"), (186, "quotedblright"), (187, "guillemotright"),
    (188, "ellipsis"), (191, "questiondown"), (208, "emdash"), (225, "AE"), (232, "Lslash"), (233, "Oslash"),
    (234, "OE"), (241, "ae"), (245, "dotlessi"), (248, "lslash"), (249, "oslash"), (250, "oe"),
];

/// The encoding that a font's own encoding is based on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BaseEncoding {
    Standard,
    WinAnsi,
    MacRoman,
}

impl BaseEncoding {
    pub(super) fn named(name: &[u8]) -> Option<BaseEncoding> {
        match name {
            b"StandardEncoding" => Some(BaseEncoding::Standard),
            b"WinAnsiEncoding" | b"PDFDocEncoding" => Some(BaseEncoding::WinAnsi),
            b"MacRomanEncoding" | b"MacExpertEncoding" => Some(BaseEncoding::MacRoman),
            _ => None,
        }
    }

    /// Returns the text of `code`; empty if it has none.
    pub(super) fn text(self, code: u8) -> String {
        match (self, code) {
            (_, ..0x20 | 0x7f) => String::new(),
            (BaseEncoding::Standard, b'\'') => "\u{2019}".into(),
            (BaseEncoding::Standard, b'`') => "\u{2018}".into(),
            (_, ..0x7f) => char::from(code).into(),
            (BaseEncoding::Standard, _) => {
                let named = STANDARD_CODES.iter().find(|(own, _)| *own == code);
                named.map_or_else(String::new, |(_, name)| glyph(name.as_bytes()))
            }
            (BaseEncoding::WinAnsi, _) => encoding_rs::WINDOWS_1252.decode(&[code]).0.into_owned(),
            (BaseEncoding::MacRoman, _) => encoding_rs::MACINTOSH.decode(&[code]).0.into_owned(),
        }
    }
}

/// Returns the text of the glyph `name`; empty if the name has no known meaning.
pub(super) fn glyph(name: &[u8]) -> String {
    let Ok(name) = str::from_utf8(name) else {
        return String::new();
    };
    // The part after a full stop is a variant: `one.oldstyle`.
    let name = match name.split_once('.') {
        Some((front, _)) if !front.is_empty() => front,
        _ => name,
    };
    if let Some(at) = ASCII_GLYPHS.iter().position(|own| *own == name) {
        return char::from(b' ' + at as u8).into();
    }
    if let Some((_, text)) = OTHER_GLYPHS.iter().find(|(own, _)| *own == name) {
        return (*text).into();
    }
    accented(name)
        .or_else(|| by_number(name))
        .unwrap_or_default()
}

fn accented(name: &str) -> Option<String> {
    let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let accent = ACCENTS.iter().find(|(accent, _)| name[1..] == **accent)?;
    Some([letter, accent.1].iter().collect())
}

/// Returns the character of a name such as `uni0041` or `u1F600`.
fn by_number(name: &str) -> Option<String> {
    let digits = match name.strip_prefix("uni") {
        Some(digits) => digits.get(..4)?,
        None => name.strip_prefix('u').filter(|digits| digits.len() >= 4)?,
    };
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
    (!c.is_control()).then(|| c.into())
}

/// Widths of ASCII in thousandths of the font's size, for the standard fonts, whose widths files may leave out.
#[rustfmt::skip]
const SANS_WIDTHS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556,
    556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833,
    722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556,
    556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334,
    260, 334, 584,
];
#[rustfmt::skip]
const SERIF_WIDTHS: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500, 500, 500, 500, 500,
    500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889,
    722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722, 722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500,
    444, 333, 500, 500, 278, 278, 500, 278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480,
    200, 480, 541,
];

/// Returns the width of `code` in the font `name`, in thousandths of its size.
pub(super) fn standard_width(name: &[u8], code: u8) -> f32 {
    let has = |word: &[u8]| memchr::memmem::find(name, word).is_some();
    let table = match () {
        () if has(b"Courier") || has(b"Mono") => return 600.0,
        () if has(b"Times") || has(b"Serif") => &SERIF_WIDTHS,
        () => &SANS_WIDTHS,
    };
    let at = usize::from(code).wrapping_sub(32);
    table.get(at).map_or(500.0, |width| f32::from(*width))
}

/// Returns a text string (7.9.2.2) as UTF-8: UTF-16 with a byte order mark, UTF-8 with one, or single bytes.
pub(super) fn text_string(bytes: &[u8]) -> String {
    if bytes.starts_with(&[0xfe, 0xff]) || bytes.starts_with(&[0xff, 0xfe]) {
        let encoding = match bytes[0] {
            0xfe => encoding_rs::UTF_16BE,
            _ => encoding_rs::UTF_16LE,
        };
        return encoding.decode(bytes).0.into_owned();
    }
    match str::from_utf8(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)) {
        Ok(text) => text.into(),
        Err(_) => encoding_rs::WINDOWS_1252.decode(bytes).0.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glyphs_have_texts() {
        for (name, text) in [
            ("slash", "/"),
            ("one.oldstyle", "1"),
            ("ffi", "ffi"),
            ("uni0041", "A"),
            ("u1F600", "\u{1f600}"),
            ("eacute", "e\u{301}"),
            ("hyphen", "-"),
            (".notdef", ""),
            ("g42", ""),
        ] {
            assert_eq!(glyph(name.as_bytes()), text, "{name}");
        }
        assert_eq!(BaseEncoding::WinAnsi.text(0x96), "\u{2013}");
        assert_eq!(BaseEncoding::MacRoman.text(0xd0), "\u{2013}");
        assert_eq!(BaseEncoding::Standard.text(177), "\u{2013}");
    }

    #[test]
    fn text_strings_have_three_encodings() {
        assert_eq!(text_string(b"\xfe\xff\0a\x20\x10"), "a\u{2010}");
        assert_eq!(text_string("\u{feff}é".as_bytes()), "é");
        assert_eq!(text_string(b"caf\xe9"), "café");
    }
}
