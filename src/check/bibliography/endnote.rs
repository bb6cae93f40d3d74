//! Reads the values of the XML that EndNote and Zotero write.

use std::ops::Range;

use memchr::{memchr, memmem};

use doisift_structure::ItemPart;

use super::{EntryDraft, FieldText};
use crate::check::reference::{Escape, text};

const CDATA_OPENER: &[u8] = b"<![CDATA[";

/// Whether a head of XML has the elements of EndNote's format.
pub(super) fn is_endnote(head: &[u8]) -> bool {
    let holds = |tag: &[u8]| memmem::find(head, tag).is_some();
    holds(b"<records>") && holds(b"<record>")
}

/// Reads the values of a record into `draft`.
pub(super) fn read<'v>(
    bytes: &[u8],
    values: impl Iterator<Item = (ItemPart, &'v str, Range<usize>)>,
    draft: &mut EntryDraft,
) {
    let mut number = None;
    for (_, name, place) in values {
        let value = value(bytes, place);
        let text = || value.decoded_text(bytes, Escape::Xml);
        match name {
            "title" => draft.work.add(ItemPart::Title, &text()),
            "author" => draft.work.add(ItemPart::Author, &text()),
            "year" => draft.work.add(ItemPart::Year, &text()),
            "label" => draft.key = Some(text()),
            "rec-number" => number = Some(text()),
            "electronic-resource-num" => draft.add_doi(bytes, value),
            "url" => draft.add_address(bytes, value),
            _ => draft.notes.push(value),
        }
    }
    draft.key = draft.key.take().or(number);
}

/// Returns the value of an element. Markup may divide its text, or be beside it.
fn value(bytes: &[u8], mut place: Range<usize>) -> FieldText {
    let before = bytes[..place.start].trim_ascii_end();
    let after = bytes[place.end..].trim_ascii_start();
    if before.ends_with(CDATA_OPENER) {
        place.start = before.len() - CDATA_OPENER.len();
    }
    let written = &bytes[place.clone()];
    let is_literal = !written.contains(&b'<')
        && ![&b"-->"[..], b"?>"].iter().any(|end| before.ends_with(end))
        && ![b"<!", b"<?"].iter().any(|start| after.starts_with(*start));
    FieldText {
        joined: (!is_literal).then(|| plain_text(written).into()),
        place,
    }
}

/// Returns a text of XML without its tags and comments. White space with a line end between elements is layout.
fn plain_text(mut written: &[u8]) -> String {
    let mut plain = String::new();
    while !written.is_empty() {
        let end = |mark: &[u8]| memmem::find(written, mark).unwrap_or(written.len());
        let after = if let Some(characters) = written.strip_prefix(CDATA_OPENER) {
            let end = end(b"]]>");
            plain += &text(&characters[..end - CDATA_OPENER.len()]);
            end + 3
        } else if written.starts_with(b"<!--") {
            end(b"-->") + 3
        } else if written.starts_with(b"<") {
            end(b">") + 1
        } else {
            let piece = &written[..memchr(b'<', written).unwrap_or(written.len())];
            if !(piece.trim_ascii().is_empty() && piece.contains(&b'\n')) {
                plain += &htmlize::unescape(&*text(piece));
            }
            piece.len()
        };
        written = written.get(after..).unwrap_or_default();
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::super::entries::EntryReader;
    use crate::check::reference::ReferenceName;

    /// Returns the text of the first record's name, and whether a repair can replace it.
    fn read(field: &str) -> (String, bool) {
        let document = format!("<xml><records><record><x/>{field}</record></records></xml>");
        let mut reader = EntryReader::of(document.as_bytes()).unwrap();
        let references = reader.take(document.as_bytes(), true).references;
        assert_eq!(references.len(), 1, "{field}");
        let written = &document[references[0].place.clone()];
        match &references[0].name {
            ReferenceName::Field(field) => (
                field.decoded_text(written).into_owned(),
                field.joined.is_none(),
            ),
            ReferenceName::Found { doi, .. } => (doi.as_str().to_owned(), false),
            ReferenceName::Nothing => (String::new(), false),
        }
    }

    #[test]
    fn the_text_of_an_element_is_all_of_its_runs() {
        let runs = "<style face=\"a\">10.5555/</style><style>a1.</style>";
        for (inside, text, is_exact) in [
            ("10.5555/a1.", "10.5555/a1.", true),
            (
                "\n  <style face=\"a\" size=\"1\">10.5555/a&lt;1.</style>\n",
                "10.5555/a<1.",
                true,
            ),
            (runs, "10.5555/a1.", false),
            (
                "<style>10.5555/a</style><!-- or 10.5555/b --><style>1</style>",
                "10.5555/a1",
                false,
            ),
            ("10.5555/a<!-- x -->", "10.5555/a", false),
            ("<![CDATA[10.5555/a&amp;1]]>", "10.5555/a&amp;1", false),
            ("<style>10.5555/a</style><![CDATA[1]]>", "10.5555/a1", false),
        ] {
            let field = format!("<electronic-resource-num>{inside}</electronic-resource-num>");
            assert_eq!(read(&field), (text.to_owned(), is_exact), "{field}");
        }
    }

    #[test]
    fn comments_are_no_fields_and_notes_are_read() {
        let commented = "<!-- <electronic-resource-num>10.5555/b</electronic-resource-num> -->";
        for (field, text) in [
            (
                format!("{commented}<electronic-resource-num>10.5555/a1</electronic-resource-num>"),
                "10.5555/a1",
            ),
            (
                format!("{commented}<notes><style>DOI: 10.5555/</style><style>a1</style></notes>"),
                "10.5555/a1",
            ),
            (
                "<accession-num>10.5555/a1</accession-num>".to_owned(),
                "10.5555/a1",
            ),
            (commented.to_owned(), ""),
        ] {
            assert_eq!(read(&field).0, text, "{field}");
        }
    }
}
