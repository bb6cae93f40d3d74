//! The format that the ending of a name claims. It is compared with the format recognised by the first bytes, which alone
//! decide how the content is read.

use std::path::Path;
use std::sync::LazyLock;

use super::content::StreamContent;
use super::fault::Packing;

/// A format that is claimed by endings of names.
#[derive(Debug, PartialEq, Eq)]
pub struct ClaimedFormat {
    /// In lower case, without the full stop.
    endings: &'static [&'static str],
    /// The usual name of the format.
    pub format: &'static str,
    /// The format inside a packing, if the ending claims one.
    inside: Option<&'static ClaimedFormat>,
    /// Whether doisift reads text in it. Otherwise it is skipped if it is recognised.
    holds_text: bool,
    /// The program that unpacks a format that doisift does not recognise.
    pub unpack_with: Option<&'static str>,
}

/// The actual content under a name that claims something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActualContent {
    /// No bytes.
    Nothing,
    /// Text, by its start.
    Text,
    /// Neither text nor a known format.
    Noise,
    /// A document of this kind, which is skipped.
    Binary(&'static str),
}

const fn packed(endings: &'static [&'static str], format: &'static str) -> ClaimedFormat {
    ClaimedFormat {
        endings,
        format,
        inside: None,
        holds_text: true,
        unpack_with: None,
    }
}

const fn packed_tar(endings: &'static [&'static str], format: &'static str) -> ClaimedFormat {
    ClaimedFormat {
        inside: Some(&TAR_CLAIM),
        ..packed(endings, format)
    }
}

const fn unknown(
    endings: &'static [&'static str],
    format: &'static str,
    program: &'static str,
) -> ClaimedFormat {
    ClaimedFormat {
        unpack_with: Some(program),
        ..packed(endings, format)
    }
}

const fn skipped(endings: &'static [&'static str], format: &'static str) -> ClaimedFormat {
    ClaimedFormat {
        holds_text: false,
        ..packed(endings, format)
    }
}

static TAR_CLAIM: ClaimedFormat = packed(&["tar"], "tar");

static CLAIMS: &[ClaimedFormat] = &[
    packed(&["gz"], "gzip"),
    packed_tar(&["tgz"], "gzip"),
    packed(&["bz2"], "bzip2"),
    packed_tar(&["tbz", "tbz2"], "bzip2"),
    packed(&["xz"], "xz"),
    packed_tar(&["txz"], "xz"),
    packed(&["lzma"], "lzma"),
    packed(&["zst", "zstd"], "zstd"),
    packed_tar(&["tzst"], "zstd"),
    packed(&["lz4"], "lz4"),
    packed(&["lz"], "lzip"),
    packed(&["z"], "compress"),
    packed(&["zip"], "zip"),
    packed(
        &[
            "docx", "docm", "dotx", "xlsx", "xlsm", "xltx", "xlsb", "pptx", "pptm", "potx", "odt",
            "ott", "ods", "ots", "odp", "otp", "epub", "wacz",
        ],
        "zip",
    ),
    packed(&["fodt", "fods", "fodp", "fodg"], "flat OpenDocument"),
    packed(&["7z"], "7z"),
    packed(&["rar"], "rar"),
    packed(&["xar"], "xar"),
    packed(&["warc"], "WARC"),
    unknown(&["br"], "brotli", "brotli -dc"),
    unknown(&["lzo"], "lzop", "lzop -dc"),
    unknown(&["sz"], "snappy", "snzip -dc"),
    skipped(&["pdf"], PDF_NAME),
    packed(&["parquet"], PARQUET_NAME),
    skipped(&["orc"], "ORC"),
    skipped(&["avro"], "Avro"),
    packed(&["arrow", "arrows", "feather"], ARROW_NAME),
    skipped(&["sqlite", "sqlite3"], "SQLite"),
    packed(&["eml"], MAIL_NAME),
    packed(&["emlx"], MAIL_NAME),
    packed(&["mbox"], MAIL_NAME),
    packed(&["mbx"], MAIL_NAME),
    packed(&["mht", "mhtml"], MAIL_NAME),
];

const PDF_NAME: &str = "PDF";
const PARQUET_NAME: &str = "Parquet";
const ARROW_NAME: &str = "Arrow";
/// The format of messages. First bytes may not show it, so the name counts too.
const MAIL_NAME: &str = "mail";

/// The claims of a name: the format of its content, and the format inside a packing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NameClaims {
    outer: Option<&'static ClaimedFormat>,
    inner: Option<&'static ClaimedFormat>,
}

impl NameClaims {
    /// Returns the claims of a name, or of the last part of a path.
    pub fn of(name: &Path) -> NameClaims {
        let outer = claim(name);
        let stem = || claim(Path::new(name.file_stem()?));
        let inner = outer.and_then(|outer| outer.inside.or_else(stem));
        NameClaims { outer, inner }
    }

    /// Whether the name claims messages.
    pub(super) fn is_mail(self) -> bool {
        self.outer.is_some_and(|claim| claim.format == MAIL_NAME)
    }

    /// Whether the name claims a format that a file shows at its end too.
    pub(super) fn has_end(self) -> bool {
        let has_end =
            |claim: &ClaimedFormat| matches!(claim.format, PDF_NAME | PARQUET_NAME | ARROW_NAME);
        self.outer.is_some_and(has_end)
    }

    /// Returns the claims about the unpacked content.
    pub(super) fn unpacked(self) -> NameClaims {
        NameClaims {
            outer: self.inner,
            inner: None,
        }
    }

    /// Returns the wrong claim about a stream that is recognised as `content` and starts with `head`, and its actual
    /// content; `None` if there is no wrong claim. A container is read whatever its name is, so it never has a wrong claim.
    pub(super) fn denied_by(
        self,
        content: StreamContent,
        head: &[u8],
    ) -> Option<(&'static ClaimedFormat, ActualContent)> {
        let claim = self.outer?;
        let found = match content {
            // An empty mailbox has no bytes.
            StreamContent::Text if head.is_empty() && self.is_mail() => return None,
            StreamContent::Text if head.is_empty() => ActualContent::Nothing,
            StreamContent::Text if has_control_characters(head) => ActualContent::Noise,
            StreamContent::Text | StreamContent::Unicode(_) | StreamContent::Rtf => {
                ActualContent::Text
            }
            StreamContent::Binary(kind) if claim.holds_text => ActualContent::Binary(kind),
            StreamContent::Binary(_) | StreamContent::Packed(_) => return None,
        };
        Some((claim, found))
    }

    /// Returns the wrong claim about a large file that is plain text, and its actual content; `None` if there is no wrong
    /// claim.
    pub fn denied_by_text(self, head: &[u8]) -> Option<(&'static ClaimedFormat, ActualContent)> {
        self.denied_by(StreamContent::Text, head)
    }
}

impl ClaimedFormat {
    /// Returns its first ending.
    pub fn ending(&self) -> &'static str {
        self.endings.first().copied().unwrap_or_default()
    }
}

/// All endings in order, each with its claim.
static CLAIMS_BY_ENDING: LazyLock<Vec<(&str, &ClaimedFormat)>> = LazyLock::new(|| {
    let claims = CLAIMS.iter().chain([&TAR_CLAIM]);
    let endings =
        |claim: &'static ClaimedFormat| claim.endings.iter().map(move |own| (*own, claim));
    let mut all: Vec<_> = claims.flat_map(endings).collect();
    all.sort_unstable_by_key(|(own, _)| *own);
    all
});

fn claim(name: &Path) -> Option<&'static ClaimedFormat> {
    let ending = name.extension()?.to_str()?;
    let lower = || ending.bytes().map(|byte| byte.to_ascii_lowercase());
    let found = CLAIMS_BY_ENDING.binary_search_by(|(own, _)| own.bytes().cmp(lower()));
    found.ok().map(|at| CLAIMS_BY_ENDING[at].1)
}

/// Returns the format of a split archive if this is the name of one of its parts: `x.z01`, `x.zip.001`, or `x.7z.001`.
pub(super) fn part_of(path: &Path) -> Option<Packing> {
    let is_number = |digits: &str| digits.len() > 1 && digits.bytes().all(|b| b.is_ascii_digit());
    let (stem, ending) = path.to_str()?.rsplit_once('.')?;
    let is_old = |ending: &str| ending.strip_prefix(['z', 'Z']).is_some_and(is_number);
    let whole = stem.to_ascii_lowercase();
    if is_number(ending) && whole.ends_with(".7z") {
        return Some(Packing::SevenZip);
    }
    let is_zip = is_number(ending) && whole.ends_with(".zip") || is_old(ending);
    is_zip.then_some(Packing::Zip)
}

/// Whether `head` has control characters that do not occur in texts.
fn has_control_characters(head: &[u8]) -> bool {
    let no_text = |byte: &u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    head.iter().any(no_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_split_archives_are_known_by_their_names() {
        for part in ["a.z01", "b/a.Z99", "a.z100", "a.zip.001", "a.ZIP.012"] {
            assert_eq!(part_of(Path::new(part)), Some(Packing::Zip), "{part}");
        }
        assert_eq!(part_of(Path::new("a.7z.001")), Some(Packing::SevenZip));
        for whole in [
            "a.7z",
            "a.zip",
            "a.z",
            "a.z1",
            "a.zip.1",
            "a.001",
            "z01",
            "a.zip.bak",
            "a.zst",
        ] {
            assert_eq!(part_of(Path::new(whole)), None, "{whole}");
        }
    }

    fn denied(
        name: &str,
        content: StreamContent,
        head: &[u8],
    ) -> Option<(&'static str, ActualContent)> {
        let claims = NameClaims::of(Path::new(name));
        let denied = claims.denied_by(content, head);
        denied.map(|(claim, found)| (claim.format, found))
    }

    #[test]
    fn a_name_that_says_packed_is_denied_by_other_content() {
        for name in ["a.gz", "d/a.tgz", "A.GZ", "a.b.gz"] {
            let text = denied(name, StreamContent::Text, b"text");
            assert_eq!(text, Some(("gzip", ActualContent::Text)), "{name}");
        }
        for name in ["a", "gz", ".gz", "a.gz.txt", "a.gz/b", "a.txt", "a.gz2"] {
            assert_eq!(denied(name, StreamContent::Text, b"text"), None, "{name}");
        }
        assert_eq!(
            denied("a.gz", StreamContent::Text, b""),
            Some(("gzip", ActualContent::Nothing))
        );
        assert_eq!(
            denied("a.Z", StreamContent::Text, b"\x01a"),
            Some(("compress", ActualContent::Noise))
        );
        let png = StreamContent::Binary("png");
        assert_eq!(
            denied("a.zip", png, b""),
            Some(("zip", ActualContent::Binary("png")))
        );
    }

    #[test]
    fn a_name_is_not_denied_by_what_is_read_or_skipped_anyhow() {
        assert_eq!(
            denied("a.gz", StreamContent::Packed(Packing::Zip), b"PK"),
            None
        );
        assert_eq!(denied("a.pdf", StreamContent::Binary("jpeg"), b""), None);
        assert_eq!(
            denied("a.pdf", StreamContent::Text, b"<html>"),
            Some(("PDF", ActualContent::Text))
        );
    }

    #[test]
    fn what_was_unpacked_has_the_claims_that_are_left() {
        for (name, inner) in [
            ("a.tar.gz", Some("tar")),
            ("a.tgz", Some("tar")),
            ("a.warc.gz", Some("WARC")),
            ("a.json.gz", None),
            ("a.gz", None),
        ] {
            let inside = NameClaims::of(Path::new(name)).unpacked();
            let denied = inside.denied_by(StreamContent::Text, b"text");
            assert_eq!(denied.map(|(claim, _)| claim.format), inner, "{name}");
            assert_eq!(inside.unpacked(), NameClaims::default());
        }
    }
}
