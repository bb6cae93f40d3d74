//! Known names at the start of a text, and known names that start with a text.

use crate::{Index, IndexError};

impl Index {
    /// Returns the ends of all known names that `text` starts with, in order. The text must be in lower case, as keys are.
    ///
    /// # Errors
    ///
    /// If the block of the text cannot be read or is damaged.
    #[doc(hidden)]
    pub fn known_starts(&self, text: &[u8]) -> Result<Vec<usize>, IndexError> {
        let Some(at) = self.blocks().block_of(text) else {
            return Ok(Vec::new());
        };
        // A known start of the text that is not in its block is less than the block's first key, which is at most the text.
        // All keys between a start of the text and the text have this start. So the first key has it too, and the directory
        // lists it.
        let entry = self.blocks().entry(at);
        let common = crate::bytes::common_start(&entry.first, text);
        let before = entry.starts.iter().copied().filter(|&end| end <= common);
        let mut ends: Vec<usize> = before.collect();
        let block = self.block(at)?;
        if let Some(rest) = text.strip_prefix(block.shared()) {
            let mut place = Some(block.trie().root());
            for (step, end) in (block.shared().len()..=text.len()).enumerate() {
                let Some(here) = place else { break };
                ends.extend(block.trie().value(here).map(|_| end));
                let next = rest.get(step);
                place = next.and_then(|&byte| block.trie().follow_byte(here, byte));
            }
        }
        Ok(ends)
    }

    /// Returns the end of the longest known name that `text` starts with.
    ///
    /// # Errors
    ///
    /// Same as [`Index::known_starts`].
    #[doc(hidden)]
    pub fn longest_known_start(&self, text: &[u8]) -> Result<Option<usize>, IndexError> {
        Ok(self.known_starts(text)?.pop())
    }

    /// Whether longer known names start with `key`.
    ///
    /// # Errors
    ///
    /// If a block of such names cannot be read or is damaged.
    #[doc(hidden)]
    pub fn extends(&self, key: &str) -> Result<bool, IndexError> {
        Ok(!self.extensions(key, 1)?.is_empty())
    }

    /// Returns the first known names, at most `max`, that are longer than `key` and start with it.
    ///
    /// # Errors
    ///
    /// Same as [`Index::extends`].
    #[doc(hidden)]
    pub fn extensions(&self, key: &str, max: usize) -> Result<Vec<String>, IndexError> {
        let mut names = Vec::new();
        let from = self.blocks().block_of(key.as_bytes()).unwrap_or(0);
        for at in from..self.blocks().len() {
            let first = &self.blocks().entry(at).first;
            let is_beyond = **first > *key.as_bytes() && !first.starts_with(key.as_bytes());
            if is_beyond || names.len() >= max {
                break;
            }
            self.block(at)?.each_from(key.as_bytes(), |name, _| {
                let is_longer = name.starts_with(key.as_bytes()) && name.len() > key.len();
                if is_longer && names.len() < max {
                    names.push(String::from_utf8_lossy(name).into_owned());
                }
                (is_longer || name == key.as_bytes()) && names.len() < max
            });
        }
        Ok(names)
    }
}
