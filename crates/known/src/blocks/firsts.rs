//! Finds the block of a key by the first bytes of the blocks' first keys, which lie side by side in memory.

use super::directory::BlockEntry;
use crate::bytes::common_start;

/// Bytes of a word.
const WORD_BYTES: usize = size_of::<u128>();

/// The first bytes of the first keys of sorted blocks.
pub(crate) struct FirstKeys {
    /// The start that all of them share.
    shared: Box<[u8]>,
    /// The bytes after the shared start, the first byte highest, with zeros after a short key.
    words: Box<[u128]>,
}

impl FirstKeys {
    pub(crate) fn new(entries: &[BlockEntry]) -> Self {
        let shared = match entries {
            [first, .., last] => &first.first[..common_start(&first.first, &last.first)],
            [only] => &only.first[..],
            [] => &[],
        };
        let after = |entry: &BlockEntry| word(&entry.first[shared.len()..]);
        FirstKeys {
            words: entries.iter().map(after).collect(),
            shared: shared.into(),
        }
    }

    /// Returns the number of first keys that are not greater than `key`.
    pub(crate) fn not_after(&self, entries: &[BlockEntry], key: &[u8]) -> usize {
        let Some(rest) = key.strip_prefix(&*self.shared) else {
            let is_less = *key < *self.shared;
            return if is_less { 0 } else { entries.len() };
        };
        let word = word(rest);
        let less = self.words.partition_point(|&other| other < word);
        let equal = self.words[less..].iter();
        let equal = equal.take_while(|&&other| other == word).count();
        let equal = &entries[less..less + equal];
        less + equal.partition_point(|entry| *entry.first <= *key)
    }

    /// Whether the first bytes alone show that `key` is in the block `at`.
    pub(crate) fn shows(&self, at: usize, key: &[u8]) -> bool {
        let Some(rest) = key.strip_prefix(&*self.shared) else {
            return false;
        };
        let word = word(rest);
        self.words.get(at).is_some_and(|&first| first < word)
            && self.words.get(at + 1).is_none_or(|&next| word < next)
    }
}

fn word(bytes: &[u8]) -> u128 {
    let word = bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [0; WORD_BYTES];
        word[..bytes.len()].copy_from_slice(bytes);
        word
    });
    u128::from_be_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(first: &str) -> BlockEntry {
        BlockEntry {
            first: first.as_bytes().into(),
            shared: 0,
            starts: [].into(),
            keys: 1,
            offset: 0,
            trie: 1,
            data: 0,
            checksum: 0,
        }
    }

    #[test]
    fn finds_what_a_comparison_of_whole_keys_finds() {
        let firsts = [
            "10.1/a",
            "10.1/a\0",
            "10.1/abcdefghijklmnopqrstuvwxyz",
            "10.1/abcdefghijklmnopqrstuvwxyz1",
            "10.1/abcdefghijklmnopqrstuvwxyz2",
            "10.2/ÿ",
        ];
        let asked = ["", "1", "10.", "10.0", "10.1/", "10.1/b", "10.9", "11", "9"];
        let longer = firsts.map(|first| format!("{first}!"));
        let shorter = firsts.map(|first| first.split_at(6.min(first.len() - 2)).0);
        let asked = asked.iter().copied().chain(firsts).chain(shorter);
        let asked: Vec<&str> = asked.chain(longer.iter().map(String::as_str)).collect();
        for count in 0..=firsts.len() {
            let entries: Vec<BlockEntry> = firsts[..count].iter().copied().map(entry).collect();
            let keys = FirstKeys::new(&entries);
            for key in &asked {
                let key = key.as_bytes();
                let right = entries.iter().filter(|entry| *entry.first <= *key).count();
                assert_eq!(keys.not_after(&entries, key), right, "{key:?}");
                for at in 0..count {
                    assert!(!keys.shows(at, key) || at + 1 == right, "{key:?} in {at}");
                }
            }
        }
    }
}
