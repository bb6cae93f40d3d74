//! The columns of a table: the leaves of its Arrow schema.

use arrow_schema::{DataType, Field, Fields};

use super::choice::NamedColumn;
use super::name::ColumnName;

/// Bytes of the paths of all fields: the name of a field is in the path of each field within it.
const MAX_PATH_BYTES: usize = 64 << 20;

/// A column.
#[derive(Clone, Debug)]
pub(super) struct TableLeaf {
    /// Its number among all columns.
    pub(super) number: usize,
    pub(super) name: ColumnName,
    /// The numbers of the fields that lead to it, each in the one before it.
    pub(super) steps: Vec<usize>,
    pub(super) kind: DataType,
    /// Whether its values are texts.
    pub(super) is_text: bool,
}

impl NamedColumn for TableLeaf {
    fn name(&self) -> &ColumnName {
        &self.name
    }

    fn is_text(&self) -> bool {
        self.is_text
    }

    fn is_member(&self) -> bool {
        self.is_text || !self.kind.is_binary()
    }

    fn is_id(&self) -> bool {
        (self.is_text || self.kind.is_integer()) && self.name.path.list_count() == 0
    }
}

/// Returns the columns of a schema; `None` if their paths are too long.
pub(super) fn leaves(fields: &Fields) -> Option<Vec<TableLeaf>> {
    let mut collector = LeafCollector::default();
    collector.add_all(fields, &ColumnName::default())?;
    Some(collector.leaves)
}

#[derive(Default)]
struct LeafCollector {
    leaves: Vec<TableLeaf>,
    steps: Vec<usize>,
    path_bytes: usize,
}

impl LeafCollector {
    fn add_all(&mut self, fields: &Fields, above: &ColumnName) -> Option<()> {
        for (number, field) in fields.iter().enumerate() {
            self.steps.push(number);
            self.add(field, above, false)?;
            self.steps.pop();
        }
        Some(())
    }

    /// Adds the columns in a field. `is_item` says that its name has no meaning.
    fn add(&mut self, field: &Field, above: &ColumnName, is_item: bool) -> Option<()> {
        let name = above.child(field.name(), is_item);
        self.path_bytes += name.schema_name_length();
        if self.path_bytes > MAX_PATH_BYTES {
            return None;
        }
        self.add_type(field.data_type(), name)
    }

    fn add_type(&mut self, kind: &DataType, mut name: ColumnName) -> Option<()> {
        match kind {
            DataType::Struct(fields) => self.add_all(fields, &name),
            DataType::List(item)
            | DataType::LargeList(item)
            | DataType::ListView(item)
            | DataType::LargeListView(item)
            | DataType::FixedSizeList(item, _)
            | DataType::Map(item, _) => {
                name.path = name.path.item();
                self.add(item, &name, true)
            }
            DataType::Dictionary(_, values) => self.add_type(values, name),
            DataType::RunEndEncoded(_, values) => self.add(values, &name, true),
            DataType::Union(fields, _) => {
                for (number, (_, field)) in fields.iter().enumerate() {
                    self.steps.push(number);
                    self.add(field, &name, false)?;
                    self.steps.pop();
                }
                Some(())
            }
            kind => {
                let is_text = kind.is_string() || kind.is_binary();
                self.leaves.push(TableLeaf {
                    number: self.leaves.len(),
                    name,
                    steps: self.steps.clone(),
                    kind: kind.clone(),
                    is_text,
                });
                Some(())
            }
        }
    }
}

/// Returns a field whose texts are of the types that `of` gives for theirs.
pub(super) fn with_texts(field: &Field, of: &dyn Fn(&DataType) -> Option<DataType>) -> Field {
    field
        .clone()
        .with_data_type(type_with_texts(field.data_type(), of))
}

fn type_with_texts(kind: &DataType, of: &dyn Fn(&DataType) -> Option<DataType>) -> DataType {
    let inner = |field: &Field| with_texts(field, of).into();
    match kind {
        DataType::Struct(fields) => {
            DataType::Struct(fields.iter().map(|field| with_texts(field, of)).collect())
        }
        DataType::List(item) => DataType::List(inner(item)),
        DataType::LargeList(item) => DataType::LargeList(inner(item)),
        DataType::ListView(item) => DataType::ListView(inner(item)),
        DataType::LargeListView(item) => DataType::LargeListView(inner(item)),
        DataType::FixedSizeList(item, length) => DataType::FixedSizeList(inner(item), *length),
        DataType::Map(item, is_sorted) => DataType::Map(inner(item), *is_sorted),
        DataType::Dictionary(keys, values) => {
            DataType::Dictionary(keys.clone(), type_with_texts(values, of).into())
        }
        DataType::RunEndEncoded(ends, values) => {
            DataType::RunEndEncoded(ends.clone(), inner(values))
        }
        DataType::Union(fields, mode) => {
            let fields = fields.iter().map(|(id, field)| (id, inner(field)));
            DataType::Union(fields.collect(), *mode)
        }
        kind => of(kind).unwrap_or_else(|| kind.clone()),
    }
}
