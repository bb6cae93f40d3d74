//! The scanner's naive twin: slow and obvious, and the oracle that tests and fuzzing hold the scanner against.
//!
//! It tries every byte as the start of a name and decides by plain loops over copies. It shares the result types and
//! [`Doi::new`](crate::Doi::new) with the scanner and no code that finds, decodes or cuts: a rule written twice, from
//! its description, is not wrong twice in the same way.
//!
//! Not part of the public interface: there for tests, behind the feature `naive`.

mod around;
mod ending;
mod layers;
mod opener;
mod spelling;
mod stretch;

use super::{Form, Mention, Rejection, Tally};
use crate::doi::Doi;

use around::{Around, Place};
use spelling::Prefix;

/// How many bytes before an anchor can bear on what is decided about it.
const BEFORE: usize = 1024;
/// How many bytes behind the longest name can bear on where it ends.
const BEHIND: usize = 256;

/// A [`Mention`](crate::Mention) that owns what it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedMention {
    /// As [`Mention::name`](crate::Mention::name).
    pub name: String,
    /// As [`Mention::key`](crate::Mention::key).
    pub key: String,
    /// As [`Mention::form`](crate::Mention::form).
    pub form: Form,
    /// As [`Mention::offset`](crate::Mention::offset), in bytes.
    pub offset: u64,
    /// As [`Mention::text`](crate::Mention::text).
    pub text: Vec<u8>,
    /// As [`Mention::guessed`](crate::Mention::guessed).
    pub guessed: bool,
}

impl From<Mention<'_>> for OwnedMention {
    fn from(mention: Mention<'_>) -> Self {
        OwnedMention {
            name: mention.name.to_owned(),
            key: mention.key.to_owned(),
            form: mention.form,
            offset: mention.offset,
            text: mention.text.to_vec(),
            guessed: mention.guessed,
        }
    }
}

/// What [`Scanner::scan`](crate::Scanner::scan) must say about `document` with names of at most `max_name` bytes.
///
/// Looks at 1,024 bytes before and `max_name` + 256 bytes behind each byte of the document that could start a name;
/// costs up to the square of that for each.
pub fn scan(document: &[u8], max_name: usize) -> (Vec<OwnedMention>, Tally) {
    let mut mentions = Vec::new();
    let mut tally = Tally::default();
    for at in 0..document.len() {
        match decide(document, at, max_name) {
            None => continue,
            Some(Ok(mention)) => {
                tally.mentions += 1;
                mentions.push(mention);
            }
            Some(Err(reason)) => tally.reject(reason),
        }
        tally.candidates += 1;
    }
    (mentions, tally)
}

/// What is to be said of the byte at `at`: mostly nothing.
fn decide(document: &[u8], at: usize, max_name: usize) -> Option<Result<OwnedMention, Rejection>> {
    let before = &document[at.saturating_sub(BEFORE)..at];
    let behind = &document[at..document
        .len()
        .min(at.saturating_add(max_name).saturating_add(BEHIND))];
    if is_short_doi(before, &document[at..]) {
        return Some(Err(Rejection::ShortDoi));
    }
    let prefix = spelling::prefix(behind)?;
    let around = match standing(before, behind, &prefix)? {
        Ok(around) => around,
        Err(reason) => return Some(Err(reason)),
    };
    let read = Candidate {
        before,
        behind,
        prefix,
        around,
        max_name,
    }
    .read();
    Some(read.map(|(name, len, form, guessed)| OwnedMention {
        key: name.to_ascii_lowercase(),
        name,
        form,
        offset: at as u64,
        text: behind[..len].to_vec(),
        guessed,
    }))
}

/// `https://doi.org/10/abc`: an alias for a name, without its registrant code.
fn is_short_doi(before: &[u8], behind: &[u8]) -> bool {
    let alias = behind.strip_prefix(b"10/").and_then(<[u8]>::first);
    alias.is_some_and(u8::is_ascii_alphanumeric)
        && (before.ends_with(b"g/") || before.ends_with(b"G/"))
        && opener::scheme(before).is_some_and(|(form, _)| form == Form::Url)
}

/// The directory indicator written twice, `10.10.1038/x`: what stands before both, if nothing else ends there.
fn before_twice(before: &[u8]) -> Option<&[u8]> {
    let outer = before.strip_suffix(b"10.")?;
    (!spelling::is_inside_number(outer)).then_some(outer)
}

/// The year in `10.5555/jneurosci.1586-10.2010/full`, which is the end of a name and a page.
fn is_year(before: &[u8], behind: &[u8]) -> bool {
    let number = before.strip_suffix(b"-").and_then(<[u8]>::last);
    let year = [&b"10.19"[..], b"10.20"]
        .iter()
        .find_map(|start| behind.strip_prefix(*start));
    number.is_some_and(u8::is_ascii_digit) && matches!(year, Some([_, _, b'/', ..]))
}

/// What stands around a prefix; nothing where it is no prefix, a reason where it starts no name.
fn standing(before: &[u8], behind: &[u8], prefix: &Prefix) -> Option<Result<Around, Rejection>> {
    if spelling::ends_in_prefix(before) {
        return None;
    }
    let twice = before_twice(before);
    let inside = spelling::is_inside_number(before) || is_year(before, behind);
    if twice.is_none() && inside {
        let refused = !prefix.broken && !prefix.colon;
        return refused.then_some(Err(Rejection::InsideNumber));
    }
    let around = Around::read(twice.unwrap_or(before), &behind[..prefix.len]);
    let is_urn = around.form == Form::Urn;
    let is_bare = around.form == Form::Bare;
    if (prefix.colon && !is_urn) || (prefix.broken && is_bare) {
        return None;
    }
    // In a URN any code is one, the `10.5555` of `urn:doi:10.10.5555/x` too.
    Some(if twice.is_some() && (is_bare || is_urn) {
        Err(Rejection::InsideNumber)
    } else if !prefix.usual && !prefix.isbn && !is_urn {
        Err(Rejection::RegistrantCode)
    } else {
        Ok(around)
    })
}

/// A prefix that may start a name, and all that bears on it.
struct Candidate<'d> {
    before: &'d [u8],
    /// From the first byte of the prefix.
    behind: &'d [u8],
    prefix: Prefix,
    around: Around,
    max_name: usize,
}

impl Candidate<'_> {
    /// The name, how many bytes write it, its form and whether its end is a guess.
    fn read(&self) -> Result<(String, usize, Form, bool), Rejection> {
        let form = self.around.form;
        if around::is_citation_key(self.before) {
            return Err(Rejection::CitationKey);
        }
        let end = stretch::stretch(self);
        if end > self.max_name {
            return Err(Rejection::TooLong);
        }
        let text = layers::decode(
            &self.behind[..end],
            self.around.percent,
            self.around.place == Place::Badge,
        );
        let suffix = (0..text.len())
            .find(|at| text.start(*at) >= self.prefix.len)
            .unwrap_or(text.len());
        let ending = ending::find(&text, suffix, self)?;
        let code = &text.values()[..suffix.saturating_sub(1)];
        let suffix = &text.values()[suffix..ending.at];
        let name = name(code, suffix).ok_or(Rejection::NotGraphic)?;
        if self.prefix.isbn && form != Form::Urn && !is_isbn_suffix(suffix) {
            return Err(Rejection::RegistrantCode);
        }
        let len = text.end(ending.at);
        let joined = self.behind[..len].iter().any(u8::is_ascii_whitespace);
        Ok((name, len, form, ending.guessed || joined))
    }
}

/// The name with its separator as a slash, if the identifier's own rules have it.
fn name(code: &[u8], suffix: &[u8]) -> Option<String> {
    let name = [code, suffix].join(&b'/');
    let name = String::from_utf8(name).ok()?;
    Doi::new(&name).ok().map(|doi| doi.as_str().to_owned())
}

fn is_isbn_suffix(suffix: &[u8]) -> bool {
    suffix.len() <= 7 && suffix.iter().all(u8::is_ascii_digit)
}
