//! Checks that streams are released exactly once, that failures pass through C, and that an array is read by its type or refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::builder::StringViewBuilder;
use arrow_array::types::Int8Type;
use arrow_array::{Array, ArrayRef, DictionaryArray, NullArray, StringArray, StructArray};
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, FieldRef};

use super::text_array::Malformed;
use super::*;

/// Reads an array as another library passes it.
fn imported(array: &dyn Array) -> Result<Vec<Option<String>>, Malformed> {
    let schema = FFI_ArrowSchema::try_from(array.data_type()).unwrap();
    let of = TextType::of(&schema).unwrap();
    let texts = TextArray::import(FFI_ArrowArray::new(&array.to_data()), &of)?;
    let text = |row| {
        let bytes = texts.get(row);
        bytes.map(|text| String::from_utf8(text.to_vec()).unwrap())
    };
    Ok((0..texts.len()).map(text).collect())
}

#[test]
fn texts_of_all_types_are_read_from_any_row_on() {
    let long = "a text of more than twelve bytes";
    let all = [Some("a"), None, Some(""), Some(long), Some("a")];
    let wanted = all.map(|text| text.map(str::to_owned));
    let [mut small, mut large] = [Width::Small, Width::Large].map(Texts::new);
    let mut views = StringViewBuilder::new();
    for text in all {
        small.push(text).unwrap();
        large.push(text).unwrap();
        views.append_option(text);
    }
    let dictionary: DictionaryArray<Int8Type> = all.into_iter().collect();
    let arrays: [ArrayRef; 4] = [
        small.finish(),
        large.finish(),
        Arc::new(views.finish()),
        Arc::new(dictionary),
    ];
    for array in arrays {
        assert_eq!(imported(&array), Ok(wanted.to_vec()));
        assert_eq!(imported(&array.slice(2, 3)), Ok(wanted[2..].to_vec()));
        assert_eq!(imported(&array.slice(2, 0)), Ok(Vec::new()));
    }
    assert_eq!(imported(&NullArray::new(2)), Ok(vec![None, None]));
    let none: DictionaryArray<Int8Type> = [None::<&str>].into_iter().collect();
    assert_eq!(imported(&none), Ok(vec![None]));
}

#[test]
fn a_released_array_and_other_types_are_refused() {
    let schema = |of: DataType| FFI_ArrowSchema::try_from(of).unwrap();
    let refused = TextType::of(&schema(DataType::Int64)).unwrap_err();
    assert!(
        refused.ends_with("not one of the Arrow type \"l\""),
        "{refused}"
    );
    let column = Field::new("n", DataType::Int64, false);
    let refused = TextType::of(&schema(DataType::Struct(vec![column].into()))).unwrap_err();
    assert!(refused.ends_with(": pass one column of it"), "{refused}");
    assert!(TextType::of(&FFI_ArrowSchema::empty()).is_err());
    let text = TextType::of(&schema(DataType::Utf8)).unwrap();
    assert!(TextArray::import(FFI_ArrowArray::empty(), &text).is_err());
}

#[test]
fn an_array_without_the_buffers_of_its_type_is_refused() {
    for of in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
        let of = TextType::of(&FFI_ArrowSchema::try_from(of).unwrap()).unwrap();
        let array = FFI_ArrowArray::new(&NullArray::new(1).to_data());
        assert!(TextArray::import(array, &of).is_err(), "{of:?}");
    }
}

/// A stream of one array that counts how often it is dropped.
struct Counted(FieldRef, Option<ArrayRef>, Arc<AtomicUsize>);

impl Batches for Counted {
    fn field(&self) -> &FieldRef {
        &self.0
    }

    fn next(&mut self) -> Result<Option<ArrayRef>, StreamError> {
        Ok(self.1.take())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.2.fetch_add(1, Ordering::Relaxed);
    }
}

fn text_field() -> FieldRef {
    Arc::new(Field::new("text", DataType::Utf8, true))
}

#[test]
fn a_stream_is_dropped_once_and_its_arrays_outlive_it() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let array: ArrayRef = Arc::new(StringArray::from(vec!["a", ""]));
    let weak = Arc::downgrade(&array);
    let batches = Counted(text_field(), Some(array), Arc::clone(&dropped));
    let mut stream = ImportedStream(export(Box::new(batches)));
    let schema = stream.schema().unwrap();
    let array = stream.next().unwrap().unwrap();
    assert!(stream.next().unwrap().is_none());
    assert_eq!(dropped.load(Ordering::Relaxed), 0);
    drop(stream);
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    assert_eq!(weak.strong_count(), 0);
    let texts = TextArray::import(array, &TextType::of(&schema).unwrap()).unwrap();
    assert_eq!(
        (texts.get(0), texts.get(1)),
        (Some(&b"a"[..]), Some(&b""[..]))
    );
}

/// Batches that fail or panic.
struct Failing(FieldRef, bool);

impl Batches for Failing {
    fn field(&self) -> &FieldRef {
        &self.0
    }

    fn next(&mut self) -> Result<Option<ArrayRef>, StreamError> {
        assert!(!self.1, "a mistake");
        Err(StreamError {
            code: INVALID,
            message: "wrong\0cut".to_owned(),
        })
    }
}

#[test]
fn a_failure_passes_through_c_with_its_code_and_message() {
    let error = |panics| {
        let failing = export(Box::new(Failing(text_field(), panics)));
        ImportedStream(failing).next().map(drop).unwrap_err()
    };
    let wrong = error(false);
    assert_eq!((wrong.code, wrong.message.as_str()), (INVALID, "wrong"));
    let panicked = error(true);
    assert_eq!(
        (panicked.code, panicked.message),
        (FAILED, StreamError::panicked().message)
    );
    let released = ImportedStream(arrow_array::ffi_stream::FFI_ArrowArrayStream::empty()).next();
    assert_eq!(released.map(drop).unwrap_err().code, INVALID);
}

#[test]
fn offsets_of_32_bits_end_at_2_gib() {
    let full = i32::MAX as usize;
    for (width, end, is_ok) in [
        (Width::Small, full, true),
        (Width::Small, full + 1, false),
        (Width::Large, full + 1, true),
    ] {
        let mut lists = Lists::new(width);
        lists.push(end, true);
        // Rows without columns take no memory.
        let elements = Arc::new(StructArray::new_empty_fields(end, None));
        assert_eq!(lists.finish(elements).is_ok(), is_ok, "{width:?} {end}");
    }
}
