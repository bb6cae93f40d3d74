//! Reads the references of bibliographies: the range of each name, and the key.
//!
//! `entries` collects the values of entries from the events of `structure`, and `items` the references of records. `bibtex`,
//! `tagged` and `endnote` know the names of fields and the syntax of values. An entry is held in memory, since a repair replaces
//! the range of a value. Broken structure ends an entry, and reading goes on at the next one.

mod bibtex;
pub(super) mod csl;
mod endnote;
pub(super) mod entries;
pub(super) mod items;
mod tagged;
pub(super) mod yaml;

use std::ops::Range;

use doisift_core::Doi;

use super::reference::{
    CitedWork, Escape, FieldRole, NameField, Reference, ReferenceName, text, trimmed,
};
use super::text as prose;

/// The value of a field.
#[derive(Clone, Debug)]
struct FieldText {
    /// Its bytes, from the first to the last of its parts.
    place: Range<usize>,
    /// Its text if it is not one literal; see [`NameField::joined`].
    joined: Option<Box<str>>,
}

impl From<Range<usize>> for FieldText {
    fn from(place: Range<usize>) -> Self {
        FieldText {
            place,
            joined: None,
        }
    }
}

impl FieldText {
    /// Removes the white space around the value.
    fn trimmed(self, bytes: &[u8]) -> Self {
        FieldText {
            place: trimmed(bytes, self.place),
            joined: self.joined,
        }
    }

    fn is_empty(&self) -> bool {
        match &self.joined {
            Some(joined) => joined.trim().is_empty(),
            None => self.place.is_empty(),
        }
    }

    /// Returns the range of the value, and the value as a field that holds a name.
    fn field(self, escape: Escape, role: FieldRole) -> (Range<usize>, ReferenceName) {
        let joined = self.joined;
        let field = NameField {
            escape,
            role,
            joined,
        };
        (self.place, ReferenceName::Field(field))
    }

    /// Returns the decoded text.
    fn decoded_text(&self, bytes: &[u8], escape: Escape) -> String {
        let written = text(&bytes[self.place.clone()]);
        let meant = match &self.joined {
            Some(joined) => joined,
            None => &*escape.decode(&written),
        };
        meant.trim().to_owned()
    }

    /// Finds a name in the value: the first after a label, or else the first.
    fn found(&self, bytes: &[u8]) -> Option<(Range<usize>, ReferenceName)> {
        if let Some(joined) = &self.joined {
            let (_, written) = prose::labelled_or_first(joined.as_bytes())?;
            return Some((self.place.clone(), written));
        }
        let (place, written) = prose::labelled_or_first(&bytes[self.place.clone()])?;
        let at = self.place.start;
        Some((at + place.start..at + place.end, written))
    }
}

/// A record that is being read.
#[derive(Default)]
struct EntryDraft {
    start: usize,
    key: Option<String>,
    /// The field for the name.
    doi: Option<FieldText>,
    /// Fields for addresses and for identifiers of any kind, which may hold a name alone.
    names: Vec<(FieldRole, FieldText)>,
    /// Fields for other things, which may hold the URL of a name alone.
    others: Vec<FieldText>,
    /// Fields for notes, which may hold a name among other text.
    notes: Vec<FieldText>,
    work: CitedWork,
}

impl EntryDraft {
    fn new(start: usize) -> Self {
        EntryDraft {
            start,
            ..EntryDraft::default()
        }
    }

    /// Adds a field for the DOI name. Of several, the first that is not empty counts.
    fn add_doi(&mut self, bytes: &[u8], value: impl Into<FieldText>) {
        if self.doi.as_ref().is_none_or(FieldText::is_empty) {
            self.doi = Some(value.into().trimmed(bytes));
        }
    }

    /// Adds a field for addresses.
    fn add_address(&mut self, bytes: &[u8], value: impl Into<FieldText>) {
        let value = value.into().trimmed(bytes);
        self.names.push((FieldRole::Address, value));
    }

    /// Returns the reference. Its name comes from the first of these that has one: the field for the name, an address of a proxy,
    /// another field that holds nothing more, a publisher's address that contains a name, a note.
    fn reference(self, bytes: &[u8], escape: Escape) -> Reference {
        let names = self.names.iter();
        let place = self
            .doi
            .filter(|value| !value.is_empty())
            .map(|value| value.field(escape, FieldRole::Name))
            .or_else(|| {
                let mut names = names.clone();
                let named =
                    names.find(|(_, value)| starts_with_name(&value.decoded_text(bytes, escape)));
                named.map(|(role, value)| value.clone().field(escape, *role))
            })
            .or_else(|| {
                let mut others = self.others.into_iter();
                let alone = others.find(|value| is_presented(&value.decoded_text(bytes, escape)));
                alone.map(|value| value.field(escape, FieldRole::Any))
            })
            .or_else(|| {
                let found = names.map(|(_, value)| value).chain(&self.notes);
                found.into_iter().find_map(|value| value.found(bytes))
            });
        let (place, written) = place.unwrap_or((self.start..self.start, ReferenceName::Nothing));
        Reference {
            start: self.start,
            key: self.key.filter(|key| !key.is_empty()),
            work: self.work,
            ..Reference::new(place, written)
        }
    }
}

/// Whether the text before the first white space is a name in any presentation form. The text after it is ignored.
fn starts_with_name(text: &str) -> bool {
    let first = text.split_ascii_whitespace().next();
    first.is_some_and(|first| Doi::parse(first).is_ok())
}

/// Whether a text is a name with a scheme or proxy. A bare `10.1234/5` may be something else.
fn is_presented(text: &str) -> bool {
    !text.starts_with("10.") && Doi::parse(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::document::DocumentReader;

    /// Returns the key and the text of each reference.
    pub(super) fn read(document: &str) -> Vec<(Option<String>, String)> {
        let bytes = document.as_bytes();
        let mut reader = DocumentReader::of(bytes, true, None, None).unwrap();
        let read = reader.take(bytes, true).unwrap().references;
        let shown = |one: Reference| (one.key, document[one.place].to_owned());
        read.into_iter().map(shown).collect()
    }

    fn pairs(wanted: &[(&str, &str)]) -> Vec<(Option<String>, String)> {
        let pair = |&(key, text): &(&str, &str)| {
            ((!key.is_empty()).then(|| key.to_owned()), text.to_owned())
        };
        wanted.iter().map(pair).collect()
    }

    #[test]
    fn bibtex() {
        let text = "text @ no entry\n@comment{doi = {10.5555/no}}\n@String{a = \"{\"}\n\
            @article{k1, title = {A {B} \\{ \\}}, doi = { 10.5555/a },\n year = 2001 }\n\
            @Book(k2,\n DOI = \"10.5555/{b}\", note = {x})\n\
            @misc{k3, url = \"https://example.org\", URL = {https://doi.org/10.5555/c}}\n\
            @misc{k4, title={no name}}\n\
            @misc{k5, title={never closed\n\n@misc{k6, doi = 10.5555/f # x}\n@misc{k7}\n\
            @misc{n1, number = {10.12/4}, howpublished = \"\\url{https://doi.org/10.5555/n1}\"}\n\
            @misc{n2, Bdsk-Url-1 = {https://doi.org/10.5555/n2}, url = {http://dx.doi.org/10.5555/u2 %] 2}}\n\
            @misc{n3, note = {Reply to https://doi.org/10.5555/n3}}\n\
            @misc{n4, url = {https://x.example/doi/full/10.5555/n4\\%281\\%29?a=b}, note = {no}}\n\
            @misc{n5, url = {https://x.example/}, url = {https://x.example/doi/10.5555/n5/full}}\n\
            @misc{k8,\n title = {one {brace too much},\n doi = {10.5555/h},\n year = 2001\n}\n@misc{k9,\n doi = {10.5555/i}}";
        let wanted = [
            ("k1", "10.5555/a"),
            ("k2", "10.5555/{b}"),
            ("k3", "https://doi.org/10.5555/c"),
            ("k4", ""),
            ("k5", ""),
            ("k6", "10.5555/f # x"),
            ("k7", ""),
            ("n1", "https://doi.org/10.5555/n1"),
            ("n2", "http://dx.doi.org/10.5555/u2 %] 2"),
            ("n3", "10.5555/n3"),
            ("n4", "10.5555/n4\\%281\\%29"),
            ("n5", "10.5555/n5"),
            ("k8", "10.5555/h"),
            ("k9", "10.5555/i"),
        ];
        assert_eq!(read(text), pairs(&wanted));
    }

    #[test]
    fn an_entry_of_bibtex_that_is_not_closed_ends_before_the_next_one() {
        for (open, close) in ["{}", "()"].map(|marks| marks.split_at(1)) {
            let text = format!(
                "@misc{open}a,\n title = {{A \\{{ B}},\n{close}\n@misc{open}b,\n doi = {{10.5555/b}}\n{close}\n"
            );
            assert_eq!(read(&text), pairs(&[("a", ""), ("b", "10.5555/b")]));
        }
    }

    #[test]
    fn ris() {
        let text = "TY  - JOUR\r\nID  - a\r\nDO  - 10.5555/a \r\nER  - \r\n\r\nTY  - JOUR\r\nUR  - http://x.org\r\n\
            UR  - https://doi.org/10.5555/b\r\nER  -\r\nTY  - BOOK\r\nTI  - no name\r\n";
        let wanted = [
            ("a", "10.5555/a"),
            ("", "https://doi.org/10.5555/b"),
            ("", ""),
        ];
        assert_eq!(read(text), pairs(&wanted));
    }

    #[test]
    fn pubmed_and_endnote_tags() {
        let text = "\nPMID- 1\nTI  - A title\n      that goes on\nLID - S1 [pii]\nLID - 10.5555/a [doi]\n\nPMID- 2\nAID - 10.5555/b [doi]\n";
        assert_eq!(read(text), pairs(&[("1", "10.5555/a"), ("2", "10.5555/b")]));
        let text = "%0 Journal Article\n%T A\n%R 10.5555/a\n%F k1\n\n%0 Book\n%U https://doi.org/10.5555/b\n";
        let wanted = [("k1", "10.5555/a"), ("", "https://doi.org/10.5555/b")];
        assert_eq!(read(text), pairs(&wanted));
    }

    #[test]
    fn csl_json() {
        let text = r#"[{"id":"a","type":"book","DOI":"10.5555\/a","x":{"DOI":"10.5555/no"}},
            {"id":2,"type":"book","URL":"https://doi.org/10.5555/b"}, {"id":"c","type":"book","DOI":null}]"#;
        let wanted = [
            ("a", "10.5555\\/a"),
            ("2", "https://doi.org/10.5555/b"),
            ("c", ""),
        ];
        assert_eq!(read(text), pairs(&wanted));
        assert!(!csl::CslReader::is_csl(br#"[{"name":"a"}]"#));
        assert!(csl::CslReader::is_csl(
            br#"{"\u0069tems":[{"id":"a","type":"book"}]}"#
        ));
        let without_id = r#"[{"type":"webpage","title":"a"},{"type":"book","DOI":"10.5555/a"}]"#;
        assert_eq!(read(without_id), pairs(&[("", ""), ("", "10.5555/a")]));
        let items = r#"{"items":[{"id":"a","type":"book","DOI":"10.5555/a"}]}"#;
        assert_eq!(read(items), pairs(&[("a", "10.5555/a")]));
    }

    #[test]
    fn endnote_xml() {
        let text = "<?xml version=\"1.0\"?><xml><records><record><rec-number>7</rec-number><titles><title>x</title></titles>\
            <electronic-resource-num><style face=\"normal\">10.5555/a</style></electronic-resource-num></record>\n\
            <record><label>k2</label><urls><related-urls><url>https://doi.org/10.5555/b</url></related-urls></urls></record></records></xml>";
        let wanted = [("7", "10.5555/a"), ("k2", "https://doi.org/10.5555/b")];
        assert_eq!(read(text), pairs(&wanted));
    }
}
