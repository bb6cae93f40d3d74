//! Reads FlatBuffers, the encoding of metadata: tables whose fields are found through offsets.
//!
//! All offsets are checked. Those to tables, texts and vectors lead forwards, so that there are no circles. Two of them may lead
//! to the same table, so readers of nested tables must bound how many they read.

/// A table. Methods return `None` if the bytes are damaged.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatbufferTable<'b> {
    bytes: &'b [u8],
    /// The offset of its start in `bytes`.
    at: usize,
    /// The offsets of its fields within it, in units of two bytes; 0 for a field that it lacks.
    slots: &'b [u8],
}

/// Items of the same size, one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct FlatbufferVector<'b> {
    bytes: &'b [u8],
    /// The offset of its first item in `bytes`.
    at: usize,
    count: usize,
}

impl<'b> FlatbufferTable<'b> {
    /// The table that is the root of `bytes`.
    pub(super) fn root(bytes: &'b [u8]) -> Option<Self> {
        FlatbufferTable::at(bytes, follow(bytes, 0)?)
    }

    fn at(bytes: &'b [u8], at: usize) -> Option<Self> {
        let back = i64::from(i32::from_le_bytes(array(bytes, at)?));
        let start = usize::try_from(i64::try_from(at).ok()?.checked_sub(back)?).ok()?;
        let length = usize::from(u16::from_le_bytes(array(bytes, start)?));
        // Its own length and that of the table come first.
        let slots = bytes.get(start.checked_add(4)?..start.checked_add(length)?)?;
        Some(FlatbufferTable { bytes, at, slots })
    }

    /// Returns the offset of the field with this number, or `Some(None)` if the table lacks it. `None` if it is damaged.
    fn field(&self, number: usize) -> Option<Option<usize>> {
        let offset = match array(self.slots, number * 2) {
            Some(offset) => usize::from(u16::from_le_bytes(offset)),
            None => 0,
        };
        match offset {
            0 => Some(None),
            _ => Some(Some(self.at.checked_add(offset)?)),
        }
    }

    /// Whether the table has the field with this number.
    pub(super) fn has(&self, number: usize) -> bool {
        self.field(number).flatten().is_some()
    }

    fn number<const N: usize>(&self, number: usize) -> Option<[u8; N]> {
        match self.field(number)? {
            Some(at) => array(self.bytes, at),
            None => Some([0; N]),
        }
    }

    /// A number of 8 bits; 0 if the table lacks it.
    pub(super) fn byte(&self, number: usize) -> Option<u8> {
        self.number(number).map(u8::from_le_bytes)
    }

    pub(super) fn short(&self, number: usize) -> Option<i16> {
        self.number(number).map(i16::from_le_bytes)
    }

    pub(super) fn int(&self, number: usize) -> Option<i32> {
        self.number(number).map(i32::from_le_bytes)
    }

    pub(super) fn long(&self, number: usize) -> Option<i64> {
        self.number(number).map(i64::from_le_bytes)
    }

    /// Returns a table in this one; `Some(None)` if the table lacks it.
    pub(super) fn table(&self, number: usize) -> Option<Option<FlatbufferTable<'b>>> {
        match self.field(number)? {
            Some(at) => FlatbufferTable::at(self.bytes, follow(self.bytes, at)?).map(Some),
            None => Some(None),
        }
    }

    /// A text; empty if the table lacks it.
    pub(super) fn text(&self, number: usize) -> Option<&'b str> {
        let text = self.vector(number, 1)?;
        str::from_utf8(self.bytes.get(text.at..text.at + text.count)?).ok()
    }

    /// A vector of items of `size` bytes; empty if the table lacks it.
    pub(super) fn vector(&self, number: usize, size: usize) -> Option<FlatbufferVector<'b>> {
        let bytes = self.bytes;
        let Some(at) = self.field(number)? else {
            let (at, count) = (0, 0);
            return Some(FlatbufferVector { bytes, at, count });
        };
        let at = follow(bytes, at)?;
        let count = usize::try_from(u32::from_le_bytes(array(bytes, at)?)).ok()?;
        let at = at + 4;
        let end = at.checked_add(count.checked_mul(size)?)?;
        (end <= bytes.len()).then_some(FlatbufferVector { bytes, at, count })
    }
}

impl<'b> FlatbufferVector<'b> {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// The table with this number, of a vector of tables.
    pub(super) fn table(&self, number: usize) -> Option<FlatbufferTable<'b>> {
        let at = (number < self.count).then_some(self.at + 4 * number)?;
        FlatbufferTable::at(self.bytes, follow(self.bytes, at)?)
    }

    /// The number at byte `at` of an item, of a vector of items of `size` bytes.
    pub(super) fn long(&self, number: usize, size: usize, at: usize) -> Option<i64> {
        let start = (number < self.count).then_some(self.at + size * number + at)?;
        array(self.bytes, start).map(i64::from_le_bytes)
    }

    pub(super) fn int(&self, number: usize, size: usize, at: usize) -> Option<i32> {
        let start = (number < self.count).then_some(self.at + size * number + at)?;
        array(self.bytes, start).map(i32::from_le_bytes)
    }
}

/// Follows the offset at `at`, which must lead forwards. Returns `None` if it does not lead into `bytes`.
fn follow(bytes: &[u8], at: usize) -> Option<usize> {
    let offset = u32::from_le_bytes(array(bytes, at)?);
    let to = at.checked_add(offset as usize)?;
    (offset > 0 && to < bytes.len()).then_some(to)
}

fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}
