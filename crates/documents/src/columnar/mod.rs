//! Tables in columns: the texts of Apache Parquet files and of Apache Arrow files and streams, a document for each row. The
//! cells and columns of tables that are texts are here too (`rows`); the bytes of these are read by their caller.
//!
//! `parquet` and `arrow` read the formats and give batches of `cells`: the texts of some rows, each with its column. `choice`
//! selects the columns, `part` reads the columns of a part of a table in lockstep, and `workers` reads several parts at the same
//! time. Columns that are not selected are not read. Of damage, as little as possible is lost. `ParquetTable` instead reads
//! the values of columns that are all needed, row by row, and ends at damage.
//!
//! A page or a window of a buffer is held in memory, and so are the dictionary and some rows of each column. All sizes and
//! counts in a file are checked before memory is taken for them. Data that is unpacked in total counts towards the limit on
//! expansion. No other crate reads these files here: those that do take memory for sizes that a file only claims, and panic on
//! some damaged pages.

mod arrow;
mod cells;
mod choice;
mod name;
mod parquet;
mod part;
mod path;
mod rows;
mod workers;

pub(super) use self::arrow::ArrowFile;
pub(super) use self::arrow::starts_stream;
pub use self::cells::{CellBatch, CellDictionary, CellText, TableCell};
pub use self::choice::{is_in, no_column};
pub(super) use self::parquet::ParquetFile;
pub use self::parquet::{ColumnType, ParquetTable, TableColumn};
pub(super) use self::part::{ColumnarFile, PartStart, TableItem};
pub use self::path::ColumnPath;
pub use self::rows::{HeaderColumns, ITEMS_PLACE, ObjectColumns, RowBatchBuilder};
pub(super) use self::workers::{TableLimits, TableParts};
