//! Writes Parquet files for tests and fuzzing, without the reader's code or the crate `parquet`.

use std::ops::Range;

use super::small_table::TableColumn;

/// How a file is written.
#[derive(Clone, Copy, Debug)]
pub struct ParquetStyle {
    pub dictionary: bool,
    /// Whether data pages have the second version.
    pub second: bool,
    /// Whether pages are packed with Snappy.
    pub packed: bool,
    /// Whether another encoding is stated for levels that are all 0 and not written. Then a column of texts without nulls
    /// is required.
    pub unused: bool,
    /// Rows of a row group, and of a page.
    pub group: usize,
    pub page: usize,
}

/// A file, and the ranges of its pages' headers.
pub struct ParquetBytes {
    pub bytes: Vec<u8>,
    pub headers: Vec<Range<usize>>,
    /// The footer, without its length and the magic number.
    pub footer: Range<usize>,
}

/// Types of Thrift's compact protocol.
const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// A structure of Thrift that is being written.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

impl Thrift {
    fn field(mut self, id: u8, kind: u8) -> Self {
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
        self
    }

    fn i32(self, id: u8, value: usize) -> Self {
        let mut this = self.field(id, I32);
        this.bytes.extend(varint(2 * value as u64));
        this
    }

    fn i64(self, id: u8, value: usize) -> Self {
        let mut this = self.field(id, I64);
        this.bytes.extend(varint(2 * value as u64));
        this
    }

    fn binary(self, id: u8, value: &[u8]) -> Self {
        let mut this = self.field(id, BINARY);
        this.bytes.extend(varint(value.len() as u64));
        this.bytes.extend(value);
        this
    }

    fn structure(self, id: u8, value: Thrift) -> Self {
        let mut this = self.field(id, STRUCT);
        this.bytes.extend(value.end());
        this
    }

    fn list(self, id: u8, values: Vec<Vec<u8>>) -> Self {
        let mut this = self.field(id, LIST);
        this.bytes.push(0xf0 | STRUCT);
        this.bytes.extend(varint(values.len() as u64));
        this.bytes.extend(values.concat());
        this
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

/// Packs with Snappy, without copies of earlier bytes.
fn snappy(bytes: &[u8]) -> Vec<u8> {
    let mut packed = varint(bytes.len() as u64);
    for piece in bytes.chunks(60) {
        packed.push((piece.len() as u8 - 1) << 2);
        packed.extend(piece);
    }
    packed
}

/// Encodes each number as a run of one.
fn runs(numbers: &[u32], width: usize) -> Vec<u8> {
    let run = |&number: &u32| [&[2], &number.to_le_bytes()[..width.div_ceil(8)]].concat();
    numbers.iter().flat_map(run).collect()
}

fn plain<'t>(texts: impl IntoIterator<Item = &'t &'t str>) -> Vec<u8> {
    let all = texts.into_iter();
    all.flat_map(|text| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat())
        .collect()
}

/// The levels and values of some rows.
struct Leveled<'t> {
    repetitions: Vec<u32>,
    definitions: Vec<u32>,
    values: Vec<&'t str>,
}

impl<'t> TableColumn<'t> {
    fn leveled(&self, rows: Range<usize>) -> Leveled<'t> {
        let mut all = Leveled {
            repetitions: Vec::new(),
            definitions: Vec::new(),
            values: Vec::new(),
        };
        for row in &self.rows[rows] {
            let texts = row.as_deref().unwrap_or_default();
            let shown = if self.is_list {
                texts
            } else {
                &texts[..texts.len().min(1)]
            };
            all.values.extend(shown);
            let full = 1 + u32::from(self.is_list);
            match shown {
                [] => {
                    all.repetitions.push(0);
                    all.definitions
                        .push(u32::from(self.is_list && row.is_some()));
                }
                _ => {
                    all.repetitions
                        .extend((0..shown.len()).map(|at| u32::from(at > 0)));
                    all.definitions.extend(shown.iter().map(|_| full));
                }
            }
        }
        all
    }

    /// Returns a length of 0 for each null, as fastparquet adds them.
    fn padding(&self, page: &Leveled<'_>, style: ParquetStyle) -> Vec<u8> {
        let nulls = page.definitions.len() - page.values.len();
        vec![
            0;
            if style.unused && !self.is_list {
                4 * nulls
            } else {
                0
            }
        ]
    }

    /// Whether its maximum definition level is 0.
    fn is_required(&self, style: ParquetStyle) -> bool {
        let is_text = |row: &Option<Vec<_>>| row.as_ref().is_some_and(|texts| !texts.is_empty());
        style.unused && !self.is_list && self.rows.iter().all(is_text)
    }

    fn schema(&self, style: ParquetStyle) -> Vec<Vec<u8>> {
        let name = self.name.as_bytes();
        let text = |repetition, name| {
            let leaf = Thrift::default().i32(1, 6).i32(3, repetition);
            leaf.binary(4, name).i32(6, 0).end()
        };
        match self.is_list {
            false => vec![text(usize::from(!self.is_required(style)), name)],
            true => {
                let list = Thrift::default()
                    .i32(3, 1)
                    .binary(4, name)
                    .i32(5, 1)
                    .i32(6, 3);
                let items = Thrift::default().i32(3, 2).binary(4, b"list").i32(5, 1);
                vec![list.end(), items.end(), text(0, b"element")]
            }
        }
    }
}

/// Writes columns, all with the same number of rows.
pub fn parquet(columns: &[TableColumn<'_>], style: ParquetStyle) -> ParquetBytes {
    let mut file = ParquetBytes {
        bytes: b"PAR1".to_vec(),
        headers: Vec::new(),
        footer: 0..0,
    };
    let count = columns.first().map_or(0, |column| column.rows.len());
    let mut groups = Vec::new();
    for start in (0..count).step_by(style.group) {
        let rows = start..count.min(start + style.group);
        let chunks = columns
            .iter()
            .map(|column| file.chunk(column, rows.clone(), style));
        let chunks = chunks.collect();
        groups.push(
            Thrift::default()
                .list(1, chunks)
                .i64(2, 0)
                .i64(3, rows.len())
                .end(),
        );
    }
    let root = Thrift::default()
        .binary(4, b"root")
        .i32(5, columns.len())
        .end();
    let schema = [
        vec![root],
        columns
            .iter()
            .flat_map(|column| column.schema(style))
            .collect(),
    ]
    .concat();
    let footer = Thrift::default()
        .i32(1, 1)
        .list(2, schema)
        .i64(3, count)
        .list(4, groups)
        .end();
    let start = file.bytes.len();
    file.footer = start..start + footer.len();
    file.bytes.extend(&footer);
    file.bytes.extend((footer.len() as u32).to_le_bytes());
    file.bytes.extend(b"PAR1");
    file
}

impl ParquetBytes {
    /// Writes the pages of a column in a row group. Returns their metadata.
    fn chunk(
        &mut self,
        column: &TableColumn<'_>,
        rows: Range<usize>,
        style: ParquetStyle,
    ) -> Vec<u8> {
        let start = self.bytes.len();
        let mut entries = column.leveled(rows.clone()).values;
        entries.sort_unstable();
        entries.dedup();
        if style.dictionary {
            let head = Thrift::default().i32(1, entries.len()).i32(2, 0);
            self.page(2, 7, head, &[], &plain(&entries), style);
        }
        let data = self.bytes.len();
        let count = column.leveled(rows.clone()).definitions.len();
        for from in rows.clone().step_by(style.page) {
            let leveled = column.leveled(from..rows.end.min(from + style.page));
            let index = |text: &&str| entries.binary_search(text).unwrap_or_default() as u32;
            let values = match style.dictionary {
                false => [plain(&leveled.values), column.padding(&leveled, style)].concat(),
                true => {
                    let numbers: Vec<u32> = leveled.values.iter().map(index).collect();
                    [&[16], &runs(&numbers, 16)[..]].concat()
                }
            };
            self.data_page(column, &leveled, &values, style);
        }
        let length = self.bytes.len() - start;
        let about = Thrift::default()
            .i32(1, 6)
            .i32(4, style.packed.into())
            .i64(5, count);
        let about = about.i64(6, 0).i64(7, length).i64(9, data);
        let about = if style.dictionary {
            about.i64(11, start)
        } else {
            about
        };
        Thrift::default().i64(2, 0).structure(3, about).end()
    }

    fn data_page(
        &mut self,
        column: &TableColumn<'_>,
        page: &Leveled<'_>,
        values: &[u8],
        style: ParquetStyle,
    ) {
        let encoding = if style.dictionary { 8 } else { 0 };
        let repetitions = match column.is_list {
            true => runs(&page.repetitions, 1),
            false => Vec::new(),
        };
        let is_required = column.is_required(style);
        let definitions = match is_required {
            true => Vec::new(),
            false => runs(&page.definitions, 2),
        };
        let count = page.definitions.len();
        if style.second {
            let head = Thrift::default()
                .i32(1, count)
                .i32(2, 0)
                .i32(3, count)
                .i32(4, encoding);
            let head = head.i32(5, definitions.len()).i32(6, repetitions.len());
            return self.page(
                3,
                8,
                head,
                &[repetitions, definitions].concat(),
                values,
                style,
            );
        }
        let prefixed = |levels: &[u8]| [&(levels.len() as u32).to_le_bytes(), levels].concat();
        let levels = match column.is_list {
            true => [prefixed(&repetitions), prefixed(&definitions)].concat(),
            false if is_required => Vec::new(),
            false => prefixed(&definitions),
        };
        // Runs, or bits that are packed.
        let levels_of = |is_unused: bool| if style.unused && is_unused { 4 } else { 3 };
        let head = Thrift::default()
            .i32(1, count)
            .i32(2, encoding)
            .i32(3, levels_of(is_required))
            .i32(4, levels_of(!column.is_list));
        self.page(0, 5, head, &[], &[&levels, values].concat(), style);
    }

    /// Writes a page after its header: the bytes that are not packed, and the others.
    fn page(
        &mut self,
        kind: usize,
        id: u8,
        head: Thrift,
        levels: &[u8],
        values: &[u8],
        style: ParquetStyle,
    ) {
        let body = match style.packed {
            true => [levels, &snappy(values)].concat(),
            false => [levels, values].concat(),
        };
        let header = Thrift::default()
            .i32(1, kind)
            .i32(2, levels.len() + values.len());
        let header = header.i32(3, body.len()).structure(id, head).end();
        let start = self.bytes.len();
        self.headers.push(start..start + header.len());
        self.bytes.extend(header);
        self.bytes.extend(body);
    }
}

/// Returns a style. Numbers below 16 give every style, by their bits.
pub fn style(bits: u8) -> ParquetStyle {
    ParquetStyle {
        dictionary: bits & 1 > 0,
        second: bits & 2 > 0,
        packed: bits & 4 > 0,
        unused: bits & 8 > 0,
        group: 5,
        page: 2,
    }
}
