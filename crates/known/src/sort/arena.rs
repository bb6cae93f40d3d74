//! Keys with payloads in memory, before they are sorted.

/// Position of a pair in the arena. Its payload comes directly after its key.
#[derive(Clone, Copy)]
struct PairSlot {
    start: u32,
    key: u32,
    payload: u32,
}

/// Holds pairs in one allocation of a fixed size.
pub(crate) struct PairArena {
    bytes: Vec<u8>,
    slots: Vec<PairSlot>,
    /// Bytes of pairs and of slots together.
    capacity: usize,
}

/// Offsets are 32 bits wide.
const MAX_ARENA_BYTES: usize = 1 << 30;

impl PairArena {
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.min(MAX_ARENA_BYTES);
        PairArena {
            // A name takes about 28 bytes, and its slot 12.
            bytes: Vec::with_capacity(capacity / 4 * 3),
            slots: Vec::with_capacity(capacity / 4 / size_of::<PairSlot>()),
            capacity,
        }
    }

    /// Whether a pair of this length fits. The first pair always does.
    pub(crate) fn has_room(&self, length: usize) -> bool {
        let slots = (self.slots.len() + 1) * size_of::<PairSlot>();
        self.slots.is_empty() || self.bytes.len() + length + slots <= self.capacity
    }

    /// Adds a pair. The caller has checked that its length is below 4 GiB.
    pub(crate) fn push(&mut self, key: &[u8], payload: &[u8]) {
        self.slots.push(PairSlot {
            start: self.bytes.len() as u32,
            key: key.len() as u32,
            payload: payload.len() as u32,
        });
        self.bytes.extend_from_slice(key);
        self.bytes.extend_from_slice(payload);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    pub(crate) fn sort(&mut self) {
        let bytes = &self.bytes;
        self.slots
            .sort_unstable_by(|&a, &b| pair(bytes, a).cmp(&pair(bytes, b)));
    }

    /// Returns the pairs in the order of their slots.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.slots.iter().map(|&slot| pair(&self.bytes, slot))
    }

    pub(crate) fn clear(&mut self) {
        self.bytes.clear();
        self.slots.clear();
    }
}

fn pair(bytes: &[u8], slot: PairSlot) -> (&[u8], &[u8]) {
    let start = slot.start as usize;
    let (key, payload) = (slot.key as usize, slot.payload as usize);
    bytes[start..start + key + payload].split_at(key)
}
