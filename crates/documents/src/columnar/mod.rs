//! Tables in columns: the texts of Apache Parquet files and of Apache Arrow files and streams, a document for each row. The
//! cells and columns of tables that are texts are here too (`rows`); the bytes of these are read by their caller.
//!
//! `parquet` and `arrow` read the formats by the crates `parquet` and `arrow-ipc`, as batches of rows; `batch` takes the `cells`
//! of these: the texts of some rows, each with its column, or each row as an `object` of JSON. `leaf` has the columns, of which `choice` selects some, `part` passes on
//! the texts of a part of a table, and `workers` reads several parts at the same time. `ParquetTable` instead reads the values
//! of columns that are all needed, row by row, and ends at damage.
//!
//! The crates take memory for sizes that a file states, so these are checked before. Data that is unpacked in total counts
//! towards the limit on expansion.

#[cfg(feature = "columnar")]
mod arrow;
#[cfg(feature = "columnar")]
mod batch;
// The readers of these formats use all of it.
#[cfg_attr(not(feature = "columnar"), allow(dead_code))]
mod cells;
mod choice;
#[cfg(feature = "columnar")]
mod items;
#[cfg(feature = "columnar")]
mod leaf;
mod name;
#[cfg(feature = "columnar")]
mod object;
#[cfg(feature = "columnar")]
mod parquet;
#[cfg(feature = "columnar")]
mod part;
#[cfg_attr(not(feature = "columnar"), allow(dead_code))]
mod path;
mod rows;
#[cfg(feature = "columnar")]
mod workers;

#[cfg(feature = "columnar")]
pub(super) use self::arrow::ArrowFile;
pub use self::cells::{CellBatch, RowBatchBuilder, TableCell};
pub use self::choice::{is_in, no_column};
#[cfg(feature = "columnar")]
pub(super) use self::parquet::ParquetFile;
#[cfg(feature = "columnar")]
pub use self::parquet::{ColumnType, ParquetTable, TableColumn};
#[cfg(feature = "columnar")]
pub(super) use self::part::{ColumnarFile, PartStart, TableItem};
pub use self::path::ColumnPath;
pub use self::rows::{HeaderColumns, ITEMS_PLACE, ObjectColumns};
#[cfg(feature = "columnar")]
pub(super) use self::workers::{TableLimits, TableParts};
