//! Equality, order and hash of names, under ASCII case folding and nothing else (U5).

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use super::Doi;

impl PartialEq for Doi {
    fn eq(&self, other: &Self) -> bool {
        self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl Eq for Doi {}

/// Orders names bytewise by [`Doi::key`], as records are ordered.
impl Ord for Doi {
    fn cmp(&self, other: &Self) -> Ordering {
        folded(self).cmp(folded(other))
    }
}

impl PartialOrd for Doi {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Doi {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut buffer = [0; 64];
        for part in self.name.as_bytes().chunks(buffer.len()) {
            let folded = &mut buffer[..part.len()];
            folded.copy_from_slice(part);
            folded.make_ascii_lowercase();
            state.write(folded);
        }
        // UTF-8 never contains this byte, so the hashed bytes of a name are never a prefix of another's.
        state.write_u8(0xff);
    }
}

fn folded(doi: &Doi) -> impl Iterator<Item = u8> {
    doi.name.bytes().map(|b| b.to_ascii_lowercase())
}
