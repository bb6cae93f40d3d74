//! Sizes in the metadata of Parquet files, in the compact protocol of Thrift. They are checked before the crate `parquet` reads
//! the metadata: it takes memory by the sizes of pages, and calls itself for each level of a schema.

/// Types of fields.
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
/// The fields of the metadata with the schema, and with how columns are encrypted.
const SCHEMA_FIELD: i64 = 2;
const ENCRYPTION_FIELD: i64 = 8;
/// The types of columns without values, as Arrow wrote it until 2019, and of whole numbers, as they are in the file.
const NULL_TYPE: u8 = 24 << 1;
const WHOLE_NUMBER_TYPE: u8 = 17 << 1;
/// Values within one another.
const MAX_VALUE_DEPTH: usize = 16;
/// Groups of a schema within one another.
const MAX_SCHEMA_DEPTH: usize = 64;
/// The number of the type of a page that holds a dictionary, and the fields of headers that describe pages of each type.
const DICTIONARY_PAGE: i64 = 2;
const PAGE_FIELDS: [i64; 4] = [5, 6, 7, 8];
/// The field with the checksum of a page.
const CHECKSUM_FIELD: i64 = 4;

/// Bytes that are read from the start on. Methods return `None` if they end or are damaged.
pub(super) struct ThriftReader<'b>(pub(super) &'b [u8]);

impl<'b> ThriftReader<'b> {
    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(super) fn integer(&mut self) -> Option<i64> {
        let number = self.varint()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(super) fn length(&mut self) -> Option<usize> {
        self.varint()?.try_into().ok()
    }

    /// The number and type of the next field of a structure. `None` within the result at its end.
    fn field(&mut self, last: &mut i64) -> Option<Option<(i64, u8)>> {
        let head = self.byte()?;
        if head == 0 {
            return Some(None);
        }
        *last = match head >> 4 {
            0 => self.integer()?,
            step => last.checked_add(step.into())?,
        };
        Some(Some((*last, head & 0xf)))
    }

    /// The number and type of the items of a list.
    fn list(&mut self) -> Option<(usize, u8)> {
        let head = self.byte()?;
        let count = match head >> 4 {
            0xf => self.length()?,
            count => count.into(),
        };
        Some((count, head & 0xf))
    }

    /// Passes over a value of a field.
    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            1 | 2 => {}
            3 => drop(self.byte()?),
            4..=6 => drop(self.varint()?),
            7 => drop(self.take(8)?),
            BINARY => {
                let length = self.length()?;
                self.take(length)?;
            }
            LIST | 10 => {
                let (count, kind) = self.list()?;
                for _ in 0..count {
                    // A truth value has a byte of its own here.
                    self.skip(if kind <= 2 { 3 } else { kind }, depth)?;
                }
            }
            STRUCT => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip(kind, depth)?;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

/// What the header of a page says about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PageSizes {
    pub(super) is_dictionary: bool,
    pub(super) unpacked: usize,
    pub(super) packed: usize,
}

impl PageSizes {
    /// Reads the start of the header of a page. Returns `None` if it does not go on with the field for its type, without which
    /// the crate panics.
    pub(super) fn parse(header: &[u8]) -> Option<Self> {
        let (mut reader, mut last) = (ThriftReader(header), 0);
        let mut next = |number| {
            let field = reader.field(&mut last)??;
            (field.0 == number).then(|| reader.integer())?
        };
        let kind = next(1)?;
        let sizes = PageSizes {
            is_dictionary: kind == DICTIONARY_PAGE,
            unpacked: next(2)?.try_into().ok()?,
            packed: next(3)?.try_into().ok()?,
        };
        let mut field = reader.field(&mut last)??;
        if field.0 == CHECKSUM_FIELD {
            reader.skip(field.1, MAX_VALUE_DEPTH)?;
            field = reader.field(&mut last)??;
        }
        let described = PAGE_FIELDS.get(usize::try_from(kind).ok()?);
        (Some(&field.0) == described && field.1 == STRUCT).then_some(sizes)
    }
}

/// What was found in the metadata of a file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct MetadataCheck {
    /// Positions of the type of columns without values, which has no name in the format.
    null_types: Vec<usize>,
    /// Whether columns are encrypted.
    pub(super) is_encrypted: bool,
}

impl MetadataCheck {
    /// Reads the metadata of a file. Returns `None` if it is damaged, the groups of its schema are nested too deep, or the paths
    /// of its columns, with the name of each group in all that are in it, have more than `max` bytes in total.
    pub(super) fn of(metadata: &[u8], max: usize) -> Option<Self> {
        let (mut reader, mut last) = (ThriftReader(metadata), 0);
        let (mut check, mut has_schema) = (MetadataCheck::default(), false);
        while let Some((number, kind)) = reader.field(&mut last)? {
            match (number, kind) {
                (SCHEMA_FIELD, LIST) => {
                    check.schema(&mut reader, metadata.len(), max)?;
                    has_schema = true;
                }
                _ => reader.skip(kind, MAX_VALUE_DEPTH)?,
            }
            check.is_encrypted |= number == ENCRYPTION_FIELD;
        }
        has_schema.then_some(check)
    }

    /// Reads a schema in metadata of `length` bytes.
    fn schema(&mut self, reader: &mut ThriftReader<'_>, length: usize, max: usize) -> Option<()> {
        let (count, kind) = reader.list()?;
        if kind != STRUCT {
            return None;
        }
        // For each group that encloses the next node: how many nodes it still has, and the length of its path.
        let mut groups: Vec<(i64, usize)> = Vec::new();
        let mut bytes = 0_usize;
        for _ in 0..count {
            let node = SchemaNode::read(reader)?;
            let null_type = node.null_type.map(|left| length - left);
            self.null_types.extend(null_type);
            let path = groups.last().map_or(0, |group| group.1) + node.name;
            bytes = bytes.checked_add(path).filter(|&bytes| bytes <= max)?;
            if let Some(group) = groups.last_mut() {
                group.0 -= 1;
            }
            groups.push((node.children, path));
            let open = groups.iter().rposition(|group| group.0 > 0);
            groups.truncate(open.map_or(0, |at| at + 1));
            if groups.len() > MAX_SCHEMA_DEPTH {
                return None;
            }
        }
        Some(())
    }

    /// Gives columns without values the type of whole numbers, which they are stored as. The crate refuses the file otherwise.
    pub(super) fn name_types(&self, metadata: &mut [u8]) {
        for &at in &self.null_types {
            metadata[at] = WHOLE_NUMBER_TYPE;
        }
    }
}

/// A node of a schema.
#[derive(Default)]
struct SchemaNode {
    /// Length of its name.
    name: usize,
    children: i64,
    /// Bytes of the metadata from its type on, if that is of columns without values.
    null_type: Option<usize>,
}

impl SchemaNode {
    fn read(reader: &mut ThriftReader<'_>) -> Option<Self> {
        let (mut last, mut node) = (0, SchemaNode::default());
        while let Some((number, kind)) = reader.field(&mut last)? {
            match number {
                4 if kind == BINARY => {
                    node.name = reader.length()?;
                    reader.take(node.name)?;
                }
                5 => node.children = reader.integer()?,
                6 if reader.0.first() == Some(&NULL_TYPE) => {
                    node.null_type = Some(reader.0.len());
                    reader.skip(kind, MAX_VALUE_DEPTH)?;
                }
                _ => reader.skip(kind, MAX_VALUE_DEPTH)?,
            }
        }
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The metadata of a file with a version and these nodes, each with the length of its name and its number of children.
    fn metadata(nodes: &[(usize, u8)]) -> Vec<u8> {
        let node = |(name, children): &(usize, u8)| {
            let name = vec![b'n'; *name];
            [
                &[0x48, name.len() as u8][..],
                &name,
                &[0x15, 2 * children, 0],
            ]
            .concat()
        };
        let nodes: Vec<Vec<u8>> = nodes.iter().map(node).collect();
        [
            &[0x15, 4, 0x19, 0xfc, nodes.len() as u8][..],
            &nodes.concat(),
            &[0],
        ]
        .concat()
    }

    #[test]
    fn a_schema_is_bounded_in_depth_and_in_the_length_of_its_paths() {
        let flat = metadata(&[(1, 2), (5, 0), (7, 0)]);
        let is_bounded = |metadata: &[u8], max| MetadataCheck::of(metadata, max).is_some();
        assert!(is_bounded(&flat, 15));
        assert!(!is_bounded(&flat, 14));
        let nested = |depth| metadata(&vec![(1, 1); depth]);
        assert!(is_bounded(&nested(64), 1 << 20));
        assert!(!is_bounded(&nested(65), 1 << 20));
        assert!(!is_bounded(&flat[..flat.len() - 3], 1 << 20));
    }

    #[test]
    fn the_type_of_columns_without_values_becomes_one_with_a_name() {
        // A version, and a schema of a group and a column `n` with this type, in a file that is not encrypted.
        let of_type = |kind: u8| {
            let column = [0x15, 2, 0x38, 1, b'n', 0x25, kind, 0];
            [
                &[0x15, 4, 0x19, 0x2c, 0x48, 1, b'n', 0x15, 2, 0][..],
                &column,
                &[0],
            ]
            .concat()
        };
        let mut metadata = of_type(NULL_TYPE);
        let check = MetadataCheck::of(&metadata, 100).unwrap();
        assert!(!check.is_encrypted);
        check.name_types(&mut metadata);
        assert_eq!(metadata, of_type(WHOLE_NUMBER_TYPE));
    }

    #[test]
    fn the_metadata_says_whether_columns_are_encrypted() {
        let mut metadata = metadata(&[(1, 0)]);
        let end = metadata.pop();
        metadata.extend([0x6c, 0, end.unwrap()]);
        assert!(MetadataCheck::of(&metadata, 100).unwrap().is_encrypted);
    }

    #[test]
    fn a_header_states_the_sizes_of_its_page() {
        let sizes = PageSizes {
            is_dictionary: true,
            unpacked: 300,
            packed: 20,
        };
        assert_eq!(
            PageSizes::parse(&[0x15, 4, 0x15, 0xd8, 4, 0x15, 40, 0x4c]),
            Some(sizes)
        );
        let of_values = [0x15, 4, 0x15, 0xd8, 4, 0x15, 40, 0x2c];
        assert_eq!(PageSizes::parse(&of_values), None);
        assert_eq!(
            PageSizes::parse(&[0x15, 4, 0x15, 0xd7, 4, 0x15, 40, 0x4c]),
            None
        );
        assert_eq!(PageSizes::parse(&[0x15, 4, 0x15]), None);
    }
}
