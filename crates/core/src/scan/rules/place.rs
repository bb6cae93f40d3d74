//! Finds out where a name is in a URL whose host is not a proxy for DOI names.

use super::{Form, Rule};
use crate::block::Block;
use crate::doi::hex_pair;

/// The part of a URL that a name is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UrlPlace {
    /// In no URL, or in one of a proxy for DOI names.
    None,
    /// After a slash.
    Path,
    /// The value of a parameter.
    Query,
    /// The message of a badge, `badge/DOI-10.5555/abc-blue`.
    Badge,
}

impl UrlPlace {
    /// Returns the place of a name that is written as `form`, with `outside` before it and its scheme or proxy. `scheme` says
    /// whether bytes end in a scheme or proxy.
    pub(crate) fn of(outside: &[u8], form: Form, scheme: impl Fn(&[u8]) -> bool) -> UrlPlace {
        // The last bytes of a parameter, a badge's label, a path or a scheme.
        let may_end = |last: &u8| {
            matches!(
                last,
                b'=' | b'D' | b'd' | b'-' | b'/' | b'F' | b'f' | b':' | b'A' | b'a' | b'_'
            )
        };
        if !outside.last().is_some_and(may_end) {
            UrlPlace::None
        } else if is_query(outside) {
            UrlPlace::Query
        } else if is_badge(outside) {
            UrlPlace::Badge
        } else if is_path(outside, form, scheme) {
            UrlPlace::Path
        } else {
            UrlPlace::None
        }
    }
}

/// Whether a slash comes before the name, or before the scheme that its segment starts with: `art:`, `doi:`, `info:doi/`. A name
/// after a DOI proxy is not in a path.
fn is_path(outside: &[u8], form: Form, scheme: impl Fn(&[u8]) -> bool) -> bool {
    match form {
        Form::Bare | Form::Label => {
            ends_with_slash(before_scheme(outside))
                || outside.ends_with(b"_") && in_defended_url(outside)
        }
        Form::Doi | Form::Info => ends_with_slash(outside) && !scheme(outside),
        Form::Url | Form::Hdl | Form::Urn | Form::Arxiv => false,
    }
}

/// Whether `before` ends in a URL as Proofpoint's URL Defense, version 2, writes it: `https-3A__a.example_`.
#[cold]
pub(super) fn in_defended_url(before: &[u8]) -> bool {
    const MAX_URL_BYTES: usize = 512;
    let near = &before[before.len().saturating_sub(MAX_URL_BYTES)..];
    let is_inside = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.~*".contains(byte);
    let scheme = memchr::memmem::rfind(near, b"-3A__");
    scheme.is_some_and(|at| near[at..].iter().all(is_inside)) && Rule::UrlDefense.holds()
}

/// Returns `outside` without the word and colon, plain or escaped, that it ends in.
fn before_scheme(outside: &[u8]) -> &[u8] {
    const MAX_SCHEME_BYTES: usize = 16;
    let colon = [&b":"[..], b"%3A", b"%3a"]
        .iter()
        .find_map(|colon| outside.strip_suffix(*colon));
    let Some(front) = colon else {
        return outside;
    };
    let word = front.iter().rev().take(MAX_SCHEME_BYTES);
    let len = word.take_while(|b| b.is_ascii_alphanumeric()).count();
    &front[..front.len() - len]
}

/// Whether `outside` ends in `/badge/label-`, as the badges of shields.io do.
fn is_badge(outside: &[u8]) -> bool {
    const MAX_BADGE_LABEL_BYTES: usize = 64;
    if !outside.ends_with(b"-") {
        return false;
    }
    let near = &outside[outside.len().saturating_sub(MAX_BADGE_LABEL_BYTES)..];
    let folder = memchr::memrchr(b'/', near).map(|slash| &near[..slash]);
    // JSON may escape the slash.
    let folder = folder.map(|front| front.strip_suffix(b"\\").unwrap_or(front));
    folder.is_some_and(|front| front.ends_with(b"/badge"))
}

/// Whether `outside` ends in a slash, plain or percent-encoded any number of times.
fn ends_with_slash(outside: &[u8]) -> bool {
    match outside {
        [.., b'/'] => true,
        [front @ .., b'2', b'F' | b'f'] => {
            let mut front = front;
            while let Some(outer) = front.strip_suffix(b"25") {
                front = outer;
            }
            front.ends_with(b"%")
        }
        _ => false,
    }
}

/// Whether `outside` ends in `?name=` or `&name=`, plain or escaped.
fn is_query(outside: &[u8]) -> bool {
    const MAX_PARAMETER_BYTES: usize = 80;
    let near = &outside[outside.len().saturating_sub(MAX_PARAMETER_BYTES)..];
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

/// Whether a name after `before` is in the quoted value of an attribute or member called exactly `key`.
///
/// Citations have such keys in Crossref's XML and JSON: a key starts with a name and goes on.
pub(crate) fn is_citation_key(before: &[u8]) -> bool {
    /// Max bytes of a value before the name in it. Values that were seen have none there, or a word such as `key-`, and no blank.
    const MAX_VALUE_BYTES: usize = Block::SIZE;
    if !Rule::CitationKey.holds() {
        return false;
    }
    let near = before.len().saturating_sub(MAX_VALUE_BYTES);
    let quote = match before.last() {
        Some(b'"' | b'\'') => before.len() - 1,
        Some(blank) if blank.is_ascii_whitespace() => return false,
        _ => match Block::new(before, near).find_any(*b"\"'") {
            0 => return false,
            quotes => near + quotes.ilog2() as usize,
        },
    };
    let head = without_backslashes(&before[..quote]).trim_ascii_end();
    match head {
        [attribute @ .., b'='] => matches!(
            attribute.trim_ascii_end(),
            [.., blank, b'k', b'e', b'y'] if blank.is_ascii_whitespace()
        ),
        [member @ .., b':'] => is_key(member.trim_ascii_end()),
        _ => false,
    }
}

/// Whether `member` ends in `key` in quotes, which JSON in JSON escapes. Letters of JSON may be escapes too.
fn is_key(member: &[u8]) -> bool {
    let [front @ .., quote @ (b'"' | b'\'')] = member else {
        return false;
    };
    let mut name = without_backslashes(front);
    for letter in *b"yek" {
        match last_letter(name) {
            Some((front, last)) if last == letter => name = front,
            _ => return false,
        }
    }
    name.last() == Some(quote)
}

/// Returns the last letter of a string of JSON, as written or as an escape, and the bytes before it.
fn last_letter(text: &[u8]) -> Option<(&[u8], u8)> {
    match text {
        [front @ .., b'\\', b'u', b'0', b'0', high, low] => {
            Some((without_backslashes(front), hex_pair(*high, *low)?))
        }
        [front @ .., last] => Some((front, *last)),
        [] => None,
    }
}

/// Returns `text` without the backslashes that it ends in.
pub(super) fn without_backslashes(text: &[u8]) -> &[u8] {
    let mut text = text;
    while let [front @ .., b'\\'] = text {
        text = front;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::context::read_context;

    #[test]
    fn places() {
        let place = |before: &str| {
            read_context(before.as_bytes(), crate::scan::rules::TextScope::Any)
                .0
                .place
        };
        assert_eq!(place("https://a.example/doi/full/"), UrlPlace::Path);
        assert_eq!(place("https://doi.org/"), UrlPlace::None);
        assert_eq!(place("https://a.example/?doi="), UrlPlace::Query);
        assert_eq!(place("?a=b&amp;id=info:doi/"), UrlPlace::Query);
        assert_eq!(place("u%3Fdoi%3D"), UrlPlace::Query);
        assert_eq!(place("u%3fdoi%3d"), UrlPlace::Query);
        assert_eq!(place("doi="), UrlPlace::None);
        assert_eq!(place("a.example/esm/art%3A"), UrlPlace::Path);
        assert_eq!(place("a.example/article/info:doi/"), UrlPlace::Path);
        assert_eq!(place("https://doi.org/doi:"), UrlPlace::None);
        assert_eq!(place("see art:"), UrlPlace::None);
        assert_eq!(place("a.example/badge/DOI-"), UrlPlace::Badge);
        assert_eq!(place("a.example\\/badge\\/DOI-"), UrlPlace::Badge);
        assert_eq!(place("a.example/badge/x/DOI-"), UrlPlace::None);
        assert_eq!(place("see "), UrlPlace::None);
    }

    #[test]
    fn citation_keys() {
        for before in [
            "<citation key=\"",
            "<citation key='",
            "\"key\":\"",
            "\"key\": \"key-",
            r#"\"key\":\""#,
            r#""\u006bey":""#,
            r#""k\u0065y" : "key-"#,
            r#"\"\\u006B\\u0065\\u0079\":\""#,
        ] {
            assert!(is_citation_key(before.as_bytes()), "{before}");
        }
        for before in [
            "&key=",
            "onkeypress=\"",
            "\"apikey\":\"",
            "\"key\":\"x\",\"doi\":\"",
            "xkey=\"",
            r#""api\u006bey":""#,
            r#""\u0061key":""#,
            r#""\u004bey":""#,
            "key ",
        ] {
            assert!(!is_citation_key(before.as_bytes()), "{before}");
        }
    }
}
