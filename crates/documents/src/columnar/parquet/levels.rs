//! The levels of a page: which values are null, and which start a list.

use parquet::column::page::Page;

use super::thrift::ThriftReader;

/// The max repetition level and definition level of a column.
#[derive(Clone, Copy)]
pub(super) struct ColumnLevels {
    pub(super) max: [i16; 2],
}

impl ColumnLevels {
    /// Whether the levels of a page of the second version are as long as its header states.
    pub(super) fn fit(self, page: &Page) -> bool {
        let Page::DataPageV2 {
            buf,
            num_values,
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } = page
        else {
            return true;
        };
        let lengths = [*rep_levels_byte_len as usize, *def_levels_byte_len as usize];
        let (repetitions, rest) = buf.split_at_checked(lengths[0]).unwrap_or_default();
        let definitions = rest.get(..lengths[1]).unwrap_or_default();
        [(repetitions, self.max[0]), (definitions, self.max[1])]
            .iter()
            .zip(lengths)
            .all(|((bytes, max), length)| {
                let width = (16 - max.leading_zeros()) as usize;
                bytes.len() == length && are_levels(bytes, width, *num_values as usize)
            })
    }

    /// The bytes of a page after its levels.
    pub(super) fn values(self, page: &Page) -> Option<&[u8]> {
        let mut bytes: &[u8] = page.buffer();
        if let Page::DataPageV2 {
            def_levels_byte_len,
            rep_levels_byte_len,
            ..
        } = page
        {
            let length = def_levels_byte_len.checked_add(*rep_levels_byte_len)?;
            return bytes.get(length as usize..);
        }
        for _ in self.max.iter().filter(|max| **max > 0) {
            let (length, rest) = bytes.split_first_chunk()?;
            bytes = rest.get(u32::from_le_bytes(*length) as usize..)?;
        }
        Some(bytes)
    }
}

/// Whether `bytes` are this many levels of `width` bits, in runs, and nothing more.
fn are_levels(bytes: &[u8], width: usize, count: usize) -> bool {
    let (mut reader, mut levels) = (ThriftReader(bytes), 0_usize);
    while levels < count && width > 0 {
        let Some(head) = reader.length() else {
            return false;
        };
        let (more, length) = match (head >> 1, head & 1) {
            (groups, 1) => (groups.saturating_mul(8), groups.saturating_mul(width)),
            (run, _) => (run, width.div_ceil(8)),
        };
        if more == 0 || reader.take(length).is_none() {
            return false;
        }
        levels = levels.saturating_add(more);
    }
    reader.0.is_empty()
}
