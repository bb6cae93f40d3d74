//! Writes Arrow files and streams for tests and fuzzing, without the reader's code.

use std::ops::Range;

use super::small_table::TableColumn;

/// How a table is written.
#[derive(Clone, Copy, Debug)]
pub struct ArrowStyle {
    /// Whether it is a stream, not a file.
    pub stream: bool,
    /// Whether texts are in dictionaries. The second batch adds to the dictionary of the first, and in a stream the third
    /// replaces it.
    pub dictionary: bool,
    /// Whether texts are views, not between offsets.
    pub views: bool,
    /// Whether buffers are packed with zstd.
    pub packed: bool,
    /// Whether numbers have their highest byte first. Only stated, since readers stop there.
    pub big_endian: bool,
    /// Rows of a batch.
    pub batch: usize,
}

/// A table, and the ranges of its messages' metadata with the bytes before it.
pub struct ArrowBytes {
    pub bytes: Vec<u8>,
    pub metadata: Vec<Range<usize>>,
    /// The metadata at the end of a file.
    pub footer: Range<usize>,
}

/// A field of a table of FlatBuffers.
enum Value {
    Byte(u8),
    Short(i16),
    Int(i32),
    Long(i64),
    Text(String),
    Table(Fields),
    Tables(Vec<Fields>),
    /// Items of 8 bytes each. This many of them are one item of the vector.
    Longs(usize, Vec<i64>),
}

/// The fields of a table, with their numbers.
type Fields = Vec<(usize, Value)>;

/// Numbers of types.
const INT: u8 = 2;
const UTF8: u8 = 5;
const LIST: u8 = 12;
const UTF8_VIEW: u8 = 24;
/// Kinds of messages.
const SCHEMA: u8 = 1;
const DICTIONARY: u8 = 2;
const BATCH: u8 = 3;
/// The version of the metadata.
const V5: i16 = 4;

/// Encodes a table and all tables within it. Each field takes eight bytes.
fn encode(root: &Fields) -> Vec<u8> {
    let mut bytes = vec![0; 8];
    let at = put_table(&mut bytes, root);
    bytes[..4].copy_from_slice(&(at as u32).to_le_bytes());
    bytes
}

fn align(bytes: &mut Vec<u8>, rest: usize) {
    while bytes.len() % 8 != rest {
        bytes.push(0);
    }
}

fn put_table(bytes: &mut Vec<u8>, fields: &Fields) -> usize {
    let count = fields
        .iter()
        .map(|(number, _)| number + 1)
        .max()
        .unwrap_or(0);
    let length = 4 + 2 * count;
    align(bytes, (16 - length % 8) % 8);
    let start = bytes.len();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend((8 + 8 * fields.len() as u16).to_le_bytes());
    bytes.resize(start + length, 0);
    let at = bytes.len();
    bytes.extend((length as i32).to_le_bytes());
    bytes.resize(at + 8 + 8 * fields.len(), 0);
    for (slot, (number, value)) in fields.iter().enumerate() {
        let own = 8 + 8 * slot;
        bytes[start + 4 + 2 * number..][..2].copy_from_slice(&(own as u16).to_le_bytes());
        put_field(bytes, at + own, value);
    }
    at
}

/// Writes a field at `at`, and its target at the end.
fn put_field(bytes: &mut Vec<u8>, at: usize, value: &Value) {
    let set = |bytes: &mut Vec<u8>, value: &[u8]| bytes[at..][..value.len()].copy_from_slice(value);
    let to = match value {
        Value::Byte(value) => return set(bytes, &[*value]),
        Value::Short(value) => return set(bytes, &value.to_le_bytes()),
        Value::Int(value) => return set(bytes, &value.to_le_bytes()),
        Value::Long(value) => return set(bytes, &value.to_le_bytes()),
        Value::Table(fields) => put_table(bytes, fields),
        Value::Text(text) => {
            let to = put_count(bytes, text.len());
            bytes.extend(text.as_bytes());
            bytes.push(0);
            to
        }
        Value::Longs(size, items) => {
            let to = put_count(bytes, items.len() / size);
            bytes.extend(items.iter().flat_map(|item| item.to_le_bytes()));
            to
        }
        Value::Tables(tables) => {
            let to = put_count(bytes, tables.len());
            let slots = bytes.len();
            bytes.resize(slots + 4 * tables.len(), 0);
            for (number, fields) in tables.iter().enumerate() {
                let slot = slots + 4 * number;
                let offset = (put_table(bytes, fields) - slot) as u32;
                bytes[slot..slot + 4].copy_from_slice(&offset.to_le_bytes());
            }
            to
        }
    };
    set(bytes, &((to - at) as u32).to_le_bytes());
}

fn put_count(bytes: &mut Vec<u8>, count: usize) -> usize {
    align(bytes, 4);
    bytes.extend((count as u32).to_le_bytes());
    bytes.len() - 4
}

/// The nodes and buffers of a batch, with its body.
#[derive(Default)]
struct Body {
    rows: usize,
    nodes: Vec<i64>,
    buffers: Vec<i64>,
    variadic: Vec<i64>,
    bytes: Vec<u8>,
    packed: bool,
}

/// Makes a zstd frame with a block that is not compressed.
fn zstd(bytes: &[u8]) -> Vec<u8> {
    let size = (bytes.len() as u32).to_le_bytes();
    let block = ((bytes.len() as u32) << 3 | 1).to_le_bytes();
    [b"\x28\xb5\x2f\xfd\xa0", &size[..], &block[..3], bytes].concat()
}

impl Body {
    fn node(&mut self, valid: &[bool]) {
        let nulls = valid.iter().filter(|valid| !**valid).count();
        self.nodes.extend([valid.len() as i64, nulls as i64]);
        let mut bits = vec![0; valid.len().div_ceil(8)];
        for (number, valid) in valid.iter().enumerate() {
            bits[number / 8] |= u8::from(*valid) << (number % 8);
        }
        self.buffer(if nulls > 0 { &bits } else { &[] });
    }

    fn buffer(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as i64).to_le_bytes();
        let stored = match self.packed && !bytes.is_empty() {
            true => [&length[..], &zstd(bytes)].concat(),
            false => bytes.to_vec(),
        };
        self.buffers
            .extend([self.bytes.len() as i64, stored.len() as i64]);
        self.bytes.extend(stored);
        align(&mut self.bytes, 0);
    }

    fn offsets(&mut self, lengths: impl Iterator<Item = usize>) {
        let mut all = vec![0_u32];
        for length in lengths {
            all.push(all.last().copied().unwrap_or(0) + length as u32);
        }
        self.buffer(
            &all.iter()
                .flat_map(|end| end.to_le_bytes())
                .collect::<Vec<_>>(),
        );
    }

    fn texts(&mut self, texts: &[Option<&str>], views: bool) {
        self.node(&texts.iter().map(Option::is_some).collect::<Vec<_>>());
        let texts = || texts.iter().map(|text| text.unwrap_or_default());
        let mut data = Vec::new();
        if !views {
            self.offsets(texts().map(str::len));
            data.extend(texts().flat_map(str::bytes));
            return self.buffer(&data);
        }
        let mut all = Vec::new();
        for text in texts() {
            let start = all.len();
            all.extend((text.len() as u32).to_le_bytes());
            if text.len() <= 12 {
                all.extend(text.as_bytes());
            } else {
                all.extend(&text.as_bytes()[..4]);
                all.extend(0_u32.to_le_bytes());
                all.extend((data.len() as u32).to_le_bytes());
                data.extend(text.as_bytes());
            }
            all.resize(start + 16, 0);
        }
        self.buffer(&all);
        self.buffer(&data);
        self.variadic.push(1);
    }

    fn message(&self) -> Fields {
        let mut fields = vec![
            (0, Value::Long(self.rows as i64)),
            (1, Value::Longs(2, self.nodes.clone())),
            (2, Value::Longs(2, self.buffers.clone())),
        ];
        if self.packed {
            fields.push((
                3,
                Value::Table(vec![(0, Value::Byte(1)), (1, Value::Byte(0))]),
            ));
        }
        if !self.variadic.is_empty() {
            fields.push((4, Value::Longs(1, self.variadic.clone())));
        }
        fields
    }
}

/// Writes messages.
struct Writer {
    file: ArrowBytes,
    style: ArrowStyle,
    /// The blocks of dictionaries and of batches.
    blocks: [Vec<i64>; 2],
}

impl Writer {
    fn message(&mut self, kind: u8, header: Fields, body: &[u8]) {
        let mut metadata = encode(&vec![
            (0, Value::Short(V5)),
            (1, Value::Byte(kind)),
            (2, Value::Table(header)),
            (3, Value::Long(body.len() as i64)),
        ]);
        align(&mut metadata, 0);
        let bytes = &mut self.file.bytes;
        let start = bytes.len();
        bytes.extend(0xffff_ffff_u32.to_le_bytes());
        bytes.extend((metadata.len() as u32).to_le_bytes());
        bytes.extend(metadata);
        self.file.metadata.push(start..bytes.len());
        if kind != SCHEMA {
            let length = (bytes.len() - start) as i64;
            let block = [start as i64, length, body.len() as i64];
            self.blocks[usize::from(kind == BATCH)].extend(block);
        }
        bytes.extend(body);
    }

    fn body(&self) -> Body {
        Body {
            packed: self.style.packed,
            ..Body::default()
        }
    }

    fn dictionary(&mut self, id: usize, texts: &[&str], is_delta: bool) {
        let mut body = self.body();
        body.rows = texts.len();
        let texts: Vec<_> = texts.iter().map(|text| Some(*text)).collect();
        body.texts(&texts, self.style.views);
        let header = vec![
            (0, Value::Long(id as i64)),
            (1, Value::Table(body.message())),
            (2, Value::Byte(is_delta.into())),
        ];
        self.message(DICTIONARY, header, &body.bytes);
    }

    /// Writes texts, or their numbers in `known`.
    fn values(&self, body: &mut Body, texts: &[Option<&str>], known: &[&str]) {
        if !self.style.dictionary {
            return body.texts(texts, self.style.views);
        }
        body.node(&texts.iter().map(Option::is_some).collect::<Vec<_>>());
        let number = |text: &Option<&str>| known.iter().position(|one| Some(*one) == *text);
        let numbers = texts.iter().map(|text| number(text).unwrap_or(0) as u8);
        body.buffer(&numbers.collect::<Vec<_>>());
    }

    /// Returns the field of texts.
    fn field(&self, name: &str, id: usize) -> Fields {
        let kind = if self.style.views { UTF8_VIEW } else { UTF8 };
        let mut fields = vec![
            (0, Value::Text(name.to_owned())),
            (1, Value::Byte(1)),
            (2, Value::Byte(kind)),
            (3, Value::Table(Vec::new())),
        ];
        if self.style.dictionary {
            let index = vec![(0, Value::Int(8)), (1, Value::Byte(0))];
            let encoding = vec![(0, Value::Long(id as i64)), (1, Value::Table(index))];
            fields.push((4, Value::Table(encoding)));
        }
        fields
    }

    fn schema(&self, columns: &[TableColumn<'_>]) -> Fields {
        let number = vec![
            (0, Value::Text("number".into())),
            (2, Value::Byte(INT)),
            (
                3,
                Value::Table(vec![(0, Value::Int(32)), (1, Value::Byte(1))]),
            ),
        ];
        let mut fields = vec![number];
        for (id, column) in columns.iter().enumerate() {
            fields.push(match column.is_list {
                false => self.field(column.name, id),
                true => vec![
                    (0, Value::Text(column.name.to_owned())),
                    (1, Value::Byte(1)),
                    (2, Value::Byte(LIST)),
                    (3, Value::Table(Vec::new())),
                    (5, Value::Tables(vec![self.field("item", id)])),
                ],
            });
        }
        let order = i16::from(self.style.big_endian);
        vec![(0, Value::Short(order)), (1, Value::Tables(fields))]
    }

    fn batch(&mut self, columns: &[TableColumn<'_>], rows: Range<usize>, known: &[Vec<&str>]) {
        let mut body = self.body();
        body.rows = rows.len();
        body.node(&vec![true; rows.len()]);
        let numbers = rows.clone().flat_map(|row| (row as u32).to_le_bytes());
        body.buffer(&numbers.collect::<Vec<_>>());
        for (column, known) in columns.iter().zip(known) {
            let rows = &column.rows[rows.clone()];
            let texts = |row: &Option<Vec<_>>| row.clone().unwrap_or_default();
            if column.is_list {
                body.node(&rows.iter().map(Option::is_some).collect::<Vec<_>>());
                body.offsets(rows.iter().map(|row| texts(row).len()));
                let items: Vec<_> = rows.iter().flat_map(texts).map(Some).collect();
                self.values(&mut body, &items, known);
            } else {
                let texts = rows.iter().map(|row| texts(row).first().copied());
                self.values(&mut body, &texts.collect::<Vec<_>>(), known);
            }
        }
        let header = body.message();
        self.message(BATCH, header, &body.bytes);
    }

    /// Writes the texts that a batch adds to the dictionaries.
    fn dictionaries<'t>(
        &mut self,
        columns: &[TableColumn<'t>],
        (number, rows): (usize, Range<usize>),
        known: &mut [Vec<&'t str>],
    ) {
        for (id, column) in columns.iter().enumerate() {
            let replaces = number == 0 || self.style.stream && number > 1;
            if replaces {
                known[id].clear();
            }
            let texts = column.rows[rows.clone()].iter().flatten().flatten();
            let mut more = Vec::new();
            for &text in texts {
                if !known[id].contains(&text) && !more.contains(&text) {
                    more.push(text);
                }
            }
            if replaces || !more.is_empty() {
                self.dictionary(id, &more, !replaces);
            }
            known[id].extend(more);
        }
    }

    /// Writes the end of a stream, or of a file with its metadata.
    fn end(mut self, schema: Fields) -> ArrowBytes {
        self.file.bytes.extend(0xffff_ffff_u64.to_le_bytes());
        if self.style.stream {
            return self.file;
        }
        let [dictionaries, batches] = self.blocks;
        let footer = encode(&vec![
            (0, Value::Short(V5)),
            (1, Value::Table(schema)),
            (2, Value::Longs(3, dictionaries)),
            (3, Value::Longs(3, batches)),
        ]);
        let start = self.file.bytes.len();
        self.file.footer = start..start + footer.len();
        self.file.bytes.extend(&footer);
        self.file.bytes.extend((footer.len() as u32).to_le_bytes());
        self.file.bytes.extend(b"ARROW1");
        self.file
    }
}

/// Writes a column of numbers and these columns, which have the same number of rows.
pub fn arrow(columns: &[TableColumn<'_>], style: ArrowStyle) -> ArrowBytes {
    let start: &[u8] = if style.stream { b"" } else { b"ARROW1\0\0" };
    let mut writer = Writer {
        file: ArrowBytes {
            bytes: start.to_vec(),
            metadata: Vec::new(),
            footer: 0..0,
        },
        style,
        blocks: [Vec::new(), Vec::new()],
    };
    let schema = writer.schema(columns);
    writer.message(SCHEMA, schema, b"");
    let count = columns.first().map_or(0, |column| column.rows.len());
    let mut known = vec![Vec::new(); columns.len()];
    for (number, start) in (0..count).step_by(style.batch).enumerate() {
        let rows = start..count.min(start + style.batch);
        if style.dictionary {
            writer.dictionaries(columns, (number, rows.clone()), &mut known);
        }
        writer.batch(columns, rows, &known);
    }
    let schema = writer.schema(columns);
    writer.end(schema)
}

/// Returns a style. Numbers below 16 give every style, by their bits.
pub fn style(bits: u8) -> ArrowStyle {
    ArrowStyle {
        stream: bits & 1 > 0,
        dictionary: bits & 2 > 0,
        views: bits & 4 > 0,
        packed: bits & 8 > 0,
        big_endian: false,
        batch: 5,
    }
}
