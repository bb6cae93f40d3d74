//! Rows as objects of JSON, in the order of the columns.
//!
//! An object has the members that the same row has in JSON Lines: null has no member, but keeps its place in a list. Numbers,
//! booleans, dates and times are written too, since a record's fields may be any of these; durations and intervals are not. A
//! text that is not UTF-8 keeps its bytes.

use std::fmt::{Arguments, Display};
use std::io::Write;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTemporalType, ArrowTimestampType, Date32Type, Date64Type, Decimal32Type, Decimal64Type,
    Decimal128Type, Decimal256Type, DecimalType, Float16Type, Float32Type, Float64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, Fields, TimeUnit};

use super::items::{LeafLayer, enclosing, integer, text_of};

/// Writes the value at an index of an array. Returns false, and writes nothing, if it is null.
type WriteValue<'a> = Box<dyn Fn(usize, &mut ObjectText) -> bool + 'a>;

/// The text of one row.
#[derive(Default)]
pub(super) struct ObjectText {
    pub(super) bytes: Vec<u8>,
    /// Max bytes.
    max: usize,
    /// Whether the row has more bytes.
    pub(super) is_cut: bool,
    /// The number of values that were looked at, which may be null.
    pub(super) values: u64,
}

impl ObjectText {
    /// Starts the next row.
    pub(super) fn start(&mut self, max: usize) {
        self.bytes.clear();
        (self.max, self.is_cut, self.values) = (max, false, 0);
    }

    fn push(&mut self, text: &[u8]) {
        if text.len() > self.max.saturating_sub(self.bytes.len()) {
            self.is_cut = true;
            return;
        }
        self.bytes.extend_from_slice(text);
    }

    /// Adds a short value that needs no quotes.
    fn push_shown(&mut self, shown: Arguments<'_>) -> bool {
        // Writing to memory cannot fail.
        self.bytes.write_fmt(shown).is_ok()
    }

    /// Adds a date or time. `None` is one that cannot be written.
    fn push_time(&mut self, time: Option<impl Display>) -> bool {
        time.is_some_and(|time| self.push_shown(format_args!("\"{time}\"")))
    }

    /// Adds a list or an object between two marks. `write` adds the next item, and returns false at the end.
    fn push_items<I>(
        &mut self,
        marks: &[u8; 2],
        items: impl IntoIterator<Item = I>,
        write: impl Fn(I, &mut ObjectText) -> bool,
    ) -> bool {
        let (opener, closer) = marks.split_at(1);
        let mut before = opener;
        for item in items {
            let start = self.bytes.len();
            self.push(before);
            match write(item, self) {
                true => before = b",",
                false => self.bytes.truncate(start),
            }
            if self.is_cut {
                break;
            }
        }
        self.push(if before == opener { marks } else { closer });
        true
    }

    fn push_string(&mut self, text: &[u8]) {
        self.push(b"\"");
        let mut rest = text;
        while let Some(at) = rest.iter().position(|&byte| is_escaped(byte)) {
            self.push(&rest[..at]);
            self.push_escaped(rest[at]);
            rest = &rest[at + 1..];
        }
        self.push(rest);
        self.push(b"\"");
    }

    fn push_escaped(&mut self, byte: u8) {
        match byte {
            b'"' | b'\\' => self.push(&[b'\\', byte]),
            b'\n' => self.push(b"\\n"),
            b'\r' => self.push(b"\\r"),
            b'\t' => self.push(b"\\t"),
            _ => self.push(format!("\\u{byte:04x}").as_bytes()),
        }
    }
}

fn is_escaped(byte: u8) -> bool {
    byte < b' ' || matches!(byte, b'"' | b'\\')
}

/// The columns of a batch as the members of an object for each row.
pub(super) struct RowObjects<'a>(WriteValue<'a>);

impl<'a> RowObjects<'a> {
    /// Opens the outermost columns with these names. `None` is a column that is lost.
    pub(super) fn open(arrays: &'a [Option<ArrayRef>], names: &[Box<str>]) -> Self {
        let columns = arrays.iter().zip(names);
        let members = columns.filter_map(|(array, name)| Some((&**name, array.as_deref()?)));
        RowObjects(object(members.collect()))
    }

    pub(super) fn write(&self, row: usize, text: &mut ObjectText) {
        (self.0)(row, text);
    }
}

/// Writes objects with members of these names.
fn object<'a>(arrays: Vec<(&str, &'a dyn Array)>) -> WriteValue<'a> {
    let member = |(name, array): (&str, &'a dyn Array)| {
        let mut key = ObjectText {
            max: usize::MAX,
            ..ObjectText::default()
        };
        key.push_string(name.as_bytes());
        key.push(b":");
        (key.bytes, value(array))
    };
    let members: Vec<_> = arrays.into_iter().map(member).collect();
    Box::new(move |at, text| {
        text.push_items(b"{}", &members, |(key, write), text| {
            text.push(key);
            write(at, text)
        })
    })
}

/// Writes the values of an array.
fn value(array: &dyn Array) -> WriteValue<'_> {
    let write: WriteValue<'_> = match array.data_type() {
        DataType::Struct(fields) => structure(array, fields),
        DataType::Map(_, _) => map(array),
        DataType::Union(fields, _) => {
            let kinds = (0..fields.len()).filter_map(|kind| enclosing(array, &mut [kind].iter()));
            let kinds: Vec<_> = kinds.map(|(layer, inner)| (layer, value(inner))).collect();
            Box::new(move |at, text| {
                let mut items = kinds.iter().map(|(layer, write)| (layer.first(at), write));
                items.any(|(item, write)| item.is_some_and(|item| write(item, text)))
            })
        }
        _ => match enclosing(array, &mut [].iter()) {
            Some((layer, inner)) if layer.is_list => list(layer, value(inner)),
            Some((layer, inner)) => {
                let write = value(inner);
                Box::new(move |at, text| layer.first(at).is_some_and(|item| write(item, text)))
            }
            None => scalar(array),
        },
    };
    Box::new(move |at, text| {
        text.values += 1;
        !text.is_cut && array.is_valid(at) && write(at, text)
    })
}

fn structure<'a>(array: &'a dyn Array, fields: &'a Fields) -> WriteValue<'a> {
    let names = fields.iter().map(|field| field.name().as_str());
    let arrays = array.as_struct().columns().iter();
    object(names.zip(arrays.map(|array| &**array)).collect())
}

fn list<'a>(layer: LeafLayer<'a>, write: WriteValue<'a>) -> WriteValue<'a> {
    Box::new(move |at, text| {
        text.push_items(b"[]", (layer.items)(at), |item, text| {
            if !write(item, text) {
                text.push(b"null");
            }
            true
        })
    })
}

/// Writes maps as objects whose members are named by the keys.
fn map(array: &dyn Array) -> WriteValue<'_> {
    let maps = array.as_map();
    let [write_key, write_value] = [maps.keys(), maps.values()].map(|array| value(&**array));
    Box::new(move |at, text| {
        let [start, end] = [at, at + 1].map(|at| maps.value_offsets()[at] as usize);
        text.push_items(b"{}", start..end, |item, text| {
            let key = text.bytes.len();
            write_key(item, text);
            if text.bytes.get(key) != Some(&b'"') {
                let name = text.bytes.split_off(key);
                text.push_string(&name);
            }
            text.push(b":");
            write_value(item, text)
        })
    })
}

/// Writes values that have no others in them.
fn scalar(array: &dyn Array) -> WriteValue<'_> {
    match array.data_type() {
        DataType::Boolean => {
            let values = array.as_boolean();
            Box::new(|at, text| text.push_shown(format_args!("{}", values.value(at))))
        }
        DataType::Float16 => float::<Float16Type>(array, |value| value.is_finite()),
        DataType::Float32 => float::<Float32Type>(array, f32::is_finite),
        DataType::Float64 => float::<Float64Type>(array, f64::is_finite),
        DataType::Decimal32(..) => decimal::<Decimal32Type>(array),
        DataType::Decimal64(..) => decimal::<Decimal64Type>(array),
        DataType::Decimal128(..) => decimal::<Decimal128Type>(array),
        DataType::Decimal256(..) => decimal::<Decimal256Type>(array),
        DataType::Date32 => date::<Date32Type>(array),
        DataType::Date64 => date::<Date64Type>(array),
        DataType::Timestamp(unit, zone) => match unit {
            TimeUnit::Second => timestamp::<TimestampSecondType>(array, zone.is_some()),
            TimeUnit::Millisecond => timestamp::<TimestampMillisecondType>(array, zone.is_some()),
            TimeUnit::Microsecond => timestamp::<TimestampMicrosecondType>(array, zone.is_some()),
            TimeUnit::Nanosecond => timestamp::<TimestampNanosecondType>(array, zone.is_some()),
        },
        kind if kind.is_integer() => Box::new(|at, text| {
            let value = integer(array, at).map(|value| text.push_shown(format_args!("{value}")));
            value.unwrap_or_default()
        }),
        kind if kind.is_binary() => {
            let texts = text_of(array);
            Box::new(move |at, text| {
                text.push_string(texts(at));
                true
            })
        }
        _ => Box::new(|_, _| false),
    }
}

/// Writes numbers with the shortest digits of their type, which differ in another. Those that JSON does not have are null.
fn float<T: ArrowPrimitiveType>(
    array: &dyn Array,
    is_finite: fn(T::Native) -> bool,
) -> WriteValue<'_> {
    let values = array.as_primitive::<T>();
    Box::new(move |at, text| {
        let value = values.value(at);
        is_finite(value) && text.push_shown(format_args!("{value:?}"))
    })
}

fn decimal<T: DecimalType>(array: &dyn Array) -> WriteValue<'_> {
    let values = array.as_primitive::<T>();
    Box::new(|at, text| text.push_shown(format_args!("{}", values.value_as_string(at))))
}

fn date<T: ArrowTemporalType>(array: &dyn Array) -> WriteValue<'_>
where
    i64: From<T::Native>,
{
    let values = array.as_primitive::<T>();
    Box::new(|at, text| text.push_time(values.value_as_date(at)))
}

/// Writes times as `2020-01-02T03:04:05`, and with `Z` if they have a time zone.
fn timestamp<T: ArrowTimestampType>(array: &dyn Array, has_zone: bool) -> WriteValue<'_> {
    let values = array.as_primitive::<T>();
    let zone = if has_zone { "Z" } else { "" };
    Box::new(move |at, text| {
        let time = values.value_as_datetime(at);
        text.push_time(time.map(|time| format!("{time:?}{zone}")))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{MapBuilder, StringDictionaryBuilder};
    use arrow_array::types::Int8Type;
    use arrow_array::{
        BinaryArray, BooleanArray, Date32Array, Decimal128Array, DurationSecondArray, Float32Array,
        Float64Array, TimestampMillisecondArray, UInt64Array,
    };

    use super::*;

    /// Returns the objects of two rows with one column each.
    fn rows(array: ArrayRef, max: usize) -> [Option<String>; 2] {
        let arrays = [Some(array), None];
        let names = [Box::from("a\"b"), Box::from("lost")];
        let objects = RowObjects::open(&arrays, &names);
        let mut text = ObjectText::default();
        [0, 1].map(|row| {
            text.start(max);
            objects.write(row, &mut text);
            let written = String::from_utf8_lossy(&text.bytes).into_owned();
            (!text.is_cut).then_some(written)
        })
    }

    fn keyed() -> ArrayRef {
        let texts = arrow_array::builder::BinaryBuilder::new();
        let mut maps = MapBuilder::new(None, arrow_array::builder::Int64Builder::new(), texts);
        maps.keys().append_value(7);
        maps.values().append_value(b"x");
        maps.keys().append_value(8);
        maps.values().append_null();
        maps.append(true).unwrap();
        maps.append(true).unwrap();
        Arc::new(maps.finish())
    }

    #[test]
    fn values_are_written_by_their_types() {
        let mut words = StringDictionaryBuilder::<Int8Type>::new();
        words.append_null();
        words.append_null();
        let time = TimestampMillisecondArray::from(vec![Some(1_580_515_200_500), None]);
        let cases: Vec<(ArrayRef, &str, bool)> = vec![
            (
                Arc::new(BooleanArray::from(vec![Some(true), None])),
                "true",
                true,
            ),
            (
                Arc::new(UInt64Array::from(vec![u64::MAX, 1])),
                "18446744073709551615",
                false,
            ),
            (
                Arc::new(Float32Array::from(vec![0.1, f32::NAN])),
                "0.1",
                true,
            ),
            (
                Arc::new(Float64Array::from(vec![1e300, f64::INFINITY])),
                "1e300",
                true,
            ),
            (
                Arc::new(Date32Array::from(vec![Some(18_262), None])),
                "\"2020-01-01\"",
                true,
            ),
            (Arc::new(time.clone()), "\"2020-02-01T00:00:00.500\"", true),
            (
                Arc::new(time.with_timezone("+00:00")),
                "\"2020-02-01T00:00:00.500Z\"",
                true,
            ),
            (
                Arc::new(
                    Decimal128Array::from(vec![Some(125), None])
                        .with_precision_and_scale(5, 2)
                        .unwrap(),
                ),
                "1.25",
                true,
            ),
            (
                Arc::new(BinaryArray::from(vec![Some(&b"\"\\\n\x01"[..]), None])),
                "\"\\\"\\\\\\n\\u0001\"",
                true,
            ),
        ];
        for (array, value, is_null) in cases {
            let kind = array.data_type().clone();
            let [first, second] = rows(array, 100);
            let expected = format!("{{\"a\\\"b\":{value}}}");
            assert_eq!(first, Some(expected), "{kind}");
            assert_eq!(second.as_deref() == Some("{}"), is_null, "{kind}");
        }
        let durations = DurationSecondArray::from(vec![1, 2]);
        for array in [Arc::new(durations) as ArrayRef, Arc::new(words.finish())] {
            assert_eq!(rows(array, 100), [Some("{}".into()), Some("{}".into())]);
        }
        let maps = [r#"{"a\"b":{"7":"x"}}"#, r#"{"a\"b":{}}"#].map(|text| Some(text.to_owned()));
        assert_eq!(rows(keyed(), 100), maps);
    }

    #[test]
    fn a_row_that_is_too_long_is_not_whole() {
        let texts = BinaryArray::from(vec![&b"0123456789"[..], b"0"]);
        let [long, short] = rows(Arc::new(texts), 12);
        assert_eq!((long, short.as_deref()), (None, Some(r#"{"a\"b":"0"}"#)));
    }
}
