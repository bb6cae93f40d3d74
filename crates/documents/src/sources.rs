//! The list of sources, stored compactly, since there may be many millions.
//!
//! The path of a folder is stored once. A file is stored as its folder and its own name, without an allocation for each.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use doisift_system::{path_from, path_of};
use xxhash_rust::xxh3::xxh3_64;

use super::file::is_pipe;
use super::name::escaped;
use super::remote::RemoteSources;
use super::shard::{Shard, hash};

/// A file or stream to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path to open, from which its name is made. Standard input has only a name, `-` unless another was given. The
    /// stream of a caller has only a name too.
    pub path: PathBuf,
    /// Its kind.
    pub kind: SourceKind,
    /// Whether it was named itself, and not found below a folder.
    pub is_named: bool,
    /// Length in bytes of the named folder and its separator in the path; 0 if it was named itself.
    pub folder_bytes: usize,
}

impl Source {
    /// Returns the path below the named folder, or the path if it was named itself.
    pub(super) fn below(&self) -> &Path {
        path_from(&self.path, self.folder_bytes)
    }

    /// Whether another program writes it while it is read.
    pub fn is_pipe(&self) -> bool {
        match self.kind {
            SourceKind::File | SourceKind::Reader | SourceKind::Remote => false,
            SourceKind::Stream => is_pipe(&self.path),
            SourceKind::Stdin => is_pipe(Path::new("-")),
        }
    }
}

/// The kind of a source, which decides how it can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// A regular file: its size is known, and it can be read at any offset.
    File,
    /// A named FIFO or device: opening and reading it may block.
    Stream,
    /// Standard input.
    Stdin,
    /// A stream that the caller of the library gave.
    Reader,
    /// An object of a service.
    Remote,
}

/// Sources in bytewise order of their names, without repeats.
#[derive(Debug, Default)]
pub struct Sources {
    strings: ShortStrings,
    folders: Vec<SourceFolder>,
    /// The entries in the order they were added, in parts, so that they are not moved when more are added.
    entries: Vec<Vec<SourceEntry>>,
    /// Numbers of entries.
    order: Vec<u32>,
    /// The services of those that are objects.
    remote: Option<Arc<dyn RemoteSources>>,
}

/// Sources in any order.
#[derive(Debug, Default)]
pub(super) struct SourceCollector {
    list: Sources,
    /// Numbers of folders by their hash.
    known: HashMap<u64, u32>,
    /// The folder of the source that was added last.
    last: Option<u32>,
}

/// The path of a source up to its last separator.
#[derive(Clone, Copy, Debug)]
struct SourceFolder {
    path: StringAddress,
    /// Length of the part of the path that is not hashed for shards: the named folder, or 0 for a source that was named
    /// itself.
    folder_bytes: u32,
}

/// A source: its folder, and its own name.
#[derive(Clone, Copy, Debug)]
struct SourceEntry {
    folder: u32,
    /// Offset of the name in the block.
    offset: u32,
    block: u16,
    is_named: bool,
}

impl SourceEntry {
    fn name(&self) -> StringAddress {
        StringAddress(self.block, self.offset)
    }
}

/// Entries of a part.
const PART_ENTRIES: usize = 1 << 16;
/// Number of folders in the lookup table. If there are more, some folders are stored several times.
const MAX_KNOWN_FOLDERS: usize = 1 << 20;

/// Bits of a string's header in addition to its length.
const TAG_BITS: u32 = 4;
/// The source is not a regular file.
const SPECIAL_TAG: usize = 1;
/// The path has bytes that are not UTF-8.
const NOT_UTF8_TAG: usize = 2;
/// The source is standard input or, if it is special too, the stream of a caller.
const STDIN_TAG: usize = 4;
/// The source is an object of a service.
const REMOTE_TAG: usize = 8;

impl SourceCollector {
    pub(super) fn len(&self) -> usize {
        self.list.entries.iter().map(Vec::len).sum()
    }

    /// Adds a source. If it is below a named folder, the first `folder_bytes` bytes of its path are that folder with a separator.
    pub(super) fn push(&mut self, path: &[u8], folder_bytes: Option<usize>, kind: SourceKind) {
        let is_separator = |byte: &u8| std::path::is_separator(char::from(*byte));
        let start = path.iter().rposition(is_separator).map_or(0, |at| at + 1);
        let (folder, name) = path.split_at(start);
        let mut tags = 0;
        match kind {
            SourceKind::File => {}
            SourceKind::Stream => tags |= SPECIAL_TAG,
            SourceKind::Stdin => tags |= STDIN_TAG,
            SourceKind::Reader => tags |= SPECIAL_TAG | STDIN_TAG,
            SourceKind::Remote => tags |= REMOTE_TAG,
        }
        if str::from_utf8(path).is_err() {
            tags |= NOT_UTF8_TAG;
        }
        let folder = self.folder(folder, folder_bytes.unwrap_or(0) as u32);
        let StringAddress(block, offset) = self.list.strings.push(name, tags);
        let entry = SourceEntry {
            folder,
            offset,
            block,
            is_named: folder_bytes.is_none(),
        };
        match self.list.entries.last_mut() {
            Some(part) if part.len() < PART_ENTRIES => part.push(entry),
            _ => {
                let mut part = Vec::with_capacity(PART_ENTRIES);
                part.push(entry);
                self.list.entries.push(part);
            }
        }
    }

    /// Returns the number of a folder, and stores the folder if it is new.
    fn folder(&mut self, path: &[u8], folder_bytes: u32) -> u32 {
        let list = &mut self.list;
        let is = |list: &Sources, number: u32| {
            let folder = list.folders[number as usize];
            folder.folder_bytes == folder_bytes && list.strings.get(folder.path).0 == path
        };
        if let Some(last) = self.last.filter(|&last| is(list, last)) {
            return last;
        }
        let hash = xxh3_64(path) ^ u64::from(folder_bytes);
        let known = self.known.get(&hash).copied();
        let number = known.filter(|&known| is(list, known)).unwrap_or_else(|| {
            let path = list.strings.push(path, 0);
            list.folders.push(SourceFolder { path, folder_bytes });
            list.folders.len() as u32 - 1
        });
        if self.known.len() == MAX_KNOWN_FOLDERS {
            self.known = HashMap::new();
        }
        self.known.insert(hash, number);
        self.last = Some(number);
        number
    }

    /// Calls `with` for the path of every source.
    pub(super) fn each(&self, mut with: impl FnMut(&Path)) {
        let entries = self.list.entries.iter().flatten();
        entries.for_each(|entry| with(&self.list.source(entry).path));
    }

    /// Returns the sources in order, without repeats, and only those of `shard`. Objects among them are read from `remote`.
    pub(super) fn finish(
        self,
        shard: Option<Shard>,
        remote: Option<Arc<dyn RemoteSources>>,
    ) -> Sources {
        let count = self.len() as u32;
        let mut list = self.list;
        list.remote = remote;
        let mut order: Vec<u32> = (0..count).collect();
        list.sort(&mut order);
        let mut named = Vec::new();
        order.dedup_by(|b, a| {
            let (x, y) = (list.entry(*a), list.entry(*b));
            let same = list.is_same(x, y);
            if same && y.is_named && !x.is_named {
                named.push(*a);
            }
            same
        });
        for number in named {
            list.entries[number as usize / PART_ENTRIES][number as usize % PART_ENTRIES].is_named =
                true;
        }
        if let Some(shard) = shard {
            order.retain(|&number| shard.takes(list.hash(list.entry(number))));
        }
        list.order = order;
        list
    }
}

impl Sources {
    /// Returns the number of sources.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns the services of the sources that are objects.
    pub fn remote(&self) -> Option<&dyn RemoteSources> {
        self.remote.as_deref()
    }

    /// Returns the size of a source that is an object in bytes, if a listing has shown it.
    pub fn object_size(&self, source: &Source) -> Option<u64> {
        self.remote()?.listed_size(&source.path.to_string_lossy())
    }

    /// Whether there is no source.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the source at `ordinal`, from 0.
    pub fn get(&self, ordinal: usize) -> Option<Source> {
        let number = self.order.get(ordinal)?;
        Some(self.source(self.entry(*number)))
    }

    /// Returns the sources in order.
    pub fn iter(&self) -> impl Iterator<Item = Source> {
        let entries = self.order.iter().map(|&number| self.entry(number));
        entries.map(|entry| self.source(entry))
    }

    /// Keeps only the sources for which `keep` returns true.
    pub fn retain(&mut self, keep: impl Fn(&Source) -> bool) {
        let mut order = std::mem::take(&mut self.order);
        order.retain(|&number| keep(&self.source(self.entry(number))));
        self.order = order;
    }

    fn entry(&self, number: u32) -> &SourceEntry {
        &self.entries[number as usize / PART_ENTRIES][number as usize % PART_ENTRIES]
    }

    /// Sorts entries by [`compare`](Self::compare).
    fn sort(&self, order: &mut [u32]) {
        let mut folders: Vec<u32> = (0..self.folders.len() as u32).collect();
        folders.sort_unstable_by_key(|&folder| self.folder(folder));
        let mut ranks = vec![0; folders.len()];
        for (rank, folder) in (0_u32..).zip(folders) {
            ranks[folder as usize] = rank;
        }
        // Sorting by folder and name is fast, and right except for folders within others. The second sort corrects these.
        // Most names differ in their first bytes.
        let key = |number: u32| {
            let entry = self.entry(number);
            (
                ranks[entry.folder as usize],
                start(self.name(entry)),
                number,
            )
        };
        let mut keys: Vec<_> = order.iter().map(|&number| key(number)).collect();
        keys.sort_unstable_by(|a, b| {
            let names = || self.name(self.entry(a.2)).cmp(self.name(self.entry(b.2)));
            (a.0, a.1).cmp(&(b.0, b.1)).then_with(names)
        });
        for (number, key) in order.iter_mut().zip(keys) {
            *number = key.2;
        }
        order.sort_by(|&a, &b| self.compare(self.entry(a), self.entry(b)));
    }

    fn folder(&self, number: u32) -> &[u8] {
        self.strings.get(self.folders[number as usize].path).0
    }

    fn name(&self, entry: &SourceEntry) -> &[u8] {
        self.strings.get(entry.name()).0
    }

    /// Returns the folder's path, the name below it, and the tags of the name.
    fn parts(&self, entry: &SourceEntry) -> (&[u8], &[u8], usize) {
        let (name, tags) = self.strings.get(entry.name());
        (self.folder(entry.folder), name, tags)
    }

    fn source(&self, entry: &SourceEntry) -> Source {
        let (folder, name, tags) = self.parts(entry);
        let path = path_of([folder, name].concat());
        let kind = match tags & (SPECIAL_TAG | STDIN_TAG | REMOTE_TAG) {
            0 => SourceKind::File,
            SPECIAL_TAG => SourceKind::Stream,
            STDIN_TAG => SourceKind::Stdin,
            REMOTE_TAG => SourceKind::Remote,
            _ => SourceKind::Reader,
        };
        Source {
            path,
            kind,
            is_named: entry.is_named,
            folder_bytes: self.folders[entry.folder as usize].folder_bytes as usize,
        }
    }

    /// Returns the hash that determines its shard.
    fn hash(&self, entry: &SourceEntry) -> u64 {
        let folder_bytes = self.folders[entry.folder as usize].folder_bytes as usize;
        let (folder, name, _) = self.parts(entry);
        hash(&path_of([&folder[folder_bytes..], name].concat()))
    }

    /// Returns a name that two sources have, as is possible for standard input and streams of a caller.
    pub fn repeated_name(&self) -> Option<PathBuf> {
        let mut pairs = self.order.windows(2);
        let repeated = pairs.find(|pair| {
            let (x, y) = (
                self.parts(self.entry(pair[0])),
                self.parts(self.entry(pair[1])),
            );
            compare_joined([x.0, x.1], [y.0, y.1]).is_eq()
        })?;
        Some(self.source(self.entry(repeated[0])).path)
    }

    /// Compares entries bytewise by name. A name is the path unless the path is not UTF-8. Of a path that was found below
    /// several folders, the entry with the smallest hash is first, so that all shards choose the same.
    fn compare(&self, a: &SourceEntry, b: &SourceEntry) -> Ordering {
        let (x, y) = (self.parts(a), self.parts(b));
        let names = match (x.2 | y.2) & NOT_UTF8_TAG {
            0 if a.folder == b.folder => x.1.cmp(y.1),
            0 => compare_joined([x.0, x.1], [y.0, y.1]),
            _ => {
                let (x, y) = ([x.0, x.1].concat(), [y.0, y.1].concat());
                escaped(&x).cmp(&escaped(&y)).then(x.cmp(&y))
            }
        };
        names.then_with(|| self.hash(a).cmp(&self.hash(b)))
    }

    fn is_same(&self, a: &SourceEntry, b: &SourceEntry) -> bool {
        let (x, y) = (self.parts(a), self.parts(b));
        compare_joined([x.0, x.1], [y.0, y.1]).is_eq() && x.2 & STDIN_TAG == y.2 & STDIN_TAG
    }
}

/// Compares two strings, each given as two pieces.
fn compare_joined(a: [&[u8]; 2], b: [&[u8]; 2]) -> Ordering {
    let both = a[0].len().min(b[0].len());
    let order = a[0][..both].cmp(&b[0][..both]);
    let (a, b) = ([&a[0][both..], a[1]], [&b[0][both..], b[1]]);
    order.then_with(|| {
        if a[0].is_empty() {
            compare_whole(a[1], b)
        } else {
            compare_whole(b[1], a).reverse()
        }
    })
}

/// Compares a string with one that is given as two pieces.
fn compare_whole(a: &[u8], b: [&[u8]; 2]) -> Ordering {
    let both = a.len().min(b[0].len());
    let order = a[..both].cmp(&b[0][..both]);
    order.then_with(|| {
        if b[0].len() > both {
            Ordering::Less
        } else {
            a[both..].cmp(b[1])
        }
    })
}

/// Returns the first bytes of a name, as a number with the same order.
fn start(name: &[u8]) -> u64 {
    let mut start = [0; 8];
    let len = name.len().min(start.len());
    start[..len].copy_from_slice(&name[..len]);
    u64::from_be_bytes(start)
}

/// Short strings, each after its length and its tags.
#[derive(Debug, Default)]
struct ShortStrings(Vec<Vec<u8>>);

/// The address of a string: its block, and its offset there.
#[derive(Clone, Copy, Debug)]
struct StringAddress(u16, u32);

/// Bytes of a block, unless one string is longer. Blocks are so large that 16 bits suffice for their number.
const BLOCK_BYTES: usize = 4 << 20;

impl ShortStrings {
    fn push(&mut self, string: &[u8], tags: usize) -> StringAddress {
        let mut head = [0; 10];
        let head = encode(string.len() << TAG_BITS | tags, &mut head);
        let needed = head.len() + string.len();
        if self
            .0
            .last()
            .is_none_or(|last| last.len() + needed > BLOCK_BYTES)
        {
            self.0.push(Vec::with_capacity(needed.max(BLOCK_BYTES)));
        }
        let number = self.0.len() - 1;
        let block = &mut self.0[number];
        let at = StringAddress(number as u16, block.len() as u32);
        block.extend_from_slice(head);
        block.extend_from_slice(string);
        at
    }

    /// Returns a string and its tags.
    fn get(&self, at: StringAddress) -> (&[u8], usize) {
        let bytes = &self.0[at.0 as usize][at.1 as usize..];
        let (mut head, mut start) = (0, 0);
        loop {
            let byte = usize::from(bytes[start]);
            head |= (byte & 0x7f) << (7 * start);
            start += 1;
            if byte < 0x80 {
                let tags = head & ((1 << TAG_BITS) - 1);
                return (&bytes[start..][..head >> TAG_BITS], tags);
            }
        }
    }
}

/// Encodes a number, seven bits per byte, the lowest first.
fn encode(mut number: usize, into: &mut [u8; 10]) -> &[u8] {
    let mut length = 0;
    loop {
        into[length] = number as u8 & 0x7f;
        number >>= 7;
        length += 1;
        if number == 0 {
            return &into[..length];
        }
        into[length - 1] |= 0x80;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns the paths in the order of the list.
    fn listed(paths: &[&str], shard: Option<Shard>) -> Vec<String> {
        let mut gathering = SourceCollector::default();
        for path in paths {
            gathering.push(path.as_bytes(), None, SourceKind::File);
        }
        let sources = gathering.finish(shard, None);
        let paths = sources
            .iter()
            .map(|source| source.path.display().to_string());
        paths.collect()
    }

    #[test]
    fn sources_come_bytewise_and_once() {
        let paths = [
            "a/b/c", "a/b.txt", "-", "a", "a/b", "b/", "a/b/c", "a/", "é", "",
        ];
        let wanted = ["", "-", "a", "a/", "a/b", "a/b.txt", "a/b/c", "b/", "é"];
        assert_eq!(listed(&paths, None), wanted);
    }

    #[test]
    fn what_a_source_is_comes_back() {
        let mut gathering = SourceCollector::default();
        let long = "n".repeat(5000);
        let sources = [
            ("-", SourceKind::Stdin),
            ("a/body", SourceKind::Reader),
            ("a/fifo", SourceKind::Stream),
            ("a/file", SourceKind::File),
            (&long, SourceKind::File),
            ("s3://a/key", SourceKind::Remote),
        ];
        for (path, kind) in sources {
            gathering.push(path.as_bytes(), None, kind);
        }
        let listed = gathering.finish(None, None);
        let wanted = sources.map(|(path, kind)| (PathBuf::from(path), kind));
        let seen = listed.iter().map(|source| (source.path, source.kind));
        assert_eq!(seen.collect::<Vec<_>>(), wanted);
        assert_eq!(listed.len(), 6);
        assert_eq!(listed.get(6), None);
    }

    #[test]
    fn bytes_that_are_not_utf8_sort_as_they_are_written() {
        let mut gathering = SourceCollector::default();
        for path in [&b"a\xff"[..], b"a]", b"a\\xFE", b"a[", b"a\xfe/x"] {
            gathering.push(path, Some(0), SourceKind::File);
        }
        let sources = gathering.finish(None, None);
        let seen = sources.iter().map(|source| {
            let path = source.path;
            super::super::name::display_name(&path).into_owned()
        });
        let wanted = ["a[", r"a\xFE", r"a\xFE/x", r"a\xFF", "a]"];
        assert_eq!(seen.collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn a_path_below_several_folders_is_the_same_for_every_shard() {
        let shards = (0..3).map(|index| Shard::new(index, 3));
        let mut takers = 0;
        for shard in shards.flatten() {
            let mut gathering = SourceCollector::default();
            gathering.push(b"a/b/c", Some(2), SourceKind::File);
            gathering.push(b"a/b/c", Some(4), SourceKind::File);
            takers += gathering.finish(Some(shard), None).len();
        }
        assert_eq!(takers, 1);
    }

    proptest! {
        #[test]
        fn the_order_is_that_of_whole_paths(paths in proptest::collection::vec("[ab./]{0,6}", 0..40)) {
            let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
            let mut wanted = paths.clone();
            wanted.sort_unstable();
            wanted.dedup();
            prop_assert_eq!(listed(&paths, None), wanted);
        }
    }
}
