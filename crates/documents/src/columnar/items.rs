//! The items of a column in a batch, through the arrays that enclose them.

use std::borrow::Cow;
use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, Int16Type, Int32Type, Int64Type, LargeBinaryType,
    RunEndIndexType,
};
use arrow_array::{
    Array, GenericByteArray, GenericListArray, GenericListViewArray, OffsetSizeTrait,
    downcast_integer_array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

/// How the items of a column are found in a batch: through the arrays that enclose them.
pub(super) struct LeafItems<'a> {
    pub(super) layers: Vec<LeafLayer<'a>>,
    values: &'a dyn Array,
    /// A text; empty for null.
    pub(super) text: Box<dyn Fn(usize) -> &'a [u8] + 'a>,
}

/// An array that encloses others.
pub(super) struct LeafLayer<'a> {
    /// The items of the inner array that an item has.
    pub(super) items: Box<dyn Fn(usize) -> Range<usize> + 'a>,
    /// Whether the items have indices.
    pub(super) is_list: bool,
}

impl LeafLayer<'_> {
    /// The first item of the inner array that an item has.
    pub(super) fn first(&self, at: usize) -> Option<usize> {
        (self.items)(at).next()
    }
}

impl<'a> LeafItems<'a> {
    /// The column that `steps` lead to in an array.
    pub(super) fn open(mut values: &'a dyn Array, steps: &[usize]) -> Self {
        let (mut layers, mut steps) = (Vec::new(), steps.iter());
        while let Some((layer, inner)) = enclosing(values, &mut steps) {
            layers.push(layer);
            values = inner;
        }
        LeafItems {
            layers,
            values,
            text: text_of(values),
        }
    }

    /// The item of a row, for a column that is not in a list.
    pub(super) fn item(&self, row: usize) -> Option<usize> {
        let mut layers = self.layers.iter();
        let item = layers.try_fold(row, |at, layer| layer.first(at))?;
        self.values.is_valid(item).then_some(item)
    }

    /// The items of a row, for a column that may be in a list.
    pub(super) fn items(&self, row: usize) -> Vec<usize> {
        let layers = self.layers.iter();
        let items = layers.fold(vec![row], |items, layer| {
            items.into_iter().flat_map(|at| (layer.items)(at)).collect()
        });
        items
            .into_iter()
            .filter(|item| self.values.is_valid(*item))
            .collect()
    }

    pub(super) fn text(&self, item: usize) -> &'a [u8] {
        (self.text)(item)
    }

    /// The array with the values.
    pub(super) fn values(&self) -> &'a dyn Array {
        self.values
    }

    /// The name that the column gives to a row: its text, or its number.
    pub(super) fn name(&self, row: usize) -> Option<Cow<'a, [u8]>> {
        let item = self.item(row)?;
        Some(match integer(self.values, item) {
            Some(number) => itoa::Buffer::new()
                .format(number)
                .as_bytes()
                .to_vec()
                .into(),
            None => self.text(item).into(),
        })
    }
}

/// An integer of an array of integers.
pub(super) fn integer(values: &dyn Array, item: usize) -> Option<i128> {
    downcast_integer_array!(
        values => Some(values.value(item).into()),
        _ => None
    )
}

/// The layer that an array is, and the array in it, of several the one at the next of `steps`. `None` if it encloses none.
pub(super) fn enclosing<'a>(
    array: &'a dyn Array,
    steps: &mut std::slice::Iter<'_, usize>,
) -> Option<(LeafLayer<'a>, &'a dyn Array)> {
    Some(match array.data_type() {
        DataType::Struct(_) => {
            let fields = array.as_struct();
            let inner = fields.columns().get(*steps.next()?)?;
            (layer(array, |at| at..at + 1, false), inner)
        }
        DataType::List(_) => list(array.as_list::<i32>()),
        DataType::LargeList(_) => list(array.as_list::<i64>()),
        DataType::ListView(_) => list_view(array.as_list_view::<i32>()),
        DataType::LargeListView(_) => list_view(array.as_list_view::<i64>()),
        DataType::FixedSizeList(_, _) => {
            let lists = array.as_fixed_size_list();
            let length = usize::try_from(lists.value_length()).ok()?;
            let items = move |at| at * length..(at + 1) * length;
            (layer(array, items, true), lists.values())
        }
        DataType::Map(_, _) => {
            let maps = array.as_map();
            let offsets = maps.value_offsets();
            let items = move |at: usize| offsets[at] as usize..offsets[at + 1] as usize;
            (layer(array, items, true), maps.entries())
        }
        DataType::Union(fields, _) => {
            let union = array.as_union();
            let (id, _) = fields.iter().nth(*steps.next()?)?;
            let items = move |at| match union.value_offset(at) {
                item if union.type_id(at) == id => item..item + 1,
                _ => 0..0,
            };
            (layer(array, items, false), union.child(id))
        }
        DataType::RunEndEncoded(ends, _) => match ends.data_type() {
            DataType::Int16 => runs::<Int16Type>(array),
            DataType::Int32 => runs::<Int32Type>(array),
            _ => runs::<Int64Type>(array),
        },
        _ => {
            let dictionary = array.as_any_dictionary_opt()?;
            let keys = match dictionary.values().is_empty() {
                true => Vec::new(),
                false => dictionary.normalized_keys(),
            };
            let items = move |at| keys.get(at).map_or(0..0, |&key| key..key + 1);
            (layer(array, items, false), dictionary.values())
        }
    })
}

/// A layer with these items, of which null has none.
fn layer<'a>(
    array: &'a dyn Array,
    items: impl Fn(usize) -> Range<usize> + 'a,
    is_list: bool,
) -> LeafLayer<'a> {
    let nulls = array.nulls();
    let is_null = move |at| nulls.is_some_and(|nulls: &NullBuffer| nulls.is_null(at));
    LeafLayer {
        items: Box::new(move |at| if is_null(at) { 0..0 } else { items(at) }),
        is_list,
    }
}

fn list<O: OffsetSizeTrait>(lists: &GenericListArray<O>) -> (LeafLayer<'_>, &dyn Array) {
    let offsets = lists.value_offsets();
    let items = move |at: usize| offsets[at].as_usize()..offsets[at + 1].as_usize();
    (layer(lists, items, true), lists.values())
}

fn list_view<O: OffsetSizeTrait>(lists: &GenericListViewArray<O>) -> (LeafLayer<'_>, &dyn Array) {
    let (offsets, sizes) = (lists.value_offsets(), lists.value_sizes());
    let items =
        move |at: usize| offsets[at].as_usize()..offsets[at].as_usize() + sizes[at].as_usize();
    (layer(lists, items, true), lists.values())
}

fn runs<R: RunEndIndexType>(array: &dyn Array) -> (LeafLayer<'_>, &dyn Array) {
    let runs = array.as_run::<R>();
    let items = |at| {
        let run = runs.get_physical_index(at);
        run..run + 1
    };
    (layer(array, items, false), runs.values())
}

/// A text; null is empty.
fn value(text: Option<&[u8]>) -> &[u8] {
    text.unwrap_or_default()
}

/// Returns the texts of an array.
pub(super) fn text_of<'a>(array: &'a dyn Array) -> Box<dyn Fn(usize) -> &'a [u8] + 'a> {
    match array.data_type() {
        DataType::Binary => between_offsets(array.as_bytes::<BinaryType>()),
        DataType::LargeBinary => between_offsets(array.as_bytes::<LargeBinaryType>()),
        DataType::BinaryView => {
            let texts = array.as_byte_view::<BinaryViewType>();
            Box::new(|at| value(texts.is_valid(at).then(|| texts.value(at))))
        }
        DataType::FixedSizeBinary(_) => {
            let texts = array.as_fixed_size_binary();
            Box::new(|at| value(texts.is_valid(at).then(|| texts.value(at))))
        }
        _ => Box::new(|_| b""),
    }
}

fn between_offsets<'a, T: ByteArrayType<Native = [u8]>>(
    texts: &'a GenericByteArray<T>,
) -> Box<dyn Fn(usize) -> &'a [u8] + 'a> {
    Box::new(|at| value(texts.is_valid(at).then(|| texts.value(at))))
}
