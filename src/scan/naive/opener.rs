//! What leads up to a name and says how it was written: schemes, proxies, labels.

use super::Form;
use super::spelling::{colon, slash, word};

/// The form that the scheme or proxy at the end of `before` gives, and its length: the longest there is.
pub(super) fn scheme(before: &[u8]) -> Option<(Form, usize)> {
    let (start, (form, bare_host)) =
        (0..before.len()).find_map(|start| Some((start, whole_scheme(before, start)?)))?;
    // A host without its scheme may be the tail of another host's name.
    let inside_host = bare_host && start > 0 && b"-.@".contains(&before[start - 1]);
    (!inside_host).then_some((form, before.len() - start))
}

/// What `text[start..]` is as a whole, and whether it is a host alone.
fn whole_scheme(text: &[u8], start: usize) -> Option<(Form, bool)> {
    let whole = &text[start..];
    let url = web(whole);
    let host = starts_word(text, start).then_some(whole);
    let readings = [
        (
            Form::Urn,
            false,
            named("urn", whole).and_then(|rest| named("doi", rest)),
        ),
        (
            Form::Info,
            false,
            named("info", whole).and_then(|rest| slash(word("doi", rest)?)),
        ),
        (Form::Hdl, false, named("hdl", whole)),
        (Form::Doi, false, named("doi", whole)),
        (Form::Url, false, url.and_then(doi_proxy)),
        (Form::Hdl, false, url.and_then(handle_proxy)),
        (Form::Url, true, host.and_then(doi_proxy)),
        (Form::Hdl, true, host.and_then(handle_proxy)),
    ];
    let is_all = |rest: Option<&[u8]>| rest.is_some_and(<[u8]>::is_empty);
    let found = readings.into_iter().find(|(_, _, rest)| is_all(*rest));
    found.map(|(form, bare_host, _)| (form, bare_host))
}

/// What follows `name:`.
fn named<'t>(name: &str, text: &'t [u8]) -> Option<&'t [u8]> {
    colon(word(name, text)?)
}

/// What follows `https://`, `http://` or `//`.
fn web(text: &[u8]) -> Option<&[u8]> {
    let rest = named("https", text)
        .or_else(|| named("http", text))
        .unwrap_or(text);
    slash(slash(rest)?)
}

fn doi_proxy(text: &[u8]) -> Option<&[u8]> {
    let hosts = ["doi.org", "dx.doi.org", "www.doi.org"];
    let rest = hosts.iter().find_map(|host| word(host, text))?;
    proxy_path(port(rest).unwrap_or(rest))
}

fn handle_proxy(text: &[u8]) -> Option<&[u8]> {
    proxy_path(word("hdl.handle.net", text)?)
}

/// What follows `:443`.
fn port(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b":")?;
    let len = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    (len > 0).then(|| &rest[len..])
}

/// What follows a slash or two, the path of the REST API, and one blank that a reference may hold.
fn proxy_path(text: &[u8]) -> Option<&[u8]> {
    let rest = slash(text)?;
    let rest = slash(rest).unwrap_or(rest);
    let api = |rest| slash(slash(<[u8]>::strip_prefix(rest, b"api")?)?.strip_prefix(b"handles")?);
    let rest = api(rest).unwrap_or(rest);
    Some(rest.strip_prefix(b" ").unwrap_or(rest))
}

fn starts_word(text: &[u8], start: usize) -> bool {
    start == 0 || !(text[start - 1].is_ascii_alphanumeric() || text[start - 1] == b'_')
}

/// Whether the end of `before` says "DOI": a field, an element, a parameter or a word.
pub(super) fn is_labelled(before: &[u8]) -> bool {
    (0..before.len()).any(|start| is_word_doi(before, start))
        || is_tag(before)
        || is_ris_tag(before)
}

/// Whether `text[start..]` is the word DOI with what may follow it, and then nothing but joints.
fn is_word_doi(text: &[u8], start: usize) -> bool {
    let Some(rest) = word("doi", &text[start..]) else {
        return false;
    };
    let rest = rest.strip_prefix(b"s").unwrap_or(rest);
    let capital = text[start..].starts_with(b"Doi") || text[start..].starts_with(b"DOI");
    match start.checked_sub(1).map(|front| text[front]) {
        Some(front) if front.is_ascii_lowercase() => capital && are_joints(rest),
        Some(front) if front.is_ascii_uppercase() => false,
        _ => are_joints(rest) || behind_noun(rest).into_iter().any(are_joints),
    }
}

/// What can follow the noun of "DOI number" and its like.
fn behind_noun(text: &[u8]) -> Vec<&[u8]> {
    let mut rests = Vec::new();
    for gap in ["", " ", "_", "-"] {
        for noun in ["url", "link", "no", "no.", "number", "name"] {
            rests.extend(word(&format!("{gap}{noun}"), text));
        }
    }
    rests
}

/// Whether `text` is what may stand between a label and a name, at least one mark of it.
fn are_joints(text: &[u8]) -> bool {
    let joint = |text: &[u8]| -> Option<usize> {
        let long = [
            "%3A", "%3D", "%3a", "%3d", "%22", "&quot;", ".org/ ", "\u{a0}", "\u{3000}", "：",
        ];
        if let Some(found) = long.iter().find(|joint| text.starts_with(joint.as_bytes())) {
            return Some(found.len());
        }
        (is_space(text[0]) || b":=\"'([{<>|\\-".contains(&text[0])).then_some(1)
    };
    let mut rest = text;
    while !rest.is_empty() {
        match joint(rest) {
            Some(len) => rest = &rest[len..],
            None => return false,
        }
    }
    !text.is_empty()
}

/// White space as regular expressions have it.
fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0x0B
}

/// Whether `before` ends in an element's tag that speaks of DOI, or opens an attribute in one.
fn is_tag(before: &[u8]) -> bool {
    let text = without_space(before);
    let inside = match text.split_last() {
        Some((b'>', inside)) => inside,
        Some((b'"' | b'\'', inside)) => match without_space(inside).split_last() {
            Some((b'=', inside)) => inside,
            _ => return false,
        },
        _ => return false,
    };
    match inside.iter().rposition(|b| matches!(b, b'<' | b'>')) {
        Some(open) if inside[open] == b'<' => {
            let tag = &inside[open + 1..];
            (0..tag.len()).any(|at| word("doi", &tag[at..]).is_some())
        }
        _ => false,
    }
}

fn without_space(text: &[u8]) -> &[u8] {
    let len = text
        .iter()
        .rposition(|b| !is_space(*b))
        .map_or(0, |last| last + 1);
    &text[..len]
}

fn is_ris_tag(before: &[u8]) -> bool {
    before
        .strip_suffix(b"DO  - ")
        .is_some_and(|front| matches!(front.last(), None | Some(b'\r' | b'\n')))
}
