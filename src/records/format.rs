//! Formats of outputs, their names, and how the ending of a path determines one.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

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
    /// Apache Parquet, with pages compressed by zstd. Only with the feature `parquet`.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Tab-separated values with a header, quoted as CSV is.
    Tsv,
}

/// No format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", unknown(.0))]
pub struct UnknownFormat(Box<str>);

/// Bytes of a row group of Parquet before encoding at which it is full. Usually it is full by rows before.
#[cfg(feature = "parquet")]
pub(super) const GROUP_BYTES: usize = 32 << 20;

/// The name of the format that may be left out of a build.
const PARQUET: &str = "parquet";

fn unknown(name: &str) -> String {
    if name == PARQUET {
        return "this build writes no parquet: build doisift with its feature `parquet`".into();
    }
    let names: Vec<_> = Format::ALL.iter().map(|format| format.name()).collect();
    format!("unknown format {name:?}: it is one of {}", names.join(", "))
}

impl Format {
    /// Every format of this build.
    pub const ALL: &'static [Format] = &[
        Format::Csv,
        Format::Jsonl,
        Format::Names,
        #[cfg(feature = "parquet")]
        Format::Parquet,
        Format::Tsv,
    ];

    /// That of parts, unless another is chosen.
    #[cfg(feature = "parquet")]
    pub(crate) const OF_PARTS: Format = Format::Parquet;
    /// That of parts, unless another is chosen.
    #[cfg(not(feature = "parquet"))]
    pub(crate) const OF_PARTS: Format = Format::Jsonl;

    /// Its name, which is also the usual ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Names => "names",
            #[cfg(feature = "parquet")]
            Format::Parquet => PARQUET,
            Format::Tsv => "tsv",
        }
    }

    /// The format by the ending of `path`, in upper or lower case, also before an ending of compression: that of `records.csv`,
    /// `records.csv.gz` and `records.csv.zst` is CSV.
    pub fn from_path(path: &Path) -> Option<Format> {
        ending(path)?.parse().ok()
    }

    /// The error for the ending of `path`, if that is a format that this build does not have.
    pub(crate) fn left_out(path: &Path) -> Option<UnknownFormat> {
        let unknown = ending(path)?.parse::<Format>().err()?;
        (*unknown.0 == *PARQUET).then_some(unknown)
    }

    /// Whether the last ending of `path` is that of a compression which doisift does not write.
    pub(crate) fn is_packed_otherwise(path: &Path) -> bool {
        const OTHERS: [&str; 10] = [
            "bz2", "xz", "lzma", "lz4", "lz", "br", "z", "zip", "7z", "zstd",
        ];
        has_ending(path, &OTHERS)
    }

    /// Greatest number of bytes that a writer buffers, without buffers of less than a MiB and single longer rows, and with
    /// encoders the greatest number of bytes that each group of rows takes that they have ahead.
    pub(crate) fn held(self) -> [usize; 2] {
        match self {
            Format::Csv | Format::Jsonl | Format::Names | Format::Tsv => [0, 0],
            #[cfg(feature = "parquet")]
            // A group as rows, and as pages.
            Format::Parquet => [2 * GROUP_BYTES, GROUP_BYTES],
        }
    }

    /// Whether a complete output at `path` may have no bytes. CSV and TSV have at least a header, and a packed output a frame.
    pub(crate) fn may_be_empty(path: &Path) -> bool {
        Compression::from_path(path) == Compression::None
            && !matches!(ending(path).as_deref(), Some("csv" | "tsv" | PARQUET))
    }

    /// Whether the ending of `path` asks to compress a format that is compressed inside.
    pub(crate) fn is_packed_twice(self, path: &Path) -> bool {
        self.name() == PARQUET && Compression::from_path(path) != Compression::None
    }
}

/// Whether what is written to `path` is compressed.
#[cfg(feature = "known")]
pub(crate) fn is_packed(path: &Path) -> bool {
    Compression::from_path(path) != Compression::None
}

/// Whether `path` has one of these endings, which are in lower case, also before that of its compression.
pub(crate) fn has_ending(path: &Path, endings: &[&str]) -> bool {
    ending(path).is_some_and(|ending| endings.contains(&&*ending))
}

/// The ending of `path` before that of its compression, in lower case.
fn ending(path: &Path) -> Option<String> {
    let plain = match Compression::from_path(path) {
        Compression::None => path,
        Compression::Gzip | Compression::Zstd => Path::new(path.file_stem()?),
    };
    Some(plain.extension()?.to_str()?.to_ascii_lowercase())
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let format = Format::ALL
            .iter()
            .copied()
            .find(|format| format.name() == name);
        format.ok_or_else(|| UnknownFormat(name.into()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
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
    /// The compression by the last ending of `path`.
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
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "xlsx".parse::<Format>().expect_err("no format of ours");
        let error = error.to_string();
        let known = "unknown format \"xlsx\": it is one of csv, jsonl, names";
        assert!(error.starts_with(known), "{error}");
        assert_eq!(error.contains("parquet"), cfg!(feature = "parquet"));
    }

    #[test]
    #[cfg(feature = "parquet")]
    fn parquet_is_compressed_inside_and_not_twice() {
        let by_ending = |path| Format::from_path(Path::new(path));
        assert_eq!(by_ending("a.parquet"), Some(Format::Parquet));
        assert!(!Format::Parquet.is_packed_twice(Path::new("a.parquet")));
        assert!(Format::Parquet.is_packed_twice(Path::new("a.parquet.zst")));
        assert!(Format::Parquet.is_packed_twice(Path::new("a.gz")));
        assert!(!Format::Csv.is_packed_twice(Path::new("a.gz")));
    }

    #[test]
    #[cfg(not(feature = "parquet"))]
    fn a_build_without_parquet_says_how_it_comes_in() {
        let error = "parquet".parse::<Format>().expect_err("left out");
        assert!(error.to_string().contains("feature `parquet`"), "{error}");
        assert_eq!(Format::left_out(Path::new("a.PARQUET")), Some(error));
        assert_eq!(Format::left_out(Path::new("a.xlsx")), None);
    }
}
