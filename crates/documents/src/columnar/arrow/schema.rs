//! The columns of a table: the leaves of its schema, and which nodes and buffers of a batch each of them has.

use super::flatbuffer::FlatbufferTable;
use super::message::{LAST_VERSION_WITH_UNION_VALIDITY, RecordBatch};
use crate::columnar::choice::NamedColumn;
use crate::columnar::name::ColumnName;

/// Fields within one another, and fields in total.
const MAX_DEPTH: usize = 64;
const MAX_FIELDS: usize = 1 << 20;
/// Bytes of the paths of all fields: the name of a field is in the path of each field within it.
const MAX_PATH_BYTES: usize = 64 << 20;

const DAMAGED_SCHEMA: &str = "has a damaged schema";

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ArrowLeaf {
    pub(super) name: ColumnName,
    /// The fields that enclose it, from the outermost on.
    pub(super) layers: Vec<ArrowLayer>,
    pub(super) values: LeafValues,
    pub(super) place: ArrayPosition,
    /// Why its texts cannot be read.
    pub(super) unsupported: Option<&'static str>,
}

/// The place of an array in a batch: the numbers of its first node, of its first buffer without those of views before it, and of
/// arrays of views before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ArrayPosition {
    pub(super) node: usize,
    pub(super) buffer: usize,
    pub(super) views: usize,
}

/// A field that encloses others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArrowLayer {
    pub(super) kind: LayerKind,
    pub(super) place: ArrayPosition,
}

/// How an item of a field leads to items of the field within it. Offsets and ends of runs have a width in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayerKind {
    Struct,
    List(u8),
    ListView(u8),
    /// Lists of this many items.
    FixedList(u64),
    /// Runs of equal items.
    RunEndEncoded(u8),
}

/// The values of a column. Numbers have a width in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LeafValues {
    /// Texts between offsets.
    Texts(u8),
    Views,
    /// Texts of this many bytes.
    Fixed(usize),
    Integers(IntegerType),
    /// Numbers of entries in the dictionary with this identifier.
    Entries(IntegerType, i64),
}

/// The type of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IntegerType {
    pub(super) width: u8,
    pub(super) is_signed: bool,
}

/// A schema: the columns, and the dictionaries of texts.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ArrowSchema {
    pub(super) leaves: Vec<ArrowLeaf>,
    /// The identifiers of dictionaries with texts, and the kinds of their values.
    pub(super) dictionaries: Vec<(i64, LeafValues)>,
    /// The place after all arrays of a batch, which says how many there are.
    end: ArrayPosition,
}

impl NamedColumn for ArrowLeaf {
    fn name(&self) -> &ColumnName {
        &self.name
    }

    fn is_text(&self) -> bool {
        !matches!(self.values, LeafValues::Integers(_))
    }

    fn is_id(&self) -> bool {
        self.name.path.list_count() == 0 && self.unsupported.is_none()
    }
}

/// Numbers of types.
mod kind {
    pub(super) const NULL: u8 = 1;
    pub(super) const INT: u8 = 2;
    pub(super) const FLOAT: u8 = 3;
    pub(super) const BINARY: u8 = 4;
    pub(super) const UTF8: u8 = 5;
    pub(super) const BOOL: u8 = 6;
    pub(super) const INTERVAL: u8 = 11;
    pub(super) const LIST: u8 = 12;
    pub(super) const STRUCT: u8 = 13;
    pub(super) const UNION: u8 = 14;
    pub(super) const FIXED: u8 = 15;
    pub(super) const FIXED_LIST: u8 = 16;
    pub(super) const MAP: u8 = 17;
    pub(super) const DURATION: u8 = 18;
    pub(super) const LARGE_BINARY: u8 = 19;
    pub(super) const LARGE_UTF8: u8 = 20;
    pub(super) const LARGE_LIST: u8 = 21;
    pub(super) const RUN_END_ENCODED: u8 = 22;
    pub(super) const BINARY_VIEW: u8 = 23;
    pub(super) const UTF8_VIEW: u8 = 24;
    pub(super) const LIST_VIEW: u8 = 25;
    pub(super) const LARGE_LIST_VIEW: u8 = 26;
}

/// A field of the schema.
struct ArrowField<'b> {
    name: &'b str,
    kind: u8,
    /// The parameters of its type.
    about: Option<FlatbufferTable<'b>>,
    dictionary: Option<FlatbufferTable<'b>>,
    children: Vec<FlatbufferTable<'b>>,
}

/// The properties that a field inherits from the fields around it.
#[derive(Clone, Default)]
struct EnclosingField {
    name: ColumnName,
    layers: Vec<ArrowLayer>,
    unsupported: Option<&'static str>,
    /// Whether the name of the field has no meaning.
    is_item: bool,
    depth: usize,
}

impl ArrowSchema {
    /// Reads a schema, of metadata of this version.
    ///
    /// # Errors
    /// If it is damaged or has a type that is not supported, or is written by a machine with another order of bytes.
    pub(super) fn parse(
        table: FlatbufferTable<'_>,
        version: i16,
    ) -> Result<ArrowSchema, &'static str> {
        if table.short(0).ok_or(DAMAGED_SCHEMA)? != 0 {
            return Err(
                "has big-endian numbers, which are not supported; write it with little-endian numbers",
            );
        }
        let mut reader = SchemaReader {
            schema: ArrowSchema::default(),
            next: ArrayPosition::default(),
            version,
            fields: 0,
            bytes: 0,
        };
        for field in tables(&table, 1).ok_or(DAMAGED_SCHEMA)? {
            reader.field(field, &EnclosingField::default())?;
        }
        reader.schema.end = reader.next;
        Ok(reader.schema)
    }

    /// Whether a batch has the arrays and buffers of this schema.
    pub(super) fn fits(&self, batch: &RecordBatch<'_>) -> bool {
        let (nodes, buffers, views) = batch.counts();
        (nodes, buffers) == (self.end.node, self.end.buffer + views)
    }
}

fn tables<'b>(table: &FlatbufferTable<'b>, number: usize) -> Option<Vec<FlatbufferTable<'b>>> {
    let all = table.vector(number, 4)?;
    (0..all.len()).map(|number| all.table(number)).collect()
}

impl<'b> ArrowField<'b> {
    fn parse(table: FlatbufferTable<'b>) -> Option<Self> {
        Some(ArrowField {
            name: table.text(0)?,
            kind: table.byte(2)?,
            about: table.table(3)?,
            dictionary: table.table(4)?,
            children: tables(&table, 5)?,
        })
    }

    /// A number among the parameters of its type, which is not negative.
    fn size(&self) -> Option<u32> {
        self.about?.int(0)?.try_into().ok()
    }

    /// Returns the kind of the values, or `None` if they are neither texts nor integers.
    fn values(&self) -> Option<LeafValues> {
        Some(match self.kind {
            kind::BINARY | kind::UTF8 => LeafValues::Texts(4),
            kind::LARGE_BINARY | kind::LARGE_UTF8 => LeafValues::Texts(8),
            kind::BINARY_VIEW | kind::UTF8_VIEW => LeafValues::Views,
            kind::FIXED => LeafValues::Fixed(self.size().filter(|&size| size > 0)? as usize),
            kind::INT => LeafValues::Integers(integer(self.about?)?),
            _ => return None,
        })
    }
}

fn integer(table: FlatbufferTable<'_>) -> Option<IntegerType> {
    let width = match table.int(0)? {
        bits @ (8 | 16 | 32 | 64) => (bits / 8) as u8,
        _ => return None,
    };
    let is_signed = table.byte(1)? != 0;
    Some(IntegerType { width, is_signed })
}

/// Reads the fields in their order.
struct SchemaReader {
    schema: ArrowSchema,
    /// The place of the next field.
    next: ArrayPosition,
    version: i16,
    fields: usize,
    /// Bytes of all paths.
    bytes: usize,
}

impl SchemaReader {
    /// Skips an array with this many buffers, and views if it has them. Returns its place.
    fn take_array(&mut self, buffers: usize, has_views: bool) -> ArrayPosition {
        let place = self.next;
        self.next = ArrayPosition {
            node: place.node + 1,
            buffer: place.buffer + buffers,
            views: place.views + usize::from(has_views),
        };
        place
    }

    fn parse<'b>(
        &mut self,
        table: FlatbufferTable<'b>,
        above: &EnclosingField,
    ) -> Result<ArrowField<'b>, &'static str> {
        let field = ArrowField::parse(table).ok_or(DAMAGED_SCHEMA)?;
        self.fields += 1;
        self.bytes += above.name.schema_name_length() + field.name.len();
        let fits =
            above.depth <= MAX_DEPTH && self.fields <= MAX_FIELDS && self.bytes <= MAX_PATH_BYTES;
        fits.then_some(field)
            .ok_or("has fields that are nested too deep")
    }

    fn field(
        &mut self,
        table: FlatbufferTable<'_>,
        above: &EnclosingField,
    ) -> Result<(), &'static str> {
        let field = self.parse(table, above)?;
        let own = above.below(field.name);
        if let Some(dictionary) = field.dictionary {
            return self.dictionary(&field, dictionary, own);
        }
        let (buffers, has_views) = match field.kind {
            kind::NULL | kind::RUN_END_ENCODED => (0, false),
            kind::STRUCT | kind::FIXED_LIST => (1, false),
            kind::LIST | kind::LARGE_LIST | kind::MAP => (2, false),
            kind::INT | kind::FIXED | kind::FLOAT | kind::BOOL..=kind::INTERVAL => (2, false),
            kind::DURATION => (2, false),
            kind::BINARY | kind::UTF8 | kind::LARGE_BINARY | kind::LARGE_UTF8 => (3, false),
            kind::LIST_VIEW | kind::LARGE_LIST_VIEW => (3, false),
            kind::BINARY_VIEW | kind::UTF8_VIEW => (2, true),
            kind::UNION => {
                let mode = field
                    .about
                    .ok_or(DAMAGED_SCHEMA)?
                    .short(0)
                    .ok_or(DAMAGED_SCHEMA)?;
                let validity = usize::from(self.version <= LAST_VERSION_WITH_UNION_VALIDITY);
                (1 + validity + usize::from(mode == 1), false)
            }
            _ => return Err("has a column of a type that is not supported"),
        };
        let place = self.take_array(buffers, has_views);
        match field.values() {
            Some(values) => self.add(own, values, place),
            None => self.children(&field, own, place)?,
        }
        Ok(())
    }

    fn add(&mut self, own: EnclosingField, values: LeafValues, place: ArrayPosition) {
        self.schema.leaves.push(ArrowLeaf {
            name: own.name,
            layers: own.layers,
            values,
            place,
            unsupported: own.unsupported,
        });
    }

    /// A column of numbers of entries in a dictionary.
    fn dictionary(
        &mut self,
        field: &ArrowField<'_>,
        encoding: FlatbufferTable<'_>,
        mut own: EnclosingField,
    ) -> Result<(), &'static str> {
        let place = self.take_array(2, false);
        let id = encoding.long(0).ok_or(DAMAGED_SCHEMA)?;
        let index = match encoding.table(1).ok_or(DAMAGED_SCHEMA)? {
            Some(table) => integer(table).ok_or(DAMAGED_SCHEMA)?,
            None => IntegerType {
                width: 4,
                is_signed: true,
            },
        };
        match field.values() {
            Some(LeafValues::Integers(_)) => return Ok(()),
            Some(values) => self.schema.dictionaries.push((id, values)),
            None if self.has_text(field, &own)? => {
                own.unsupported =
                    Some("its dictionary has lists or structures, which is not supported");
            }
            None => return Ok(()),
        }
        self.add(own, LeafValues::Entries(index, id), place);
        Ok(())
    }

    /// Whether a field within `field` has texts.
    fn has_text(
        &mut self,
        field: &ArrowField<'_>,
        own: &EnclosingField,
    ) -> Result<bool, &'static str> {
        for &child in &field.children {
            let child = self.parse(child, own)?;
            let values = child.values();
            let is_text = values.is_some_and(|values| !matches!(values, LeafValues::Integers(_)));
            if is_text || self.has_text(&child, &own.below(child.name))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The fields within one that has no values itself.
    fn children(
        &mut self,
        field: &ArrowField<'_>,
        mut own: EnclosingField,
        place: ArrayPosition,
    ) -> Result<(), &'static str> {
        let kind = match field.kind {
            kind::STRUCT => LayerKind::Struct,
            kind::LIST | kind::MAP => LayerKind::List(4),
            kind::LARGE_LIST => LayerKind::List(8),
            kind::LIST_VIEW => LayerKind::ListView(4),
            kind::LARGE_LIST_VIEW => LayerKind::ListView(8),
            kind::FIXED_LIST => LayerKind::FixedList(field.size().ok_or(DAMAGED_SCHEMA)?.into()),
            kind::RUN_END_ENCODED => return self.run_end_encoded(field, own, place),
            kind::UNION => {
                own.unsupported = Some("it is in a union, which is not supported");
                return self.read_children(field, &own);
            }
            _ => return Ok(()),
        };
        own.layers.push(ArrowLayer { kind, place });
        if kind != LayerKind::Struct {
            own.name.path = own.name.path.item();
            own.is_item = true;
            if field.children.len() != 1 {
                return Err(DAMAGED_SCHEMA);
            }
        }
        self.read_children(field, &own)
    }

    fn read_children(
        &mut self,
        field: &ArrowField<'_>,
        own: &EnclosingField,
    ) -> Result<(), &'static str> {
        let mut all = field.children.iter();
        all.try_for_each(|&child| self.field(child, own))
    }

    /// A field with the ends of runs, and one with their values.
    fn run_end_encoded(
        &mut self,
        field: &ArrowField<'_>,
        mut own: EnclosingField,
        place: ArrayPosition,
    ) -> Result<(), &'static str> {
        let [ends, values] = field.children[..] else {
            return Err(DAMAGED_SCHEMA);
        };
        let ends = self.parse(ends, &own)?;
        let Some(LeafValues::Integers(ends)) = ends.values() else {
            return Err(DAMAGED_SCHEMA);
        };
        self.take_array(2, false);
        own.layers.push(ArrowLayer {
            kind: LayerKind::RunEndEncoded(ends.width),
            place,
        });
        own.is_item = true;
        self.field(values, &own)
    }
}

impl EnclosingField {
    /// Returns the properties that the fields within the one called `name` inherit.
    fn below(&self, name: &str) -> EnclosingField {
        EnclosingField {
            name: self.name.child(name, self.is_item),
            layers: self.layers.clone(),
            unsupported: self.unsupported,
            is_item: false,
            depth: self.depth + 1,
        }
    }
}
