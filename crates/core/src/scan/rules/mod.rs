//! The rulebook: everything that decides what a DOI name is in running text, and nothing else.
//!
//! Pure functions and tables over bytes. They do not search or decode, and know no position in a document: a caller hands them
//! the bytes before a name, its decoded bytes and the bytes after it. The scanner, its naive twin and [`clean`](crate::clean())
//! share them and have no rules of their own.
//!
//! | module | what it decides |
//! |---|---|
//! | [`book`] | the id of each rule, where it applies, and its evidence |
//! | [`start`] | whether a prefix starts a name |
//! | [`pattern`] | how prefixes, schemes, proxies and labels are written |
//! | [`alone`] | whether a name is alone in what encloses it |
//! | [`arxiv`] | which texts are identifiers of arXiv |
//! | [`cell`] | where the cell of a table ends |
//! | [`enclosure`] | which marks around a name bound it |
//! | [`place`] | where in a URL a name is |
//! | [`defense`] | which characters a mail filter replaced |
//! | [`hidden`] | which tags hide a part of a link's text |
//! | [`page`] | which parts of a web page look like a name and are not |
//! | [`raw`] | which bytes, as written, end every name |
//! | [`joint`] | whether white space is a break inside a name |
//! | [`suffix`] | which bytes belong to a suffix |
//! | [`script`] | which characters beyond ASCII go on in a name of Latin letters |
//! | [`sici`] | the shape of a SICI |
//! | [`word`] | which words after a name are not part of it |
//! | [`tail`] | what is cut from the end of a name |
//! | [`template`] | which source code holds a place for a value |
//! | [`dirt`] | which text follows names in dirty data |
//! | [`known_ends`] | which of the known ends of a name was meant |
//! | [`end`](mod@end) | the order in which the rules apply |
//! | [`examples`] | a text for each rule whose names differ without it |

pub(crate) mod alone;
pub(crate) mod arxiv;
pub(crate) mod book;
pub(crate) mod cell;
mod context;
pub(crate) mod defense;
pub(crate) mod dirt;
pub(crate) mod enclosure;
pub(crate) mod end;
pub(crate) mod examples;
pub(crate) mod hidden;
mod items;
pub(crate) mod joint;
pub(crate) mod known_ends;
pub(crate) mod page;
pub(crate) mod pattern;
pub(crate) mod place;
pub(crate) mod raw;
pub(crate) mod script;
pub(crate) mod sici;
pub(crate) mod start;
pub(crate) mod suffix;
pub(crate) mod tail;
pub(crate) mod template;
mod text;
pub(crate) mod word;

#[cfg(test)]
mod tests;

use super::Form;
pub(crate) use book::Rule;
pub(crate) use context::NameContext;
pub(crate) use text::{DecodedBytes, Escape, NameEnd, TextScope};
