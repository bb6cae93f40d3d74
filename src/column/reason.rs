//! Says why the name that is written for a text differs from the text. Does not know cells and tables.

use doisift_core::Doi;
use doisift_core::internal::Rule;

use crate::normalize::{Normalized, Repair, part_reason, reasons};

/// The name is in another presentation form. Also used for a difference without a word of its own.
const FORM: &str = "form";
/// Characters are percent-encoded in one of the two, or in another way.
const ESCAPES: &str = "escapes";
/// Letters are in upper case in one of the two.
const CASE: &str = "case";
/// White space is around the name.
const BLANKS: &str = "blanks";
/// The text is not UTF-8 and was read as Windows-1252.
const ENCODING: &str = "encoding";

/// Returns why `written` differs from `text`: the rules that changed the name, with the answer of known names; else the parts
/// that are not of the name; else the words for another spelling. Not empty if they differ.
pub(super) fn reason(text: &[u8], read: &Normalized, written: &str) -> String {
    let changes = reasons(&read.changes).into_iter();
    let repair = read.repair.iter().map(Repair::to_string);
    let mut parts: Vec<_> = changes.chain(repair).collect();
    if parts.is_empty() && written.as_bytes() != text {
        let decoded = String::from_utf8_lossy(text);
        parts = left_out(decoded.trim_ascii(), &read.doi);
        if parts.is_empty() {
            let is_utf8 = str::from_utf8(text).is_ok();
            parts = respelled(&decoded, is_utf8, &read.doi, written);
        }
    }
    parts.join("; ")
}

/// Lists the parts of a text that are not part of the name, each with its rule: the query or fragment of a proxy's URL, and the
/// text around the name in a URL of another host.
fn left_out(text: &str, doi: &Doi) -> Vec<String> {
    if Doi::parse(text).is_ok() {
        return after_path(text, doi).into_iter().collect();
    }
    let cleaned = doisift_core::clean(text).ok();
    let same = cleaned.filter(|cleaned| cleaned.doi == *doi);
    same.map_or_else(Vec::new, |same| reasons(&same.changes))
}

/// Returns the query or fragment of `text` with its rule. `None` if there is none, or it belongs to the name.
fn after_path(text: &str, doi: &Doi) -> Option<String> {
    let at = text.find(['?', '#'])?;
    let (mark, tail) = (&text[at..=at], &text[at..]);
    let rule = if mark == "?" {
        Rule::Query
    } else {
        Rule::Fragment
    };
    (!doi.as_str().contains(mark)).then(|| part_reason(rule.id(), tail))
}

/// Lists how the spelling of a name in `text` differs from `written`. Never empty.
fn respelled(text: &str, is_utf8: bool, doi: &Doi, written: &str) -> Vec<String> {
    let trimmed = text.trim();
    let (old_lead, old_name) = at_prefix(trimmed, doi);
    let (new_lead, new_name) = at_prefix(written, doi);
    let is_lowered = written.contains(&*doi.key()) && !written.contains(doi.as_str());
    let has_escapes = trimmed.contains('%') || written.contains('%');
    let ways = [
        (!old_lead.eq_ignore_ascii_case(new_lead), FORM),
        (
            has_escapes && !old_name.eq_ignore_ascii_case(new_name),
            ESCAPES,
        ),
        (
            is_lowered || differ_in_case(old_lead, new_lead) || differ_in_case(old_name, new_name),
            CASE,
        ),
        (trimmed != text, BLANKS),
        (!is_utf8, ENCODING),
    ];
    let words = ways.into_iter().filter(|(differs, _)| *differs);
    let words: Vec<_> = words.map(|(_, word)| word.to_owned()).collect();
    match words.is_empty() {
        true => vec![FORM.to_owned()],
        false => words,
    }
}

/// Splits `text` before the prefix of the name. A text that spells the prefix otherwise is all lead.
fn at_prefix<'t>(text: &'t str, doi: &Doi) -> (&'t str, &'t str) {
    text.split_at(text.find(doi.prefix()).unwrap_or(text.len()))
}

fn differ_in_case(one: &str, other: &str) -> bool {
    one != other && one.eq_ignore_ascii_case(other)
}
