//! How `.`, `/` and `:` are written, and the prefix of a name that is made with them.

/// What follows a full stop, as text or as an encoder writes it.
fn dot(text: &[u8]) -> Option<&[u8]> {
    const WRITTEN: [&str; 9] = [
        ".", "&#46;", "&#x2E;", "&#x2e;", "&#X2E;", "&#X2e;", "&period;", "\\u002E", "\\u002e",
    ];
    one_of(&WRITTEN, text).or_else(|| percent("2E", text))
}

/// What follows a slash.
pub(super) fn slash(text: &[u8]) -> Option<&[u8]> {
    const WRITTEN: [&str; 14] = [
        "/",
        "\\/",
        "\\\\/",
        "\\\\\\/",
        "&#47;",
        "&#x2F;",
        "&#x2f;",
        "&#X2F;",
        "&#X2f;",
        "&sol;",
        "\\u002F",
        "\\u002f",
        "\\\\u002F",
        "\\\\u002f",
    ];
    one_of(&WRITTEN, text).or_else(|| percent("2F", text))
}

/// What follows a colon.
pub(super) fn colon(text: &[u8]) -> Option<&[u8]> {
    const WRITTEN: [&str; 8] = [
        ":", "\\:", "&#58;", "&#x3A;", "&#x3a;", "&#X3A;", "&#X3a;", "&colon;",
    ];
    one_of(&WRITTEN, text).or_else(|| percent("3A", text))
}

fn one_of<'t>(written: &[&str], text: &'t [u8]) -> Option<&'t [u8]> {
    written.iter().find_map(|w| text.strip_prefix(w.as_bytes()))
}

/// What follows the percent escape with these digits, itself escaped any number of times.
fn percent<'t>(digits: &str, text: &'t [u8]) -> Option<&'t [u8]> {
    let mut rest = text.strip_prefix(b"%")?;
    while let Some(inner) = rest.strip_prefix(b"25") {
        rest = inner;
    }
    word(digits, rest)
}

/// What follows `word` in either case.
pub(super) fn word<'t>(word: &str, text: &'t [u8]) -> Option<&'t [u8]> {
    let (head, rest) = text.split_at_checked(word.len())?;
    head.eq_ignore_ascii_case(word.as_bytes()).then_some(rest)
}

/// Directory indicator, registrant code and separator.
pub(super) struct Prefix {
    /// Bytes that write it, the separator's among them.
    pub(super) len: usize,
    /// White space stands in it.
    pub(super) broken: bool,
    /// A colon separates (H3).
    pub(super) colon: bool,
    /// The registrant code's first part has four to nine digits.
    pub(super) usual: bool,
    /// `10.978.` or `10.979.` and two to eight digits.
    pub(super) isbn: bool,
}

/// The prefix that `text` starts with.
pub(super) fn prefix(text: &[u8]) -> Option<Prefix> {
    let (front, rest) = blanks(dot(text.strip_prefix(b"10")?)?);
    let (parts, rest) = code(rest)?;
    let (back, rest) = blanks(rest);
    let broken = front + back > 0;
    let (colon, rest) = match slash(rest) {
        Some(rest) => (false, rest),
        None => (true, colon(rest)?),
    };
    if parts.len() > 5 || (broken && colon) {
        return None;
    }
    let isbn = matches!(parts[..], [b"978" | b"979", number] if (2..=8).contains(&number.len()));
    Some(Prefix {
        len: text.len() - rest.len(),
        broken,
        colon,
        usual: (4..=9).contains(&parts[0].len()),
        isbn: isbn && !broken,
    })
}

/// How many blanks `text` starts with, and what follows them.
fn blanks(text: &[u8]) -> (usize, &[u8]) {
    let len = text.iter().take_while(|b| b" \t\r\n".contains(b)).count();
    (len, &text[len..])
}

/// The parts of the registrant code at the start of `text`, and what follows it.
fn code(text: &[u8]) -> Option<(Vec<&[u8]>, &[u8])> {
    let (first, mut rest) = digits(text)?;
    let mut parts = vec![first];
    while let Some((part, behind)) = dot(rest).and_then(digits) {
        parts.push(part);
        rest = behind;
    }
    Some((parts, rest))
}

/// One digit or more.
fn digits(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let len = text.iter().take_while(|b| b.is_ascii_digit()).count();
    (len > 0).then(|| text.split_at(len))
}

/// Whether `before` ends in a whole prefix `10.N/` with four to nine digits.
pub(super) fn ends_in_prefix(before: &[u8]) -> bool {
    (0..before.len()).any(|start| {
        prefix(&before[start..])
            .is_some_and(|p| p.usual && !p.broken && !p.colon && start + p.len == before.len())
    })
}

/// Whether a digit or a full stop stands directly before; the digits of an escape do not count.
pub(super) fn is_inside_number(before: &[u8]) -> bool {
    let is_escape = |lead: &str, digits: usize| {
        let Some(start) = before.len().checked_sub(lead.len() + digits) else {
            return false;
        };
        let escape = &before[start..];
        escape.starts_with(lead.as_bytes())
            && escape[lead.len()..].iter().all(u8::is_ascii_hexdigit)
    };
    if is_escape("%", 2) || is_escape("\\x", 2) || is_escape("\\u", 4) {
        return false;
    }
    before
        .last()
        .is_some_and(|b| b.is_ascii_digit() || *b == b'.')
}
