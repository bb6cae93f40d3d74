//! Writes small tables as Parquet and Arrow files, for tests and fuzzing.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::StringDictionaryBuilder;
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, Int32Array, ListArray, RecordBatch, StringArray, StringViewArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_ipc::writer::{DictionaryHandling, FileWriter, IpcWriteOptions, StreamWriter};
use arrow_ipc::{CompressionType, root_as_message};
use arrow_schema::Field;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaDataReader};
use parquet::file::properties::{WriterProperties, WriterVersion};

use super::small_table::TableColumn;

/// Rows of a row group, and of a batch.
const PART_ROWS: usize = 5;

/// How a Parquet file is written.
#[derive(Clone, Copy, Debug)]
pub struct ParquetStyle {
    pub dictionary: bool,
    /// Whether data pages have the second version.
    pub second: bool,
    /// Whether pages are packed with Snappy.
    pub packed: bool,
    /// Rows of a row group.
    pub group: usize,
}

/// A Parquet file, and the ranges of its pages' headers.
pub struct ParquetBytes {
    pub bytes: Vec<u8>,
    pub headers: Vec<Range<usize>>,
    /// The footer, without its length and the magic number.
    pub footer: Range<usize>,
}

/// How an Arrow table is written.
#[derive(Clone, Copy, Debug)]
pub struct ArrowStyle {
    /// Whether it is a stream, not a file.
    pub stream: bool,
    /// Whether texts are in dictionaries. Later batches add to those of the first.
    pub dictionary: bool,
    /// Whether texts are views, not between offsets.
    pub views: bool,
    /// Whether buffers are packed with zstd.
    pub packed: bool,
}

/// An Arrow table, and the ranges of its messages' metadata with the bytes before it.
pub struct ArrowBytes {
    pub bytes: Vec<u8>,
    pub metadata: Vec<Range<usize>>,
    /// The metadata at the end of a file.
    pub footer: Range<usize>,
}

/// The types of texts.
#[derive(Clone, Copy)]
enum TextType {
    Plain,
    Views,
    Dictionary,
}

/// Returns a style. Numbers below 8 give every style, by their bits.
pub fn parquet_style(bits: u8) -> ParquetStyle {
    ParquetStyle {
        dictionary: bits & 1 > 0,
        second: bits & 2 > 0,
        packed: bits & 4 > 0,
        group: PART_ROWS,
    }
}

/// Returns a style. Numbers below 16 give every style, by their bits.
pub fn arrow_style(bits: u8) -> ArrowStyle {
    ArrowStyle {
        stream: bits & 1 > 0,
        dictionary: bits & 2 > 0,
        views: bits & 4 > 0,
        packed: bits & 8 > 0,
    }
}

/// Returns rows of a table. Dictionaries have the texts of earlier calls too. `item` is the name of items of lists.
fn batch(
    columns: &[TableColumn<'_>],
    rows: Range<usize>,
    kind: TextType,
    dictionaries: &mut [StringDictionaryBuilder<Int32Type>],
    item: &str,
) -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(
        rows.clone().map(|row| row as i32),
    ));
    let array = |(column, dictionary): (&TableColumn<'_>, &mut _)| {
        let cells = &column.rows[rows.clone()];
        let lists = cells.iter().map(|cell| cell.as_deref().unwrap_or_default());
        let array = if column.is_list {
            let texts = values(
                lists.clone().flatten().copied().map(Some).collect(),
                kind,
                dictionary,
            );
            let field = Field::new(item, texts.data_type().clone(), true);
            let offsets = OffsetBuffer::from_lengths(lists.map(<[&str]>::len));
            let nulls = NullBuffer::from_iter(cells.iter().map(Option::is_some));
            Arc::new(ListArray::new(Arc::new(field), offsets, texts, Some(nulls)))
        } else {
            values(
                lists.map(|list| list.first().copied()).collect(),
                kind,
                dictionary,
            )
        };
        (column.name.to_owned(), array, true)
    };
    let texts = columns.iter().zip(dictionaries).map(array);
    let number = ("number".to_owned(), numbers, false);
    RecordBatch::try_from_iter_with_nullable(std::iter::once(number).chain(texts)).unwrap()
}

fn values(
    texts: Vec<Option<&str>>,
    kind: TextType,
    dictionary: &mut StringDictionaryBuilder<Int32Type>,
) -> ArrayRef {
    match kind {
        TextType::Plain => Arc::new(StringArray::from_iter(texts)),
        TextType::Views => Arc::new(StringViewArray::from_iter(texts)),
        TextType::Dictionary => {
            dictionary.extend(texts);
            Arc::new(dictionary.finish_preserve_values())
        }
    }
}

fn row_count(columns: &[TableColumn<'_>]) -> usize {
    columns.first().map_or(0, |column| column.rows.len())
}

/// Writes a column of numbers and these columns, which have the same number of rows.
pub fn parquet(columns: &[TableColumn<'_>], style: ParquetStyle) -> ParquetBytes {
    let version = match style.second {
        true => WriterVersion::PARQUET_2_0,
        false => WriterVersion::PARQUET_1_0,
    };
    let codec = match style.packed {
        true => Compression::SNAPPY,
        false => Compression::UNCOMPRESSED,
    };
    let properties = WriterProperties::builder()
        .set_writer_version(version)
        .set_compression(codec)
        .set_dictionary_enabled(style.dictionary)
        .set_max_row_group_row_count(Some(style.group));
    let options = ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_skip_arrow_metadata(true);
    let mut dictionaries: Vec<_> = columns.iter().map(|_| Default::default()).collect();
    let rows = 0..row_count(columns);
    let batch = batch(columns, rows, TextType::Plain, &mut dictionaries, "element");
    let mut bytes = Vec::new();
    let writer = ArrowWriter::try_new_with_options(&mut bytes, batch.schema(), options);
    let mut writer = writer.unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let end = bytes.len() - 8;
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
    let footer = end - length as usize..end;
    let metadata = ParquetMetaDataReader::decode_metadata(&bytes[footer.clone()]).unwrap();
    let chunks = metadata
        .row_groups()
        .iter()
        .flat_map(|group| group.columns());
    let headers = chunks
        .flat_map(|chunk| page_headers(&bytes, chunk))
        .collect();
    ParquetBytes {
        bytes,
        headers,
        footer,
    }
}

/// The headers of the pages of a column, of which only one has values.
fn page_headers(bytes: &[u8], chunk: &ColumnChunkMetaData) -> Vec<Range<usize>> {
    let (start, length) = chunk.byte_range();
    let data = chunk.data_page_offset() as usize;
    let end = (start + length) as usize;
    let header = |page: Range<usize>| page.start..page.end - packed_size(&bytes[page]);
    let pages = [start as usize..data, data..end].into_iter();
    pages.filter(|page| !page.is_empty()).map(header).collect()
}

/// The third number of a header: the size of the page after it.
fn packed_size(page: &[u8]) -> usize {
    let mut rest = page;
    let mut size = 0;
    for _ in 0..3 {
        size = 0;
        let length = 1 + rest[1..].iter().position(|byte| byte & 0x80 == 0).unwrap();
        for byte in rest[1..=length].iter().rev() {
            size = size << 7 | usize::from(byte & 0x7f);
        }
        rest = &rest[length + 1..];
    }
    size / 2
}

/// Writes a column of numbers and these columns, which have the same number of rows.
pub fn arrow(columns: &[TableColumn<'_>], style: ArrowStyle) -> ArrowBytes {
    let kind = match (style.dictionary, style.views) {
        (true, _) => TextType::Dictionary,
        (false, true) => TextType::Views,
        (false, false) => TextType::Plain,
    };
    let mut dictionaries: Vec<_> = columns.iter().map(|_| Default::default()).collect();
    let count = row_count(columns);
    let starts = (0..count.max(1)).step_by(PART_ROWS);
    let rows = starts.map(|start| start..count.min(start + PART_ROWS));
    let batches = rows.map(|rows| batch(columns, rows, kind, &mut dictionaries, "item"));
    let batches: Vec<RecordBatch> = batches.collect();
    let codec = style.packed.then_some(CompressionType::ZSTD);
    let options = IpcWriteOptions::default()
        .with_dictionary_handling(DictionaryHandling::Delta)
        .try_with_compression(codec)
        .unwrap();
    let (mut bytes, schema) = (Vec::new(), batches[0].schema());
    if style.stream {
        let writer = StreamWriter::try_new_with_options(&mut bytes, &schema, options);
        let mut writer = writer.unwrap();
        batches
            .iter()
            .for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    } else {
        let writer = FileWriter::try_new_with_options(&mut bytes, &schema, options);
        let mut writer = writer.unwrap();
        batches
            .iter()
            .for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
    }
    let metadata = messages(&bytes, if style.stream { 0 } else { 8 });
    let end = bytes.len().saturating_sub(10);
    let length = u32::from_le_bytes(bytes[end..end + 4].try_into().unwrap());
    let footer = match style.stream {
        true => 0..0,
        false => end - length as usize..end,
    };
    ArrowBytes {
        bytes,
        metadata,
        footer,
    }
}

/// The metadata of messages, with the bytes before it.
fn messages(bytes: &[u8], mut at: usize) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    // Zeros align the first one.
    at += 8 * bytes[at..]
        .chunks(8)
        .take_while(|word| *word == [0; 8])
        .count();
    loop {
        let length = i32::from_le_bytes(bytes[at + 4..at + 8].try_into().unwrap()) as usize;
        if length == 0 {
            return all;
        }
        let end = at + 8 + length;
        all.push(at..end);
        let message = root_as_message(&bytes[at + 8..end]).unwrap();
        at = end + message.bodyLength() as usize;
    }
}
