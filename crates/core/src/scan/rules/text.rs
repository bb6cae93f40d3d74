//! The input of the rules, decoded bytes and how they were written, and their result, an end.

use super::Rule;

/// The kind of text around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextScope {
    /// Any text.
    Any,
    /// The cell of a table, from its start to its end.
    Cell,
    /// The cell of a table. Its end may be a semicolon inside it that was taken to be that of a SICI.
    DoubtfulCell,
    /// Part of a web page.
    Page,
    /// Lines that were broken by the layout of a page.
    Printed,
}

impl TextScope {
    /// Whether the bytes are the cell of a table.
    pub(crate) fn is_cell(self) -> bool {
        matches!(self, TextScope::Cell | TextScope::DoubtfulCell)
    }
}

/// How a byte of decoded text was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// As itself, or by a layer outside the URL that holds the name: it has its usual meaning.
    Plain,
    /// As an entity.
    Entity,
    /// By the innermost percent encoding: it is part of the name even if it would end a URL otherwise (H4).
    Percent,
}

/// A candidate's decoded bytes, and how each was written.
pub(crate) trait DecodedBytes {
    fn bytes(&self) -> &[u8];

    fn escape(&self, at: usize) -> Escape;

    /// Whether the byte at `at` was written as one byte.
    fn is_single(&self, at: usize) -> bool;
}

/// A name's end in its decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NameEnd {
    pub(crate) at: usize,
    /// The rule that ends the name; `None` if the text ends it.
    pub(crate) rule: Option<Rule>,
    /// Whether only a registry could tell if the name ends here.
    pub(crate) guessed: bool,
}

impl NameEnd {
    /// Returns the end of the text, at `at`.
    pub(crate) fn of_text(at: usize) -> NameEnd {
        NameEnd {
            at,
            rule: None,
            guessed: false,
        }
    }

    /// Returns the end that `rule` makes at `at`, not a guess.
    pub(crate) fn certain(at: usize, rule: Rule) -> NameEnd {
        NameEnd {
            at,
            rule: Some(rule),
            guessed: false,
        }
    }

    /// Returns the end that `rule` makes at `at`, before this one. It is a guess if this one or the rule is.
    pub(crate) fn cut_at(self, at: usize, rule: Rule) -> NameEnd {
        NameEnd {
            at,
            rule: Some(rule),
            guessed: self.guessed || rule.is_guess(),
        }
    }
}
