//! Which format an output has, told by name or by the ending of a path.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// One JSON object a line.
    Jsonl,
    /// One key a line and nothing else.
    Names,
}

/// No format has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown format {0:?}: it is one of csv, jsonl, names")]
pub struct UnknownFormat(Box<str>);

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Csv, Format::Jsonl, Format::Names];

    /// Its name, which is also the ending of its files.
    pub fn name(self) -> &'static str {
        match self {
            Format::Csv => "csv",
            Format::Jsonl => "jsonl",
            Format::Names => "names",
        }
    }

    /// The format that the ending of `path` tells, in any case of letters: `records.csv`, and `records.csv.gz` or
    /// `records.csv.zst` as well.
    pub fn from_path(path: &Path) -> Option<Format> {
        let plain = match Compression::from_path(path) {
            Compression::None => path,
            Compression::Gzip | Compression::Zstd => Path::new(path.file_stem()?),
        };
        plain
            .extension()?
            .to_str()?
            .to_ascii_lowercase()
            .parse()
            .ok()
    }
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Format, UnknownFormat> {
        let format = Format::ALL.into_iter().find(|format| format.name() == name);
        format.ok_or_else(|| UnknownFormat(name.into()))
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the bytes of an output are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// What the last ending of `path` asks for.
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
    fn the_ending_tells_the_format() {
        let cases = [
            ("a.csv", Some(Format::Csv)),
            ("a.b.JSONL", Some(Format::Jsonl)),
            ("a.csv.gz", Some(Format::Csv)),
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
        for format in Format::ALL {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        let error = "xlsx".parse::<Format>().expect_err("no format of ours");
        assert_eq!(
            error.to_string(),
            "unknown format \"xlsx\": it is one of csv, jsonl, names"
        );
    }
}
