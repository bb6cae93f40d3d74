//! The columns of a file: the leaves of its schema.

use super::thrift::{BINARY, STRUCT, ThriftReader};
use crate::columnar::choice::NamedColumn;
use crate::columnar::name::ColumnName;

/// Groups within one another.
const MAX_DEPTH: usize = 64;
/// Bytes of the paths of all nodes: the name of a group is in the path of each node within it.
const MAX_PATH_BYTES: usize = 64 << 20;

/// A node of the schema, before its children.
#[derive(Clone, Debug, Default)]
pub(super) struct SchemaElement {
    name: String,
    /// `None` for a group.
    physical: Option<i64>,
    /// Bytes of a value of a fixed length.
    length: u32,
    repetition: i64,
    children: usize,
    converted: Option<i64>,
    /// The number of the logical type, and whether an integer has a sign.
    logical: Option<i16>,
    is_signed: bool,
}

/// A column.
#[derive(Clone, Debug)]
pub(super) struct ParquetLeaf {
    /// Its number in row groups.
    pub(super) number: usize,
    pub(super) name: ColumnName,
    /// The numbers of its physical type, and of what the schema says about its values.
    pub(super) physical: i64,
    converted: Option<i64>,
    logical: Option<i16>,
    pub(super) kind: LeafKind,
    /// The max repetition level and definition level.
    pub(super) repetition: u32,
    pub(super) definition: u32,
}

/// The type of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafKind {
    Text,
    /// A text of this many bytes.
    Fixed(u32),
    /// An integer of 32 or 64 bits.
    Integer {
        bits: u8,
        is_signed: bool,
    },
    /// A number of 64 bits with a binary point.
    Float,
    Flag,
    /// All values are null.
    Null,
    Other,
}

impl LeafKind {
    /// Bytes of a number in the plain encoding; `None` if values have other lengths.
    pub(super) fn size(self) -> Option<usize> {
        match self {
            LeafKind::Integer { bits, .. } => Some(usize::from(bits / 8)),
            LeafKind::Float => Some(size_of::<f64>()),
            _ => None,
        }
    }
}

impl NamedColumn for ParquetLeaf {
    fn name(&self) -> &ColumnName {
        &self.name
    }

    fn is_text(&self) -> bool {
        matches!(self.kind, LeafKind::Text | LeafKind::Fixed(_))
    }

    fn is_id(&self) -> bool {
        let is_integer = matches!(self.kind, LeafKind::Integer { .. });
        (self.is_text() || is_integer) && self.repetition == 0
    }
}

/// Repetition types.
const OPTIONAL: i64 = 1;
const REPEATED: i64 = 2;
/// Physical types.
const BOOLEAN: i64 = 0;
const INT32: i64 = 1;
const INT64: i64 = 2;
const DOUBLE: i64 = 5;
const BYTE_ARRAY: i64 = 6;
const FIXED: i64 = 7;
/// Converted types: lists, maps, decimal numbers, and integers with a sign and without.
const CONVERTED_LISTS: [i64; 3] = [1, 2, 3];
const DECIMAL: i64 = 5;
const CONVERTED_UNSIGNED: [i64; 4] = [11, 12, 13, 14];
const CONVERTED_SIGNED: [i64; 4] = [15, 16, 17, 18];
/// Logical types: maps and lists, integers, nulls, and values that are bytes but no texts, which are decimal numbers and shapes.
const LISTS: [i16; 2] = [2, 3];
const INTEGER: i16 = 10;
const UNKNOWN: i16 = 11;
const NO_TEXTS: [i16; 3] = [5, 17, 18];

/// Names of physical, converted and logical types, by their numbers.
#[rustfmt::skip]
const PHYSICAL_NAMES: [&str; 8] = [
    "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
];
#[rustfmt::skip]
const CONVERTED_NAMES: [&str; 22] = [
    "UTF8", "MAP", "MAP_KEY_VALUE", "LIST", "ENUM", "DECIMAL", "DATE", "TIME_MILLIS", "TIME_MICROS", "TIMESTAMP_MILLIS",
    "TIMESTAMP_MICROS", "UINT_8", "UINT_16", "UINT_32", "UINT_64", "INT_8", "INT_16", "INT_32", "INT_64", "JSON", "BSON",
    "INTERVAL",
];
#[rustfmt::skip]
const LOGICAL_NAMES: [&str; 19] = [
    "", "STRING", "MAP", "LIST", "ENUM", "DECIMAL", "DATE", "TIME", "TIMESTAMP", "INTERVAL", "INTEGER", "UNKNOWN", "JSON",
    "BSON", "UUID", "FLOAT16", "VARIANT", "GEOMETRY", "GEOGRAPHY",
];

impl SchemaElement {
    pub(super) fn parse(thrift: &mut ThriftReader<'_>) -> Option<SchemaElement> {
        let mut element = SchemaElement::default();
        thrift.structure(|thrift, head| {
            match (head.id, head.kind) {
                (1, _) => element.physical = Some(thrift.integer()?),
                (2, _) => element.length = thrift.integer()?.try_into().ok()?,
                (3, _) => element.repetition = thrift.integer()?,
                (4, BINARY) => element.name = thrift.text()?.to_owned(),
                (5, _) => element.children = thrift.integer()?.try_into().ok()?,
                (6, _) => element.converted = Some(thrift.integer()?),
                (10, STRUCT) => element.logical_type(thrift)?,
                _ => return Some(false),
            }
            Some(true)
        })?;
        Some(element)
    }

    /// A union with one field, whose number is the type.
    fn logical_type(&mut self, thrift: &mut ThriftReader<'_>) -> Option<()> {
        thrift.structure(|thrift, head| {
            self.logical = Some(head.id);
            if (head.id, head.kind) != (INTEGER, STRUCT) {
                return Some(false);
            }
            thrift.structure(|_, head| {
                let flag = super::thrift::flag(head).filter(|_| head.id == 2);
                self.is_signed |= flag == Some(true);
                Some(flag.is_some())
            })?;
            Some(true)
        })
    }

    fn is_list(&self) -> bool {
        let logical = self.logical.is_some_and(|kind| LISTS.contains(&kind));
        logical
            || self
                .converted
                .is_some_and(|kind| CONVERTED_LISTS.contains(&kind))
    }

    fn kind(&self) -> LeafKind {
        let is_signed = match (self.logical, self.converted) {
            (Some(INTEGER), _) => Some(self.is_signed),
            (None, None) => Some(true),
            (None, Some(kind)) if CONVERTED_SIGNED.contains(&kind) => Some(true),
            (None, Some(kind)) if CONVERTED_UNSIGNED.contains(&kind) => Some(false),
            _ => None,
        };
        let integer = |bits| match is_signed {
            Some(is_signed) => LeafKind::Integer { bits, is_signed },
            None => LeafKind::Other,
        };
        match self.physical {
            Some(physical) if physical != BYTE_ARRAY && self.logical == Some(UNKNOWN) => {
                LeafKind::Null
            }
            Some(BOOLEAN) if (self.logical, self.converted) == (None, None) => LeafKind::Flag,
            Some(INT32) => integer(32),
            Some(INT64) => integer(64),
            Some(DOUBLE) if (self.logical, self.converted) == (None, None) => LeafKind::Float,
            // Texts unless both types say otherwise: one of them may be unknown, or damaged.
            Some(BYTE_ARRAY) => match (self.logical, self.converted) {
                (Some(kind), None) if NO_TEXTS.contains(&kind) => LeafKind::Other,
                (None, Some(DECIMAL)) => LeafKind::Other,
                (Some(kind), Some(DECIMAL)) if NO_TEXTS.contains(&kind) => LeafKind::Other,
                _ => LeafKind::Text,
            },
            Some(FIXED) => match (self.logical, self.converted) {
                (None, None) if self.length > 0 => LeafKind::Fixed(self.length),
                _ => LeafKind::Other,
            },
            _ => LeafKind::Other,
        }
    }
}

impl ParquetLeaf {
    /// Its physical type, and what the schema says about its values.
    pub(super) fn type_name(&self) -> String {
        let name = |names: &[&'static str], number: i64| {
            let name = usize::try_from(number).ok();
            name.and_then(|number| names.get(number).copied())
        };
        let physical = name(&PHYSICAL_NAMES, self.physical).unwrap_or("another type");
        let converted = self.converted.and_then(|kind| name(&CONVERTED_NAMES, kind));
        let logical = || name(&LOGICAL_NAMES, self.logical?.into());
        match converted.or_else(logical) {
            Some(kind) => format!("{physical} ({kind})"),
            None => physical.to_owned(),
        }
    }
}

/// The properties that a node inherits from the nodes above it.
#[derive(Clone, Default)]
struct EnclosingNode {
    name: ColumnName,
    repetition: u32,
    definition: u32,
    /// Whether the node above is a list or a map, whose only child repeats.
    in_list: bool,
    /// Whether it is the repeated node of a list, whose only child has a name without meaning.
    in_items: bool,
    depth: usize,
}

/// Returns the columns of a schema, which is listed from its root down; `None` if the list does not fit together.
pub(super) fn leaves(elements: &[SchemaElement]) -> Option<Vec<ParquetLeaf>> {
    let (root, mut rest) = elements.split_first()?;
    let mut leaves = LeafCollector::default();
    for _ in 0..root.children {
        leaves.read_node(&mut rest, &EnclosingNode::default())?;
    }
    rest.is_empty().then_some(leaves.leaves)
}

/// The columns so far.
#[derive(Default)]
struct LeafCollector {
    leaves: Vec<ParquetLeaf>,
    /// Bytes of their paths.
    bytes: usize,
}

impl LeafCollector {
    fn read_node(&mut self, rest: &mut &[SchemaElement], above: &EnclosingNode) -> Option<()> {
        let (node, after) = rest.split_first()?;
        *rest = after;
        self.bytes += above.name.schema_name_length() + node.name.len();
        if above.depth > MAX_DEPTH || self.bytes > MAX_PATH_BYTES {
            return None;
        }
        let below = above.below(node);
        let Some(physical) = node.physical else {
            let mut children = 0..node.children;
            return children.try_for_each(|_| self.read_node(rest, &below));
        };
        let leaves = &mut self.leaves;
        leaves.push(ParquetLeaf {
            number: leaves.len(),
            name: below.name,
            physical,
            converted: node.converted,
            logical: node.logical,
            kind: node.kind(),
            repetition: below.repetition,
            definition: below.definition,
        });
        Some(())
    }
}

impl EnclosingNode {
    fn below(&self, node: &SchemaElement) -> EnclosingNode {
        let repeats = node.repetition == REPEATED;
        let is_items = self.in_list && repeats;
        let mut name = self.name.child(&node.name, is_items || self.in_items);
        if repeats {
            name.path = name.path.item();
        }
        EnclosingNode {
            name,
            repetition: self.repetition + u32::from(repeats),
            definition: self.definition + u32::from(repeats || node.repetition == OPTIONAL),
            in_list: node.is_list() && node.children == 1 && !repeats,
            // Of these, older writers have no other node around an item.
            in_items: is_items
                && node.children == 1
                && node.name != "array"
                && !node.name.ends_with("_tuple"),
            depth: self.depth + 1,
        }
    }
}
