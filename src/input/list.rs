//! Lists of sources: one path a line, or NUL-separated.

use std::io::{self, BufRead};
use std::path::PathBuf;

/// What stands between the paths of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A line feed, or a carriage return and a line feed.
    #[default]
    Line,
    /// A NUL, for paths that may hold line feeds or end with a carriage return.
    Nul,
}

/// The paths of a list, in its order; empty ones are left out.
pub(crate) fn read_list(mut list: impl BufRead, separator: Separator) -> io::Result<Vec<PathBuf>> {
    let end = match separator {
        Separator::Line => b'\n',
        Separator::Nul => 0,
    };
    let mut paths = Vec::new();
    loop {
        let mut path = Vec::new();
        if list.read_until(end, &mut path)? == 0 {
            return Ok(paths);
        }
        path.pop_if(|last| *last == end);
        if separator == Separator::Line {
            path.pop_if(|last| *last == b'\r');
        }
        if !path.is_empty() {
            paths.push(path_from(path)?);
        }
    }
}

#[cfg(unix)]
fn path_from(bytes: Vec<u8>) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Ok(std::ffi::OsString::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn path_from(bytes: Vec<u8>) -> io::Result<PathBuf> {
    String::from_utf8(bytes)
        .map(PathBuf::from)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_or_nuls_part_the_paths() {
        let lines = read_list(&b"a b\n\n./c\nlast"[..], Separator::Line).ok();
        assert_eq!(lines, Some(vec!["a b".into(), "./c".into(), "last".into()]));
        let crlf = read_list(&b"a b\r\n\r\nc\rd\r\nlast\r"[..], Separator::Line).ok();
        let wanted = vec!["a b".into(), "c\rd".into(), "last".into()];
        assert_eq!(crlf, Some(wanted));
        let nuls = read_list(&b"a\nb\0c\r\0"[..], Separator::Nul).ok();
        assert_eq!(nuls, Some(vec!["a\nb".into(), "c\r".into()]));
    }
}
