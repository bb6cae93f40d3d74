//! The names of elements, each kept once.

use super::elements::local;

/// Max names that are kept. When they are full, the caller keeps only those of open elements.
const MAX_NAMES: usize = 512;
const NAME_SLOTS: usize = 4 * MAX_NAMES;
/// Bytes of a name that are compared at once.
const HEAD_BYTES: usize = 8;

/// The number of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TagName(u16);

/// The names so far.
pub(super) struct TagNames {
    names: Vec<KeptName>,
    /// Numbers of names from 1, by hash; 0 is a free slot.
    slots: Box<[u16; NAME_SLOTS]>,
}

struct KeptName {
    text: Box<[u8]>,
    head: u64,
    /// Bytes of the prefix and its colon.
    prefix: usize,
    /// The rules for elements of this name, if the table has any.
    rules: Option<usize>,
}

impl TagNames {
    pub(super) fn new() -> TagNames {
        TagNames {
            names: Vec::new(),
            slots: Box::new([0; NAME_SLOTS]),
        }
    }

    /// Returns the number of the name in the first `length` bytes of `bytes`, and adds the name if it is new. `rules` finds the
    /// rules for a new name.
    #[inline]
    pub(super) fn find(
        &mut self,
        bytes: &[u8],
        length: usize,
        rules: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> TagName {
        let (text, head) = (&bytes[..length], head(bytes, length));
        match self.slot(text, head) {
            Ok(name) => name,
            Err(slot) => self.add(slot, text, head, rules),
        }
    }

    #[cold]
    fn add(
        &mut self,
        slot: usize,
        text: &[u8],
        head: u64,
        rules: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> TagName {
        let prefix = text.len() - local(text).len();
        self.names.push(KeptName {
            text: text.into(),
            head,
            prefix,
            rules: rules(&text[prefix..]),
        });
        self.slots[slot] = self.names.len() as u16;
        TagName(self.names.len() as u16 - 1)
    }

    /// Returns the number of the name, or the free slot for it.
    #[inline]
    fn slot(&self, text: &[u8], head: u64) -> Result<TagName, usize> {
        let mix = (head ^ text.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut slot = (mix >> 32) as usize % NAME_SLOTS;
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.names[usize::from(number)].equals(text, head) {
                return Ok(TagName(number));
            }
            slot = (slot + 1) % NAME_SLOTS;
        }
        Err(slot)
    }

    /// Whether no more names can be kept.
    pub(super) fn is_full(&self) -> bool {
        self.names.len() == MAX_NAMES
    }

    /// Whether `bytes` start with the name and `>`.
    #[inline]
    pub(super) fn ends(&self, name: TagName, bytes: &[u8]) -> bool {
        let name = self.kept(name);
        let length = name.text.len();
        bytes.get(length) == Some(&b'>') && name.equals(&bytes[..length], head(bytes, length))
    }

    pub(super) fn text(&self, name: TagName) -> &[u8] {
        &self.kept(name).text
    }

    /// Returns the name without its prefix.
    pub(super) fn local(&self, name: TagName) -> &[u8] {
        let name = self.kept(name);
        &name.text[name.prefix..]
    }

    pub(super) fn rules(&self, name: TagName) -> Option<usize> {
        self.kept(name).rules
    }

    fn kept(&self, name: TagName) -> &KeptName {
        &self.names[usize::from(name.0)]
    }
}

impl KeptName {
    fn equals(&self, text: &[u8], head: u64) -> bool {
        head == self.head
            && text.len() == self.text.len()
            && (text.len() <= HEAD_BYTES || text[HEAD_BYTES..] == self.text[HEAD_BYTES..])
    }
}

/// Returns up to eight of the first `length` bytes as a number.
#[inline]
fn head(bytes: &[u8], length: usize) -> u64 {
    match (bytes.first_chunk::<HEAD_BYTES>(), length) {
        (Some(head), HEAD_BYTES..) => u64::from_le_bytes(*head),
        (Some(head), _) => u64::from_le_bytes(*head) & !(!0 << (8 * length)),
        (None, _) => {
            let bytes = bytes[..length].iter().rev();
            bytes.fold(0, |head, byte| head << 8 | u64::from(*byte))
        }
    }
}
