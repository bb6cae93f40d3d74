//! Reads the presentation forms that [`Doi::parse`] lists.

use std::borrow::Cow;

use super::error::{DoiError, DoiErrorKind};
use super::{Doi, name, percent};

/// Hosts of DOI proxies (P1). The last is the handle system's own.
const PROXIES: [&str; 4] = ["doi.org", "dx.doi.org", "www.doi.org", "hdl.handle.net"];

const WEB: [&str; 2] = ["https://", "http://"];

/// The path of the proxy's REST API, before the name (P4).
const API: &str = "api/handles/";

/// A name as written, and how to read it in its form.
struct Presentation<'a> {
    /// From the first byte of the name to the end of the text.
    rest: &'a str,
    marks: QueryMarks,
    /// Whether a colon may separate prefix and suffix (H3).
    urn: bool,
}

/// Meaning of a raw `?` or `#`.
#[derive(Clone, Copy)]
enum QueryMarks {
    /// It is a character of the name: the text is a name, not a URI.
    Stay,
    /// It is an error (U3).
    Refuse,
    /// It ends the name (H4, P2).
    End,
}

pub(super) fn read(text: &str) -> Result<Doi, DoiError> {
    let text_end = text.trim_ascii_end();
    let body = without_label(text_end.trim_ascii_start());
    let start = text_end.len() - body.len();
    let blank = white_space(body, start);
    let Some(found) = presentation(body) else {
        return Err(blank.unwrap_or(DoiError::new(DoiErrorKind::ForeignHost, start)));
    };
    let start = text_end.len() - found.rest.len();
    let (name, mark) = within_marks(&found, start);
    let doi = decoded(name, found.urn, start);
    let faults = [blank, mark, doi.as_ref().err().copied()];
    // Of faults at the same byte the raw character is reported: `10.1000?x` has a `?`, not a bad prefix.
    match faults.into_iter().flatten().min_by_key(DoiError::offset) {
        Some(fault) => Err(fault),
        None => doi,
    }
}

/// Removes the label "DOI", which print and fields put before names and URLs. `doi:` directly before a name is a scheme, not a
/// label.
fn without_label(text: &str) -> &str {
    let Some(label) = after(text, "doi") else {
        return text;
    };
    let rest = label.trim_ascii_start();
    let name = rest
        .strip_prefix([':', '='])
        .unwrap_or(rest)
        .trim_ascii_start();
    let is_part = match label.len() - name.len() {
        0 => !name.starts_with("10."),
        1 if label.starts_with(':') => !is_web(name),
        _ => false,
    };
    if is_part { text } else { name }
}

fn is_web(text: &str) -> bool {
    WEB.iter()
        .any(|scheme| without_scheme(text, scheme).is_some())
}

fn without_scheme<'t>(text: &'t str, scheme: &str) -> Option<&'t str> {
    let (start, rest) = text.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then_some(rest)
}

/// Returns the error for the first unescaped white space. A blank that belongs to a name is escaped in a URI.
fn white_space(body: &str, start: usize) -> Option<DoiError> {
    let plain = body.bytes().position(|b| !b.is_ascii_graphic())?;
    let at = plain + body[plain..].find(char::is_whitespace)?;
    Some(DoiError::new(DoiErrorKind::WhiteSpace, start + at))
}

/// Returns the form of `body`, or `None` for the URL of a host that is not a proxy.
fn presentation(body: &str) -> Option<Presentation<'_>> {
    let Some(path) = proxy_path(body)? else {
        return Some(match scheme(body) {
            Some((rest, urn)) => Presentation {
                rest,
                marks: QueryMarks::Refuse,
                urn,
            },
            None => Presentation {
                rest: body,
                marks: QueryMarks::Stay,
                urn: false,
            },
        });
    };
    let path = path.strip_prefix(API).unwrap_or(path);
    let (rest, urn) = scheme(path).unwrap_or((path, false));
    Some(Presentation {
        rest,
        marks: QueryMarks::End,
        urn,
    })
}

/// Returns the part of a proxy URL after host and `/`, `Some(None)` if `body` is not a URL, or `None` if it is a URL of another
/// host. Text without scheme and `//` is a URL only if it starts with a proxy.
fn proxy_path(body: &str) -> Option<Option<&str>> {
    let url = WEB
        .iter()
        .chain(["//"].iter())
        .find_map(|scheme| without_scheme(body, scheme));
    let rest = url.unwrap_or(body);
    let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    match (is_proxy(authority), url) {
        (true, _) => Some(Some(path.strip_prefix('/').unwrap_or(path))),
        (false, Some(_)) => None,
        (false, None) => Some(None),
    }
}

/// Whether `authority`, the host and port of a URL, is a DOI proxy, on any port.
pub(crate) fn is_proxy(authority: &str) -> bool {
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    port.bytes().all(|b| b.is_ascii_digit()) && PROXIES.iter().any(|p| host.eq_ignore_ascii_case(p))
}

/// Returns the part after the scheme of a URI for DOI names, and whether the scheme is `urn:doi:`.
fn scheme(text: &str) -> Option<(&str, bool)> {
    let uri = ["doi:", "info:doi/", "hdl:"]
        .iter()
        .find_map(|word| after(text, word));
    uri.map(|rest| (rest, false))
        .or_else(|| Some((after(text, "urn:doi:")?, true)))
}

/// Returns the part of `text` after `word`, or `None` if it does not start with it. Ignores ASCII case and undoes escapes.
fn after<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let mut at = 0;
    for wanted in word.bytes() {
        let (byte, width) = percent::first(&text.as_bytes()[at..])?;
        if !byte.eq_ignore_ascii_case(&wanted) {
            return None;
        }
        at += width;
    }
    text.get(at..)
}

/// Returns the name up to a `?` or `#` that ends it, and the error if such a mark is refused.
fn within_marks<'a>(found: &Presentation<'a>, start: usize) -> (&'a str, Option<DoiError>) {
    let rest = found.rest;
    let Some(at) = memchr::memchr2(b'?', b'#', rest.as_bytes()) else {
        return (rest, None);
    };
    let mark = char::from(rest.as_bytes()[at]);
    match found.marks {
        QueryMarks::Stay => (rest, None),
        QueryMarks::End => (&rest[..at], None),
        QueryMarks::Refuse => (
            rest,
            Some(DoiError::new(
                DoiErrorKind::QueryOrFragment(mark),
                start + at,
            )),
        ),
    }
}

/// Decodes a name. `start` is the offset of `written` in the text, for errors.
fn decoded(written: &str, urn: bool, start: usize) -> Result<Doi, DoiError> {
    let at = |decoded| start + percent::written_at(written, decoded);
    let mut name = match percent::decode(written) {
        Cow::Borrowed(_) => written.to_owned(),
        Cow::Owned(bytes) => String::from_utf8(bytes)
            .map_err(|e| DoiError::new(DoiErrorKind::NotUtf8, at(e.utf8_error().valid_up_to())))?,
    };
    if urn {
        separate(&mut name);
    }
    Doi::from_string(name).map_err(|e| DoiError::new(e.kind(), at(e.offset())))
}

/// Replaces the colon after the prefix of a URN by the `/` of the name (H3).
fn separate(name: &mut String) {
    match name::registrant_code_end(name) {
        Some(end) if name[end..].starts_with(':') => name.replace_range(end..=end, "/"),
        _ => {}
    }
}
