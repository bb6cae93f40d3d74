//! Checks that each struct is released exactly once, even if it was moved, and that an array is read by its type or refused.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::ffi::{ArrowArray, ArrowArrayStream, ArrowSchema, Movable};
use super::text_array::Malformed;
use super::*;

/// Moves a struct out of its place, as a consumer does.
fn moved<T: Movable>(place: &mut T) -> T {
    let place = NonNull::from(place).cast::<c_void>();
    // SAFETY: the place is such a struct, and borrowed alone.
    unsafe { T::take(place) }
}

fn texts(width: Width, all: &[Option<&str>]) -> Data {
    let mut texts = Texts::new(width);
    all.iter().for_each(|text| texts.push(*text).unwrap());
    texts.finish()
}

fn text_field(width: Width) -> Field {
    Field::nullable("text", Kind::Text(width))
}

fn read(array: &ArrowArray, of: &TextType) -> Vec<Option<String>> {
    let texts = TextArray::new(array, of).unwrap();
    let text = |row| {
        texts
            .get(row)
            .unwrap()
            .map(|text| String::from_utf8(text.to_vec()).unwrap())
    };
    (0..texts.len()).map(text).collect()
}

#[test]
fn an_array_is_freed_by_its_only_release_wherever_it_was_moved() {
    let child = Arc::new(texts(Width::Small, &[Some("a")]));
    let (data, child) = {
        let weak = Arc::downgrade(&child);
        (Arc::new(Data::of_columns(1, vec![child])), weak)
    };
    let weak = Arc::downgrade(&data);
    let mut first = ArrowArray::of(&data);
    let second = ArrowArray::of(&data);
    drop(data);
    let mut moved_once = moved(&mut first);
    let moved_twice = moved(&mut moved_once);
    drop(first);
    drop(moved_once);
    assert!(weak.upgrade().is_some());
    drop(moved_twice);
    assert!(weak.upgrade().is_some(), "the other struct still has it");
    drop(second);
    assert_eq!((weak.strong_count(), child.strong_count()), (0, 0));
}

#[test]
fn a_child_that_was_moved_out_outlives_its_parent() {
    let child = Arc::new(texts(Width::Large, &[Some("a"), None]));
    let weak = Arc::downgrade(&child);
    let parent = ArrowArray::of(&Arc::new(Data::of_columns(2, vec![child])));
    // SAFETY: the parent has one child, which it owns.
    let child = moved(unsafe { &mut **parent.children() });
    drop(parent);
    assert_eq!(read(&child, &TextType::Large), [Some("a".to_owned()), None]);
    drop(child);
    assert_eq!(weak.strong_count(), 0);
}

/// A stream of one array that counts how often it is dropped.
struct Counted(Field, Option<Arc<Data>>, Arc<AtomicUsize>);

impl Batches for Counted {
    fn field(&self) -> &Field {
        &self.0
    }

    fn next(&mut self) -> Result<Option<Arc<Data>>, StreamError> {
        Ok(self.1.take())
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.2.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_stream_is_dropped_once_and_its_arrays_outlive_it() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let data = Arc::new(texts(Width::Small, &[Some("a"), Some("")]));
    let weak = Arc::downgrade(&data);
    let batches = Counted(text_field(Width::Small), Some(data), Arc::clone(&dropped));
    let mut place = ArrowArrayStream::of(Box::new(batches));
    let mut stream = moved(&mut place);
    drop(place);
    let schema = stream.schema().unwrap();
    let array = stream.next().unwrap().unwrap();
    assert!(stream.next().unwrap().is_none());
    assert_eq!(dropped.load(Ordering::Relaxed), 0);
    drop(stream);
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    let of = TextType::of(&schema).unwrap();
    assert_eq!(
        read(&array, &of),
        [Some("a".to_owned()), Some(String::new())]
    );
    drop(array);
    assert_eq!(weak.strong_count(), 0);
}

/// Batches that fail or panic.
struct Failing(Field, bool);

impl Batches for Failing {
    fn field(&self) -> &Field {
        &self.0
    }

    fn next(&mut self) -> Result<Option<Arc<Data>>, StreamError> {
        assert!(!self.1, "a mistake");
        Err(StreamError {
            code: INVALID,
            message: "wrong\0cut".to_owned(),
        })
    }
}

#[test]
fn a_failure_passes_through_c_with_its_code_and_message() {
    let failing =
        |panics| ArrowArrayStream::of(Box::new(Failing(text_field(Width::Small), panics)));
    let error = failing(false).next().map(drop).unwrap_err();
    assert_eq!((error.code, error.message.as_str()), (INVALID, "wrong"));
    let error = failing(true).next().map(drop).unwrap_err();
    assert_eq!(
        (error.code, error.message),
        (FAILED, StreamError::panicked().message)
    );
    let error = ArrowArrayStream::released().next().map(drop).unwrap_err();
    assert_eq!(error.code, INVALID);
}

#[test]
fn schemas_say_what_the_specification_does() {
    let fields = vec![
        Field::new("n", Kind::Int64),
        Field::new("f", Kind::Bool),
        Field::new("l", Kind::list(Width::Large, Kind::Text(Width::Large))),
        Field::new("s", Kind::list(Width::Small, Kind::Text(Width::Small))),
    ];
    let schema = ArrowSchema::of(&Field::new("", Kind::Struct(fields)));
    assert_eq!(schema.format(), "+s");
    let refused = TextType::of(&schema).unwrap_err();
    assert!(refused.ends_with(": pass one column of it"), "{refused}");
    let text = ArrowSchema::of(&text_field(Width::Large));
    assert_eq!(TextType::of(&text), Ok(TextType::Large));
    assert_eq!(ArrowSchema::released().format(), "n");
}

#[test]
fn nulls_have_bits_only_from_the_first_one_on() {
    let all: Vec<_> = (0..20).map(|row| (row % 7 != 3).then_some("x")).collect();
    let array = ArrowArray::of(&Arc::new(texts(Width::Small, &all)));
    let wanted: Vec<_> = all.iter().map(|text| text.map(str::to_owned)).collect();
    assert_eq!(read(&array, &TextType::Small), wanted);
}

#[test]
fn offsets_outside_of_the_buffer_are_refused() {
    let data = Data {
        length: 2,
        nulls: 0,
        buffers: vec![
            data::Buffer::Absent,
            data::Buffer::Small(vec![0, 5, 2]),
            data::Buffer::Bytes(b"ab".to_vec()),
        ],
        children: Vec::new(),
    };
    let array = ArrowArray::of(&Arc::new(data));
    let texts = TextArray::new(&array, &TextType::Small).unwrap();
    assert_eq!(
        [texts.get(0), texts.get(1), texts.get(2)],
        [Err(Malformed); 3]
    );
}

#[test]
fn an_array_without_the_buffers_of_its_type_is_refused() {
    let array = ArrowArray::of(&Arc::new(Data::of_columns(1, Vec::new())));
    for of in [TextType::Small, TextType::Large, TextType::View] {
        assert!(TextArray::new(&array, &of).is_err(), "{of:?}");
    }
    assert_eq!(read(&array, &TextType::Null), [None]);
}

#[test]
fn offsets_of_32_bits_end_at_2_gib() {
    let mut lists = Lists::new(Width::Small);
    assert_eq!(lists.push(i32::MAX as usize, true), Ok(()));
    assert_eq!(lists.push(i32::MAX as usize + 1, true), Err(Overflow));
    let mut lists = Lists::new(Width::Large);
    assert_eq!(lists.push(i32::MAX as usize + 1, true), Ok(()));
}
