//! A file: its metadata, and the columns of it that are read.

use std::borrow::Cow;
use std::sync::Arc;

use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{
    ParquetMetaData, ParquetMetaDataOptions, ParquetMetaDataReader, ParquetStatisticsPolicy,
    RowGroupMetaData,
};

use super::schema::TableSchema;
use super::thrift::MetadataCheck;
use crate::columnar::leaf::{self, TableLeaf};
use crate::fault::{InputError, LocatedError, Packing};
use crate::read::ReadAt;

/// The ending of a file: the length of the metadata, and the magic number.
const ENDING_BYTES: usize = 8;
/// How a file starts.
const MAGIC: [u8; 4] = *b"PAR1";
/// Bytes of memory for a byte of metadata.
const METADATA_GROWTH: usize = 8;
/// Bytes of the paths of all columns.
const MAX_PATH_BYTES: usize = 64 << 20;

/// A file, and where the columns of its row groups are.
pub(super) struct StoredTable {
    pub(super) file: Arc<dyn ReadAt>,
    pub(super) length: u64,
    /// The metadata as it is in the file.
    pub(super) footer: Vec<u8>,
    pub(super) metadata: ParquetMetaData,
    pub(super) schema: TableSchema,
}

pub(super) fn file_error(fault: impl Into<Cow<'static, str>>) -> InputError {
    InputError::Table {
        packing: Packing::Parquet,
        fault: fault.into(),
    }
}

/// What the crate says about a fault, without the name of the format, which the message has already.
pub(super) fn plain_fault(fault: &str) -> String {
    fault.trim_start_matches("Parquet error: ").to_owned()
}

impl StoredTable {
    /// Reads the metadata of a file of `length` bytes, for which `max` bytes of memory may be taken. Also returns what is wrong
    /// with it.
    ///
    /// # Errors
    /// If the metadata is damaged, encrypted or too large, or cannot be read.
    pub(super) fn open(
        file: Arc<dyn ReadAt>,
        length: u64,
        max: usize,
    ) -> std::result::Result<(Self, Vec<LocatedError>), InputError> {
        let damaged = || file_error("has damaged metadata");
        let mut footer = read_footer(&*file, length, max)?;
        let check = MetadataCheck::of(&footer, max.min(MAX_PATH_BYTES)).ok_or_else(damaged)?;
        if check.is_encrypted {
            return Err(InputError::Encrypted(Packing::Parquet));
        }
        check.name_types(&mut footer);
        let statistics = ParquetStatisticsPolicy::SkipAll;
        let options = ParquetMetaDataOptions::new().with_column_stats_policy(statistics);
        let metadata = ParquetMetaDataReader::decode_metadata_with_options(&footer, Some(&options));
        let refused = |fault: ParquetError| {
            file_error(format!(
                "has metadata that cannot be read: {}",
                plain_fault(&fault.to_string())
            ))
        };
        let metadata = metadata.map_err(refused)?;
        let schema = TableSchema::new(metadata.file_metadata().schema_descr());
        let schema = schema.map_err(refused)?.ok_or_else(damaged)?;
        let mut start = [0; MAGIC.len()];
        read_exact(&*file, &mut start, 0)?;
        let table = StoredTable {
            file,
            length,
            footer,
            metadata,
            schema,
        };
        let mut faults = Vec::new();
        let stated = table.metadata.file_metadata().num_rows();
        // Some writers state no rows at all.
        if ![0, table.rows() as i64].contains(&stated) {
            let fault = "does not have as many rows in its row groups as its metadata says, so rows are lost or damaged";
            faults.push((table.footer_start(), file_error(fault)));
        }
        if start != MAGIC {
            faults.push((0, file_error("has a damaged start")));
        }
        Ok((table, faults))
    }

    /// The offset of the metadata in the file.
    pub(super) fn footer_start(&self) -> u64 {
        self.length
            .saturating_sub((self.footer.len() + ENDING_BYTES) as u64)
    }

    /// Bytes that were read to open it.
    pub(super) fn metadata_length(&self) -> u64 {
        (self.footer.len() + ENDING_BYTES) as u64
    }

    /// Whether the writer may not have counted the headers of dictionaries in the sizes of columns: parquet-mr until 1.2.8, which
    /// states no version or one of these.
    pub(super) fn omits_dictionary_headers(&self) -> bool {
        let writer = self.metadata.file_metadata().created_by();
        let Some(version) = writer.and_then(|writer| writer.strip_prefix("parquet-mr")) else {
            return false;
        };
        let version = version.trim_start_matches(" version ");
        let mut numbers = version.split(|byte: char| !byte.is_ascii_digit());
        let mut next = || numbers.next().and_then(|number| number.parse::<u32>().ok());
        [next(), next(), next()].map(Option::unwrap_or_default) < [1, 2, 9]
    }

    /// The number of rows before the row group with this number.
    pub(super) fn rows_before(&self, group: usize) -> u64 {
        let groups = self.metadata.row_groups().iter().take(group);
        groups.map(rows_of).fold(0, u64::saturating_add)
    }

    /// The number of rows in all row groups.
    pub(super) fn rows(&self) -> u64 {
        self.rows_before(usize::MAX)
    }
}

pub(super) fn rows_of(group: &RowGroupMetaData) -> u64 {
    group.num_rows().try_into().unwrap_or(0)
}

/// The columns that are read.
pub(super) struct Projection {
    pub(super) roots: Vec<RootColumn>,
    /// What is read, with the numbers that its columns have in the file.
    leaves: Vec<(usize, TableLeaf)>,
}

/// An outermost column, with the numbers of the columns in it that are read.
pub(super) struct RootColumn {
    pub(super) name: Box<str>,
    pub(super) numbers: Vec<usize>,
    pub(super) levels: FieldLevels,
}

impl Projection {
    /// Selects columns by their numbers. A map is read with its keys and values.
    pub(super) fn new(schema: &TableSchema, chosen: &[usize]) -> Result<Self> {
        let mut numbers: Vec<usize> = chosen.iter().flat_map(|at| schema.read_with(*at)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let projected = leaf::leaves(&schema.projected(&numbers)?).unwrap_or_default();
        let leaves: Vec<(usize, TableLeaf)> = numbers.into_iter().zip(projected).collect();
        let roots = leaves.chunk_by(|(_, one), (_, next)| one.steps[0] == next.steps[0]);
        let root = |leaves: &[(usize, TableLeaf)]| {
            let numbers: Vec<usize> = leaves.iter().map(|(number, _)| *number).collect();
            let name = match leaves {
                [(_, leaf)] => leaf.name.path.dotted(),
                _ => leaves[0].1.name.path.outermost_name().to_owned(),
            };
            let mask = ProjectionMask::leaves(&schema.descriptor, numbers.iter().copied());
            let hint = Some(&schema.fields);
            Ok(RootColumn {
                name: name.into(),
                levels: parquet_to_arrow_field_levels(&schema.descriptor, mask, hint)?,
                numbers,
            })
        };
        Ok(Projection {
            roots: roots.map(root).collect::<Result<_>>()?,
            leaves,
        })
    }

    /// A column with its place in what is read.
    pub(super) fn leaf(&self, mut leaf: TableLeaf) -> TableLeaf {
        let mut leaves = self.leaves.iter();
        if let Some((_, read)) = leaves.find(|(number, _)| *number == leaf.number) {
            leaf.steps.clone_from(&read.steps);
        }
        leaf
    }
}

fn read_footer(
    file: &dyn ReadAt,
    length: u64,
    max: usize,
) -> std::result::Result<Vec<u8>, InputError> {
    let no_end = || file_error("has no metadata at its end, so it is cut or damaged");
    let end = length.checked_sub(ENDING_BYTES as u64).ok_or_else(no_end)?;
    let mut ending = [0; ENDING_BYTES];
    read_exact(file, &mut ending, end)?;
    let [a, b, c, d, magic @ ..] = ending;
    let length = u32::from_le_bytes([a, b, c, d]);
    match &magic {
        b"PAR1" => {}
        b"PARE" => return Err(InputError::Encrypted(Packing::Parquet)),
        _ => return Err(no_end()),
    }
    let start = end.checked_sub(length.into()).filter(|&start| start >= 4);
    let start = start.ok_or_else(|| file_error("has metadata of a wrong length"))?;
    if length as usize > max / METADATA_GROWTH {
        return Err(InputError::TooLarge {
            packing: Packing::Parquet,
            limit: max as u64,
        });
    }
    let mut bytes = vec![0; length as usize];
    read_exact(file, &mut bytes, start)?;
    Ok(bytes)
}

fn read_exact(
    file: &dyn ReadAt,
    mut into: &mut [u8],
    mut at: u64,
) -> std::result::Result<(), InputError> {
    while !into.is_empty() {
        match file.read_at(into, at) {
            Ok(0) => return Err(InputError::Shrunk),
            Ok(read) => {
                into = &mut into[read..];
                at += read as u64;
            }
            Err(error) => return Err(InputError::Io(error)),
        }
    }
    Ok(())
}
