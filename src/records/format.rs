//! Formats of outputs, with their names, and their choice by the ending of a path.

use std::path::Path;
use std::str::FromStr;

use doisift_core::ParseError;

/// A format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// One key per line and nothing else.
    Names,
    /// Apache Parquet, with pages compressed by zstd. Only with the feature `columnar`.
    #[cfg(feature = "columnar")]
    Parquet,
    /// Tab-separated values with a header, quoted like CSV.
    Tsv,
}

/// Bytes before encoding at which a row group of Parquet is full. It usually reaches its number of rows first.
#[cfg(feature = "columnar")]
pub(super) const GROUP_BYTES: usize = 32 << 20;

/// The name of the format that a build may lack.
const PARQUET: &str = "parquet";

/// Returns the names of formats, for the message about an unknown format.
fn names() -> String {
    let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    let names = names.join(", ");
    match cfg!(feature = "columnar") {
        true => format!("one of {names}"),
        false => format!("one of {names} (parquet needs a build with the feature `columnar`)"),
    }
}

impl Format {
    /// Every format of this build.
    pub const ALL: &'static [Format] = &[
        Format::Csv,
        Format::Jsonl,
        Format::Names,
        #[cfg(feature = "columnar")]
        Format::Parquet,
        Format::Tsv,
    ];

    /// The default format of parts.
    #[cfg(feature = "columnar")]
    pub(crate) const OF_PARTS: Format = Format::Parquet;
    /// The default format of parts.
    #[cfg(not(feature = "columnar"))]
    pub(crate) const OF_PARTS: Format = Format::Jsonl;

    /// Returns the name, which is also the usual ending of files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Names => "names",
            #[cfg(feature = "columnar")]
            Format::Parquet => PARQUET,
            Format::Tsv => "tsv",
        }
    }

    /// Returns the format that the ending of `path` names, ignoring case and an ending of compression: CSV for `records.csv`,
    /// `records.csv.gz` and `records.csv.zst`. Returns `None` for other endings.
    #[doc(hidden)]
    pub fn from_path(path: &Path) -> Option<Format> {
        ending(path)?.parse().ok()
    }

    /// Whether the ending of `path` names a format that this build lacks.
    pub(crate) fn left_out(path: &Path) -> bool {
        Format::from_path(path).is_none() && ending(path).is_some_and(|ending| ending == PARQUET)
    }

    /// Whether the last ending of `path` names a compression that doisift does not write.
    pub(crate) fn is_packed_otherwise(path: &Path) -> bool {
        const OTHERS: [&str; 10] = [
            "bz2", "xz", "lzma", "lz4", "lz", "br", "z", "zip", "7z", "zstd",
        ];
        has_ending(path, &OTHERS)
    }

    /// Returns the max bytes that a writer buffers, except buffers below 1 MiB and single long rows, and the max bytes of each
    /// group of rows that encoders hold ahead.
    pub(crate) fn buffered_bytes(self) -> [usize; 2] {
        match self {
            Format::Csv | Format::Jsonl | Format::Names | Format::Tsv => [0, 0],
            #[cfg(feature = "columnar")]
            // A group as rows, and as pages.
            Format::Parquet => [2 * GROUP_BYTES, GROUP_BYTES],
        }
    }

    /// Whether a complete output at `path` may be empty. CSV and TSV have at least a header, and a packed output has a frame.
    pub(crate) fn may_be_empty(path: &Path) -> bool {
        Compression::from_path(path) == Compression::None
            && !matches!(ending(path).as_deref(), Some("csv" | "tsv" | PARQUET))
    }

    /// Whether the ending of `path` asks to compress a format that is compressed inside.
    pub(crate) fn is_packed_twice(self, path: &Path) -> bool {
        self.name() == PARQUET && Compression::from_path(path) != Compression::None
    }
}

/// Whether an output at `path` is compressed.
pub(crate) fn is_packed(path: &Path) -> bool {
    Compression::from_path(path) != Compression::None
}

/// Whether `path` has one of these lower-case endings, ignoring case and an ending of compression.
pub(crate) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    ending(path).is_some_and(|ending| endings.contains(&&*ending))
}

/// Returns the ending of `path` in lower case, without an ending of compression.
fn ending(path: &Path) -> Option<String> {
    let plain = match Compression::from_path(path) {
        Compression::None => path,
        Compression::Gzip | Compression::Zstd => Path::new(path.file_stem()?),
    };
    Some(plain.extension()?.to_str()?.to_ascii_lowercase())
}

impl FromStr for Format {
    type Err = ParseError;

    fn from_str(name: &str) -> Result<Format, ParseError> {
        let format = Format::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name);
        format.ok_or_else(|| ParseError::new("format", name, names()))
    }
}

/// The compression of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// Returns the compression that the last ending of `path` names.
    pub(super) fn from_path(path: &Path) -> Compression {
        let ending = path.extension().unwrap_or_default();
        if ending.eq_ignore_ascii_case("gz") {
            Compression::Gzip
        } else if ending.eq_ignore_ascii_case("zst") {
            Compression::Zstd
        } else {
            Compression::None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_determines_the_format() {
        let cases = [
            ("a.csv", Some(Format::Csv)),
            ("a.b.JSONL", Some(Format::Jsonl)),
            ("a.csv.gz", Some(Format::Csv)),
            ("a.tsv", Some(Format::Tsv)),
            ("a.TSV.gz", Some(Format::Tsv)),
            ("dir.csv/a.jsonl.zst", Some(Format::Jsonl)),
            ("a.names", Some(Format::Names)),
            ("a.gz", None),
            ("a.csv.bz2", None),
            ("csv", None),
            (".csv", None),
            ("dir.csv/a", None),
            ("..", None),
        ];
        for (path, format) in cases {
            assert_eq!(Format::from_path(Path::new(path)), format, "{path}");
        }
    }

    #[test]
    fn every_format_is_found_by_its_name() {
        for &format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
        }
        let error = "xlsx".parse::<Format>().expect_err("no format of ours");
        let error = error.to_string();
        let known = "\"xlsx\" is not a format; expected one of csv, jsonl, names";
        assert!(error.starts_with(known), "{error}");
        assert_eq!(error.contains("needs a build"), !cfg!(feature = "columnar"));
    }

    #[test]
    #[cfg(feature = "columnar")]
    fn parquet_is_compressed_inside_and_not_twice() {
        let by_ending = |path| Format::from_path(Path::new(path));
        assert_eq!(by_ending("a.parquet"), Some(Format::Parquet));
        assert!(!Format::Parquet.is_packed_twice(Path::new("a.parquet")));
        assert!(Format::Parquet.is_packed_twice(Path::new("a.parquet.zst")));
        assert!(Format::Parquet.is_packed_twice(Path::new("a.gz")));
        assert!(!Format::Csv.is_packed_twice(Path::new("a.gz")));
    }

    #[test]
    #[cfg(not(feature = "columnar"))]
    fn a_build_without_parquet_says_how_it_comes_in() {
        let error = "parquet".parse::<Format>().expect_err("left out");
        assert!(error.to_string().contains("feature `columnar`"), "{error}");
        assert!(Format::left_out(Path::new("a.PARQUET")));
        assert!(!Format::left_out(Path::new("a.xlsx")));
    }
}
