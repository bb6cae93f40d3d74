//! What the bytes before a name say: its form, what encloses it, whether it stands in a URL, how it is encoded.

use super::Form;
use super::opener;

/// Where in a URL of some other host a name stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Path,
    Query,
    Badge,
}

/// All that is known from what stands before a name.
pub(super) struct Around {
    pub(super) form: Form,
    pub(super) enclosure: Option<Enclosure>,
    pub(super) place: Place,
    /// How often percent escapes are undone.
    pub(super) percent: usize,
}

impl Around {
    /// Reads what `before` says about the name behind it, whose prefix is written `prefix`.
    pub(super) fn read(before: &[u8], prefix: &[u8]) -> Around {
        let (form, len) = match opener::scheme(before) {
            Some(scheme) => scheme,
            None if opener::is_labelled(before) => (Form::Label, 0),
            None => (Form::Bare, 0),
        };
        let (outside, lead) = before.split_at(before.len() - len);
        let lead = if len > 0 { lead } else { last_escape(before) };
        Around {
            form,
            enclosure: enclosure(outside),
            place: place(outside, form),
            percent: (depth(lead) + 1).max(depth(prefix)).min(DEEPEST),
        }
    }
}

/// Nobody nests URLs deeper.
const DEEPEST: usize = 8;

fn place(outside: &[u8], form: Form) -> Place {
    if is_parameter_of_url(outside) {
        Place::Query
    } else if is_badge(outside) {
        Place::Badge
    } else if is_in_path(outside, form) {
        Place::Path
    } else {
        Place::Text
    }
}

/// Whether `outside` ends in a slash, or in one and a scheme; after a proxy of DOI names there is no path.
fn is_in_path(outside: &[u8], form: Form) -> bool {
    let behind_slash = |text: &[u8]| ends_in(&["/", "%2F", "%2f"], text);
    match form {
        Form::Doi | Form::Info => behind_slash(outside) && opener::scheme(outside).is_none(),
        Form::Bare | Form::Label => {
            let signs = [":", "%3A", "%3a"];
            let word = signs
                .iter()
                .find_map(|sign| outside.strip_suffix(sign.as_bytes()));
            let front = word.unwrap_or(outside);
            let near = last(16, front);
            let letters = match word {
                Some(_) => tail(near, |b| b.is_ascii_alphanumeric()).len(),
                None => 0,
            };
            behind_slash(&front[..front.len() - letters])
        }
        _ => false,
    }
}

/// `/badge/`, and a label without slashes that ends in a hyphen.
fn is_badge(outside: &[u8]) -> bool {
    let near = last(64, outside);
    let label = tail(near, |b| b != b'/');
    label.ends_with(b"-") && ends_in(&["/badge/", "/badge\\/"], &near[..near.len() - label.len()])
}

fn ends_in(ends: &[&str], text: &[u8]) -> bool {
    ends.iter().any(|end| text.ends_with(end.as_bytes()))
}

/// The last `len` bytes of `text`.
fn last(len: usize, text: &[u8]) -> &[u8] {
    &text[text.len().saturating_sub(len)..]
}

/// `text` behind its last byte that is not `wanted`.
fn tail(text: &[u8], wanted: impl Fn(u8) -> bool) -> &[u8] {
    let start = text
        .iter()
        .rposition(|b| !wanted(*b))
        .map_or(0, |at| at + 1);
    &text[start..]
}

/// Whether `outside` ends in `?name=` or `&name=`, plain or escaped.
fn is_parameter_of_url(outside: &[u8]) -> bool {
    let near = last(80, outside);
    let signs = ["=", "%3D", "%3d"];
    let Some(front) = signs
        .iter()
        .find_map(|sign| near.strip_suffix(sign.as_bytes()))
    else {
        return false;
    };
    let name = tail(front, |b| {
        b.is_ascii_alphanumeric() || b"_-.[]%".contains(&b)
    });
    let escaped = name
        .windows(3)
        .any(|w| [&b"%3F"[..], b"%3f", b"%26"].contains(&w));
    escaped || ends_in(&["?", "&", "amp;"], &front[..front.len() - name.len()])
}

/// The percent escape that `before` ends with, or nothing.
fn last_escape(before: &[u8]) -> &[u8] {
    let digits = tail(last(12, before), |b| b.is_ascii_hexdigit());
    let front = &before[..before.len() - digits.len()];
    let is_escape =
        digits.len() < 12 && front.ends_with(b"%") && digits.len() >= 2 && digits.len() % 2 == 0;
    if is_escape {
        last(digits.len() + 1, before)
    } else {
        b""
    }
}

/// How often the most deeply encoded byte of `text` was encoded: `%2F` once, `%252F` twice.
fn depth(text: &[u8]) -> usize {
    let escapes = (0..text.len()).filter(|at| text[*at] == b'%');
    escapes
        .map(|at| depth_of_escape(&text[at + 1..]))
        .max()
        .unwrap_or(0)
}

/// The same for the escape whose digits `digits` starts with.
fn depth_of_escape(digits: &[u8]) -> usize {
    match digits {
        [b'2', b'5', inner @ ..] if inner.len() >= 2 => 1 + depth_of_escape(inner),
        _ => 1,
    }
}

/// What stands around a name, or around a name with its scheme or proxy.
pub(super) struct Enclosure {
    closers: Vec<&'static str>,
    /// White space may stand before the closer.
    loose: bool,
    /// The end of the line closes too.
    line: bool,
    /// Bytes that end the name wherever they stand in it.
    pub(super) marks: &'static [u8],
}

/// How many blanks are passed over, and how far back a line or a parameter may start.
const NEAR: usize = 64;

/// What opens and closes pairs, longer ones before their own ends.
#[rustfmt::skip]
const PAIRS: [(&str, &str); 13] = [
    ("\\\"", "\\\""), ("&quot;", "&quot;"), ("&#34;", "&#34;"), ("%22", "%22"), ("\"", "\""),
    ("'", "'"), ("&#39;", "&#39;"), ("&apos;", "&apos;"),
    ("&gt;", "&lt;"), ("&lt;", "&gt;"), ("<", ">"), (">", "<"), ("{", "}"),
];

/// What encloses a name that `before` ends at.
fn enclosure(before: &[u8]) -> Option<Enclosure> {
    let opened_by = |opener: &str| before.ends_with(opener.as_bytes());
    if starts_line(before) {
        return Some(field(vec![",", ";", "\t"], b",;"));
    }
    if is_parameter_of_template(before) || opened_by("|") {
        let closers = vec!["|", "}}"];
        return Some(Enclosure {
            closers,
            loose: true,
            line: true,
            marks: b"",
        });
    }
    if opened_by("$a") || opened_by("$u") {
        return Some(Enclosure {
            closers: vec!["$"],
            loose: true,
            line: true,
            marks: b"$",
        });
    }
    if let Some((_, closer)) = PAIRS.iter().find(|(opener, _)| opened_by(opener)) {
        let is_apostrophe = ["'", "&#39;", "&apos;"].contains(closer);
        let marks: &[u8] = if is_apostrophe { b"'" } else { b"" };
        return Some(Enclosure {
            closers: vec![closer],
            loose: true,
            line: false,
            marks,
        });
    }
    match before.last()? {
        b',' => Some(field(vec![","], b",")),
        b';' if !is_end_of_entity(before) => Some(field(vec![";"], b";")),
        b'\t' => Some(field(vec!["\t"], b"")),
        _ => None,
    }
}

/// A field of an unquoted table.
fn field(closers: Vec<&'static str>, marks: &'static [u8]) -> Enclosure {
    Enclosure {
        closers,
        loose: false,
        line: true,
        marks,
    }
}

impl Enclosure {
    /// Whether what follows a name closes this enclosure.
    pub(super) fn is_closed_by(&self, rest: &[u8]) -> bool {
        let near = &rest[..rest.len().min(NEAR)];
        let behind = near.trim_ascii_start();
        let blanks = &near[..near.len() - behind.len()];
        let line_ends =
            blanks.len() == rest.len() || blanks.contains(&b'\n') || blanks.contains(&b'\r');
        let closes = |closer: &&str| {
            if self.loose {
                behind.starts_with(closer.as_bytes())
            } else {
                // In prose a blank follows the mark.
                rest.strip_prefix(closer.as_bytes())
                    .is_some_and(|next| !next.starts_with(b" "))
            }
        };
        self.line && line_ends || self.closers.iter().any(closes)
    }
}

/// Whether `before` ends in `| name = `.
fn is_parameter_of_template(before: &[u8]) -> bool {
    if !ends_in(&[" ", "="], before) {
        return false;
    }
    let Some(front) = last(NEAR, before).trim_ascii_end().strip_suffix(b"=") else {
        return false;
    };
    let front = front.trim_ascii_end();
    let name = tail(front, |b| b.is_ascii_alphanumeric());
    front[..front.len() - name.len()]
        .trim_ascii_end()
        .ends_with(b"|")
}

/// Whether `before` ends in an entity such as `&nbsp;`.
fn is_end_of_entity(before: &[u8]) -> bool {
    let front = &last(32, before)[..before.len().min(32) - 1];
    let name = tail(front, |b| b.is_ascii_alphanumeric() || b == b'#');
    !name.is_empty() && front[..front.len() - name.len()].ends_with(b"&")
}

/// Whether nothing but blanks and a RIS tag stands on the line before a name, or the mark that a text may start with.
fn starts_line(before: &[u8]) -> bool {
    let mut line = tail(last(NEAR, before), |b| b != b'\n' && b != b'\r');
    if line.len() == NEAR && before.len() > NEAR {
        return false;
    }
    if line.len() == before.len() {
        line = line.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(line);
    }
    let is_tag = |tag: &[u8]| {
        tag[0].is_ascii_uppercase() && tag[1].is_ascii_alphanumeric() && tag[2..] == *b"  - "
    };
    let rest = match line.split_at_checked(6) {
        Some((tag, rest)) if is_tag(tag) => rest,
        _ => line,
    };
    rest.iter().all(|b| *b == b' ')
}

/// Whether a name stands in the quoted value of an attribute or member called exactly `key`.
pub(super) fn is_citation_key(before: &[u8]) -> bool {
    let Some(quote) = before.iter().rposition(|b| matches!(b, b'"' | b'\'')) else {
        return false;
    };
    let head = &before[..quote];
    let head = head.strip_suffix(b"\\").unwrap_or(head).trim_ascii_end();
    match head.split_last() {
        Some((b'=', attribute)) => match attribute.trim_ascii_end().strip_suffix(b"key") {
            Some([.., front]) => front.is_ascii_whitespace(),
            _ => false,
        },
        Some((b':', member)) => ends_in(
            &["\"key\"", "'key'", "\\\"key\\\""],
            member.trim_ascii_end(),
        ),
        _ => false,
    }
}
