//! Lists of sources: one path a line, or NUL-separated.

use std::io::{self, BufRead};
use std::path::Path;

use doisift_system::path_of;

/// The separator between the paths of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Separator {
    /// A line feed, or a carriage return and a line feed.
    #[default]
    Line,
    /// A NUL, for paths that may hold line feeds or end with a carriage return.
    Nul,
}

/// Passes the paths of a list to `add`, in order, until that fails. Empty lines are skipped.
pub fn read_list<E>(
    mut list: impl BufRead,
    separator: Separator,
    mut add: impl FnMut(&Path) -> Result<(), E>,
) -> io::Result<Result<(), E>> {
    let end = match separator {
        Separator::Line => b'\n',
        Separator::Nul => 0,
    };
    loop {
        let mut path = Vec::new();
        if list.read_until(end, &mut path)? == 0 {
            return Ok(Ok(()));
        }
        path.pop_if(|last| *last == end);
        if separator == Separator::Line {
            path.pop_if(|last| *last == b'\r');
        }
        if !path.is_empty()
            && let Err(error) = add(&path_of(path))
        {
            return Ok(Err(error));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_or_nuls_part_the_paths() {
        let listed = |list: &[u8], separator| {
            let mut paths = Vec::new();
            let add = |path: &Path| {
                paths.push(path.to_owned());
                Ok::<(), ()>(())
            };
            let read = read_list(list, separator, add);
            read.is_ok_and(|read| read.is_ok()).then_some(paths)
        };
        let lines = listed(b"a b\n\n./c\nlast", Separator::Line);
        assert_eq!(lines, Some(vec!["a b".into(), "./c".into(), "last".into()]));
        let crlf = listed(b"a b\r\n\r\nc\rd\r\nlast\r", Separator::Line);
        let wanted = vec!["a b".into(), "c\rd".into(), "last".into()];
        assert_eq!(crlf, Some(wanted));
        let nuls = listed(b"a\nb\0c\r\0", Separator::Nul);
        assert_eq!(nuls, Some(vec!["a\nb".into(), "c\r".into()]));
    }
}
