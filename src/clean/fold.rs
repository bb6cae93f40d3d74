//! Characters as a name has them: what encoders and typesetters made of them, undone.

use std::borrow::Cow;

use unicode_general_category::{GeneralCategory as Gc, get_general_category};

/// LaTeX's ways to write marks that names hold. Longer ones first.
const LATEX: [(&str, &str); 8] = [
    ("\\textless{}", "<"),
    ("\\textgreater{}", ">"),
    ("\\textunderscore{}", "_"),
    ("\\textless", "<"),
    ("\\textgreater", ">"),
    ("\\textunderscore", "_"),
    ("$<$", "<"),
    ("$>$", ">"),
];

/// Entities may be escaped entities; nobody was seen to go deeper.
const DEPTH: usize = 3;

/// `text` with entities, backslashes and full width undone, its blanks as plain ones, its dashes as `-`, and nothing invisible.
pub(super) fn characters(text: &str) -> String {
    let mut text = Cow::Borrowed(text);
    for _ in 0..DEPTH {
        match without_entities(&text) {
            Some(decoded) => text = decoded.into(),
            None => break,
        }
    }
    if text.contains(['\\', '{', '$']) {
        text = without_latex(&text).into();
    }
    if text.contains("１０") || text.contains("10．") {
        text = text.chars().map(halved).collect::<String>().into();
    }
    plain(&text)
}

/// The ASCII character that `c` is in full width, as East Asian typesetters set a whole name; else `c`.
fn halved(c: char) -> char {
    let offset = u32::from('！') - u32::from('!');
    let is_wide = ('！'..='～').contains(&c);
    let half = is_wide.then(|| char::from_u32(u32::from(c) - offset));
    half.flatten().unwrap_or(c)
}

/// `text` with plain blanks and hyphens, and nothing invisible.
pub(super) fn plain(text: &str) -> String {
    text.chars().filter_map(folded).collect()
}

fn folded(c: char) -> Option<char> {
    match c {
        // A sign that stands for a lost character.
        '\u{FFFD}' => None,
        // Typesetters make dashes of hyphens: names hold hyphens.
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        c if c.is_whitespace() => Some(' '),
        c if matches!(get_general_category(c), Gc::Control | Gc::Format) => None,
        c => Some(c),
    }
}

/// `None` where nothing is an entity. One that no semicolon ends may be a parameter.
fn without_entities(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let entity = &rest[at..at + entity_len(&rest[at..])];
        let meaning = htmlize::unescape(entity);
        out.push_str(&rest[..at]);
        out.push_str(if entity.is_empty() { "&" } else { &meaning });
        rest = &rest[at + entity.len().max(1)..];
    }
    out.push_str(rest);
    (out != text).then_some(out)
}

/// The length of the entity at the start of `text`, its `&` and `;` included.
fn entity_len(text: &str) -> usize {
    const LONGEST: usize = 32;
    let name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'#';
    let bytes = text.as_bytes();
    let len = 1 + bytes[1..]
        .iter()
        .take(LONGEST)
        .take_while(|b| name(b))
        .count();
    if len > 1 && bytes.get(len) == Some(&b';') {
        len + 1
    } else {
        0
    }
}

fn without_latex(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (meaning, len) = latex(rest).unwrap_or((c, c.len_utf8()));
        out.push(meaning);
        rest = &rest[len..];
    }
    out
}

/// The character that LaTeX or a string literal writes at the start of `text`, and with how many bytes.
fn latex(text: &str) -> Option<(char, usize)> {
    let bytes = text.as_bytes();
    let named = LATEX.iter().find(|(name, _)| text.starts_with(name));
    if let Some((name, meaning)) = named {
        return Some((meaning.chars().next()?, name.len()));
    }
    match *bytes {
        [b'\\', b'u', ..] => {
            let code = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
            Some((char::from_u32(code)?, 6))
        }
        [b'\\', b'n' | b'r' | b't', ref rest @ ..]
            if !rest.first().is_some_and(u8::is_ascii_alphanumeric) =>
        {
            Some((' ', 2))
        }
        [b'\\', mark, ..] if mark.is_ascii_punctuation() => Some((mark.into(), 2)),
        [b'{', b'\\', mark, b'}', ..] if mark.is_ascii_punctuation() => Some((mark.into(), 4)),
        [b'{', mark, b'}', ..] if mark.is_ascii_graphic() => Some((mark.into(), 3)),
        _ => None,
    }
}
