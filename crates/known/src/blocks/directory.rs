//! The directory of blocks: the content, offset and checksum of each.

use crate::bytes::{ByteReader, common_start, put_bytes, put_number};

/// A block as its directory describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BlockEntry {
    pub(crate) first: Box<[u8]>,
    /// Length of the start that all keys share.
    pub(crate) shared: usize,
    /// Lengths of the known keys that are starts of `first`, without `first`, in order.
    pub(crate) starts: Box<[usize]>,
    pub(crate) keys: u64,
    /// Offset in the section.
    pub(crate) offset: u64,
    pub(crate) trie: u64,
    pub(crate) data: u64,
    pub(crate) checksum: u64,
}

impl BlockEntry {
    /// Returns the start that all keys share.
    pub(crate) fn shared(&self) -> &[u8] {
        &self.first[..self.shared]
    }

    /// Returns the number of bytes in the section.
    pub(crate) fn length(&self) -> u64 {
        self.trie + self.data
    }
}

/// Returns the bytes of a directory. A key is stored as its difference from the one before. Offsets follow from lengths.
pub(crate) fn write(entries: &[BlockEntry]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut last: &[u8] = &[];
    for entry in entries {
        let common = common_start(last, &entry.first);
        put_number(&mut out, common as u64);
        put_bytes(&mut out, &entry.first[common..]);
        put_number(&mut out, entry.shared as u64);
        put_number(&mut out, entry.starts.len() as u64);
        for &start in &entry.starts {
            put_number(&mut out, start as u64);
        }
        for number in [entry.keys, entry.trie, entry.data] {
            put_number(&mut out, number);
        }
        out.extend_from_slice(&entry.checksum.to_le_bytes());
        last = &entry.first;
    }
    out
}

/// Reads the entries of a directory of `keys` keys, whose blocks fill a section of `length` bytes. Returns `None` if it is
/// invalid.
pub(crate) fn read(bytes: &[u8], keys: u64, length: u64) -> Option<Vec<BlockEntry>> {
    let mut fields = ByteReader::new(bytes, 0);
    let mut entries: Vec<BlockEntry> = Vec::new();
    let (mut offset, mut counted) = (0u64, 0u64);
    while !fields.is_empty() {
        let entry = read_entry(&mut fields, entries.last(), offset)?;
        offset = offset.checked_add(entry.length())?;
        counted = counted.checked_add(entry.keys)?;
        entries.push(entry);
    }
    (offset == length && counted == keys).then_some(entries)
}

fn read_entry(
    fields: &mut ByteReader<'_>,
    last: Option<&BlockEntry>,
    offset: u64,
) -> Option<BlockEntry> {
    let last = last.map_or(&[][..], |entry| &entry.first);
    let common = fields.length()?;
    let first = [last.get(..common)?, fields.bytes()?].concat();
    let shared = fields.length()?;
    let starts: Box<[usize]> = fields.list(ByteReader::length)?;
    let [keys, trie, data] = [fields.number()?, fields.number()?, fields.number()?];
    let ascends =
        starts.is_sorted_by(|a, b| a < b) && starts.iter().all(|&start| start < first.len());
    let is_right = *first > *last && shared <= first.len() && keys > 0 && ascends;
    trie.checked_add(data)?;
    is_right.then_some(BlockEntry {
        first: first.into(),
        shared,
        starts,
        keys,
        offset,
        trie,
        data,
        checksum: fields.fixed()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(first: &str, offset: u64) -> BlockEntry {
        BlockEntry {
            first: first.as_bytes().into(),
            shared: 4,
            starts: [6, 7].into(),
            keys: 300,
            offset,
            trie: 40,
            data: 2,
            checksum: 7 << 60,
        }
    }

    #[test]
    fn entries_are_read_back() {
        let entries = vec![entry("10.1/abc", 0), entry("10.1/abd", 42)];
        let bytes = write(&entries);
        assert_eq!(read(&bytes, 600, 84), Some(entries));
        assert_eq!(read(&bytes, 601, 84), None);
        assert_eq!(read(&bytes, 600, 85), None);
        assert_eq!(read(&bytes[..bytes.len() - 1], 600, 84), None);
    }

    #[test]
    fn wrong_entries_are_refused() {
        assert_eq!(
            read(&write(&[entry("10.1/b", 0), entry("10.1/a", 42)]), 600, 84),
            None,
            "order"
        );
        assert_eq!(
            read(&write(&[entry("10.", 0)]), 300, 42),
            None,
            "a start beyond the key"
        );
        // A length that exceeds any memory is refused before allocation.
        assert_eq!(
            read(
                &[
                    0, 1, b'a', 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f
                ],
                1,
                1
            ),
            None
        );
    }
}
