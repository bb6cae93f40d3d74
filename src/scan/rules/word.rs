//! Which words after a name, without a blank between, are not part of it.

/// Whether `rest` starts a URL: `http:/` in any name is glued on.
pub(crate) fn is_web_scheme(rest: &[u8]) -> bool {
    let rest = if starts_with(rest, "https") {
        &rest[5..]
    } else if starts_with(rest, "http") {
        &rest[4..]
    } else {
        return false;
    };
    rest.starts_with(b":/")
}

/// Whether `rest`, after `.`, `,` or `[`, starts with what follows a name in printed references.
pub(crate) fn is_glued(rest: &[u8]) -> bool {
    if !rest
        .first()
        .is_some_and(|first| b"uehpad".contains(&(first | 0x20)))
    {
        return false;
    }
    let followed = |word: &str, next: fn(&u8) -> bool| {
        starts_with(rest, word) && rest.get(word.len()).is_none_or(next)
    };
    let word_ends = |b: &u8| !b.is_ascii_lowercase();
    rest.starts_with(b"URL")
        || rest.starts_with(b"Epub")
        || starts_with(rest, "http")
        || followed("pmid", word_ends)
        || followed("arxiv", word_ends)
        || followed("doi", word_ends)
        || (followed("pmc", u8::is_ascii_digit) && rest.len() > 3)
}

/// Whether `rest` starts with `name=` or `name:`: what follows a semicolon or an ampersand in a URL or a list of fields.
pub(crate) fn is_parameter(rest: &[u8]) -> bool {
    const LONGEST: usize = 64;
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let len = rest.iter().take(LONGEST).take_while(is_name).count();
    len > 0 && !rest[0].is_ascii_digit() && matches!(rest.get(len), Some(b'=' | b':'))
}

fn starts_with(rest: &[u8], word: &str) -> bool {
    rest.get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}
