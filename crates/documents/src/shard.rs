//! Divides sources among scans on different machines, without communication between them.

use std::fmt;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

/// The `index`-th of `count` parts of the sources.
///
/// The part of a source is a hash modulo `count`: the xxh3-64 hash, with seed 0, of its path below the named folder, or of
/// the name of a file that was named itself. The bytes of the path are hashed, with `/` between its parts on every system.
/// So each machine selects the right part, even if the folder is at different paths on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    index: u32,
    count: u32,
}

impl Shard {
    /// Makes part `index`, from 0, of `count`. Returns `None` if `index` is not less than `count`.
    pub fn new(index: u32, count: u32) -> Option<Shard> {
        (index < count).then_some(Shard { index, count })
    }

    /// Whether a source with this [`hash`] belongs to it.
    pub(super) fn takes(self, hash: u64) -> bool {
        hash % u64::from(self.count) == u64::from(self.index)
    }
}

/// Returns the hash of a path that determines its shard.
pub(super) fn hash(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_encoded_bytes();
    match std::path::MAIN_SEPARATOR {
        '/' => xxh3_64(bytes),
        other => {
            let slashed = |&byte: &u8| if byte == other as u8 { b'/' } else { byte };
            xxh3_64(&bytes.iter().map(slashed).collect::<Vec<_>>())
        }
    }
}

/// Writes `I/N`.
impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

/// Written as `I/N`.
#[cfg(feature = "serde")]
impl serde::Serialize for Shard {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_xxh3() {
        // Hashes by the C library of xxHash 0.8, called from Python's xxhash.
        for (path, wanted) in [
            ("", 0x2d06_8005_38d3_94c2),
            ("a/b.txt", 0x3638_916f_4b45_8485),
            ("dump/part-00017.warc.gz", 0x3273_6023_4b75_f69c),
        ] {
            assert_eq!(hash(Path::new(path)), wanted, "{path}");
        }
    }

    #[test]
    fn every_hash_belongs_to_just_one_shard() {
        for hash in [0, 1, 7, u64::MAX] {
            let takers = (0..5).filter(|&index| Shard { index, count: 5 }.takes(hash));
            assert_eq!(takers.collect::<Vec<_>>(), [(hash % 5) as u32]);
        }
    }
}
