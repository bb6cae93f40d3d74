//! Sizes in the metadata of Parquet files, in the compact protocol of Thrift. They are checked before the crate `parquet` reads
//! the metadata: it takes memory by the sizes of pages, and calls itself for each level of a schema.

/// Types of fields.
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;
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

/// Whether the groups of the schema in the metadata of a file are not nested too deep, and the paths of its columns, with the
/// name of each group in all that are in it, have at most `max` bytes in total.
pub(super) fn is_schema_bounded(metadata: &[u8], max: usize) -> bool {
    bounded_schema(metadata, max).is_some()
}

fn bounded_schema(metadata: &[u8], max: usize) -> Option<()> {
    let (mut reader, mut last) = (ThriftReader(metadata), 0);
    while let Some((number, kind)) = reader.field(&mut last)? {
        if (number, kind) != (2, LIST) {
            reader.skip(kind, MAX_VALUE_DEPTH)?;
            continue;
        }
        let (count, kind) = reader.list()?;
        if kind != STRUCT {
            return None;
        }
        // For each group that encloses the next node: how many nodes it still has, and the length of its path.
        let mut groups: Vec<(i64, usize)> = Vec::new();
        let mut bytes = 0_usize;
        for _ in 0..count {
            let (name, children) = schema_node(&mut reader)?;
            let path = groups.last().map_or(0, |group| group.1) + name;
            bytes = bytes.checked_add(path).filter(|&bytes| bytes <= max)?;
            if let Some(group) = groups.last_mut() {
                group.0 -= 1;
            }
            groups.push((children, path));
            groups.truncate(
                groups
                    .iter()
                    .rposition(|group| group.0 > 0)
                    .map_or(0, |at| at + 1),
            );
            if groups.len() > MAX_SCHEMA_DEPTH {
                return None;
            }
        }
        return Some(());
    }
    None
}

/// Reads a node of a schema. Returns the length of its name, and the number of its children.
fn schema_node(reader: &mut ThriftReader<'_>) -> Option<(usize, i64)> {
    let (mut last, mut name, mut children) = (0, 0, 0);
    while let Some((number, kind)) = reader.field(&mut last)? {
        match number {
            4 if kind == BINARY => {
                name = reader.length()?;
                reader.take(name)?;
            }
            5 => children = reader.integer()?,
            _ => reader.skip(kind, MAX_VALUE_DEPTH)?,
        }
    }
    Some((name, children))
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
        assert!(is_schema_bounded(&flat, 15));
        assert!(!is_schema_bounded(&flat, 14));
        let nested = |depth| metadata(&vec![(1, 1); depth]);
        assert!(is_schema_bounded(&nested(64), 1 << 20));
        assert!(!is_schema_bounded(&nested(65), 1 << 20));
        assert!(!is_schema_bounded(&flat[..flat.len() - 3], 1 << 20));
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
