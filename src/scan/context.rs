//! What the bytes before an anchor say: the form, what encloses the name, and whether it stands in a URL.

use super::Form;
use super::automaton::{self, Opener};
use super::enclosure::Enclosure;

/// Where in a URL of some other host a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In no such URL.
    Text,
    /// Behind a slash.
    Path,
    /// The value of a parameter.
    Query,
    /// The message of a badge, `badge/DOI-10.5555/abc-blue`.
    Badge,
}

/// All that is known about a name from what stands before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub(super) form: Form,
    pub(super) enclosure: Option<&'static Enclosure>,
    pub(super) place: Place,
    /// Bytes of scheme or proxy before the name.
    opener: usize,
}

impl Context {
    /// Reads `before`, which ends where the name starts.
    pub(super) fn read(before: &[u8]) -> Context {
        let opener = opener(before);
        let outside = &before[..before.len() - opener.len];
        Context {
            form: opener.form,
            enclosure: Enclosure::opened_by(outside),
            place: place(outside, opener.form),
            opener: opener.len,
        }
    }

    /// How many layers of percent encoding a name shows: one, or as many as its prefix, or one more than what leads up
    /// to it.
    pub(super) fn percent_layers(&self, before: &[u8], prefix: &[u8]) -> usize {
        const LONGEST_ESCAPE: usize = 12;
        let lead = match self.opener {
            0 => last_escape(&before[before.len().saturating_sub(LONGEST_ESCAPE)..]),
            len => &before[before.len() - len..],
        };
        let layers = (percent_depth(lead) + 1).max(percent_depth(prefix));
        layers.min(MOST_LAYERS)
    }
}

/// The form of a name, and how much of `before` belongs to it; a label is no part of what is enclosed.
pub(super) fn opener(before: &[u8]) -> Opener {
    let unschemed = || Opener {
        form: if automaton::is_labelled(before) {
            Form::Label
        } else {
            Form::Bare
        },
        len: 0,
    };
    automaton::scheme(before).unwrap_or_else(unschemed)
}

fn place(outside: &[u8], form: Form) -> Place {
    if is_query(outside) {
        Place::Query
    } else if is_badge(outside) {
        Place::Badge
    } else if is_path(outside, form) {
        Place::Path
    } else {
        Place::Text
    }
}

/// Whether a slash stands before the name, or before the scheme that its segment starts with: `art:`, `doi:`, `info:doi/`.
/// What follows a DOI proxy is no path.
fn is_path(outside: &[u8], form: Form) -> bool {
    match form {
        Form::Bare | Form::Label => ends_with_slash(before_scheme(outside)),
        Form::Doi | Form::Info => ends_with_slash(outside) && automaton::scheme(outside).is_none(),
        Form::Url | Form::Hdl | Form::Urn => false,
    }
}

/// What stands before a word and a colon, plain or escaped, that `outside` ends in.
fn before_scheme(outside: &[u8]) -> &[u8] {
    const LONGEST: usize = 16;
    let colon = [&b":"[..], b"%3A", b"%3a"]
        .iter()
        .find_map(|colon| outside.strip_suffix(*colon));
    let Some(front) = colon else {
        return outside;
    };
    let word = front.iter().rev().take(LONGEST);
    let len = word.take_while(|b| b.is_ascii_alphanumeric()).count();
    &front[..front.len() - len]
}

/// Whether `outside` ends in `/badge/label-`, as the badges of shields.io do.
fn is_badge(outside: &[u8]) -> bool {
    const LONGEST: usize = 64;
    if !outside.ends_with(b"-") {
        return false;
    }
    let near = &outside[outside.len().saturating_sub(LONGEST)..];
    let folder = memchr::memrchr(b'/', near).map(|slash| &near[..slash]);
    // JSON may escape the slash.
    let folder = folder.map(|front| front.strip_suffix(b"\\").unwrap_or(front));
    folder.is_some_and(|front| front.ends_with(b"/badge"))
}

fn ends_with_slash(outside: &[u8]) -> bool {
    [&b"/"[..], b"%2F", b"%2f"]
        .iter()
        .any(|slash| outside.ends_with(slash))
}

/// Whether `outside` ends in `?name=` or `&name=`, plain or escaped.
fn is_query(outside: &[u8]) -> bool {
    const LONGEST: usize = 80;
    let near = &outside[outside.len().saturating_sub(LONGEST)..];
    let Some(parameter) = [&b"="[..], b"%3D", b"%3d"]
        .iter()
        .find_map(|sign| near.strip_suffix(*sign))
    else {
        return false;
    };
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.[]%".contains(b);
    let len = parameter.iter().rev().take_while(is_name).count();
    let (front, name) = parameter.split_at(parameter.len() - len);
    let escaped = |mark: &[u8]| memchr::memmem::find(name, mark).is_some();
    front.ends_with(b"?")
        || front.ends_with(b"&")
        || front.ends_with(b"amp;")
        || escaped(b"%3F")
        || escaped(b"%3f")
        || escaped(b"%26")
}

/// Deeper than anybody nests URLs; each layer costs a pass over the candidate.
const MOST_LAYERS: usize = 8;

/// The percent escape that `near` ends with, or nothing.
fn last_escape(near: &[u8]) -> &[u8] {
    let is_escape = |digits: &[u8]| {
        !digits.is_empty()
            && digits.len().is_multiple_of(2)
            && digits.iter().all(u8::is_ascii_hexdigit)
    };
    match memchr::memrchr(b'%', near) {
        Some(at) if is_escape(&near[at + 1..]) => &near[at..],
        _ => &[],
    }
}

/// How often the most deeply encoded byte of `text` was encoded: `%2F` once, `%252F` twice.
fn percent_depth(text: &[u8]) -> usize {
    let depth_at = |at: usize| {
        let digits = &text[at + 1..];
        // A `%25` that no digits follow is a percent sign encoded once.
        let outer = &digits[..digits.len().saturating_sub(2)];
        1 + outer
            .chunks_exact(2)
            .take_while(|pair| pair == b"25")
            .count()
    };
    memchr::memchr_iter(b'%', text)
        .map(depth_at)
        .max()
        .unwrap_or(0)
}

/// Whether a name stands in the quoted value of an attribute or member called exactly `key`.
///
/// Citations are keyed so in Crossref's XML and JSON; the keys start with a name and go on.
pub(super) fn is_citation_key(before: &[u8]) -> bool {
    let Some(quote) = memchr::memrchr2(b'"', b'\'', before) else {
        return false;
    };
    let head = before[..quote]
        .strip_suffix(b"\\")
        .unwrap_or(&before[..quote])
        .trim_ascii_end();
    if let Some(attribute) = head.strip_suffix(b"=") {
        let name = attribute.trim_ascii_end().strip_suffix(b"key");
        return name.is_some_and(|front| front.last().is_some_and(u8::is_ascii_whitespace));
    }
    let Some(member) = head.strip_suffix(b":").map(<[u8]>::trim_ascii_end) else {
        return false;
    };
    [&b"\"key\""[..], b"'key'", b"\\\"key\\\""]
        .iter()
        .any(|key| member.ends_with(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_layers_shown() {
        let layers = |before: &str, prefix: &str| {
            let before = before.as_bytes();
            Context::read(before).percent_layers(before, prefix.as_bytes())
        };
        assert_eq!(layers("https://doi.org/", "10.5555/"), 1);
        assert_eq!(layers("see ", "10.5555%2F"), 1);
        assert_eq!(layers("u=https%3A%2F%2Fdoi.org%2F", "10.5555%252F"), 2);
        assert_eq!(layers("u=https%3A%2F%2Fdoi.org%2F", "10.5555%2F"), 2);
        assert_eq!(
            layers("u=https%253A%252F%252Fdoi.org%252F", "10.5555%25252F"),
            3
        );
        assert_eq!(layers("r=%2Fdoi%2F", "10.5555%2F"), 2);
        assert_eq!(layers("r=%3Fdoi%3D", "10.5555%252F"), 2);
        assert_eq!(layers("100%", "10.5555/"), 1);
        assert_eq!(layers("100%25", "10.5555/"), 2);
    }

    #[test]
    fn places() {
        let place = |before: &str| Context::read(before.as_bytes()).place;
        assert_eq!(place("https://a.example/doi/full/"), Place::Path);
        assert_eq!(place("https://doi.org/"), Place::Text);
        assert_eq!(place("https://a.example/?doi="), Place::Query);
        assert_eq!(place("?a=b&amp;id=info:doi/"), Place::Query);
        assert_eq!(place("u%3Fdoi%3D"), Place::Query);
        assert_eq!(place("u%3fdoi%3d"), Place::Query);
        assert_eq!(place("doi="), Place::Text);
        assert_eq!(place("a.example/esm/art%3A"), Place::Path);
        assert_eq!(place("a.example/article/info:doi/"), Place::Path);
        assert_eq!(place("https://doi.org/doi:"), Place::Text);
        assert_eq!(place("see art:"), Place::Text);
        assert_eq!(place("a.example/badge/DOI-"), Place::Badge);
        assert_eq!(place("a.example\\/badge\\/DOI-"), Place::Badge);
        assert_eq!(place("a.example/badge/x/DOI-"), Place::Text);
        assert_eq!(place("see "), Place::Text);
    }

    #[test]
    fn citation_keys() {
        for before in [
            "<citation key=\"",
            "<citation key='",
            "\"key\":\"",
            "\"key\": \"key-",
            r#"\"key\":\""#,
        ] {
            assert!(is_citation_key(before.as_bytes()), "{before}");
        }
        for before in [
            "&key=",
            "onkeypress=\"",
            "\"apikey\":\"",
            "\"key\":\"x\",\"doi\":\"",
            "xkey=\"",
            "key ",
        ] {
            assert!(!is_citation_key(before.as_bytes()), "{before}");
        }
    }
}
