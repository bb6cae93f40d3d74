//! Names that a document states in fields for identifiers.
//!
//! The value of such a field is one name as a whole, in any presentation form: nothing is cut from it or split. The name that the
//! rules for dirty data give is an additional field.

use doisift_core::{Doi, Form};

use crate::normalize::{Normalizer, reasons};

/// A name that is the whole value of a field.
pub(crate) struct StatedName {
    pub(crate) key: String,
    pub(crate) form: Form,
}

/// The name that cleaning makes of a value, and the changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CleanedValue {
    pub(crate) doi: String,
    pub(crate) changed: String,
}

/// Reads a value as a name. White space within it is part of the name, since the field holds nothing else. Returns `None` if it
/// is not a name.
pub(crate) fn stated_name(value: &str) -> Option<StatedName> {
    let value = value.trim();
    let start = value.find("10")?;
    let doi = match value[start..].contains(char::is_whitespace) {
        false => Doi::parse(value),
        true => Doi::parse(&escaped(value, start)),
    };
    Some(StatedName {
        key: doi.ok()?.key().into_owned(),
        form: form(&value[..start]),
    })
}

/// Returns the value with the white space after `start` percent-escaped.
fn escaped(value: &str, start: usize) -> String {
    let (before, rest) = value.split_at(start);
    let mut escaped = before.to_owned();
    for character in rest.chars() {
        match character.is_whitespace() {
            true => {
                let mut bytes = [0; 4];
                let bytes = character.encode_utf8(&mut bytes).bytes();
                escaped.extend(bytes.map(|byte| format!("%{byte:02X}")));
            }
            false => escaped.push(character),
        }
    }
    escaped
}

/// Returns the form of a name by the text before it in its field. The field itself counts as a label.
fn form(before: &str) -> Form {
    let before = before.to_ascii_lowercase();
    let forms = [
        ("urn:", Form::Urn),
        ("info:", Form::Info),
        ("hdl", Form::Hdl),
        ("doi.org", Form::Url),
        ("doi:", Form::Doi),
    ];
    let form = forms.iter().find(|(word, _)| before.contains(word));
    form.map_or(Form::Label, |(_, form)| *form)
}

/// Reads values of fields, and cleans them.
pub(crate) struct ValueReader(Normalizer);

impl ValueReader {
    pub(crate) fn new() -> Self {
        ValueReader(Normalizer::new().clean(true))
    }

    /// Returns the name that cleaning makes of a value. `None` if cleaning changes nothing or fails.
    pub(crate) fn cleaned(&mut self, value: &str) -> Option<Box<CleanedValue>> {
        let cleaned = self.0.read(value.as_bytes()).ok();
        let cleaned = cleaned.filter(|cleaned| cleaned.changed)?;
        Some(Box::new(CleanedValue {
            changed: reasons(&cleaned.changes).join("; "),
            doi: cleaned.doi.key().into_owned(),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: &str, wanted: Option<(&str, &str)>) {
        let read = stated_name(value);
        let read = read.as_ref().map(|read| (&*read.key, read.form.name()));
        assert_eq!(read, wanted, "{value}");
    }

    #[test]
    fn a_value_is_one_name_as_a_whole_in_any_form() {
        check(
            "10.2976/1.2422707/10.2976/1",
            Some(("10.2976/1.2422707/10.2976/1", "label")),
        );
        check(
            " 10.1016/00380-92X9(50)0031l- ",
            Some(("10.1016/00380-92x9(50)0031l-", "label")),
        );
        check(
            "10.1242/?bio.201410363",
            Some(("10.1242/?bio.201410363", "label")),
        );
        check("10.5555/x y", Some(("10.5555/x y", "label")));
        check(
            "10.1649/0010-065X(2007)61[165",
            Some(("10.1649/0010-065x(2007)61[165", "label")),
        );
        check(
            "https://doi.org/10.5555/a%28b%29",
            Some(("10.5555/a(b)", "url")),
        );
        check("DOI: 10.5555/a b", Some(("10.5555/a b", "doi")));
        check("urn:doi:10.5555:a", Some(("10.5555/a", "urn")));
        check("10.21/a", Some(("10.21/a", "label")));
        check("see 10.5555/x (pdf)", None);
        check("10.5555/a\nb", None);
        check("https://example.org/10.5555/a", None);
        check("n/a", None);
    }

    #[test]
    fn what_is_dirty_is_cleaned_beside_the_value() {
        let cleaned = ValueReader::new().cleaned("10.5555/x.").unwrap();
        assert_eq!(cleaned.doi, "10.5555/x");
        assert_eq!(cleaned.changed, "tail.stop-alone: '.'");
        assert_eq!(ValueReader::new().cleaned("10.5555/x"), None);
    }
}
