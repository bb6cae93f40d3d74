//! Counts open brackets without keeping a frame for each.

/// Open brackets, the innermost last.
#[derive(Default)]
pub(super) struct OpenBrackets {
    pub(super) count: usize,
    /// A bit for each of the outer 64 levels: whether it is a list.
    lists: u64,
}

/// Levels whose kind is kept.
const MAX_KNOWN_LEVELS: usize = u64::BITS as usize;

impl OpenBrackets {
    #[inline]
    pub(super) fn open(&mut self, is_list: bool) {
        if self.count < MAX_KNOWN_LEVELS {
            self.lists = self.lists << 1 | u64::from(is_list);
        }
        self.count += 1;
    }

    /// Closes the innermost bracket; at least one must be open. Returns false if it is known to be of the other kind.
    #[inline]
    pub(super) fn close(&mut self, is_list: bool) -> bool {
        self.count -= 1;
        if self.count >= MAX_KNOWN_LEVELS {
            return true;
        }
        let is_match = (self.lists & 1 == 1) == is_list;
        self.lists >>= 1;
        is_match
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outer_levels_keep_their_kinds() {
        let mut levels = OpenBrackets::default();
        let is_list = |level: usize| level.is_multiple_of(3);
        (0..100).for_each(|level| levels.open(is_list(level)));
        for level in (0..100).rev() {
            assert!(levels.close(is_list(level)));
        }
        levels.open(true);
        assert!(!levels.close(false));
        assert_eq!(levels.count, 0);
    }
}
