//! What the rules read: decoded bytes and where they are; and what they give.

use super::Rule;

/// What the kind of text says about the bytes around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nothing.
    Any,
    /// They are the cell of a table, from its start to its end.
    Cell,
    /// They are the same, but the end may be a semicolon in them, which is taken to be that of a SICI.
    DoubtfulCell,
    /// They are those of a web page.
    Page,
    /// They are lines that the layout of a page broke.
    Printed,
}

impl Scope {
    /// Whether it is the cell of a table.
    pub(crate) fn is_cell(self) -> bool {
        matches!(self, Scope::Cell | Scope::DoubtfulCell)
    }
}

/// How a byte of decoded text was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Escape {
    /// As itself, or by a layer outside the URL that holds the name: it means what it says.
    Plain,
    /// As an entity.
    Entity,
    /// By the innermost percent encoding: it is part of the name even where it would end a URL (H4).
    Percent,
}

/// A candidate's decoded bytes, and how each was written.
pub(crate) trait Decoded {
    fn bytes(&self) -> &[u8];

    fn escape(&self, at: usize) -> Escape;

    /// Whether the byte at `at` was written as one byte.
    fn is_single(&self, at: usize) -> bool;
}

/// A name's end in its decoded text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) at: usize,
    /// The rule that ends it here; none where the text ends.
    pub(crate) rule: Option<Rule>,
    /// Only a registry could tell whether the name ends here.
    pub(crate) guessed: bool,
}

impl End {
    /// The end of the text, at `at`.
    pub(crate) fn of_text(at: usize) -> End {
        End {
            at,
            rule: None,
            guessed: false,
        }
    }

    /// The end that `rule` makes at `at`, where nothing else was a guess.
    pub(crate) fn certain(at: usize, rule: Rule) -> End {
        End {
            at,
            rule: Some(rule),
            guessed: false,
        }
    }

    /// The end that `rule` makes at `at`, before this one.
    pub(crate) fn cut_at(self, at: usize, rule: Rule) -> End {
        End {
            at,
            rule: Some(rule),
            guessed: self.guessed || rule.is_guess(),
        }
    }
}
