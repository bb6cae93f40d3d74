//! Restores characters that mail filters replaced in URLs, of which only `*` is left.

/// Max bytes from a star to the list of characters.
const MAX_LIST_DISTANCE_BYTES: usize = 1024;

/// Returns the character for the star that `rest` starts with, in a URL that Proofpoint's URL Defense, version 3, rewrote:
/// `10.5555/a*3Cb__;JQ!!key!mac$`. The list after the URL is in base64, and has a character for each star in turn. `None` if the
/// URL has a run of stars, which means something else.
pub(crate) fn listed_character(rest: &[u8]) -> Option<u8> {
    let near = &rest[..rest.len().min(MAX_LIST_DISTANCE_BYTES)];
    let end = memchr::memmem::find(near, b"__;")?;
    let (url, list) = (&near[..end], &near[end + 3..]);
    let stars = memchr::memchr_iter(b'*', url).count();
    let has_run = memchr::memmem::find(url, b"**").is_some();
    let list = &list[..memchr::memmem::find(list, b"!!")?];
    let characters = characters(list).filter(|_| !has_run)?;
    let at = characters.len().checked_sub(stars)?;
    Some(characters[at])
}

/// Returns the graphic characters of ASCII that `list` holds in base64; `None` if it holds others.
fn characters(list: &[u8]) -> Option<Vec<u8>> {
    let (mut characters, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for byte in list {
        bits = bits << 6 | sextet(*byte)?;
        count += 6;
        if count >= 8 {
            count -= 8;
            let character = (bits >> count & 0xFF) as u8;
            characters.push(Some(character).filter(u8::is_ascii_graphic)?);
        }
    }
    Some(characters)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_listed_characters() {
        for (text, wanted) in [
            ("*3Cb__;JQ!!a!b$", Some(b'%')),
            ("*3Cb*3E__;JSU!!a", Some(b'%')),
            ("*b*__;PD4!!a", Some(b'<')),
            ("*__;PD4!!a", Some(b'>')),
            ("*a*b__;JQ!!a", None),
            ("**Ab__;JSU!!a", None),
            ("*3Cb__;JQ", None),
            ("*3Cb__;J\u{a0}!!", None),
            ("*3Cb", None),
        ] {
            assert_eq!(listed_character(text.as_bytes()), wanted, "{text}");
        }
    }
}
