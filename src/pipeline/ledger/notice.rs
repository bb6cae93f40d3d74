//! Warnings about sources without text, or whose content does not match their names. They do not count as errors.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use doisift_documents::printable;
use doisift_documents::{ActualContent, ClaimedFormat, SkippedPaths};

/// Max warnings of one kind that are written. Further ones are counted, and written at debug level.
const MAX_SHOWN_NOTICES: u64 = 10;

/// A warning about a source or a member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Notice {
    /// Its name claims a format that its content does not have.
    Misnamed(&'static ClaimedFormat, ActualContent),
    /// The content looks like text in this encoding without a byte order mark.
    Unmarked(&'static str),
    /// Number of rows of a table that have more or fewer cells than its header.
    Ragged(u64),
    /// Its name says JSON, but it is not JSON, so its names have no records.
    NoJson,
    /// A named source has no bytes.
    Empty,
    /// A named source is of this kind, or holds only documents of this and similar kinds, with their number.
    NoText(&'static str, u64),
    /// A named source is an archive without documents.
    NoDocument,
}

/// The documents found in a source so far.
#[derive(Debug, Default)]
pub(crate) struct SourceTotals {
    pub(crate) documents: u64,
    /// Number of documents that are not text, and the kind of the first.
    skipped: u64,
    kind: Option<&'static str>,
    /// Whether an error or another notice was already written for the source.
    pub(crate) is_reported: bool,
}

impl SourceTotals {
    /// Counts a document that is not text.
    pub(crate) fn skip(&mut self, kind: &'static str) {
        self.skipped += 1;
        self.kind.get_or_insert(kind);
    }

    /// Returns the notice for a named source without documents. `None` if it has documents or was reported already.
    pub(crate) fn notice(&self) -> Option<Notice> {
        if self.documents > 0 || self.is_reported {
            return None;
        }
        let none = |kind| Notice::NoText(kind, self.skipped);
        Some(self.kind.map_or(Notice::NoDocument, none))
    }
}

/// Writes notices, and counts them by kind.
#[derive(Debug, Default)]
pub(crate) struct Notices([AtomicU64; 6]);

impl Notices {
    /// Writes a notice about a source, or a document in it.
    pub(crate) fn add(&self, source: &str, document: Option<&str>, notice: Notice) {
        let number = self.0[notice.kind()].fetch_add(1, Ordering::Relaxed);
        let level = if number < MAX_SHOWN_NOTICES {
            log::Level::Warn
        } else {
            log::Level::Debug
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
        log::log!(level, "{names}{}", NoticeText(notice, path));
    }

    /// Writes the number of notices that were not written.
    pub(crate) fn end(&self) {
        if log::log_enabled!(log::Level::Debug) {
            return;
        }
        for (count, what) in self.0.iter().zip(NOTICE_SUBJECTS) {
            let more = count
                .load(Ordering::Relaxed)
                .saturating_sub(MAX_SHOWN_NOTICES);
            if more > 0 {
                log::warn!("{more} more {what}; -vv names each");
            }
        }
    }
}

/// Warns of files below folders that are not read, and of folders without files.
pub(crate) fn report_passed_over(passed: &SkippedPaths, has_globs: bool) {
    if let Some(first) = passed.temporary.first() {
        let (count, first) = (passed.temporary.len(), printable::path(first));
        log::warn!("temporary files of doisift are not read: {count}, the first is {first}");
    }
    for folder in passed.empty.iter().take(MAX_SHOWN_NOTICES as usize) {
        let folder = printable::path(folder);
        if has_globs {
            log::warn!("{folder}: no file in it passes --include and --exclude; change these")
        } else {
            log::warn!("{folder}: there is no file in it; check the path")
        }
    }
    let more = passed
        .empty
        .len()
        .saturating_sub(MAX_SHOWN_NOTICES as usize);
    if more > 0 {
        log::warn!("{more} more folders have no file to read");
    }
    if let (count, Some(first)) = &passed.other_case {
        let first = printable::path(first);
        log::warn!(
            "files that --include or --exclude would match if the case of letters did not count: {count}, the first is {first}; give the glob in that case too"
        );
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
            "pipes, sockets and devices below folders that were not read: {count}, the first is {first}; to read one, give its path as an argument"
        );
    }
}

/// The subject of the notices of each kind, for their count.
const NOTICE_SUBJECTS: [&str; 6] = [
    "files or members whose content is not what their names say",
    "named sources that are empty",
    "named sources without text",
    "texts without a byte order mark",
    "tables with rows of more or fewer cells than their headers",
    "documents that are not JSON although their names say so",
];

impl Notice {
    fn kind(self) -> usize {
        match self {
            Notice::Misnamed(..) => 0,
            Notice::Empty => 1,
            Notice::NoText(..) | Notice::NoDocument => 2,
            Notice::Unmarked(_) => 3,
            Notice::Ragged(_) => 4,
            Notice::NoJson => 5,
        }
    }
}

/// A notice and the path it is about, or an empty one.
struct NoticeText<'p>(Notice, &'p str);

impl fmt::Display for NoticeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = shell_word(self.1);
        match self.0 {
            Notice::Misnamed(claim, found) => misnamed(f, claim, found, path),
            Notice::Unmarked(encoding) => write!(
                f,
                "it looks like {encoding} without a byte order mark, so names in it are not found; convert it: \
                iconv -f {encoding} -t UTF-8 {path} | doisift scan"
            ),
            Notice::Ragged(rows) => write!(
                f,
                "rows with more or fewer cells than the header, in which names may be in other columns: {rows}; \
                without --columns all are read"
            ),
            Notice::NoJson => f.write_str(
                "its name says JSON, but it is not JSON: names in it have no records; if that is wrong, get it again",
            ),
            Notice::Empty => f.write_str("it is empty: nothing was read"),
            Notice::NoText(kind, 1) => {
                write!(f, "this is {kind}, not text: nothing was read; ")?;
                remedy(f, kind, path)
            }
            Notice::NoText(kind, count) => {
                write!(f, "none of its {count} documents is text ({kind}")?;
                f.write_str(" or similar): nothing was read; unpack it, and convert them to text")
            }
            Notice::NoDocument => {
                f.write_str("it holds no documents: nothing was read; check the path")
            }
        }
    }
}

fn misnamed(
    f: &mut fmt::Formatter<'_>,
    claim: &ClaimedFormat,
    found: ActualContent,
    path: &str,
) -> fmt::Result {
    let (ending, format) = (claim.ending(), claim.format);
    if let (Some(program), ActualContent::Noise) = (claim.unpack_with, found) {
        return write!(
            f,
            "{format} data (.{ending}) cannot be read, so names in it are not found; unpack it first: {program} {path} | doisift scan"
        );
    }
    write!(f, "its name says {format} (.{ending}), but ")?;
    match found {
        ActualContent::Nothing => f.write_str("it is empty: nothing was read; get it again"),
        ActualContent::Text => f.write_str(
            "it is text, and was read as text; if that is wrong, get it again",
        ),
        ActualContent::Noise => f.write_str(
            "its first bytes are neither that nor text: it is damaged, or has another format, and names in it are not found; \
            get it again",
        ),
        ActualContent::Binary(kind) => write!(f, "it is {kind}: nothing was read; get it again"),
    }
}

/// Writes how to get text from data of a kind.
fn remedy(f: &mut fmt::Formatter<'_>, kind: &str, path: &str) -> fmt::Result {
    match kind {
        "pdf page" => write!(
            f,
            "its pages may be pictures; add their text: ocrmypdf {path} out.pdf, and scan that"
        ),
        "djvu" => write!(f, "read its text: djvutxt {path} | doisift scan"),
        "sqlite" => write!(f, "read its rows: sqlite3 {path} .dump | doisift scan"),
        "parquet without text" | "arrow without text" => {
            f.write_str("no column holds strings or binary values")
        }
        "avro" | "feather 1" | "hdf5" | "netcdf" | "numpy" => {
            f.write_str("convert it to CSV or JSON, and scan that")
        }
        "ole2" => f.write_str("save it as text or in a newer format (.docx, .xlsx), and scan that"),
        "png" | "tiff" | "jp2" | "jpeg" | "gif" | "heic" | "avif" | "webp" => {
            write!(f, "read its text: tesseract {path} - | doisift scan")
        }
        "git-pack" => f.write_str("scan a checkout, or the output of git log -p"),
        _ => f.write_str("if it holds text, convert it to a text file, and scan that"),
    }
}

/// Returns the path, or a placeholder if a shell would need quotes for it.
fn shell_word(path: &str) -> &str {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._/+=:,@%-".contains(c);
    if !path.is_empty() && path.len() < 100 && !path.starts_with('-') && path.chars().all(plain) {
        path
    } else {
        "FILE"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_can_be_pasted_into_a_shell() {
        let text = |path| NoticeText(Notice::NoText("djvu", 1), path).to_string();
        assert!(text("d/a.djvu").ends_with("djvutxt d/a.djvu | doisift scan"));
        for path in ["-", "a b.djvu", "$(x)", "", "\u{1b}"] {
            assert!(
                text(path).ends_with("djvutxt FILE | doisift scan"),
                "{path}"
            );
        }
    }
}
