//! Suggests the known name that an unknown one was meant to be, for classes of slips in which that is reliable.
//!
//! `scripts/bench slips` measures for each class how often a suggestion is right, also if the true name is not in the index. A
//! wrong digit often makes another registered name, so digits of a suffix are corrected only if a check digit decides. Nothing is
//! suggested for the end of a name, which may be cut short.

use doisift_core::{CheckDigit, Doi};
use doisift_known::{Index, IndexError, NearName, Typo};

/// A known name that an unknown one was meant to be.
#[derive(Debug)]
pub(super) struct Suggestion {
    /// The name. Letters that were right keep their case.
    pub(super) doi: Doi,
    /// Class of the slip, for messages.
    pub(super) slip: &'static str,
}

/// Characters that are mistaken for each other.
const ALIKE: [&[u8]; 2] = [b"0o", b"1il"];
/// Characters between the parts of a name.
const SEPARATORS: &[u8] = b"-_./:";

/// Min letters of a word.
const MIN_WORD_LETTERS: usize = 5;
/// Max bytes of a suffix that several prefixes may share by chance.
const MAX_SHARED_SUFFIX_BYTES: usize = 6;

/// Returns the only known name that the unknown name `doi` can mean, or `None`.
///
/// # Errors
/// If the index cannot be read.
pub(super) fn suggest(index: &Index, doi: &Doi) -> Result<Option<Suggestion>, IndexError> {
    if let Some(found) = decoded(index, doi)? {
        return Ok(Some(found));
    }
    let near = NearNames::of(doi, index.near(&doi.key())?);
    let found = match doi.check_digit() {
        Some(CheckDigit::Bad) => near
            .single_match(is_checked)
            .map(|one| (one, "wrong digit")),
        _ => near.by_class(index)?,
    };
    if let Some((near, slip)) = found {
        return Ok(corrected(doi, near).map(|doi| Suggestion { doi, slip }));
    }
    tail(index, doi)
}

/// The known names that differ from a name by one slip.
struct NearNames<'d> {
    doi: &'d Doi,
    all: Vec<NearName>,
}

impl<'d> NearNames<'d> {
    fn of(doi: &'d Doi, all: Vec<NearName>) -> Self {
        NearNames { doi, all }
    }

    /// Returns the name and the class of its slip, if it is the only one nearby and the class is reliable.
    fn by_class(&self, index: &Index) -> Result<Option<(&NearName, &'static str)>, IndexError> {
        let Some(near) = self.single_match(|_| true) else {
            return Ok(None);
        };
        let class = class(self.doi, near);
        match class {
            Some(class) if !starts_known_names(index, self.doi, near.slip)? => {
                Ok(Some((near, class)))
            }
            _ => Ok(None),
        }
    }

    /// Returns the name that fits, if exactly one does and its check digit is not wrong.
    fn single_match(&self, fits: impl Fn(&NearName) -> bool) -> Option<&NearName> {
        let mut fitting = self.all.iter().filter(|near| fits(near));
        let only = fitting.next().filter(|_| fitting.next().is_none())?;
        (check_digit(only) != Some(CheckDigit::Bad)).then_some(only)
    }
}

/// Returns the class of a slip, or `None` if it is in no reliable class.
fn class(doi: &Doi, near: &NearName) -> Option<&'static str> {
    let (key, prefix) = (doi.key(), doi.prefix().len());
    let key = key.as_bytes();
    if near.slip.offset() < prefix {
        let is_long = key.len() > prefix + MAX_SHARED_SUFFIX_BYTES;
        return (is_long && same_suffix(key, near, prefix)).then_some("wrong prefix");
    }
    if is_look_alike(key, near.slip) {
        return Some("letter and digit confused");
    }
    if is_separator(key, near.slip) {
        return Some("wrong separator");
    }
    let is_safe = !touches_digit(key, near.slip) && is_in_word(near);
    (is_safe && !is_at_end(key, near.slip)).then_some("misspelt word")
}

/// Whether known names start with the written text up to and including the slip. Then it is probably not a slip but another journal or
/// year, such as `rsta` beside `rstb`.
fn starts_known_names(index: &Index, doi: &Doi, slip: Typo) -> Result<bool, IndexError> {
    let key = doi.key();
    let end = match slip {
        _ if slip.offset() < doi.prefix().len() => doi.prefix().len() + MAX_SHARED_SUFFIX_BYTES,
        Typo::Replace(at, _) | Typo::Insert(at, _) => at + 1,
        Typo::Remove(at) | Typo::Swap(at) => at + 2,
    };
    let start = key.get(..end.min(key.len()));
    start.map_or(Ok(true), |start| index.extends(start))
}

fn check_digit(near: &NearName) -> Option<CheckDigit> {
    Doi::new(&near.name).ok()?.check_digit()
}

/// Whether the name has a good check digit and the length of the written one. With a lost digit, names of another family are
/// near.
fn is_checked(near: &NearName) -> bool {
    let keeps_length = matches!(near.slip, Typo::Replace(..) | Typo::Swap(_));
    keeps_length && check_digit(near) == Some(CheckDigit::Good)
}

/// Whether the name has the same suffix as `key`, after another prefix.
fn same_suffix(key: &[u8], near: &NearName, prefix: usize) -> bool {
    let suffix = near
        .name
        .split_once('/')
        .map(|(_, suffix)| suffix.as_bytes());
    suffix == Some(&key[prefix + 1..])
}

fn is_look_alike(key: &[u8], slip: Typo) -> bool {
    replaced(key, slip).is_some_and(|pair| ALIKE.iter().any(|set| contains_pair(set, pair)))
}

fn is_separator(key: &[u8], slip: Typo) -> bool {
    replaced(key, slip).is_some_and(|pair| contains_pair(SEPARATORS, pair))
}

/// Returns the byte that a slip replaces and its replacement, or `None` for other slips.
fn replaced(key: &[u8], slip: Typo) -> Option<[u8; 2]> {
    match slip {
        Typo::Replace(at, byte) => Some([*key.get(at)?, byte]),
        _ => None,
    }
}

fn contains_pair(set: &[u8], pair: [u8; 2]) -> bool {
    pair.iter().all(|byte| set.contains(byte))
}

/// Whether the slip changes, drops, adds or moves a digit.
fn touches_digit(key: &[u8], slip: Typo) -> bool {
    let at = |at: usize| key.get(at).copied().unwrap_or(0);
    let bytes = match slip {
        Typo::Replace(offset, byte) => [at(offset), byte],
        Typo::Insert(_, byte) => [byte, byte],
        Typo::Remove(offset) => [at(offset), at(offset)],
        Typo::Swap(offset) => [at(offset), at(offset + 1)],
    };
    bytes.iter().any(u8::is_ascii_digit)
}

/// Whether the slip is in a word of the known name. Shorter runs of letters are codes, such as `gkp` and `gkx`.
fn is_in_word(near: &NearName) -> bool {
    let at = near.slip.offset().min(near.name.len());
    let (before, after) = near.name.as_bytes().split_at(at);
    let is_letter = |byte: &&u8| byte.is_ascii_alphabetic();
    let letters = before.iter().rev().take_while(is_letter).count();
    letters + after.iter().take_while(is_letter).count() >= MIN_WORD_LETTERS
}

/// Whether the slip is at the last character, where a name may be cut short or continue.
fn is_at_end(key: &[u8], slip: Typo) -> bool {
    let width = match slip {
        Typo::Swap(_) => 2,
        Typo::Insert(..) => 0,
        _ => 1,
    };
    slip.offset() + width >= key.len()
}

/// Undoes the slip. Unchanged bytes keep their case.
fn corrected(doi: &Doi, near: &NearName) -> Option<Doi> {
    let mut name = doi.as_str().as_bytes().to_vec();
    match near.slip {
        Typo::Replace(at, byte) => name[at] = byte,
        Typo::Insert(at, byte) => name.insert(at, byte),
        Typo::Remove(at) => drop(name.remove(at)),
        Typo::Swap(at) => name.swap(at, at + 1),
    }
    let name = String::from_utf8(name).ok()?;
    Doi::new(&name).ok().filter(|doi| *doi.key() == *near.name)
}

/// Returns the known name that decoding the escapes of `doi` gives, such as `%3C` for `<`. The name was encoded twice (H5).
fn decoded(index: &Index, doi: &Doi) -> Result<Option<Suggestion>, IndexError> {
    let name = doi.as_str();
    // A question mark or a hash would end the name in a URL.
    if !name.contains('%') || name.contains(['?', '#']) {
        return Ok(None);
    }
    let decoded = Doi::parse(&format!("https://doi.org/{name}")).ok();
    let Some(decoded) = decoded.filter(|decoded| decoded != doi) else {
        return Ok(None);
    };
    let is_known = index.contains(&decoded.key())?;
    Ok(is_known.then_some(Suggestion {
        doi: decoded,
        slip: "escapes encoded twice",
    }))
}

/// Returns the longest known name that `doi` starts with, if the rest is punctuation and words without digits.
fn tail(index: &Index, doi: &Doi) -> Result<Option<Suggestion>, IndexError> {
    let name = doi.as_str();
    let end = index.longest_known_start(doi.key().as_bytes())?;
    let is_tail = |rest: &str| {
        let is_mark = rest.starts_with(|c: char| !c.is_alphanumeric());
        is_mark && !rest.contains(|c: char| c.is_ascii_digit())
    };
    let start = end.filter(|end| name.get(*end..).is_some_and(is_tail));
    let start = start.and_then(|end| Doi::new(&name[..end]).ok());
    Ok(start.map(|doi| Suggestion {
        doi,
        slip: "text after the name",
    }))
}
