//! The table of enclosures: the marks that open and close around a name.

use super::{Form, Rule};

/// A pair of marks around a name, or around a name with its scheme or proxy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Enclosure {
    /// The mark directly before the name; empty for the start of a line.
    opener: &'static str,
    /// The marks that may close after the name.
    closers: &'static [&'static str],
    kind: EnclosureKind,
    /// Bytes that end the name wherever they are in it.
    pub(crate) marks: &'static [u8],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EnclosureKind {
    /// White space may come before the closer.
    Pair,
    /// White space may come before the closer, and the end of a line closes too.
    Parameter,
    /// The closer has no blanks on either side. The end of a line closes too.
    Field,
    /// Only white space may come before the end.
    Cell,
}

use EnclosureKind::{Cell, Field, Pair, Parameter};

const fn row(
    opener: &'static str,
    closers: &'static [&'static str],
    kind: EnclosureKind,
    marks: &'static [u8],
) -> Enclosure {
    Enclosure {
        opener,
        closers,
        kind,
        marks,
    }
}

/// Longer openers first.
static ENCLOSURES: [Enclosure; 17] = [
    // JSON inside JSON, JSON inside HTML, JSON inside a URL.
    row("\\\"", &["\\\""], Pair, b""),
    row("&quot;", &["&quot;"], Pair, b""),
    row("&#34;", &["&#34;"], Pair, b""),
    row("%22", &["%22"], Pair, b""),
    // JSON, an attribute, a quoted CSV field.
    row("\"", &["\""], Pair, b""),
    // An attribute, SQL, source code; a name with an apostrophe is written otherwise there.
    row("'", &["'"], Pair, b"'"),
    row("&#39;", &["&#39;"], Pair, b"'"),
    row("&apos;", &["&apos;"], Pair, b"'"),
    // Markup that is itself escaped, and a link in angle brackets.
    row("&gt;", &["&lt;"], Pair, b""),
    row("&lt;", &["&gt;"], Pair, b""),
    row("<", &[">"], Pair, b""),
    // An element's text.
    row(">", &["<"], Pair, b""),
    // BibTeX, LaTeX.
    row("{", &["}"], Pair, b""),
    // A wiki template's parameter, a table's cell.
    row("|", &["|", "}}"], Parameter, b""),
    // Unquoted CSV and TSV: the same mark on both sides.
    row(",", &[","], Field, b","),
    row(";", &[";"], Field, b";"),
    row("\t", &["\t"], Field, b""),
];

/// The start of a line: a name alone in its line, or the first field of a row.
static LINE: Enclosure = row("", &[",", ";", "\t"], Field, b",;");

/// A line after a RIS tag. It holds one name, not a list.
static TAGGED_LINE: Enclosure = row("  - ", &[], Field, b"");

/// A subfield in a record of MARC or PICA, whatever its code.
static SUBFIELD: Enclosure = row("$a", &["$"], Parameter, b"$");

/// Returns the opener of each enclosure.
pub(crate) fn openers() -> impl Iterator<Item = &'static str> {
    ENCLOSURES
        .iter()
        .chain([&SUBFIELD, &LINE, &TAGGED_LINE])
        .map(|row| row.opener)
}

/// Max bytes of white space between a mark and the name.
const MAX_BLANK_BYTES: usize = 64;

impl Enclosure {
    /// The cell of a document that is known to be a table, up to its end.
    pub(crate) const CELL: Enclosure = row("", &[], Cell, b"");

    /// Describes the enclosure for people.
    pub(crate) fn shown(&self) -> String {
        match (self.kind, self.opener) {
            (Cell, _) => "the cell of a table".to_owned(),
            (_, "") => "the start of a line".to_owned(),
            (_, opener) => format!("{opener:?} up to {:?}", self.closers.join("\" or \"")),
        }
    }

    /// Returns the enclosure of a name that follows `before`.
    pub(crate) fn opened_by(before: &[u8]) -> Option<&'static Enclosure> {
        if let Some(line) = line_start(before) {
            return Some(line).filter(|row| Rule::Enclosure.holds_for(row.opener));
        }
        let opener = match before.last()? {
            b' ' | b'=' if is_parameter(before) => b"|",
            b' ' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' if opens_subfield(before) => &b"$a"[..],
            b'"' | b'2' | b';' | b'\'' | b'<' | b'>' | b'{' | b'|' | b',' | b'\t' => before,
            _ => return None,
        };
        ENCLOSURES
            .iter()
            .chain([&SUBFIELD])
            .find(|row| opener.ends_with(row.opener.as_bytes()))
            .filter(|row| row.opener != ";" || !ends_entity(before))
            .filter(|row| Rule::Enclosure.holds_for(row.opener))
    }

    /// Whether the enclosure opens with `mark`.
    pub(super) fn is_opened_by(&self, mark: &str) -> bool {
        self.opener == mark
    }

    /// Whether it may hold other words as well, after a name of this `form`: a line, a field between marks, an element.
    pub(super) fn may_hold_text(&self, form: Form) -> bool {
        self.kind == Field || self.opener == ">" && form == Form::Bare
    }

    /// Whether `rest`, the bytes after the name, closes this enclosure.
    pub(crate) fn is_closed_by(&self, rest: &[u8]) -> bool {
        if self.kind == Pair && !rest.first().is_some_and(u8::is_ascii_whitespace) {
            let closes = |closer: &&str| last_backslash(rest).starts_with(closer.as_bytes());
            return self.closers.iter().any(closes);
        }
        let rest = last_backslash(rest);
        let near = &rest[..rest.len().min(MAX_BLANK_BYTES)];
        let closer = near.trim_ascii_start();
        let blanks = &near[..near.len() - closer.len()];
        let ends_line =
            blanks.len() == rest.len() || blanks.iter().any(|b| matches!(b, b'\n' | b'\r'));
        let closes = |text: &[u8], ends: fn(&[u8]) -> bool| {
            let mut after = self
                .closers
                .iter()
                .map(|mark| text.strip_prefix(mark.as_bytes()));
            after.any(|rest| rest.is_some_and(ends))
        };
        match self.kind {
            Cell => is_blank(rest),
            Pair => closes(closer, |_| true),
            Parameter => ends_line || closes(closer, |_| true),
            Field => ends_line || closes(rest, |after| after.first() != Some(&b' ')),
        }
    }
}

/// Returns `rest` from the last backslash that it starts with: each layer of JSON doubles them.
pub(super) fn last_backslash(rest: &[u8]) -> &[u8] {
    let count = rest.iter().take_while(|byte| **byte == b'\\').count();
    &rest[count.saturating_sub(1)..]
}

/// Whether `before` ends in the code of a subfield, or a blank after it.
fn opens_subfield(before: &[u8]) -> bool {
    matches!(before, [.., b'$', code] | [.., b'$', code, b' '] if code.is_ascii_alphanumeric())
}

/// Whether `before` ends in a template's parameter, `| doi = `.
fn is_parameter(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(MAX_BLANK_BYTES)..];
    let Some(name) = near
        .trim_ascii_end()
        .strip_suffix(b"=")
        .map(<[u8]>::trim_ascii_end)
    else {
        return false;
    };
    let len = name
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    name[..name.len() - len].trim_ascii_end().ends_with(b"|")
}

/// Whether the semicolon that `before` ends in is that of an entity, `&nbsp;`, and does not separate fields.
pub(crate) fn ends_entity(before: &[u8]) -> bool {
    const MAX_ENTITY_BYTES: usize = 32;
    let near = &before[before.len().saturating_sub(MAX_ENTITY_BYTES)..before.len() - 1];
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'#';
    let len = near.iter().rev().take_while(is_name).count();
    len > 0 && near[..near.len() - len].ends_with(b"&")
}

/// Returns the enclosure of a name at the start of a line, if `before` ends there, perhaps with indentation and a RIS tag. A text
/// may start with a byte order mark.
fn line_start(before: &[u8]) -> Option<&'static Enclosure> {
    let may_start = |last: &u8| matches!(last, b' ' | b'\n' | b'\r' | 0xBF);
    if !before.last().is_none_or(may_start) {
        return None;
    }
    let near = &before[before.len().saturating_sub(MAX_BLANK_BYTES)..];
    let blanks = near.iter().rev().take_while(|b| **b == b' ').count();
    let (line, enclosure) = match &near[..near.len() - blanks] {
        [line @ .., a, b, b' ', b' ', b'-']
            if blanks > 0 && a.is_ascii_uppercase() && b.is_ascii_alphanumeric() =>
        {
            (line, &TAGGED_LINE)
        }
        line => (line, &LINE),
    };
    let is_start = match line {
        [] | [0xEF, 0xBB, 0xBF] => near.len() == before.len(),
        [.., last] => matches!(last, b'\n' | b'\r'),
    };
    is_start.then_some(enclosure)
}

/// Whether `text` is only white space, including no-break spaces and byte order marks.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    let mut rest = text.trim_ascii();
    while let Some(next) = rest
        .strip_prefix("\u{A0}".as_bytes())
        .or_else(|| rest.strip_prefix("\u{FEFF}".as_bytes()))
    {
        rest = next.trim_ascii_start();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opener(before: &str) -> Option<&'static str> {
        Enclosure::opened_by(before.as_bytes()).map(|row| row.opener)
    }

    #[test]
    fn openers() {
        for (before, expected) in [
            ("{\"doi\":\"", Some("\"")),
            ("{\\\"doi\\\":\\\"", Some("\\\"")),
            ("<doi>", Some(">")),
            ("<doi>\n   ", Some("")),
            ("doi = {", Some("{")),
            ("| doi = ", Some("|")),
            ("{{doi|", Some("|")),
            ("2020,", Some(",")),
            ("", Some("")),
            ("x\n  ", Some("")),
            ("TY  - JOUR\nDO  - ", Some("  - ")),
            ("\u{FEFF}", Some("")),
            ("x\u{FEFF}", None),
            ("a;", Some(";")),
            ("&quot;", Some("&quot;")),
            ("&nbsp;", None),
            ("&#160;", None),
            ("&;", Some(";")),
            ("=024  7\\$a", Some("$a")),
            ("data", None),
            ("see ", None),
            ("(", None),
        ] {
            assert_eq!(opener(before), expected, "{before:?}");
        }
    }

    #[test]
    fn closers() {
        for (before, rest, expected) in [
            ("\"", "\"", true),
            ("\"", " \",", true),
            ("\"", ", x\"", false),
            (",", ",x", true),
            (",", ", x", false),
            (",", "\n", true),
            ("", "\r\n", true),
            ("", "", true),
            ("", ";x", true),
            ("", " x", false),
            ("| doi = ", " }}", true),
            ("{", "}", true),
        ] {
            let row = Enclosure::opened_by(before.as_bytes()).unwrap();
            assert_eq!(
                row.is_closed_by(rest.as_bytes()),
                expected,
                "{before:?} {rest:?}"
            );
        }
    }
}
