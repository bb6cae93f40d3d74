//! Entities of HTML and XML.

use super::Meaning;

/// `&lt;`, `&#60;`, `&#x3c;`. Without its semicolon most are left, since they may be parameters (`&copy=1`).
pub(super) fn entity(rest: &[u8]) -> Option<Meaning> {
    const LONGEST: usize = 33;
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'#';
    let name = rest[1..]
        .iter()
        .take(LONGEST - 2)
        .take_while(is_name)
        .count();
    let len = 1 + name + 1;
    if rest.get(len - 1) != Some(&b';') {
        return unended_entity(rest);
    }
    // Those of XML, which most are.
    match &rest[1..len - 1] {
        b"amp" => return Meaning::of(len, b"&"),
        b"lt" => return Meaning::of(len, b"<"),
        b"gt" => return Meaning::of(len, b">"),
        _ => {}
    }
    let meaning = htmlize::unescape(std::str::from_utf8(&rest[..len]).ok()?);
    // HTML takes `&ltx;` for `&lt` and more.
    let is_whole = meaning == ";" || !meaning.ends_with(';');
    is_whole.then(|| Meaning::of(len, meaning.as_bytes()))?
}

/// A slash, a blank or the bracket of a SICI whose entity lost its semicolon, where no parameter can be meant.
fn unended_entity(rest: &[u8]) -> Option<Meaning> {
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
    (!goes_on).then(|| Meaning::of(written.len(), meaning.as_bytes()))?
}
