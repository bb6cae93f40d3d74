//! Recognises the syntax of a structured text from its head.

use super::bibtex::is_type;
use super::delimited;
use super::tagged::TagSyntax;
use super::yaml::Yaml;

/// A syntax of structured text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// A JSON document, JSON Lines, or several values one after another.
    Json,
    /// XML.
    Xml,
    /// BibTeX.
    Bibtex,
    /// The block style of YAML, of CITATION.cff alone.
    Yaml,
    /// A format with a tag at the start of each line, such as RIS.
    Tagged(TagSyntax),
    /// A table with this delimiter whose rows are records, as Scopus and Web of Science write them.
    Delimited(u8),
}

impl Syntax {
    /// Max bytes of a document's head that [`of`](Self::of) reads.
    pub const HEAD_BYTES: usize = 16 << 10;

    /// Returns the syntax of a table that starts with `head`. `None` if its rows are not records of a known layout.
    pub fn of_table(head: &[u8]) -> Option<Syntax> {
        let mut delimiters = b",\t;".iter().copied();
        let delimiter = delimiters.find(|delimiter| delimited::has_records(head, *delimiter));
        delimiter.map(Syntax::Delimited)
    }

    /// Returns the syntax of a document that starts with `head`. `None` if it shows no syntax. Web pages look like XML, so the
    /// caller must exclude them.
    pub fn of(head: &[u8]) -> Option<Syntax> {
        let head = &head[..head.len().min(Self::HEAD_BYTES)];
        let head = head.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(head);
        let head = head.trim_ascii_start();
        let next = |from: usize| head[from..].trim_ascii_start().first().copied();
        match head.first()? {
            b'{' if matches!(next(1), Some(b'"' | b'}')) => Some(Syntax::Json),
            b'[' if matches!(next(1), Some(b'{' | b'"')) => Some(Syntax::Json),
            b'<' if is_markup(head) => Some(Syntax::Xml),
            _ if Yaml::is_citation_file(head) => Some(Syntax::Yaml),
            _ => TagSyntax::of(head)
                .map(Syntax::Tagged)
                .or_else(|| Syntax::of_table(head))
                .or_else(|| lines(head).find_map(|line| of_line(head, line))),
        }
    }
}

/// Whether `head` starts with an XML declaration, a document type, a comment or an element.
fn is_markup(head: &[u8]) -> bool {
    if matches!(head, [_, b'?' | b'!', b'a'..=b'z' | b'A'..=b'Z' | b'-', ..]) {
        return true;
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let mut parts = head[1..].splitn(2, |byte| !is_part(byte));
    let (name, after) = (
        parts.next().unwrap_or_default(),
        parts.next().unwrap_or_default(),
    );
    let end = head.get(1 + name.len());
    // A prefix, then a name.
    let is_prefix = end == Some(&b':')
        && after
            .iter()
            .find(|byte| !is_part(byte))
            .is_some_and(|end| b" \t\r\n>".contains(end));
    let is_name = is_prefix || end.is_some_and(|end| b" \t\r\n/>".contains(end));
    let closes = memchr::memmem::find(head, b"</").or(memchr::memmem::find(head, b"/>"));
    !name.is_empty() && is_name && (closes.is_some() || head.len() == Syntax::HEAD_BYTES)
}

/// Returns the offsets of the lines of `head`.
fn lines(head: &[u8]) -> impl Iterator<Item = usize> {
    let ends = memchr::memchr2_iter(b'\n', b'\r', head);
    std::iter::once(0).chain(ends.map(|end| end + 1))
}

/// Returns the syntax that the line at `at` shows: BibTeX if an entry starts there, RIS if a record does.
fn of_line(head: &[u8], at: usize) -> Option<Syntax> {
    let rest = &head[at..];
    match rest.trim_ascii_start().first()? {
        b'@' => is_entry(rest.trim_ascii_start()).then_some(Syntax::Bibtex),
        b'T' if rest.starts_with(b"TY  - ") => Some(Syntax::Tagged(TagSyntax::Ris)),
        _ => None,
    }
}

/// Whether `text` starts with `@type{key,`. Style sheets and programs have lines with `@word {`, but no key and comma after it.
fn is_entry(text: &[u8]) -> bool {
    let after = text[1..].trim_ascii_start();
    let word = after.iter().take_while(|byte| is_type(**byte)).count();
    let (word, after) = after.split_at(word);
    let [opener @ (b'{' | b'('), after @ ..] = after.trim_ascii_start() else {
        return false;
    };
    let ends: &[u8] = match opener {
        b'{' => b" \t\r\n,{}\"",
        _ => b" \t\r\n,{}\"()",
    };
    let after = after.trim_ascii_start();
    let key = after.iter().take_while(|byte| !ends.contains(byte));
    let key = key.count();
    let is_entry = key > 0 && after[key..].trim_ascii_start().first() == Some(&b',');
    let is_text = word.eq_ignore_ascii_case(b"string")
        && after[key..].trim_ascii_start().first() == Some(&b'=');
    !word.is_empty() && (is_entry || is_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_shows_the_syntax() {
        let cases = [
            ("{\"a\":1}", Some(Syntax::Json)),
            ("\u{FEFF} [\n {", Some(Syntax::Json)),
            ("{{Infobox", None),
            ("[[File:a]]", None),
            ("[a](b)", None),
            ("<?xml version='1.0'?>", Some(Syntax::Xml)),
            ("<!-- a --><b>", Some(Syntax::Xml)),
            ("<article></article>", Some(Syntax::Xml)),
            ("<a:b c=''/>", Some(Syntax::Xml)),
            ("<urn:uuid:1>\n2 <b></b>", None),
            ("<word> and text", None),
            ("<3 text", None),
            ("@article{key, doi = {a}}", Some(Syntax::Bibtex)),
            ("% comment\n\n @Book (key ,", Some(Syntax::Bibtex)),
            ("@misc{key(2022)a, doi = {a}}", Some(Syntax::Bibtex)),
            ("@misc(key(2022), doi = {a})", None),
            ("@font-face { src: url(a), url(b) }", None),
            ("@string{a = \"b\"}", Some(Syntax::Bibtex)),
            ("@page { margin: 0, 1 }", None),
            ("@media screen { a, b { } }", None),
            ("@Override\nvoid f() {}", None),
            ("1.\nTY  - JOUR\n", Some(Syntax::Tagged(TagSyntax::Ris))),
            ("TY - JOUR", None),
            ("\nPMID- 1\n", Some(Syntax::Tagged(TagSyntax::Pubmed))),
            ("%0 Book\n", Some(Syntax::Tagged(TagSyntax::Endnote))),
            (
                "FN ISI Export Format\r\nVR 1.0\r\n",
                Some(Syntax::Tagged(TagSyntax::WebOfScience)),
            ),
            ("FN a function\nPT", None),
            ("PT\tAU\tCR\tDI\tUT\nJ\tA", Some(Syntax::Delimited(b'\t'))),
            ("# c\ncff-version: 1.2.0\n", Some(Syntax::Yaml)),
            ("", None),
        ];
        for (head, syntax) in cases {
            assert_eq!(Syntax::of(head.as_bytes()), syntax, "{head}");
        }
    }
}
