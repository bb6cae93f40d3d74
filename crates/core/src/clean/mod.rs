//! Reads dirty data as the one DOI name that it was meant to be: for columns of cited names, as in reference lists.
//!
//! `fold` undoes the changes that encoders and typesetters made to characters. The rulebook decides where the name starts and
//! ends. Uses [`Doi`], and the scanner for URLs of other hosts; does not know files. If only a registry could decide, the rules
//! cut only what none of 215,000 registered names has.

mod certain;
mod fold;

use crate::doi::{Doi, DoiError, DoiErrorKind};
use crate::scan::rules::Rule;
use crate::scan::rules::dirt::{self, Draft, start};
use crate::scan::{Change, Scanner};

/// The name that a dirty text was meant to be; see [`clean`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cleaned {
    /// The name that is left.
    pub doi: Doi,
    /// Whether [`Doi::parse`] refuses the unchanged text or reads another name in it. A presentation form, such as the URL of a
    /// proxy, is not a change.
    pub changed: bool,
    /// The changes with their rules, in the order in which they were made. Empty if nothing was [changed](Self::changed).
    pub changes: Vec<Change>,
}

/// Reads `text` as dirty data that means one DOI name, and cuts text that does not belong to the name.
///
/// Made for fields of reference lists, where a name is followed by its own URL, a page of the publisher's site, a year, a
/// date of access or a full stop, and where its characters were escaped, broken at line ends or typeset. The classes are
/// those published for cited names (Xu et al. 2019, `10.1007/s11192-019-03162-4`; Boente et al. 2021,
/// `10.5281/zenodo.4723934`; Cioffi et al. 2022, `10.1007/s11192-022-04367-w`), besides the scanner's own rules for text.
/// Of several names the first is taken. If only a registry could decide, this guesses; use [`Doi::parse`] on data that is known
/// to be clean.
///
/// | rule | from | to |
/// |---|---|---|
/// | characters | `10.5555/a&lt;b`, `a\_b`, `1995‐4190`, soft hyphens | entities, backslashes and full width undone, dashes (U+2010 to U+2015, U+2212) as `-`, invisible characters dropped; ligatures, and UTF-8 that was read as Latin-1, undone |
/// | start | `doi:https://doi.org/10.5555/a`, `TN_10.5555/a`, `10.10.5555/a`, `10. 5555 / a`, `10..5555/a`, `10.5555./a`, `10.5555_a` | `10.5555/a` |
/// | escapes | `10.5555%2Fa%3Cb`, `https%3A%2F%2Fdoi.org%2F10.5555%252Fa` | percent undone until the prefix shows, and once in the suffix |
/// | query | `10.5555/a?x=y`, `10.5555/a#s` | cut; the `#` that ends a SICI stays |
/// | tags | `10.5555/a<sup>1</sup>`, `10.5555/<i>a</i>b`, `10.5555/a</doi>` | dropped: notes with their text, other elements without |
/// | white space | `10.5555/science. 1109070`, `10.5555/a1 accessed 2012` | joined if the name continues with digits, else the end of the name; a line end before a possible rest of the name is refused |
/// | another name | `10.5555/a10.5555/a`, `10.5555/ahttp://dx.doi.org/10.5555/a`, `10.5555/x.a007732a007732` | the first |
/// | remarks | `.pmid:1`, `(epubaheadofprint)`, `>accessed2012`, `/-/dcsupplemental`, `[CrossRef]`, `.jid.sagepub.com`, `1journals.sagepub.com` | cut |
/// | pages | `/full`, `/abstract`, `/pdf`, `/meta`, `/summary`, …, `436749v2`, `1.author` | cut |
/// | place in print | `,85,1494(2006)`, `(2006)`, `...` | cut |
/// | marks | final `.` `,` `;` `:` `-` `/` and their like, brackets without a partner, the emphasis of `**10.5555/a**` | cut |
/// | doubled joints | `6__12`, `j.aca..2006`, `rsbl..2015.1`, `978--3--642` | once |
///
/// Registrant codes have four to nine digits in their first part, as in text, unless the whole text is a name.
///
/// Linear in the length of `text`, with a pass for each of the few kinds of escapes.
///
/// ```
/// use doisift_core::clean;
///
/// let cleaned = clean("10.1016/j.x.2005.12.023.......85,1494(2006)")?;
/// assert_eq!(cleaned.doi.as_str(), "10.1016/j.x.2005.12.023");
/// assert!(cleaned.changed);
/// assert_eq!(cleaned.changes[0].rule, "dirt.remark");
/// assert_eq!(cleaned.changes[0].text, ".......85,1494(2006)");
///
/// assert!(!clean("https://doi.org/10.1061/(asce)0733-9445(2003)129:4(495)")?.changed);
/// # Ok::<(), doisift_core::DoiError>(())
/// ```
///
/// # Errors
///
/// If an ellipsis cut the name short, if blanks took the place of its joints, if it may continue after a line end, if it is a
/// placeholder or the address of a network, or if no name is left. In the last case, the error is that of [`Doi::parse`] for
/// `text`, or that of [`Doi::new`] for the rest after cutting.
pub fn clean(text: &str) -> Result<Cleaned, DoiError> {
    if certain::is_clean_name(text) {
        Doi::parse(text).map(unchanged)
    } else {
        clean_by_rules(text)
    }
}

fn clean_by_rules(text: &str) -> Result<Cleaned, DoiError> {
    let parsed = Doi::parse(text);
    if let Some(at) = cut_short(text) {
        return Err(DoiError::new(DoiErrorKind::CutShort, at.min(text.len())));
    }
    let is_network = |doi: &Doi| start::is_network(doi.prefix(), doi.suffix());
    if parsed.as_ref().is_ok_and(is_network) {
        return Err(DoiError::new(DoiErrorKind::RegistrantCode, 0));
    }
    if let Some(at) = lost_joint(text) {
        return Err(DoiError::new(DoiErrorKind::WhiteSpace, at.min(text.len())));
    }
    let Some(mut name) = cleaned(text, parsed.as_ref().ok()) else {
        return parsed.map(unchanged);
    };
    if name.changes.iter().any(|cut| dirt::may_go_on(&cut.text)) {
        let at = text.trim_end().rfind(dirt::is_line_end);
        return Err(DoiError::new(DoiErrorKind::WhiteSpace, at.unwrap_or(0)));
    }
    let doi = Doi::new(&name.text)?;
    let is_placeholder = |name: &Doi| dirt::is_placeholder(name.suffix());
    if is_placeholder(&doi) || parsed.as_ref().is_ok_and(is_placeholder) {
        return Err(DoiError::new(DoiErrorKind::Placeholder, 0));
    }
    if parsed.as_ref() == Ok(&doi) {
        return Ok(unchanged(doi));
    }
    if name.changes.is_empty() {
        // Only white space that `Doi::parse` refuses was dropped.
        name.record(Rule::DirtBreak, &fold::unusual_blanks(text), false);
    }
    Ok(Cleaned {
        doi,
        changed: true,
        changes: name.changes,
    })
}

fn unchanged(doi: Doi) -> Cleaned {
    Cleaned {
        doi,
        changed: false,
        changes: Vec::new(),
    }
}

/// Returns the offset of an ellipsis that cuts the name short: plain, percent-encoded, or read as Latin-1.
fn cut_short(text: &str) -> Option<usize> {
    dirt::cut_short(text).or_else(|| dirt::cut_short(&decoded(text)?))
}

/// Returns the offset at which a joint of the name was lost: in plain text, or after decoding.
fn lost_joint(text: &str) -> Option<usize> {
    dirt::lost_joint(text).or_else(|| dirt::lost_joint(&decoded(text)?))
}

/// Undoes percent escapes, and UTF-8 that was read as Latin-1. Returns `None` if `text` has neither.
fn decoded(text: &str) -> Option<String> {
    let mut draft = Draft::new(text);
    let is_encoded = draft.apply(Rule::Percent, fold::undo_percent(&draft.text));
    let is_misread = draft.apply(Rule::Mojibake, fold::undo_misread_bytes(&draft.text));
    (is_encoded || is_misread).then_some(draft.text)
}

/// Max layers of percent encoding around a prefix.
const MAX_PERCENT_LAYERS: usize = 3;

/// Returns the first name in `text` without the parts that do not belong to it, or else `parsed`. The suffix may be empty.
fn cleaned(text: &str, parsed: Option<&Doi>) -> Option<Draft> {
    if let Some((prefix, suffix)) = found_in_url(text) {
        return Some(dirt::name(&prefix, suffix));
    }
    let mut draft = Draft::new(text.trim());
    fold::restore_characters(&mut draft);
    let mut name = first_percent_encoded(&draft);
    for _ in 0..MAX_PERCENT_LAYERS {
        if name.is_some() || !draft.apply(Rule::Percent, fold::undo_percent(&draft.text)) {
            break;
        }
        fold::restore_characters(&mut draft);
        name = first_unescaped(&draft);
    }
    if name.is_some() {
        return name;
    }
    match parsed {
        Some(doi) => Some(dirt::name(doi.prefix(), Draft::new(doi.suffix()))),
        None if draft.apply(
            Rule::UnderscoredPrefix,
            start::underscored_prefix_edits(&draft.text),
        ) =>
        {
            first_unescaped(&draft)
        }
        None if draft.apply(Rule::Reread, start::misread_prefix_edits(&draft.text)) => {
            first_percent_encoded(&draft)
        }
        None => None,
    }
}

fn first_unescaped(draft: &Draft) -> Option<Draft> {
    dirt::first_name(draft, |_| {})
}

/// Returns the first name in `draft`. The suffix may be percent-encoded.
fn first_percent_encoded(draft: &Draft) -> Option<Draft> {
    dirt::first_name(draft, |suffix| {
        suffix.apply(Rule::Percent, fold::undo_percent(&suffix.text));
        fold::replace_characters(suffix);
    })
}

/// Returns prefix and suffix of the first name that the scanner finds in a URL of another host. The scanner's rules cover paths
/// and parameters.
fn found_in_url(text: &str) -> Option<(String, Draft)> {
    let url = text.trim();
    if !start::is_foreign_url(url) {
        return None;
    }
    let (doi, place, rule) = Scanner::new().first(url.as_bytes())?;
    let mut suffix = Draft::new(doi.suffix());
    suffix.record(Rule::Lead, &url[..place.start], false);
    if let Some(rule) = rule.filter(|_| place.end < url.len()) {
        suffix.record(rule, &url[place.end..], true);
    }
    Some((doi.prefix().to_owned(), suffix))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text made of pieces that the rules look for.
    fn dirt() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            3 => any::<char>().prop_map(String::from),
            4 => "[a-z0-9]{1,5}",
            6 => proptest::sample::select(vec![
                "10.5555/", "10.", "/", ".", "..", "...", ",", ";", ";2-", "(", ")", "[", "]", "<", ">", "<i>", "</i>",
                "<sup>", "</sup>", "&lt;", "&amp;", "lt;", "\\_", "{", "}", "{_}", "%2F", "%25", "%3C", "%", "__", "--",
                "978", " ", "\n", "\u{a0}", "\u{2010}", "é", "http://", "doi:", "pmid:", "epub", "/full", "(2006)", ",85,14",
                ".sagepub.com", "?", "#", "&a=", "'", "\"", "3.0.co;2-#", "j.",
            ])
            .prop_map(String::from),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    #[test]
    fn a_tag_in_a_tag_is_one() {
        let cleaned = clean("10.5555/a%3Cb <i>").unwrap();
        assert_eq!(cleaned.doi.as_str(), "10.5555/a");
    }

    proptest! {
        #[test]
        fn any_text_is_cleaned_or_refused(text in dirt()) {
            for text in [format!("10.5555/{text}"), text] {
                let is_explained = |cleaned: Cleaned| !cleaned.changed || !cleaned.changes.is_empty();
                prop_assert!(clean(&text).map_or(true, is_explained), "{:?}", text);
            }
        }

        #[test]
        fn a_cleaned_name_is_clean(text in dirt()) {
            let Ok(once) = clean(&format!("10.5555/a{text}")) else {
                return Ok(());
            };
            let name = once.doi.as_str();
            // An escape in a decoded name would be undone again, and so would a mark that was one.
            if !name.contains(['%', '&', '?', '#', '\\', '{', '$']) {
                let twice = clean(name).map(|cleaned| cleaned.doi.as_str().to_owned());
                prop_assert_eq!(twice.as_deref(), Ok(name));
            }
        }
    }
}
