//! Entities of HTML and XML.

use super::EscapeMeaning;

/// Reads `&lt;`, `&#60;` or `&#x3c;`. Most entities without a semicolon are left, since they may be parameters (`&copy=1`).
pub(super) fn entity(rest: &[u8]) -> Option<EscapeMeaning> {
    const MAX_ENTITY_BYTES: usize = 33;
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'#';
    let name = rest[1..]
        .iter()
        .take(MAX_ENTITY_BYTES - 2)
        .take_while(is_name)
        .count();
    let len = 1 + name + 1;
    if rest.get(len - 1) != Some(&b';') {
        return unended_entity(rest);
    }
    // The entities of XML, which are the usual ones.
    match &rest[1..len - 1] {
        b"amp" => return EscapeMeaning::of(len, b"&"),
        b"lt" => return EscapeMeaning::of(len, b"<"),
        b"gt" => return EscapeMeaning::of(len, b">"),
        _ => {}
    }
    let meaning = htmlize::unescape(std::str::from_utf8(&rest[..len]).ok()?);
    // HTML reads `&ltx;` as `&lt` and more.
    let is_whole = meaning == ";" || !meaning.ends_with(';');
    is_whole.then(|| EscapeMeaning::of(len, meaning.as_bytes()))?
}

/// Reads the entity of a slash, a blank or the bracket of a SICI that lost its semicolon, unless it may be a parameter.
fn unended_entity(rest: &[u8]) -> Option<EscapeMeaning> {
    const ENTITIES: [(&str, &str); 6] = [
        ("&#47", "/"),
        ("&#x2f", "/"),
        ("&#x2F", "/"),
        ("&lt", "<"),
        ("&gt", ">"),
        ("&nbsp", " "),
    ];
    let is = |(written, _): &&(&str, &str)| rest.starts_with(written.as_bytes());
    let (written, meaning) = ENTITIES.iter().find(is)?;
    let goes_on = match rest.get(written.len()) {
        Some(next) if written.contains('#') => next.is_ascii_digit(),
        Some(next) => next.is_ascii_alphabetic() || *next == b'=',
        None => false,
    };
    (!goes_on).then(|| EscapeMeaning::of(written.len(), meaning.as_bytes()))?
}
