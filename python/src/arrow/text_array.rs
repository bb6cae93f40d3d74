//! Reads arrays of texts of any Arrow type, as bytes.

use super::ffi::{ArrowArray, ArrowSchema};
use super::field::Width;

/// Arrow type of an array of texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TextType {
    /// string, binary.
    Small,
    /// large_string, large_binary.
    Large,
    /// string_view, binary_view.
    View,
    /// Indices into an array of one of these types.
    Dictionary(Index, Box<TextType>),
    /// Only nulls.
    Null,
}

/// Type of a dictionary's indices: number of bytes, and whether they have a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Index {
    bytes: usize,
    signed: bool,
}

/// Error for an array that breaks the rules of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the Arrow array is released already, or a length, offset, view or index of it is outside of its buffer")
    }
}

impl TextType {
    /// Returns the type with this schema.
    ///
    /// # Errors
    /// If it is not a type of texts: a message with the types that are expected.
    pub(crate) fn of(schema: &ArrowSchema) -> Result<TextType, String> {
        match (schema.format(), schema.dictionary()) {
            (format, Some(values)) => match (Index::of(format), TextType::of(values)?) {
                (None, _) | (_, TextType::Dictionary(..)) => Err(wrong(format)),
                (Some(index), values) => Ok(TextType::Dictionary(index, values.into())),
            },
            ("u" | "z", None) => Ok(TextType::Small),
            ("U" | "Z", None) => Ok(TextType::Large),
            ("vu" | "vz", None) => Ok(TextType::View),
            ("n", None) => Ok(TextType::Null),
            (format, None) => Err(wrong(format)),
        }
    }

    /// Returns the width of results for arrays of this type.
    pub(crate) fn width(&self) -> Width {
        match self {
            TextType::Small | TextType::Null => Width::Small,
            // Values of a dictionary or of views may share bytes, so that results may be larger than the array.
            TextType::Large | TextType::View | TextType::Dictionary(..) => Width::Large,
        }
    }
}

fn wrong(format: &str) -> String {
    let hint = match format {
        "+s" => ": pass one column of it",
        _ => "",
    };
    format!("an array of strings or binaries is needed, not one of the Arrow type {format:?}{hint}")
}

impl Index {
    fn of(format: &str) -> Option<Index> {
        let (bytes, signed) = match format {
            "c" => (1, true),
            "C" => (1, false),
            "s" => (2, true),
            "S" => (2, false),
            "i" => (4, true),
            "I" => (4, false),
            "l" => (8, true),
            "L" => (8, false),
            _ => return None,
        };
        Some(Index { bytes, signed })
    }
}

/// Reads the texts of an array.
pub(crate) struct TextArray<'a> {
    length: usize,
    /// The index of the first value in the buffers.
    offset: usize,
    validity: Option<&'a [u8]>,
    values: Values<'a>,
}

enum Values<'a> {
    Small(&'a [[u8; 4]], &'a [u8]),
    Large(&'a [[u8; 8]], &'a [u8]),
    View(&'a [[u8; 16]], Vec<&'a [u8]>),
    Dictionary(Indices<'a>, Box<TextArray<'a>>),
    Null,
}

struct Indices<'a> {
    bytes: &'a [u8],
    index: Index,
}

impl<'a> TextArray<'a> {
    /// Creates a reader of `array`, whose type is `of`.
    ///
    /// # Errors
    /// If the array is released, its length or offset is negative or too large, or it lacks a buffer.
    pub(crate) fn new(array: &'a ArrowArray, of: &TextType) -> Result<Self, Malformed> {
        let (length, offset) = array.extent().ok_or(Malformed)?;
        let end = length + offset;
        if length == 0 || *of == TextType::Null {
            let (validity, values) = (None, Values::Null);
            return Ok(TextArray {
                length,
                offset,
                validity,
                values,
            });
        }
        Ok(TextArray {
            length,
            offset,
            validity: bytes(array, 0, end.div_ceil(8)),
            values: Values::new(array, of, end)?,
        })
    }

    /// Returns the number of texts.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// Returns the bytes of a text, or `None` for null.
    ///
    /// # Errors
    /// If it is not within the array.
    pub(crate) fn get(&self, row: usize) -> Result<Option<&'a [u8]>, Malformed> {
        if row >= self.length {
            return Err(Malformed);
        }
        let at = self.offset + row;
        match self.validity {
            Some(bits) if bits[at / 8] >> (at % 8) & 1 == 0 => Ok(None),
            _ => self.values.get(at),
        }
    }
}

impl<'a> Values<'a> {
    fn new(array: &'a ArrowArray, of: &TextType, end: usize) -> Result<Self, Malformed> {
        match of {
            TextType::Small => {
                let ends = values::<4>(array, 1, end + 1).ok_or(Malformed)?;
                let max = usize::try_from(i32::from_ne_bytes(ends[end])).map_err(|_| Malformed)?;
                Ok(Values::Small(
                    ends,
                    bytes(array, 2, max).unwrap_or_default(),
                ))
            }
            TextType::Large => {
                let ends = values::<8>(array, 1, end + 1).ok_or(Malformed)?;
                let max = usize::try_from(i64::from_ne_bytes(ends[end])).map_err(|_| Malformed)?;
                Ok(Values::Large(
                    ends,
                    bytes(array, 2, max).unwrap_or_default(),
                ))
            }
            TextType::View => {
                let views = values::<16>(array, 1, end).ok_or(Malformed)?;
                Ok(Values::View(views, view_buffers(array)?))
            }
            TextType::Dictionary(index, of) => {
                let all = end.checked_mul(index.bytes).ok_or(Malformed)?;
                let indices = Indices {
                    bytes: bytes(array, 1, all).ok_or(Malformed)?,
                    index: *index,
                };
                let dictionary = array.dictionary().ok_or(Malformed)?;
                Ok(Values::Dictionary(
                    indices,
                    TextArray::new(dictionary, of)?.into(),
                ))
            }
            TextType::Null => Ok(Values::Null),
        }
    }

    #[inline]
    fn get(&self, at: usize) -> Result<Option<&'a [u8]>, Malformed> {
        match self {
            Values::Small(ends, data) => {
                let [start, end] = [ends[at], ends[at + 1]].map(i32::from_ne_bytes);
                slice(data, start.into(), end.into()).map(Some)
            }
            Values::Large(ends, data) => {
                let [start, end] = [ends[at], ends[at + 1]].map(i64::from_ne_bytes);
                slice(data, start, end).map(Some)
            }
            Values::View(views, buffers) => view(&views[at], buffers).map(Some),
            Values::Dictionary(indices, texts) => texts.get(indices.get(at)?),
            Values::Null => Ok(None),
        }
    }
}

impl Indices<'_> {
    fn get(&self, at: usize) -> Result<usize, Malformed> {
        let size = self.index.bytes;
        let bytes = &self.bytes[at * size..][..size];
        let mut all = [0; 8];
        match cfg!(target_endian = "little") {
            true => all[..size].copy_from_slice(bytes),
            false => all[8 - size..].copy_from_slice(bytes),
        }
        let number = u64::from_ne_bytes(all);
        let is_negative = self.index.signed && number >> (size * 8 - 1) == 1;
        match is_negative {
            true => Err(Malformed),
            false => usize::try_from(number).map_err(|_| Malformed),
        }
    }
}

fn slice(data: &[u8], start: i64, end: i64) -> Result<&[u8], Malformed> {
    let range = usize::try_from(start).ok().zip(usize::try_from(end).ok());
    range
        .and_then(|(start, end)| data.get(start..end))
        .ok_or(Malformed)
}

/// Returns the bytes of a view. It holds up to 12 bytes itself; for more, it has their first 4 bytes, the number of a buffer and
/// an offset in it.
fn view<'a>(view: &'a [u8; 16], buffers: &[&'a [u8]]) -> Result<&'a [u8], Malformed> {
    let number = |at: usize| {
        let bytes = [view[at], view[at + 1], view[at + 2], view[at + 3]];
        usize::try_from(i32::from_ne_bytes(bytes)).map_err(|_| Malformed)
    };
    let length = number(0)?;
    if length <= 12 {
        return Ok(&view[4..4 + length]);
    }
    let (buffer, start) = (number(8)?, number(12)?);
    let buffer = buffers.get(buffer).ok_or(Malformed)?;
    buffer.get(start..start + length).ok_or(Malformed)
}

/// Returns the data buffers of an array of views. The last buffer has their sizes.
fn view_buffers(array: &ArrowArray) -> Result<Vec<&[u8]>, Malformed> {
    let count = array.buffer_count().checked_sub(3).ok_or(Malformed)?;
    if count == 0 {
        return Ok(Vec::new());
    }
    let sizes = values::<8>(array, 2 + count, count).ok_or(Malformed)?;
    let sizes = sizes.iter().map(|size| i64::from_ne_bytes(*size));
    let buffer = |(index, size)| {
        let size = usize::try_from(size).map_err(|_| Malformed)?;
        Ok(bytes(array, 2 + index, size).unwrap_or_default())
    };
    sizes.enumerate().map(buffer).collect()
}

fn bytes(array: &ArrowArray, index: usize, count: usize) -> Option<&[u8]> {
    values::<1>(array, index, count).map(<[[u8; 1]]>::as_flattened)
}

/// Returns the first `count` values of a buffer.
#[allow(unsafe_code)]
fn values<const N: usize>(array: &ArrowArray, index: usize, count: usize) -> Option<&[[u8; N]]> {
    // SAFETY: all callers above ask for the buffers of the array's type, and for the sizes that the type gives them.
    unsafe { array.buffer(index, count) }
}
