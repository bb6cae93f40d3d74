//! The cells in batches of rows, which both formats are read as.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef};

use super::cells::{CellBatch, RowBatchBuilder};
use super::choice::SelectedColumns;
use super::items::{LeafItems, LeafLayer};
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
