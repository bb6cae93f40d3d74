//! Thrift's compact protocol, as far as the metadata of Parquet needs it.

use super::delta;

/// Structures within one another.
const MAX_DEPTH: u32 = 32;

/// Types of values.
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const DOUBLE: u8 = 7;
pub(super) const BINARY: u8 = 8;
pub(super) const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
pub(super) const STRUCT: u8 = 12;
const UUID: u8 = 13;

/// Reads values one after the other. Methods return `None` if the bytes end or are damaged.
#[derive(Clone, Copy)]
pub(super) struct ThriftReader<'b> {
    bytes: &'b [u8],
}

/// A field of a structure: its number, and the type of its value.
#[derive(Clone, Copy)]
pub(super) struct ThriftField {
    pub(super) id: i16,
    pub(super) kind: u8,
}

impl<'b> ThriftReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        ThriftReader { bytes }
    }

    /// The number of bytes that are not read.
    pub(super) fn bytes_left(&self) -> usize {
        self.bytes.len()
    }

    fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    fn varint(&mut self) -> Option<u64> {
        delta::number(&mut self.bytes)
    }

    /// An integer of any width.
    pub(super) fn integer(&mut self) -> Option<i64> {
        delta::signed(&mut self.bytes)
    }

    pub(super) fn binary(&mut self) -> Option<&'b [u8]> {
        let length = usize::try_from(self.varint()?).ok()?;
        let (bytes, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<&'b str> {
        str::from_utf8(self.binary()?).ok()
    }

    /// The number of items of a list of `kind`. Each item takes at least a byte.
    pub(super) fn list(&mut self, kind: u8) -> Option<usize> {
        let (found, count) = self.any_list()?;
        (found == kind || count == 0).then_some(count)
    }

    fn any_list(&mut self) -> Option<(u8, usize)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            15 => usize::try_from(self.varint()?).ok()?,
            count => count.into(),
        };
        (count <= self.bytes.len()).then_some((head & 15, count))
    }

    /// Reads a structure: calls `field` for each of its fields, which reads the value and returns `Some(true)`, or returns
    /// `Some(false)` for one that is to be skipped.
    pub(super) fn structure(
        &mut self,
        mut field: impl FnMut(&mut Self, ThriftField) -> Option<bool>,
    ) -> Option<()> {
        let mut last = 0;
        while let Some(head) = self.field(&mut last)? {
            let is_read = field(self, head)?;
            if !is_read {
                self.skip(head.kind, 0)?;
            }
        }
        Some(())
    }

    /// Returns the head of the next field; `None` at the end of the structure.
    fn field(&mut self, last: &mut i16) -> Option<Option<ThriftField>> {
        let byte = self.byte()?;
        let kind = byte & 15;
        if kind == 0 {
            return Some(None);
        }
        let id = match byte >> 4 {
            0 => i16::try_from(self.integer()?).ok()?,
            distance => last.checked_add(distance.into())?,
        };
        *last = id;
        Some(Some(ThriftField { id, kind }))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        if depth > MAX_DEPTH {
            return None;
        }
        match kind {
            TRUE | FALSE => {}
            BYTE => drop(self.byte()?),
            DOUBLE => drop(self.take_bytes(8)?),
            UUID => drop(self.take_bytes(16)?),
            BINARY => drop(self.binary()?),
            LIST | SET => {
                let (kind, count) = self.any_list()?;
                self.skip_items(kind, count, depth)?;
            }
            MAP => self.skip_map(depth)?,
            STRUCT => {
                let mut last = 0;
                while let Some(head) = self.field(&mut last)? {
                    self.skip(head.kind, depth + 1)?;
                }
            }
            _ => drop(self.varint()?),
        }
        Some(())
    }

    fn skip_items(&mut self, kind: u8, count: usize, depth: u32) -> Option<()> {
        for _ in 0..count {
            match kind {
                // In a list, a boolean has a byte.
                TRUE | FALSE => drop(self.byte()?),
                kind => self.skip(kind, depth + 1)?,
            }
        }
        Some(())
    }

    fn skip_map(&mut self, depth: u32) -> Option<()> {
        let count = usize::try_from(self.varint()?).ok()?;
        if count == 0 {
            return Some(());
        }
        let kinds = self.byte()?;
        for _ in 0..count {
            self.skip_items(kinds >> 4, 1, depth)?;
            self.skip_items(kinds & 15, 1, depth)?;
        }
        Some(())
    }

    fn take_bytes(&mut self, count: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(bytes)
    }
}

/// Whether a field without a value is true.
pub(super) fn flag(head: ThriftField) -> Option<bool> {
    match head.kind {
        TRUE => Some(true),
        FALSE => Some(false),
        _ => None,
    }
}
