//! The cells in batches of rows, which both formats are read as.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    BinaryType, BinaryViewType, ByteArrayType, Int16Type, Int32Type, Int64Type, LargeBinaryType,
    RunEndIndexType,
};
use arrow_array::{
    Array, ArrayRef, GenericByteArray, GenericListArray, GenericListViewArray, OffsetSizeTrait,
    downcast_integer_array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use super::cells::{CellBatch, RowBatchBuilder};
use super::choice::SelectedColumns;
use super::leaf::TableLeaf;
use super::object::{ObjectText, RowObjects};
use super::path::ColumnPath;

/// Rows of a slice whose cells are collected together.
const SLICE_ROWS: usize = 8192;

/// The columns of a table that are read.
pub(super) struct ReadColumns {
    /// Those whose texts are read, in the order of the table.
    pub(super) texts: Vec<TableLeaf>,
    pub(super) paths: Arc<[ColumnPath]>,
    /// The column that names rows.
    pub(super) id: Option<TableLeaf>,
    /// The names of the outermost columns, if a row is one text, an object with them all.
    objects: Option<Vec<Box<str>>>,
}

impl ReadColumns {
    /// Reads these columns, each of them by itself or as a member of an object.
    pub(super) fn new(chosen: SelectedColumns<TableLeaf>, objects: bool) -> Self {
        let outermost = |leaves: &[TableLeaf]| leaves[0].name.path.outermost_name().into();
        let of_root = |one: &TableLeaf, next: &TableLeaf| one.steps[0] == next.steps[0];
        let names = chosen.texts.chunk_by(of_root).map(outermost);
        ReadColumns {
            objects: objects.then(|| names.collect()),
            texts: chosen.texts,
            paths: chosen.paths,
            id: chosen.id,
        }
    }
}

/// Rows of a table, some of which were passed on.
#[derive(Default)]
pub(super) struct PendingRows {
    /// The outermost columns by their numbers; `None` for one that is not read, or is lost.
    pub(super) arrays: Vec<Option<ArrayRef>>,
    /// The rows that are left.
    pub(super) rows: Range<usize>,
}

impl PendingRows {
    /// Takes the cells of the next rows, the first of which has this number in the table, and says how many items of lists were
    /// looked at. Returns `None`, and passes over the row, if the texts of one row have more than `max` bytes.
    pub(super) fn take_cells(
        &mut self,
        columns: &ReadColumns,
        first_row: u64,
        max: usize,
    ) -> Option<(CellBatch, u64)> {
        let count = self.rows.len().min(SLICE_ROWS);
        let slice = |array: &Option<ArrayRef>| Some(array.as_ref()?.slice(self.rows.start, count));
        let arrays: Vec<_> = self.arrays.iter().map(slice).collect();
        let open = |leaf: &TableLeaf| {
            let (root, steps) = leaf.steps.split_first()?;
            Some(LeafItems::open(arrays.get(*root)?.as_ref()?, steps))
        };
        let names = columns.objects.as_deref();
        let objects = names.map(|names| RowObjects::open(&arrays, names));
        let texts: Vec<_> = match objects {
            Some(_) => Vec::new(),
            None => columns.texts.iter().map(open).collect(),
        };
        let id = columns.id.as_ref().map(open);
        let mut cells = RowCells {
            builder: RowBatchBuilder::starting_at(first_row),
            column: 0,
            indices: Vec::new(),
            object: ObjectText::default(),
            max,
            fits: true,
        };
        let mut rows = 0;
        while rows < count && !cells.builder.is_full() {
            if let Some(objects) = &objects {
                cells.add_object(objects, rows);
            }
            for (number, leaf) in (0..).zip(&texts) {
                cells.column = number;
                if let Some(leaf) = leaf {
                    cells.add(&leaf.layers, leaf, rows);
                }
            }
            if !cells.fits {
                cells.builder.drop_row();
                break;
            }
            let name = id
                .as_ref()
                .map(|id| id.as_ref().and_then(|id| id.name(rows)));
            cells.builder.end_row(
                name.as_ref()
                    .map(|name| name.as_deref().unwrap_or_default()),
            );
            rows += 1;
        }
        self.rows.start += rows.max(1);
        let items = cells.builder.items();
        (rows > 0).then(|| (cells.builder.take_batch(Arc::clone(&columns.paths)), items))
    }
}

/// Collects the cells of a row.
struct RowCells {
    builder: RowBatchBuilder,
    column: u16,
    /// The index in each list that encloses the item.
    indices: Vec<u32>,
    /// The row as an object.
    object: ObjectText,
    /// Max bytes of the texts of a row.
    max: usize,
    /// Whether the cells of the row fit.
    fits: bool,
}

impl RowCells {
    /// Adds a row as one text.
    fn add_object(&mut self, objects: &RowObjects<'_>, row: usize) {
        let object = &mut self.object;
        object.start(self.max);
        objects.write(row, object);
        self.builder.count_items(object.values);
        self.fits = !object.is_cut && self.builder.cell(0, &object.bytes, &[]);
    }

    /// Adds the texts in an item of the outermost of `layers`.
    fn add(&mut self, layers: &[LeafLayer<'_>], leaf: &LeafItems<'_>, at: usize) {
        let Some((layer, inner)) = layers.split_first() else {
            let text = (leaf.text)(at);
            self.fits &= self.builder.cell(self.column, text, &self.indices)
                && self.builder.row_bytes() <= self.max;
            return;
        };
        let items = (layer.items)(at);
        if !layer.is_list {
            return items.for_each(|item| self.add(inner, leaf, item));
        }
        self.builder.count_items(items.len() as u64);
        for (index, item) in (0..).zip(items) {
            if !self.fits {
                return;
            }
            self.indices.push(index);
            self.add(inner, leaf, item);
            self.indices.pop();
        }
    }
}

/// How the items of a column are found in a batch: through the arrays that enclose them.
pub(super) struct LeafItems<'a> {
    layers: Vec<LeafLayer<'a>>,
    values: &'a dyn Array,
    /// A text; empty for null.
    text: Box<dyn Fn(usize) -> &'a [u8] + 'a>,
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
    fn name(&self, row: usize) -> Option<Cow<'a, [u8]>> {
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
