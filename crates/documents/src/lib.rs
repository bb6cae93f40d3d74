//! Finds sources, undoes compression, opens containers: paths and streams in, documents out, with bounded memory.
//!
//! A *source* is a file, a stream or standard input. A *document* is a unit of text in it: the whole of a plain file, a member of
//! an archive, a record of a WARC file, a mail or a part of it, a page of a PDF file, a part of an office document, or a row
//! of a table. [`SourceSearch`] finds sources below folders, [`ReadOptions::read_source`] passes the documents of one to a [`DocumentSink`], in their
//! order and decoded to UTF-8 where the encoding is known. Losses are reported to it with the document and the offset, and
//! the rest is read. This crate does not know what the text is about.
//!
//! ```
//! use std::path::Path;
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicU64;
//!
//! use doisift_documents::{
//!     DocumentHead, DocumentSink, InputError, NamedReaders, ReadBytes, ReadOptions, Source, SourceKind,
//! };
//!
//! /// Keeps all texts.
//! struct Texts(Vec<(Option<Arc<str>>, Vec<u8>)>);
//!
//! impl DocumentSink for Texts {
//!     fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
//!         let mut text = Vec::new();
//!         // An error reports damage, and the text goes on after it.
//!         while bytes.read_to_end(&mut text).is_err() {}
//!         self.0.push((head.name, text));
//!     }
//!
//!     fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
//!         panic!("{name:?}, byte {offset}: {error}");
//!     }
//!
//!     fn skip(&mut self, _name: Option<Arc<str>>, _kind: &'static str) {}
//! }
//!
//! let record = "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: urn:a\r\nContent-Length: 10\r\n\r\nIts text.\n\r\n\r\n";
//! let readers = NamedReaders::default();
//! readers.add("a.warc", Box::new(record.as_bytes()));
//! let source = Source {
//!     path: "a.warc".into(),
//!     kind: SourceKind::Reader,
//!     is_named: true,
//!     folder_bytes: 0,
//! };
//!
//! let bytes = AtomicU64::new(0);
//! let mut texts = Texts(Vec::new());
//! let options = ReadOptions {
//!     readers: Some(&readers),
//!     ..ReadOptions::new(&bytes)
//! };
//! options.read_source(&source, &mut texts)?;
//! assert_eq!(texts.0, [(Some("urn:a".into()), b"Its text.\n".to_vec())]);
//! # Ok::<(), InputError>(())
//! ```
//!
//! # Errors
//!
//! [`ReadOptions::read_source`] fails only if a source cannot be opened at all, or is an output of the task. Damage inside it, limits
//! that it exceeds and formats that cannot be opened go to [`DocumentSink::report_loss`] as an [`InputError`], with the document and
//! the offset in it. Some messages name options of the command `doisift`, such as `--max-depth`; each is a field of
//! [`ReadLimits`].
//!
//! # Cost
//!
//! A stream is decoded through buffers of a fixed size. Formats that are not streams (zip, 7z, PDF, office documents,
//! columns) need a file. Streams of them are copied to [`ReadOptions::temp_folder`]. [`ReadOptions::thread_bytes`] and
//! [`ReadOptions::max_file_bytes`] bound
//! the memory for them. [`ReadLimits`] bound the work that a source can make. With [`UnpackThreads`], members and blocks of one
//! file are unpacked on several threads, with the same documents in the same order.
//!
//! Works on Linux, macOS and Windows.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod ahead;
mod attached;
mod checked;
mod chunks;
mod claim;
mod codec;
mod column_choice;
mod columnar;
mod container;
mod content;
mod documents;
mod encoding;
mod expansion;
mod fault;
mod file;
mod find;
/// For fuzz targets; may change at any time.
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod fuzz_support;
mod gate;
mod guard;
mod halt;
mod input_files;
mod list;
mod lock;
mod magic;
mod mail;
mod mail_start;
mod name;
mod numbers;
mod office;
mod open;
mod open_document;
mod pdf;
mod peek;
mod preprocess;
pub mod printable;
mod read;
mod read_options;
mod readers;
mod remote;
mod rtf;
mod seven_zip;
mod shard;
mod source_reader;
mod sources;
mod spare;
#[cfg(feature = "columnar")]
mod tables;
mod tar;
mod unpackers;
mod warc;
mod window;
mod workers;
mod xml;
mod zip;

pub use attached::ends_archive;
pub use chunks::{AnchorMargins, Chunk, ChunkBuffer, ChunkCutter};
pub use claim::{ActualContent, ClaimedFormat, NameClaims};
pub use column_choice::ColumnSelection;
pub use columnar::{
    CellBatch, ColumnPath, HeaderColumns, ITEMS_PLACE, ObjectColumns, RowBatchBuilder, TableCell,
    is_in, no_column,
};
#[cfg(feature = "columnar")]
pub use columnar::{ColumnType, ParquetTable, TableColumn};
pub use documents::{
    DocumentHead, DocumentSink, SourceNote, TextOrigin, WarcRecord, write_row_name,
};
pub use doisift_system::{FileId, FileStatus};
pub use fault::{HttpCoding, InputError, LocatedError, Packing};
pub use file::{FileSection, SourceFile, is_pipe};
pub use find::{
    BadGlob, FoundSources, IsOwnFile, SkippedPaths, SourceFinder, SourceSearch, UnreadablePath,
};
pub use gate::MemoryGate;
pub use halt::HaltSignal;
pub use input_files::{InputFiles, InputKind};
pub use list::{Separator, read_list};
pub use name::display_name;
pub use open::{text_start, unmarked_encoding};
pub use peek::PeekReader;
pub use preprocess::Preprocessor;
pub use read::{AsRead, FromRead, ReadAt, ReadBuffer, ReadBytes};
pub use read_options::{ReadLimits, ReadOptions, SheetChoice};
pub use readers::NamedReaders;
pub use remote::{RemoteBytes, RemoteSource, RemoteSources};
pub use shard::Shard;
pub use sources::{Source, SourceKind, Sources};
pub use unpackers::UnpackThreads;

/// The README's example is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
