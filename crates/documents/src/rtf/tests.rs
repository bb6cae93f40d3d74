use super::*;

/// Returns a few bytes at a time.
struct Pieces<'b>(&'b [u8], usize);

impl ReadBytes for Pieces<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let count = self.1.min(self.0.len()).min(into.len());
        let (taken, rest) = self.0.split_at(count);
        into[..count].copy_from_slice(taken);
        self.0 = rest;
        Ok(count)
    }
}

/// Returns the text of a document, which is the same in pieces of every size, and whether it is whole.
fn read(rtf: &[u8]) -> (String, bool) {
    let mut all = Vec::new();
    for size in [1, 2, 3, 7, usize::MAX] {
        let mut text = RtfText::new(PeekReader::new(Pieces(rtf, size)));
        let mut out = Vec::new();
        let is_whole = text.read_to_end(&mut out).is_ok();
        assert!(matches!(text.read(&mut [0; 9]), Ok(0)), "nothing follows");
        all.push((String::from_utf8(out).unwrap(), is_whole));
    }
    all.dedup();
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[track_caller]
fn assert_text(body: &str, wanted: &str) {
    let (text, is_whole) = read(format!("{{\\rtf1\\ansi {body}}}").as_bytes());
    assert_eq!(
        (text.as_str(), is_whole),
        (format!("{wanted}\n\n").as_str(), true),
        "{body}"
    );
}

#[test]
fn escapes_are_undone_and_runs_joined() {
    assert_text(
        r"caf\'e9 na\u239?ve \u8212\emdash  x",
        "caf\u{e9} na\u{ef}ve \u{2014} x",
    );
    assert_text(
        r"10.5555/a{\b b}{\i0\f1 c}\_d\-e\~f",
        "10.5555/ab\u{63}-de\u{a0}f",
    );
    assert_text("10.5555/a\r\nb\\line c\\tab d\te", "10.5555/ab\nc\td\te");
    assert_text(r"\{a\\b\}\lquote-x \par-y", "{a\\b}\u{2018}-x \n\n-y");
    assert_text("a\\\nb", "a\n\nb");
}

#[test]
fn fallbacks_are_skipped_by_their_length() {
    assert_text(
        r"\uc2\u233\'c3\'a9x {\uc0\u233 y}\u233ab z",
        "\u{e9}x \u{e9}y\u{e9} z",
    );
    assert_text(
        r"\u233\_x \u233{}y \u233\u234?z",
        "\u{e9}x \u{e9}y \u{e9}\u{ea}z",
    );
    assert_text(r"\u-10179?\u-8704?", "\u{1f600}");
    assert_text(r"\u-10179?x", "x");
    assert_text(r"\u233\par x", "\u{e9}\n\nx");
}

#[test]
fn bytes_are_in_the_code_page_or_in_that_of_the_font() {
    assert_text(r"\ansicpg1251 \'e9", "\u{439}");
    assert_text(
        r"\ansicpg932 \'83e\'83X\'83 x",
        "\u{30c6}\u{30b9}\u{fffd} x",
    );
    let fonts = r"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}";
    assert_text(
        &format!(r"{fonts}\f0 \'e9 {{\f1 \'e9}} \f1\'e9\plain\'e9"),
        "\u{e9} \u{439} \u{439}\u{e9}",
    );
}

#[test]
fn what_is_no_text_is_left_out() {
    let pictures = r"{\pict\pngblip 89504e47}{\*\shppict{\pict abc}}{\nonshppict x}";
    assert_text(
        &format!(r"a{pictures}{{\colortbl;\red0;}}{{\*\generator W 10.5555/no;}}b"),
        "ab",
    );
    assert_text(
        r"{\stylesheet{\s1 Title;}}{\info{\title T}{\author A}}x{\deleted y}{\deleted\deleted0 z}",
        "\n\nT\n\n\n\nA\n\nxz",
    );
    assert_text("a\\bin5 }}{{\\b", "ab");
    assert_text(
        r"a{\footnote \b note}b{\*\annotation c}",
        "a\n\nnote\n\nb\n\nc\n\n",
    );
    assert_text(
        r"{\shp{\*\shpinst{\sp{\sn n}{\sv v}}{\shptxt box\par}}}",
        "\n\nbox\n\n\n\n",
    );
}

#[test]
fn codes_of_fields_follow_their_paragraph() {
    let field = r#"a{\field{\*\fldinst{HYPERLINK "https://doi.org/10.5555/x" \\l "y"}}{\fldrslt shown}} b\par c"#;
    let wanted = "ashown b\n\nHYPERLINK \"https://doi.org/10.5555/x\" \\l \"y\"\n\n\n\nc";
    assert_text(field, wanted);
}

#[test]
fn a_document_that_is_cut_is_an_error_after_its_text() {
    assert_eq!(read(b"{\\rtf1 abc"), ("abc\n\n".to_owned(), false));
    assert_eq!(read(b"{\\rtf1 abc\\pa"), ("abc\n\n".to_owned(), false));
    assert_eq!(read(b"{\\rtf1 a}}} b"), ("a b\n\n".to_owned(), true));
}

#[test]
fn deep_groups_and_long_codes_take_bounded_memory() {
    let deep = [
        b"{\\rtf1 ".as_slice(),
        &b"{".repeat(200_000),
        b"x",
        &b"}".repeat(200_000),
        b"y}",
    ]
    .concat();
    assert_eq!(read_whole(&deep).0, "xy\n\n");
    let code = [
        b"{\\rtf1 {\\field{\\*\\fldinst ".as_slice(),
        &[b'a'; 1 << 20],
    ]
    .concat();
    let long = [&code[..], b"}}}"].concat();
    let mut text = RtfText::new(PeekReader::new(&long[..]));
    let mut into = [0; 4096];
    let mut total = 0;
    while let Ok(count @ 1..) = text.read(&mut into) {
        total += count;
        let held = text.writer.text.capacity() + text.writer.code.capacity();
        assert!(held < 1 << 19, "{held}");
    }
    assert!(total > 1 << 20);
}

fn read_whole(rtf: &[u8]) -> (String, bool) {
    let mut text = RtfText::new(PeekReader::new(rtf));
    let mut out = Vec::new();
    let is_whole = text.read_to_end(&mut out).is_ok();
    (String::from_utf8(out).unwrap(), is_whole)
}
