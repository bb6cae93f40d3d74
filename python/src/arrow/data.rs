//! Builds arrays: buffers, and builders that append a value at a time.

#[cfg(target_os = "linux")]
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::Arc;

use super::field::Width;

/// An array. It is immutable and shared by all structs of the C interface that refer to it.
#[derive(Debug, Default)]
pub(crate) struct Data {
    pub(super) length: usize,
    pub(super) nulls: usize,
    pub(super) buffers: Vec<Buffer>,
    pub(super) children: Vec<Arc<Data>>,
}

/// A buffer, aligned for its values.
#[derive(Debug)]
pub(super) enum Buffer {
    Absent,
    Bytes(Vec<u8>),
    Small(Vec<i32>),
    Large(Vec<i64>),
}

/// The array is full: it has more bytes or values than its offsets can count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

impl std::fmt::Display for Overflow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "more than 2 GiB for one array; pass large_string or large_binary, or smaller arrays",
        )
    }
}

impl Data {
    /// Returns the number of values.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Whether a value is not null.
    pub(crate) fn is_valid(&self, row: usize) -> bool {
        match self.buffers.first() {
            Some(Buffer::Bytes(bits)) => bit(bits, row),
            _ => true,
        }
    }

    /// Returns the bytes of a text.
    pub(crate) fn text(&self, row: usize) -> &[u8] {
        match self.buffers.get(2) {
            Some(Buffer::Bytes(bytes)) => &bytes[self.range(row)],
            _ => &[],
        }
    }

    /// Returns an integer.
    pub(crate) fn integer(&self, row: usize) -> i64 {
        match self.buffers.get(1) {
            Some(Buffer::Large(numbers)) => numbers[row],
            _ => 0,
        }
    }

    /// Returns a boolean.
    pub(crate) fn flag(&self, row: usize) -> bool {
        match self.buffers.get(1) {
            Some(Buffer::Bytes(bits)) => bit(bits, row),
            _ => false,
        }
    }

    /// Returns the range of a text's bytes, or of a list's elements.
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        match self.buffers.get(1) {
            Some(Buffer::Small(ends)) => at(ends[row])..at(ends[row + 1]),
            Some(Buffer::Large(ends)) => at(ends[row])..at(ends[row + 1]),
            _ => 0..0,
        }
    }

    /// Returns the elements of a list, or a column of a struct.
    pub(crate) fn child(&self, index: usize) -> &Data {
        &self.children[index]
    }

    /// Makes a struct of columns of the same length, without null rows.
    pub(crate) fn of_columns(length: usize, columns: Vec<Arc<Data>>) -> Data {
        Data {
            length,
            nulls: 0,
            buffers: vec![Buffer::Absent],
            children: columns,
        }
    }
}

fn bit(bits: &[u8], row: usize) -> bool {
    bits[row / 8] >> (row % 8) & 1 == 1
}

/// Converts an offset. Offsets of these arrays are never negative.
fn at(offset: impl TryInto<usize>) -> usize {
    offset.try_into().unwrap_or_default()
}

/// A sequence of bits. The first is the lowest bit of the first byte.
#[derive(Debug, Default)]
struct Bits {
    bytes: Vec<u8>,
    length: usize,
}

impl Bits {
    #[inline]
    fn push(&mut self, bit: bool) {
        if self.length.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if let Some(last) = self.bytes.last_mut() {
            *last |= u8::from(bit) << (self.length % 8);
        }
        self.length += 1;
    }
}

/// Bits of the values that are not null. Empty until the first null.
#[derive(Debug, Default)]
pub(crate) struct Validity {
    bits: Option<Bits>,
    length: usize,
    nulls: usize,
}

impl Validity {
    #[inline]
    pub(crate) fn push(&mut self, valid: bool) {
        if !valid || self.bits.is_some() {
            self.push_bit(valid);
        }
        self.length += 1;
    }

    fn push_bit(&mut self, valid: bool) {
        let length = self.length;
        let bits = self.bits.get_or_insert_with(|| {
            let mut bits = Bits::default();
            (0..length).for_each(|_| bits.push(true));
            bits
        });
        bits.push(valid);
        self.nulls += usize::from(!valid);
    }

    fn into_buffer(self) -> Buffer {
        self.bits
            .map_or(Buffer::Absent, |bits| Buffer::Bytes(bits.bytes))
    }
}

/// Offsets of the ends of values of variable length.
#[derive(Debug)]
enum Offsets {
    Small(Vec<i32>),
    Large(Vec<i64>),
}

impl Offsets {
    fn new(width: Width) -> Offsets {
        match width {
            Width::Small => Offsets::Small(vec![0]),
            Width::Large => Offsets::Large(vec![0]),
        }
    }

    #[inline]
    fn push(&mut self, end: usize) -> Result<(), Overflow> {
        match self {
            Offsets::Small(ends) => ends.push(i32::try_from(end).map_err(|_| Overflow)?),
            Offsets::Large(ends) => ends.push(i64::try_from(end).map_err(|_| Overflow)?),
        }
        Ok(())
    }

    fn expect(&mut self, times: usize) {
        match self {
            Offsets::Small(ends) => expect(ends, times),
            Offsets::Large(ends) => expect(ends, times),
        }
    }

    fn into_buffer(self) -> Buffer {
        match self {
            Offsets::Small(ends) => Buffer::Small(ends),
            Offsets::Large(ends) => Buffer::Large(ends),
        }
    }
}

/// Makes room for `times` times as many values, and an eighth more, so that they are not copied as they grow. If this fails, they
/// grow as usual. Unused room takes only addresses, no memory.
fn expect<T>(values: &mut Vec<T>, times: usize) {
    let more = values.len().saturating_mul(times);
    let _ = values.try_reserve_exact(more.saturating_add(more / 8));
    prefer_large_pages(values.spare_capacity_mut());
}

/// Asks for large pages in memory that will be filled. Mapping small ones takes a seventh of the time of `extract_batch` for a
/// column of 256 MB in one array (`scripts/bench python`). At most one large page of a buffer is partly unused.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn prefer_large_pages<T>(memory: &mut [MaybeUninit<T>]) {
    const LARGE: usize = 2 << 20;
    let range = memory.as_mut_ptr_range();
    let start = range.start.addr().next_multiple_of(LARGE);
    let end = range.end.addr() / LARGE * LARGE;
    if start < end {
        let first = range.start.cast::<c_void>().with_addr(start);
        // SAFETY: the advice changes no byte, and the range is within the borrowed memory.
        // An error is ignored: small pages work too.
        let _ =
            unsafe { rustix::mm::madvise(first, end - start, rustix::mm::Advice::LinuxHugepage) };
    }
}

/// Other systems choose the pages themselves.
#[cfg(not(target_os = "linux"))]
fn prefer_large_pages<T>(_memory: &mut [MaybeUninit<T>]) {}

/// Builds an array of texts, which may be null.
#[derive(Debug)]
pub(crate) struct Texts {
    validity: Validity,
    offsets: Offsets,
    bytes: Vec<u8>,
}

impl Texts {
    pub(crate) fn new(width: Width) -> Texts {
        Texts {
            validity: Validity::default(),
            offsets: Offsets::new(width),
            bytes: Vec::new(),
        }
    }

    /// # Errors
    /// If the array is full.
    #[inline]
    pub(crate) fn push(&mut self, text: Option<&str>) -> Result<(), Overflow> {
        self.push_bytes(text.map(str::as_bytes))
    }

    /// Appends bytes that need not be text, for an array that only this package reads.
    ///
    /// # Errors
    /// If the array is full.
    #[inline]
    pub(crate) fn push_bytes(&mut self, bytes: Option<&[u8]>) -> Result<(), Overflow> {
        self.validity.push(bytes.is_some());
        self.bytes.extend_from_slice(bytes.unwrap_or_default());
        self.offsets.push(self.bytes.len())
    }

    /// Appends bytes as text. Replaces invalid UTF-8.
    ///
    /// # Errors
    /// If the array is full.
    #[inline]
    pub(crate) fn push_lossy(&mut self, text: &[u8]) -> Result<(), Overflow> {
        if !text.is_ascii() {
            return self.push(Some(&String::from_utf8_lossy(text)));
        }
        self.validity.push(true);
        self.bytes.extend_from_slice(text);
        self.offsets.push(self.bytes.len())
    }

    /// Makes room for `times` times as much as there is.
    pub(crate) fn expect(&mut self, times: usize) {
        expect(&mut self.bytes, times);
        self.offsets.expect(times);
    }

    pub(crate) fn finish(self) -> Data {
        Data {
            length: self.validity.length,
            nulls: self.validity.nulls,
            buffers: vec![
                self.validity.into_buffer(),
                self.offsets.into_buffer(),
                Buffer::Bytes(self.bytes),
            ],
            children: Vec::new(),
        }
    }
}

/// Builds an array of integers, none of them null.
#[derive(Debug, Default)]
pub(crate) struct Integers(Vec<i64>);

impl Integers {
    /// Appends a number. Saturates at `i64::MAX`, which no count of bytes or mentions reaches.
    #[inline]
    pub(crate) fn push(&mut self, number: u64) {
        self.0.push(i64::try_from(number).unwrap_or(i64::MAX));
    }

    /// Makes room for `times` times as many as there are.
    pub(crate) fn expect(&mut self, times: usize) {
        expect(&mut self.0, times);
    }

    pub(crate) fn finish(self) -> Data {
        Data {
            length: self.0.len(),
            nulls: 0,
            buffers: vec![Buffer::Absent, Buffer::Large(self.0)],
            children: Vec::new(),
        }
    }
}

/// Builds an array of booleans, which may be null.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    validity: Validity,
    values: Bits,
}

impl Flags {
    #[inline]
    pub(crate) fn push(&mut self, flag: Option<bool>) {
        self.validity.push(flag.is_some());
        self.values.push(flag.unwrap_or_default());
    }

    pub(crate) fn finish(self) -> Data {
        Data {
            length: self.validity.length,
            nulls: self.validity.nulls,
            buffers: vec![
                self.validity.into_buffer(),
                Buffer::Bytes(self.values.bytes),
            ],
            children: Vec::new(),
        }
    }
}

/// Builds an array of lists. The elements are built separately.
#[derive(Debug)]
pub(crate) struct Lists {
    validity: Validity,
    offsets: Offsets,
}

impl Lists {
    pub(crate) fn new(width: Width) -> Lists {
        Lists {
            validity: Validity::default(),
            offsets: Offsets::new(width),
        }
    }

    /// Appends a list, which ends before the element `end`.
    ///
    /// # Errors
    /// If the array is full.
    #[inline]
    pub(crate) fn push(&mut self, end: usize, valid: bool) -> Result<(), Overflow> {
        self.validity.push(valid);
        self.offsets.push(end)
    }

    pub(crate) fn finish(self, elements: Data) -> Data {
        Data {
            length: self.validity.length,
            nulls: self.validity.nulls,
            buffers: vec![self.validity.into_buffer(), self.offsets.into_buffer()],
            children: vec![Arc::new(elements)],
        }
    }
}
