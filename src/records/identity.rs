//! The values that identify a row of edges, mentions, nodes or pairs when two outputs are compared.

use std::marker::PhantomData;

use super::fault::RecordFault;
use super::field::{Field, FieldKind, IDENTITY, RowKind};
use super::row::{OwnedRow, RecordSlot, Row, Slot, Value};

/// A kind of rows that are compared.
pub(crate) trait ComparedKind: Clone + Default + Send + 'static {
    const ROWS: RowKind;
}

/// Edges and mentions, which are read as edges.
#[derive(Clone, Debug, Default)]
pub(crate) struct OfEdges;

#[derive(Clone, Debug, Default)]
pub(crate) struct OfNodes;

#[derive(Clone, Debug, Default)]
pub(crate) struct OfPairs;

impl ComparedKind for OfEdges {
    const ROWS: RowKind = RowKind::Edges;
}

impl ComparedKind for OfNodes {
    const ROWS: RowKind = RowKind::Nodes;
}

impl ComparedKind for OfPairs {
    const ROWS: RowKind = RowKind::Pairs;
}

/// The reusable values that identify a row.
#[derive(Clone, Debug, Default)]
pub(crate) struct RowIdentity<K> {
    /// Values of the fields [`IDENTITY`]. Empty for null and for missing columns.
    pub(crate) values: [String; IDENTITY.len()],
    kind: PhantomData<K>,
}

impl<K> RowIdentity<K> {
    /// Clears the values of all fields except these.
    pub(crate) fn keep(&mut self, fields: &[Field]) {
        for (field, value) in IDENTITY.iter().zip(&mut self.values) {
            if !fields.contains(field) {
                value.clear();
            }
        }
    }

    /// Returns the name, or an empty text if it has none.
    pub(crate) fn doi(&self) -> &str {
        &self.values[0]
    }
}

impl<K: ComparedKind> Row for RowIdentity<K> {
    fn value(&self, field: Field) -> Value<'_> {
        let Some(at) = IDENTITY.iter().position(|own| *own == field) else {
            // A number in a temporary run, which is not read.
            return Value::Nullable(None);
        };
        let value = self.values[at].as_str();
        match field.kind() {
            FieldKind::Text => Value::Text(value),
            _ => Value::Nullable(Some(value).filter(|value| !value.is_empty())),
        }
    }
}

impl<K: ComparedKind> OwnedRow for RowIdentity<K> {
    const KIND: RowKind = K::ROWS;
    const HAS_RECORD_FIELDS: bool = true;

    fn record_slot(&mut self, _name: &str) -> Option<RecordSlot<'_>> {
        Some(RecordSlot::Unused)
    }

    fn reset(&mut self) {
        self.values.iter_mut().for_each(String::clear);
    }

    fn slot(&mut self, field: Field) -> Option<Slot<'_>> {
        let at = IDENTITY.iter().position(|own| *own == field);
        Some(at.map_or(Slot::Derived, |at| Slot::Nullable(&mut self.values[at])))
    }

    /// Replaces the name by its key.
    fn check(&mut self) -> Result<(), RecordFault> {
        self.values[0].make_ascii_lowercase();
        Ok(())
    }
}
