//! The rulebook: all that says what a DOI name is in running text, and nothing else.
//!
//! Pure functions and tables over bytes. They search nothing, hold no position in a document, read no window and decode
//! nothing: a caller hands them the bytes before a name, its decoded bytes and the bytes after it. The scanner, its naive
//! twin and [`clean`](crate::clean()) share them and keep no rule of their own.
//!
//! | module | what it decides |
//! |---|---|
//! | [`book`] | the id of each rule, where it applies, and its evidence |
//! | [`start`] | whether a prefix starts a name |
//! | [`pattern`] | how prefixes, schemes, proxies and labels are written |
//! | [`cell`] | where the cell of a table ends |
//! | [`enclosure`] | which marks around a name bound it |
//! | [`place`] | where in a URL a name is |
//! | [`page`] | what in a web page has the form of a name and is none |
//! | [`raw`] | which bytes, as written, no name goes past |
//! | [`joint`] | whether white space is a break inside a name |
//! | [`suffix`] | which bytes belong to a suffix |
//! | [`sici`] | the shape of a SICI |
//! | [`word`] | which words after a name are not part of it |
//! | [`tail`] | what is cut from the end of a name |
//! | [`dirt`] | what follows names in dirty data |
//! | [`end`](mod@end) | the order in which these apply |

pub(crate) mod book;
pub(crate) mod cell;
pub(crate) mod dirt;
pub(crate) mod enclosure;
pub(crate) mod end;
pub(crate) mod joint;
pub(crate) mod page;
pub(crate) mod pattern;
pub(crate) mod place;
pub(crate) mod raw;
pub(crate) mod sici;
pub(crate) mod start;
pub(crate) mod suffix;
pub(crate) mod tail;
pub(crate) mod word;

#[cfg(test)]
mod tests;

use super::Form;
pub(crate) use book::Rule;
use enclosure::Enclosure;
use place::UrlPlace;

/// What the bytes before a name say about it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Around {
    pub(crate) form: Form,
    pub(crate) place: UrlPlace,
    pub(crate) enclosure: Option<&'static Enclosure>,
    pub(crate) scope: Scope,
}

/// What the kind of text says about the bytes around a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Nothing.
    Any,
    /// They are the cell of a table, from its start to its end.
    Cell,
    /// They are those of a web page.
    Page,
}

impl Around {
    /// Reads `outside`, the bytes before a name and its scheme or proxy; in a table, those of the name's cell.
    pub(crate) fn read(
        outside: &[u8],
        form: Form,
        scope: Scope,
        scheme: impl Fn(&[u8]) -> bool,
    ) -> Around {
        let enclosure = match scope {
            Scope::Cell => cell::enclosure(outside, form == Form::Label),
            Scope::Any | Scope::Page => Enclosure::opened_by(outside),
        };
        Around {
            form,
            place: UrlPlace::of(outside, form, scheme),
            enclosure,
            scope,
        }
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
    /// Only a registry could tell whether the name ends here.
    pub(crate) guessed: bool,
}
