//! Reads arrays of texts of any Arrow type, as bytes.

use arrow_array::cast::AsArray;
use arrow_array::ffi::from_ffi_and_data_type;
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, LargeBinaryArray, make_array};
use arrow_buffer::NullBuffer;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::DataType;
use arrow_schema::ffi::FFI_ArrowSchema;

use super::builders::Width;

/// Limit of the number of values: no address space of 47 bits holds this many at 16 bytes each.
const MAX_VALUES: usize = 1 << 43;

/// Arrow type of an array of texts, as binaries: texts need not be valid UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextType(DataType);

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
    pub(crate) fn of(schema: &FFI_ArrowSchema) -> Result<TextType, String> {
        if schema.release().is_none() {
            return Err(Malformed.to_string());
        }
        let of = DataType::try_from(schema).ok();
        of.and_then(binaries).map(TextType).ok_or_else(|| {
            let hint = match schema.format() {
                "+s" => ": pass one column of it",
                _ => "",
            };
            let format = schema.format();
            format!("an array of strings or binaries is needed, not one of the Arrow type {format:?}{hint}")
        })
    }

    /// Returns the width of results for arrays of this type.
    pub(crate) fn width(&self) -> Width {
        match self.0 {
            DataType::Binary | DataType::Null => Width::Small,
            // Values of a dictionary or of views may share bytes, so that results may be larger than the array.
            _ => Width::Large,
        }
    }
}

/// Returns the type of binaries with the layout of this type of texts.
fn binaries(of: DataType) -> Option<DataType> {
    Some(match of {
        DataType::Utf8 | DataType::Binary => DataType::Binary,
        DataType::LargeUtf8 | DataType::LargeBinary => DataType::LargeBinary,
        DataType::Utf8View | DataType::BinaryView => DataType::BinaryView,
        DataType::Null => DataType::Null,
        DataType::Dictionary(index, values) if !matches!(*values, DataType::Dictionary(..)) => {
            DataType::Dictionary(index, Box::new(binaries(*values)?))
        }
        _ => return None,
    })
}

/// Reads the texts of an array.
pub(crate) enum TextArray {
    Small(BinaryArray),
    Large(LargeBinaryArray),
    View(BinaryViewArray),
    Dictionary {
        indices: Vec<usize>,
        nulls: Option<NullBuffer>,
        texts: Box<TextArray>,
    },
    Null(usize),
}

impl TextArray {
    /// Creates a reader of `array`, whose type is `of`.
    ///
    /// # Errors
    /// If the array is released, or breaks the rules of its type.
    #[allow(unsafe_code)]
    pub(crate) fn import(array: FFI_ArrowArray, of: &TextType) -> Result<Self, Malformed> {
        match checked_length(&array, &of.0)? {
            length if length == 0 || of.0 == DataType::Null => Ok(TextArray::Null(length)),
            _ => {
                // SAFETY: an array of another library has the buffers of its type. What they hold is checked.
                let data = unsafe { from_ffi_and_data_type(array, of.0.clone()) };
                let data = data.map_err(|_| Malformed)?;
                data.validate_full().map_err(|_| Malformed)?;
                Ok(TextArray::of(&make_array(data)))
            }
        }
    }

    /// Creates a reader of an array of binaries.
    pub(crate) fn of(array: &ArrayRef) -> Self {
        match array.data_type() {
            DataType::Binary => TextArray::Small(array.as_binary().clone()),
            DataType::LargeBinary => TextArray::Large(array.as_binary().clone()),
            DataType::BinaryView => TextArray::View(array.as_binary_view().clone()),
            DataType::Dictionary(..) if !array.as_any_dictionary().values().is_empty() => {
                let dictionary = array.as_any_dictionary();
                TextArray::Dictionary {
                    indices: dictionary.normalized_keys(),
                    nulls: dictionary.keys().nulls().cloned(),
                    texts: Box::new(TextArray::of(dictionary.values())),
                }
            }
            _ => TextArray::Null(array.len()),
        }
    }

    /// Returns the number of texts.
    pub(crate) fn len(&self) -> usize {
        match self {
            TextArray::Small(texts) => texts.len(),
            TextArray::Large(texts) => texts.len(),
            TextArray::View(texts) => texts.len(),
            TextArray::Dictionary { indices, .. } => indices.len(),
            TextArray::Null(length) => *length,
        }
    }

    /// Returns the bytes of the text in a row, which must be in the array; `None` for null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&[u8]> {
        match self {
            TextArray::Small(texts) => texts.is_valid(row).then(|| texts.value(row)),
            TextArray::Large(texts) => texts.is_valid(row).then(|| texts.value(row)),
            TextArray::View(texts) => texts.is_valid(row).then(|| texts.value(row)),
            TextArray::Dictionary {
                indices,
                nulls,
                texts,
            } => {
                let is_null = nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
                texts.get(indices[row]).filter(|_| !is_null)
            }
            TextArray::Null(_) => None,
        }
    }
}

/// Checks the numbers and buffers of an array, on which the crate panics. Returns the number of values.
#[allow(unsafe_code)]
fn checked_length(array: &FFI_ArrowArray, of: &DataType) -> Result<usize, Malformed> {
    if array.is_released() {
        return Err(Malformed);
    }
    // SAFETY: the struct of C starts with these numbers, which the crate gives only if they are not negative.
    let [length, _nulls, offset] = unsafe { *std::ptr::from_ref(array).cast::<[i64; 3]>() };
    let number = |number: i64| usize::try_from(number).map_err(|_| Malformed);
    let (length, offset) = (number(length)?, number(offset)?);
    let buffers = match of {
        DataType::Null => 0,
        DataType::Dictionary(_, values) => {
            checked_length(array.dictionary().ok_or(Malformed)?, values)?;
            2
        }
        _ => 3,
    };
    let is_sound = length
        .checked_add(offset)
        .is_some_and(|end| end < MAX_VALUES)
        && (length == 0 || array.num_buffers() >= buffers);
    if is_sound { Ok(length) } else { Err(Malformed) }
}
