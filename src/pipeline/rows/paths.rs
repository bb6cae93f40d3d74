//! Stores the paths of held rows.

/// A list of paths, each stored without the start that it shares with the path before.
///
/// Rows near each other are in the same elements, so their paths take about as much memory as the text between them.
#[derive(Default)]
pub(crate) struct Paths {
    /// The rests of all paths.
    text: String,
    last: String,
}

/// A path in [`Paths`]: the bytes that it shares with the path before, and the length of its rest.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StoredPath {
    shared: u32,
    rest: u32,
}

/// Rebuilds the paths, which must be read in their order.
pub(crate) struct PathReader<'p> {
    rests: &'p str,
    last: String,
}

impl Paths {
    /// Adds a path of at most 4 GiB.
    pub(crate) fn push(&mut self, path: &str) -> StoredPath {
        let shared = shared(&self.last, path);
        let rest = &path[shared..];
        self.text.push_str(rest);
        self.last.truncate(shared);
        self.last.push_str(rest);
        StoredPath {
            shared: shared as u32,
            rest: rest.len() as u32,
        }
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.last.clear();
    }

    pub(crate) fn reader(&self) -> PathReader<'_> {
        PathReader {
            rests: &self.text,
            last: String::new(),
        }
    }
}

impl StoredPath {
    /// Returns the bytes that the path takes in [`Paths`].
    pub(super) fn stored(self) -> usize {
        self.rest as usize
    }
}

impl PathReader<'_> {
    /// Returns the next path, which must be `path`.
    pub(crate) fn next(&mut self, path: StoredPath) -> &str {
        let (rest, rests) = self.rests.split_at(path.rest as usize);
        self.rests = rests;
        self.last.truncate(path.shared as usize);
        self.last.push_str(rest);
        &self.last
    }
}

/// Returns the length in bytes of the common start of both, in whole characters.
fn shared(one: &str, other: &str) -> usize {
    let pairs = one.bytes().zip(other.bytes());
    let mut shared = pairs.take_while(|(one, other)| one == other).count();
    while !other.is_char_boundary(shared) {
        shared -= 1;
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_were_added() {
        let paths = ["", "/a/é", "/a/è", "/a/è/b", "/a", "/a", "/b/é"];
        let mut stored = Paths::default();
        let each = paths.map(|path| stored.push(path));
        assert_eq!(stored.text, "/a/éè/b/b/é".replace("/b/b", "/bb"));
        let mut reader = stored.reader();
        for (path, each) in paths.iter().zip(each) {
            assert_eq!(reader.next(each), *path);
        }
    }
}
