//! Decides whether a repair is certain, by the text that the rules for dirty data cut off.
//!
//! A repair that cuts the end of a text is certain only if the cut part cannot belong to the name: marks that close a sentence or
//! a quotation, pages of a URL, tags, or the same name again. For any other end, only an index or a registry can confirm the
//! name.

use doisift_core::internal::Rule;
use doisift_core::{Change, Doi};

use crate::normalize::Normalized;

/// Kind of text that a repair cuts off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RepairCut {
    /// Nothing, or text that cannot belong to the name.
    Certain,
    /// Text that probably does not belong to the name, or blanks inside it, or words before it.
    Unsure,
    /// Text that may belong to the name, which was cut at a blank, at an open bracket or inside a word.
    Short,
}

/// Marks that end a sentence, a quotation or a bracket, and the final slash of an address.
const CLOSING: &[char] = &[
    '.', ',', ';', ':', '!', '?', '\'', '"', '”', '’', '“', '‘', '»', '«', '›', '‹', ')', ']', '}',
    '>', '*', '\\', '/', '。', '，', '、', '；', '：', '）', '】', '」', '』', '》',
];

/// Opening brackets with their closing ones.
const BRACKETS: [(char, char); 4] = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];

impl RepairCut {
    /// Returns the kind of text that was cut to make the name.
    pub(super) fn of(meant: &Normalized) -> RepairCut {
        let cuts = meant.changes.iter().filter(|change| change.at_end);
        let tail: Vec<&str> = cuts.clone().rev().map(|cut| &*cut.text).collect();
        let tail = tail.concat();
        let is_certain = |rule, cut: &str| {
            is_closing(cut) || is_page(rule, cut) || repeats_name(cut, &meant.doi)
        };
        let splits_word = |tail: &str| {
            let is_inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            is_inner(tail.chars().next()) && is_inner(meant.doi.as_str().chars().next_back())
        };
        let mut certain = cuts.clone();
        if splits_word(&tail) {
            RepairCut::Short
        } else if certain.all(|cut| is_certain(cut.rule, &cut.text)) {
            match meant.changes.iter().any(joins_words) {
                true => RepairCut::Unsure,
                false => RepairCut::Certain,
            }
        } else if may_go_on(&tail) {
            RepairCut::Short
        } else {
            RepairCut::Unsure
        }
    }
}

/// Whether a text consists of closing marks, white space and invisible characters.
fn is_closing(cut: &str) -> bool {
    let is_invisible = |c: char| {
        matches!(
            c,
            '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{fffd}'
        )
    };
    cut.chars()
        .all(|c| c.is_whitespace() || is_invisible(c) || CLOSING.contains(&c))
}

/// Whether the rule with this id cuts a page, a query or a file of a URL, the tags around a name, or its emphasis, and `cut` holds all of it.
fn is_page(rule: &str, cut: &str) -> bool {
    let is_one = !cut.contains(char::is_whitespace) && !cut.starts_with(char::is_alphanumeric);
    let is_tags = || cut.starts_with('<') && cut.ends_with('>');
    is_one
        && Rule::of_id(rule).is_some_and(|rule| match rule {
            Rule::PageWord | Rule::FieldPage | Rule::PageSegment | Rule::ArticleId => true,
            Rule::File | Rule::PathFile | Rule::ArticleView => true,
            Rule::DirtQuery | Rule::Query | Rule::Fragment | Rule::Emphasis => true,
            Rule::Semicolon | Rule::Parameter | Rule::Ampersand => cut.contains('='),
            Rule::Tag | Rule::HardTag | Rule::Note => is_tags(),
            _ => false,
        })
}

/// Whether a text is the same name again, with marks around it.
fn repeats_name(cut: &str, doi: &Doi) -> bool {
    let is_mark = |c: char| c.is_whitespace() || CLOSING.contains(&c) || matches!(c, '(' | '[');
    let again = Doi::parse(cut.trim_matches(is_mark));
    again.is_ok_and(|again| again.key() == doi.key())
}

/// Whether the name may continue in the text that was cut.
fn may_go_on(tail: &str) -> bool {
    let rest = tail.trim_start_matches(['.', ',', ';', ':']);
    let is_open = |&(open, close): &(char, char)| rest.starts_with(open) && !rest.contains(close);
    let is_joint = |mark: char| "-_/=+&~#$".contains(mark);
    rest.starts_with(char::is_whitespace)
        || BRACKETS.iter().any(is_open)
        || tail.starts_with(is_joint)
        || tail.ends_with(is_joint)
}

/// Whether blanks were removed from inside the name, or words from before it. The name may end at such a blank.
fn joins_words(change: &Change) -> bool {
    let text = match change.rule == Rule::Lead.id() {
        true => change.text.trim(),
        false => &change.text,
    };
    !change.at_end && text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::Normalizer;

    #[test]
    fn only_what_is_no_part_of_a_name_is_cut_for_certain() {
        use RepairCut::{Certain, Short, Unsure};
        for (text, wanted) in [
            ("10.5555/a1.", Certain),
            ("10.5555/a1).,", Certain),
            ("“10.5555/a1”", Certain),
            ("DOI: 10.5555/a1.", Certain),
            ("https:// doi. org/ 10. 5555/ a1", Unsure),
            ("10.1371/journal. pone.0176020", Unsure),
            ("10.5555/a1/full", Certain),
            ("10.5555/a1?x=y", Certain),
            ("10.5555/a1</doi>", Certain),
            ("10.5555/a1 https://doi.org/10.5555/A1", Certain),
            ("10.5555/a1 [10.5555/a1]", Certain),
            ("10.1016/0092-8674(94", Short),
            ("10.5555/a1[", Short),
            ("10.5555/a1 [CrossRef]", Short),
            ("10.5555/a1. Accessed 2012", Short),
            ("10.5555/a1-", Short),
            ("10.5555/a1available", Short),
            ("10.5555/a1PMID: 123", Short),
            ("10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4", Short),
            ("10.5555/a1(2006)", Unsure),
            ("10.5555/a1,85,1494(2006)", Unsure),
            ("see p. 3 of 10.5555/a1", Unsure),
        ] {
            let meant = Normalizer::new().clean(true).read(text.as_bytes()).unwrap();
            assert!(meant.changed, "{text}");
            assert_eq!(RepairCut::of(&meant), wanted, "{text}: {:?}", meant.changes);
        }
    }
}
