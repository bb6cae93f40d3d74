//! What a run says of sources that it reads otherwise than their names promise, or gets nothing out of: no error, but never
//! passed over in silence.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::input::{Claim, Found, PassedOver};
use crate::printable;

/// Warnings of one kind that are written one by one; more of them are summed up, and written at the level of debugging.
const SHOWN: u64 = 10;

/// What is to be said of a source or a member.
#[derive(Clone, Copy, Debug)]
pub(super) enum Notice {
    /// Its name claims a format that its content does not have.
    Misnamed(&'static Claim, Found),
    /// It is text in this encoding, but lacks the byte order mark.
    Unmarked(&'static str),
    /// A named source has no bytes.
    Empty,
    /// A named source is of this kind, or holds such documents alone, as many as counted.
    NoText(&'static str, u64),
    /// A named source is an archive without documents.
    NoDocument,
}

/// What came of a source so far.
#[derive(Debug, Default)]
pub(super) struct Gain {
    pub(super) documents: u64,
    /// Documents that are no text, and the kind of the first.
    skipped: u64,
    kind: Option<&'static str>,
    /// An error, or another notice, says already why there may be nothing in it.
    pub(super) is_told: bool,
}

impl Gain {
    /// Takes note of a document that is no text.
    pub(super) fn skip(&mut self, kind: &'static str) {
        self.skipped += 1;
        self.kind.get_or_insert(kind);
    }

    /// Why there was nothing in a source that was named.
    pub(super) fn notice(&self) -> Option<Notice> {
        if self.documents > 0 || self.is_told {
            return None;
        }
        let none = |kind| Notice::NoText(kind, self.skipped);
        Some(self.kind.map_or(Notice::NoDocument, none))
    }
}

/// Notices, counted by kind.
#[derive(Debug, Default)]
pub(super) struct Notices([AtomicU64; 4]);

impl Notices {
    /// Writes a notice about a source, or a document in it.
    pub(super) fn add(&self, source: &str, document: Option<&str>, notice: Notice) {
        let number = self.0[notice.kind()].fetch_add(1, Ordering::Relaxed);
        let level = match number < SHOWN {
            true => log::Level::Warn,
            false => log::Level::Debug,
        };
        if !log::log_enabled!(level) {
            return;
        }
        let shown = if source == "-" {
            "standard input"
        } else {
            source
        };
        let names = [Some(shown), document].into_iter().flatten();
        let names: String = names.map(|name| printable::name(name) + ": ").collect();
        let path = document.map_or(source, |_| "");
        log::log!(level, "{names}{}", Text(notice, path));
    }

    /// Sums up what was not written.
    pub(super) fn end(&self) {
        if log::log_enabled!(log::Level::Debug) {
            return;
        }
        for (count, what) in self.0.iter().zip(WHAT) {
            let more = count.load(Ordering::Relaxed).saturating_sub(SHOWN);
            if more > 0 {
                log::warn!("{more} more {what}; -vv names each");
            }
        }
    }
}

/// Warns of what is below folders, or was named, and is not read.
pub(super) fn report_passed_over(passed: &PassedOver, has_globs: bool) {
    if let Some(first) = passed.temporary.first() {
        let (count, first) = (passed.temporary.len(), printable::path(first));
        log::warn!("temporary files of doisift are not read: {count}, the first is {first}");
    }
    for folder in passed.empty.iter().take(SHOWN as usize) {
        let folder = printable::path(folder);
        match has_globs {
            true => log::warn!("{folder}: no file in it is wanted; see --include and --exclude"),
            false => {
                log::warn!("{folder}: there is no file in it; check the path")
            }
        }
    }
    let more = passed.empty.len().saturating_sub(SHOWN as usize);
    if more > 0 {
        log::warn!("{more} more folders have no file that is wanted");
    }
    if let (links, Some(first)) = &passed.links {
        let first = printable::path(first);
        log::warn!(
            "symbolic links below folders that were not followed: {links}, the first is {first}; -L follows them"
        );
    }
    if let (count, Some(first)) = &passed.special {
        let first = printable::path(first);
        log::warn!(
            "pipes, sockets and devices below folders that were not read: {count}, the first is {first}; name those to be read"
        );
    }
}

/// What notices of each kind are about.
const WHAT: [&str; 4] = [
    "files or members are not what their names say",
    "named sources are empty",
    "named sources gave no text",
    "texts lack their byte order mark",
];

impl Notice {
    fn kind(self) -> usize {
        match self {
            Notice::Misnamed(..) => 0,
            Notice::Empty => 1,
            Notice::NoText(..) | Notice::NoDocument => 2,
            Notice::Unmarked(_) => 3,
        }
    }
}

/// A notice about what is at a path, or at none.
struct Text<'p>(Notice, &'p str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = shell_word(self.1);
        match self.0 {
            Notice::Misnamed(claim, found) => misnamed(f, claim, found, path),
            Notice::Unmarked(encoding) => write!(
                f,
                "it looks like {encoding} without a byte order mark, and names in it are not found; convert it: \
                iconv -f {encoding} -t UTF-8 {path} | doisift scan"
            ),
            Notice::Empty => f.write_str("it is empty: nothing was read"),
            Notice::NoText(kind, 1) => {
                write!(f, "this is {kind}, not text: nothing was read; ")?;
                remedy(f, kind, path)
            }
            Notice::NoText(kind, count) => {
                write!(f, "none of its {count} documents is text ({kind}")?;
                f.write_str(" and the like): nothing was read; unpack it, and make text of them")
            }
            Notice::NoDocument => {
                f.write_str("it holds no documents: nothing was read; check the path")
            }
        }
    }
}

fn misnamed(f: &mut fmt::Formatter<'_>, claim: &Claim, found: Found, path: &str) -> fmt::Result {
    let (ending, format) = (claim.ending(), claim.format);
    if let (Some(program), Found::Noise) = (claim.unpack_with, found) {
        return write!(
            f,
            "{format} data (.{ending}) cannot be read, and no name in it is found; unpack it first: {program} {path} | doisift scan"
        );
    }
    write!(f, "its name says {format} (.{ending}), but ")?;
    match found {
        Found::Nothing => f.write_str("it is empty: nothing was read; get it again"),
        Found::Text => f.write_str(
            "it is text, and was read as that; if it should be more than this, get it again",
        ),
        Found::Noise => f.write_str(
            "its first bytes say neither that nor text: it is damaged, or something else, and names in it are not found; \
            get it again",
        ),
        Found::Binary(kind) => write!(f, "it is {kind}: nothing was read; get it again"),
    }
}

/// How text is got out of what is of a kind.
fn remedy(f: &mut fmt::Formatter<'_>, kind: &str, path: &str) -> fmt::Result {
    match kind {
        "pdf" => write!(f, "read its text: pdftotext {path} - | doisift scan"),
        "djvu" => write!(f, "read its text: djvutxt {path} | doisift scan"),
        "sqlite" => write!(f, "read its rows: sqlite3 {path} .dump | doisift scan"),
        "parquet" => write!(
            f,
            "read its rows: duckdb -csv -c \"from '{path}'\" | doisift scan"
        ),
        "avro" | "arrow" | "hdf5" | "netcdf" | "numpy" => {
            f.write_str("write it as CSV or JSON, and scan that")
        }
        "ole2" => f.write_str("save it as text or in a newer format (.docx, .xlsx), and scan that"),
        "png" | "tiff" | "jp2" | "jpeg" | "gif" | "heic" | "avif" | "webp" => {
            write!(f, "read its text: tesseract {path} - | doisift scan")
        }
        "git-pack" => f.write_str("scan a checkout, or the output of git log -p"),
        _ => f.write_str("if it holds text, make a text file of it, and scan that"),
    }
}

/// The path as a shell takes it, or a placeholder where that would need quotes.
fn shell_word(path: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/+=:,@%-".contains(c);
    match !path.is_empty() && path.len() < 100 && !path.starts_with('-') && path.chars().all(plain)
    {
        true => path,
        false => "FILE",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_can_be_pasted_into_a_shell() {
        let text = |path| Text(Notice::NoText("pdf", 1), path).to_string();
        assert!(text("d/a.pdf").ends_with("pdftotext d/a.pdf - | doisift scan"));
        for path in ["-", "a b.pdf", "$(x)", "", "\u{1b}"] {
            assert!(
                text(path).ends_with("pdftotext FILE - | doisift scan"),
                "{path}"
            );
        }
    }
}
