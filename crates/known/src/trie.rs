//! A sorted map of a block: an automaton that the crate `fst` builds. Keys share starts and ends in it.
//!
//! It is read here and not by `fst`, which panics on invalid bytes. Here invalid bytes give wrong answers, but no panic:
//! every offset is checked, and an edge leads only to a smaller address. Checksums have already found damage.
//!
//! The format is version 3 of `fst`. A node is read backwards from its address: a byte for its form, then the bytes of its
//! edges, sizes of numbers, targets and outputs. The outputs on the path of a key add up to its number. Address 0 is an end
//! without edges.

use fst::raw::Builder;

use crate::bytes::common_start;

/// Keys with a number each.
pub(crate) struct Trie {
    bytes: Vec<u8>,
    root: usize,
}

/// A place in the trie after a start of keys: the address of its node, and the sum of the outputs so far.
#[derive(Clone, Copy)]
pub(crate) struct TriePlace {
    at: usize,
    sum: u64,
}

/// The branches on the path of the last key. The search for the next key starts at the last branch that both share.
#[derive(Default)]
pub(crate) struct KeyPath {
    key: Vec<u8>,
    branches: Vec<BranchPlace>,
}

impl KeyPath {
    /// Returns the start of the last key that leads to its last branch.
    pub(crate) fn reached(&self) -> &[u8] {
        let depth = self.branches.last().map_or(0, |last| last.depth);
        &self.key[..depth]
    }
}

/// The place of a node that has several edges, and the number of bytes of the key that lead there.
struct BranchPlace {
    depth: usize,
    place: TriePlace,
}

/// A node, parsed.
#[derive(Clone, Copy)]
struct TrieNode {
    is_end: bool,
    edges: NodeEdges,
}

/// The edges of a node. `top` is the address after the bytes that `sizes` describes.
#[derive(Clone, Copy)]
enum NodeEdges {
    /// No edges.
    Empty,
    /// One edge, to the node directly before this one.
    Next { byte: u8, target: usize },
    /// One edge, to any node.
    One {
        byte: u8,
        sizes: FieldSizes,
        top: usize,
    },
    /// Any number of edges. `index` is the address of a table of edges by byte, which large nodes have.
    Many {
        count: usize,
        sizes: FieldSizes,
        top: usize,
        index: Option<usize>,
    },
}

/// Numbers of bytes of targets and outputs.
#[derive(Clone, Copy)]
struct FieldSizes {
    target: usize,
    output: usize,
}

/// The commonest bytes. The form of a node encodes them, so that they take no byte of their own.
const COMMON_BYTES: &[u8; 63] = b"te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG";

/// The version of the bytes.
const FST_VERSION: u64 = 3;
/// Bytes after the root: the number of keys, the address of the root, a checksum.
const TRAILER_BYTES: usize = 20;
/// Maximum number of edges of a node without a table of them.
const MAX_EDGES_WITHOUT_TABLE: usize = 32;
/// Bytes of a word.
const WORD_BYTES: usize = 8;
/// A word whose bytes are all 1.
const WORD_OF_ONES: u64 = u64::MAX / 0xff;

impl Trie {
    /// Builds the trie of pairs that are sorted by key.
    pub(crate) fn build<'k>(pairs: impl Iterator<Item = (&'k [u8], u64)>) -> fst::Result<Vec<u8>> {
        let mut builder = Builder::memory();
        for (key, value) in pairs {
            builder.insert(key, value)?;
        }
        builder.into_inner()
    }

    /// Returns `None` if these are not the bytes of a trie.
    pub(crate) fn new(bytes: Vec<u8>) -> Option<Self> {
        let version = bytes
            .first_chunk()
            .map(|bytes| u64::from_le_bytes(*bytes))?;
        let nodes = bytes.len().checked_sub(TRAILER_BYTES)?;
        let root = u64::from_le_bytes(*bytes.get(nodes + 8..)?.first_chunk()?);
        let root = usize::try_from(root).ok()?;
        (version == FST_VERSION && root < nodes).then_some(Trie { bytes, root })
    }

    pub(crate) fn get(&self, key: &[u8]) -> Option<u64> {
        self.value(self.follow_all(self.root(), key)?)
    }

    /// Looks up a key in half the time if keys are looked up in order and share starts.
    pub(crate) fn get_after(&self, path: &mut KeyPath, key: &[u8]) -> Option<u64> {
        let common = common_start(&path.key, key);
        path.key.truncate(common);
        path.key.extend_from_slice(&key[common..]);
        while path.branches.pop_if(|last| last.depth > common).is_some() {}
        let last = path.branches.last();
        let (from, place) = last.map_or((0, self.root()), |last| (last.depth, last.place));
        let end = self.descend(place, &key[from..], |taken, place| {
            // The place at which the search starts is already in the path.
            if taken > 0 {
                let depth = from + taken;
                path.branches.push(BranchPlace { depth, place });
            }
        });
        self.value(end?)
    }

    /// Returns the place of the empty start.
    pub(crate) fn root(&self) -> TriePlace {
        TriePlace {
            at: self.root,
            sum: 0,
        }
    }

    /// Returns the place that `byte` leads to from `place`.
    pub(crate) fn follow_byte(&self, place: TriePlace, byte: u8) -> Option<TriePlace> {
        self.follow_all(place, &[byte])
    }

    /// Returns the place that `bytes` lead to from `place`.
    pub(crate) fn follow_all(&self, place: TriePlace, bytes: &[u8]) -> Option<TriePlace> {
        self.descend(place, bytes, |_, _| {})
    }

    /// Like [`follow_all`](Self::follow_all). Calls `branch` with each node on the path that has several edges, and the number of bytes
    /// that lead there.
    #[inline]
    fn descend(
        &self,
        mut place: TriePlace,
        bytes: &[u8],
        mut branch: impl FnMut(usize, TriePlace),
    ) -> Option<TriePlace> {
        for (taken, &byte) in bytes.iter().enumerate() {
            let at = place.at;
            // An empty end has no edges.
            let form = *self.bytes.get(at).filter(|_| at > 0)?;
            if form >> 6 >= 0b10 {
                let (only, top) = self.only_byte(at, form)?;
                if only != byte {
                    return None;
                }
                // Most nodes have one edge, which leads to the node before and adds nothing.
                if form >> 6 == 0b11 {
                    place.at = top.wrapping_sub(1);
                    continue;
                }
                place = self.follow(place, &self.node(at)?, 0)?;
            } else {
                branch(taken, place);
                let node = self.node(at)?;
                place = self.follow(place, &node, self.edge(&node, byte)?)?;
            }
        }
        Some(place)
    }

    /// Returns the edge with `byte` of a node that may have several.
    #[inline]
    fn edge(&self, node: &TrieNode, byte: u8) -> Option<usize> {
        let NodeEdges::Many {
            count, top, index, ..
        } = node.edges
        else {
            return None;
        };
        match index {
            Some(index) => {
                let edge = *self.bytes.get(index.wrapping_add(usize::from(byte)))?;
                (usize::from(edge) < count).then_some(usize::from(edge))
            }
            None => self.find(top, count, byte),
        }
    }

    /// Returns which of `count` edges has `byte`. The edges' bytes are before `top`, the first edge's last. Compares eight
    /// at a time.
    #[inline]
    fn find(&self, top: usize, count: usize, byte: u8) -> Option<usize> {
        for first in (0..count).step_by(WORD_BYTES) {
            let start = top.checked_sub(first + WORD_BYTES)?;
            let word = u64::from_le_bytes(*self.bytes.get(start..)?.first_chunk()?);
            let others = WORD_BYTES.saturating_sub(count - first);
            // A byte of this is 0 where the edge has the byte. The lowest bytes may not be those of edges.
            let differs = word ^ (WORD_OF_ONES * u64::from(byte)) | ((1 << (8 * others)) - 1);
            // The lowest mark is right: only marks above it may come from a carry.
            let marks = differs.wrapping_sub(WORD_OF_ONES) & !differs & (WORD_OF_ONES << 7);
            if marks != 0 {
                return Some(first + WORD_BYTES - 1 - marks.trailing_zeros() as usize / 8);
            }
        }
        None
    }

    /// Returns the number of the key that ends at a place, if one does.
    #[inline]
    pub(crate) fn value(&self, place: TriePlace) -> Option<u64> {
        let node = self.node(place.at)?;
        match node.edges {
            _ if !node.is_end => None,
            NodeEdges::Many {
                count, sizes, top, ..
            } if sizes.output > 0 => {
                let at =
                    top.wrapping_sub(count * (sizes.target + sizes.output) + count + sizes.output);
                place.sum.checked_add(self.number(at, sizes.output)?)
            }
            _ => Some(place.sum),
        }
    }

    /// Returns the bytes of the edges of a place, in order.
    pub(crate) fn next_bytes(&self, place: TriePlace) -> impl Iterator<Item = u8> {
        let edges = self
            .node(place.at)
            .map_or(NodeEdges::Empty, |node| node.edges);
        (0..edges.count()).map_while(move |edge| self.byte(edges, edge))
    }

    /// Passes the pairs whose key is not less than `start` to `take`, in order, until it returns false.
    pub(crate) fn each_from(&self, start: &[u8], mut take: impl FnMut(&[u8], u64) -> bool) {
        let mut walk = TrieKeys {
            trie: self,
            key: Vec::new(),
            open: Vec::new(),
        };
        let first = walk.seek(self.root(), start);
        let mut found = first.or_else(|| walk.next_key());
        while let Some(value) = found {
            if !take(&walk.key, value) {
                return;
            }
            found = walk.next_key();
        }
    }

    /// Parses the node at an address.
    #[inline]
    fn node(&self, at: usize) -> Option<TrieNode> {
        let form = if at == 0 { 0 } else { *self.bytes.get(at)? };
        let (is_end, edges) = match form >> 6 {
            _ if at == 0 => (true, NodeEdges::Empty),
            0b11 => {
                let (byte, top) = self.only_byte(at, form)?;
                let target = top.wrapping_sub(1);
                (false, NodeEdges::Next { byte, target })
            }
            0b10 => {
                let (byte, top) = self.only_byte(at, form)?;
                let (sizes, top) = self.sizes(top)?;
                (false, NodeEdges::One { byte, sizes, top })
            }
            is_end => (is_end == 1, self.many(at, form)?),
        };
        Some(TrieNode { is_end, edges })
    }

    /// Returns the byte of the only edge, and the address of its first byte.
    #[inline]
    fn only_byte(&self, at: usize, form: u8) -> Option<(u8, usize)> {
        match form & 0x3f {
            0 => Some((*self.bytes.get(at - 1)?, at - 1)),
            common => Some((COMMON_BYTES[usize::from(common) - 1], at)),
        }
    }

    /// Reads the sizes before `top`.
    #[inline]
    fn sizes(&self, top: usize) -> Option<(FieldSizes, usize)> {
        let top = top.wrapping_sub(1);
        let sizes = usize::from(*self.bytes.get(top)?);
        let sizes = FieldSizes {
            target: sizes >> 4,
            output: sizes & 15,
        };
        Some((sizes, top))
    }

    #[inline]
    fn many(&self, at: usize, form: u8) -> Option<NodeEdges> {
        let (count, top) = match usize::from(form & 0x3f) {
            0 => (usize::from(*self.bytes.get(at - 1)?), at - 1),
            count => (count, at),
        };
        // A single edge has another form, so the number 1 means 256.
        let is_full = count == 1 && top < at;
        let count = if is_full { 256 } else { count };
        let (sizes, top) = self.sizes(top)?;
        let table = top.wrapping_sub(256);
        let index = (count > MAX_EDGES_WITHOUT_TABLE).then_some(table);
        Some(NodeEdges::Many {
            count,
            sizes,
            top: index.unwrap_or(top),
            index,
        })
    }

    /// Returns the first edge whose byte is not less than `byte`, or the number of edges.
    fn edge_from(&self, edges: NodeEdges, byte: u8) -> usize {
        let is_less = |&edge: &usize| self.byte(edges, edge).is_some_and(|other| other < byte);
        (0..edges.count()).take_while(is_less).count()
    }

    /// Returns the byte of an edge; `None` if there are fewer edges.
    #[inline]
    fn byte(&self, edges: NodeEdges, edge: usize) -> Option<u8> {
        match edges {
            NodeEdges::Next { byte, .. } | NodeEdges::One { byte, .. } if edge == 0 => Some(byte),
            NodeEdges::Many { top, count, .. } if edge < count => {
                self.bytes.get(top.wrapping_sub(edge + 1)).copied()
            }
            _ => None,
        }
    }

    /// Returns the place that an edge of the node of `place` leads to.
    #[inline]
    fn follow(&self, place: TriePlace, node: &TrieNode, edge: usize) -> Option<TriePlace> {
        let (at, output) = match node.edges {
            NodeEdges::Empty => return None,
            NodeEdges::Next { target, .. } => (target, 0),
            NodeEdges::One { sizes, top, .. } => self.target(top, 1, sizes, 0, 0)?,
            NodeEdges::Many {
                count, sizes, top, ..
            } => {
                let ends = usize::from(node.is_end) * sizes.output;
                self.target(top.wrapping_sub(count), count, sizes, edge, ends)?
            }
        };
        let sum = place.sum.checked_add(output)?;
        (at < place.at).then_some(TriePlace { at, sum })
    }

    /// Returns target and output of one of `count` edges. Their targets are before `top`; then follow the outputs, and
    /// `ends` more bytes.
    #[inline]
    fn target(
        &self,
        top: usize,
        count: usize,
        sizes: FieldSizes,
        edge: usize,
        ends: usize,
    ) -> Option<(usize, u64)> {
        let outputs = top.wrapping_sub(count * sizes.target);
        let end = outputs.wrapping_sub(count * sizes.output + ends);
        let distance = self.number(top.wrapping_sub((edge + 1) * sizes.target), sizes.target)?;
        let output = self.number(
            outputs.wrapping_sub((edge + 1) * sizes.output),
            sizes.output,
        )?;
        match distance {
            0 => Some((0, output)),
            _ => Some((end.checked_sub(usize::try_from(distance).ok()?)?, output)),
        }
    }

    /// Reads the number of `size` bytes at an address. The trailer makes sure that eight can be read.
    #[inline]
    fn number(&self, at: usize, size: usize) -> Option<u64> {
        match size {
            0 => Some(0),
            1..=8 => {
                let word = u64::from_le_bytes(*self.bytes.get(at..)?.first_chunk()?);
                Some(word & (u64::MAX >> (64 - 8 * size)))
            }
            _ => None,
        }
    }
}

impl NodeEdges {
    fn count(&self) -> usize {
        match *self {
            NodeEdges::Empty => 0,
            NodeEdges::Next { .. } | NodeEdges::One { .. } => 1,
            NodeEdges::Many { count, .. } => count,
        }
    }
}

/// A walk over all keys in order.
struct TrieKeys<'a> {
    trie: &'a Trie,
    key: Vec<u8>,
    /// The places on the path of the key.
    open: Vec<OpenPlace>,
}

/// A place whose edges are followed one after the other.
#[derive(Clone, Copy)]
struct OpenPlace {
    place: TriePlace,
    node: TrieNode,
    /// The edge that comes next.
    next: usize,
}

impl TrieKeys<'_> {
    /// Goes along `start` to the first key not less than it, as far as keys have these bytes. Returns the number if `start`
    /// is a key.
    fn seek(&mut self, mut place: TriePlace, start: &[u8]) -> Option<u64> {
        for &byte in start {
            let edges = self.trie.node(place.at)?.edges;
            let next = self.trie.edge_from(edges, byte);
            let from = self.open(place, next)?;
            if self.trie.byte(edges, next) != Some(byte) {
                return None;
            }
            place = self.follow_edge(from, byte)?;
        }
        self.open(place, 0)?;
        self.trie.value(place)
    }

    /// Adds a place, which continues with the edge `next`.
    fn open(&mut self, place: TriePlace, next: usize) -> Option<OpenPlace> {
        let node = self.trie.node(place.at)?;
        let open = OpenPlace { place, node, next };
        self.open.push(open);
        Some(open)
    }

    /// Follows the next edge of the last place, which is `from` and has `byte`.
    fn follow_edge(&mut self, from: OpenPlace, byte: u8) -> Option<TriePlace> {
        self.open.last_mut()?.next += 1;
        self.key.push(byte);
        self.trie.follow(from.place, &from.node, from.next)
    }

    /// Goes to the next key and returns its number.
    fn next_key(&mut self) -> Option<u64> {
        while let Some(&from) = self.open.last() {
            // The key is as long as the path to the last open place.
            self.key.truncate(self.open.len() - 1);
            let Some(byte) = self.trie.byte(from.node.edges, from.next) else {
                self.open.pop();
                continue;
            };
            let place = self.follow_edge(from, byte)?;
            self.open(place, 0)?;
            if let Some(value) = self.trie.value(place) {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    type Model = BTreeMap<Vec<u8>, u64>;

    /// Makes keys of few bytes, and of all bytes, so that every form of node occurs.
    fn model() -> impl Strategy<Value = Model> {
        let few =
            proptest::collection::vec(proptest::sample::select(b"ab/0\x00\xff".to_vec()), 0..6);
        let all = proptest::collection::vec(any::<u8>(), 0..3);
        let key = prop_oneof![few, all, "[a-z]{3}[0-9]{2}".prop_map(String::into_bytes)];
        let value = prop_oneof![Just(0), 0u64..3, any::<u64>().prop_map(|n| n / 2)];
        proptest::collection::btree_map(key, value, 0..300)
    }

    fn bytes_of(model: &Model) -> Vec<u8> {
        Trie::build(model.iter().map(|(key, &value)| (&key[..], value))).unwrap()
    }

    fn pairs_from(trie: &Trie, start: &[u8], max: usize) -> Vec<(Vec<u8>, u64)> {
        let mut pairs = Vec::new();
        trie.each_from(start, |key, value| {
            pairs.push((key.to_vec(), value));
            pairs.len() < max
        });
        pairs
    }

    proptest! {
        #[test]
        fn answers_are_those_of_the_model(model in model(), asked in model()) {
            let trie = Trie::new(bytes_of(&model)).unwrap();
            for key in model.keys().chain(asked.keys()) {
                prop_assert_eq!(trie.get(key), model.get(key).copied(), "{:?}", key);
                let expected: Vec<_> = model.range(key.clone()..).map(|(k, &v)| (k.clone(), v)).take(5).collect();
                prop_assert_eq!(pairs_from(&trie, key, 5), expected);
            }
            prop_assert_eq!(pairs_from(&trie, &[], usize::MAX), Vec::from_iter(model));
        }

        #[test]
        fn wrong_bytes_end_every_walk(model in model(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
            let mut bytes = bytes_of(&model);
            for (at, byte) in changes {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(trie) = Trie::new(bytes) {
                for key in model.keys() {
                    trie.get(key);
                    trie.next_bytes(trie.root()).count();
                }
                pairs_from(&trie, &[], 1000);
            }
        }
    }

    #[test]
    fn a_node_with_all_bytes_has_an_index() {
        let model: Model = (0..=u8::MAX)
            .map(|byte| (vec![byte, byte], u64::from(byte)))
            .collect();
        let trie = Trie::new(bytes_of(&model)).unwrap();
        assert!(trie.next_bytes(trie.root()).eq(0..=u8::MAX));
        assert_eq!(pairs_from(&trie, &[], usize::MAX), Vec::from_iter(model));
    }
}
