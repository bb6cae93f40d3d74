//! Finds sources, undoes compression, opens containers: paths in, documents out.
//!
//! The pipeline says what to read and how to cut it; input hands out bytes and their offsets. It knows no DOI and no records.
//! Threads of its own unpack members, and read pages of PDF files and parts of tables; the order of the bytes does not depend
//! on them.

mod attached;
mod claim;
mod codec;
mod columnar;
mod container;
mod cut;
mod documents;
mod encoding;
mod expansion;
mod fault;
mod file;
mod find;
#[cfg(feature = "testing")]
pub mod fuzz_support;
mod gate;
mod halt;
mod list;
mod magic;
mod mail;
mod name;
mod office;
mod open;
mod opening;
#[cfg(feature = "pdf")]
mod pages;
#[cfg(feature = "pdf")]
mod pdf;
mod preprocess;
mod raw;
mod readers;
mod seven_zip;
mod shard;
mod sources;
mod tables;
mod tar;
mod walk;
mod warc;
mod zip;

pub use fault::{InputError, Packing};
pub use find::BadGlob;

pub(crate) use attached::ends_archive;
pub(crate) use claim::{ActualContent, Claim, Claims};
pub(crate) use codec::Unpackers;
pub(crate) use columnar::{CellBatch, CellDictionary, CellText, TableCell};
pub(crate) use columnar::{ColumnChoice, ColumnPath, is_in, no_column};
#[cfg(feature = "parquet")]
pub(crate) use columnar::{ColumnType, ParquetTable, TableColumn, TableFault};
pub(crate) use columnar::{HeaderColumns, ITEMS, MetColumns, RowBatch};
pub(crate) use cut::{Chunk, ChunkReach, Cutter, Sliding};
pub(crate) use documents::write_row_name;
pub(crate) use documents::{Documents, Origin, Remark, WarcRecord};
pub(crate) use file::{ReadAt, Section, is_pipe, stdin_metadata};
pub(crate) use find::{Finder, FoundSources, Lost, PassedOver, Search};
pub(crate) use gate::{Gate, OpenGate};
pub(crate) use halt::Halt;
pub use list::Separator;
pub(crate) use list::read_list;
pub(crate) use name::display_name;
pub(crate) use open::{text_start, unmarked_encoding};
pub(crate) use opening::{Limits, Opening, SheetChoice};
pub(crate) use preprocess::Preprocessor;
pub(crate) use raw::Raw;
pub(crate) use readers::Readers;
pub use shard::{BadShard, Shard};
pub(crate) use sources::{Source, SourceKind, Sources};
