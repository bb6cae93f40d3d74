//! Reads the names of all inputs: texts, lines, a column of tables, or a member of JSON Lines.

use std::path::Path;
use std::sync::Arc;

use doisift_core::{Doi, TextKind};
use doisift_documents::{
    CellBatch, DocumentHead, DocumentSink, InputError, PeekReader, ReadBuffer, ReadBytes,
    ReadOptions, display_name,
};

use super::options::{NameInput, ResolveSettings};
use crate::error::{Cause, Error, KnownError, TableError};
use crate::normalize::{Normalizer, quoted};
use crate::records::FileId;
use crate::report::Losses;
use crate::task::{named_source, not_cancelled};
use doisift_tables::{
    BlockSizes, Dialect, HeaderChoice, RowBlocks, RowPiece, TableFault, TableHead, TableReading,
    header_column, table_bytes,
};

/// Bytes of memory for reading rows. Names stay in memory anyway.
const READ_MEMORY_BYTES: usize = 256 << 20;

/// The default column of names, which outputs of doisift have.
const DEFAULT_COLUMN: &str = "doi";

const UTF8_BOM: &[u8] = "\u{feff}".as_bytes();

/// A text of an input.
pub(super) enum InputText {
    Name(Doi),
    /// A text that is not a name: the message, with the text and the reason.
    Refused(String),
}

/// The texts of all inputs, in their order.
pub(super) struct InputNames {
    pub(super) texts: Vec<InputText>,
    pub(super) losses: Losses,
    normalizer: Normalizer,
}

impl InputNames {
    /// Reads all inputs.
    ///
    /// # Errors
    /// If an input cannot be read, or lacks the column, or the run is cancelled.
    pub(super) fn read(settings: &ResolveSettings, own: &[FileId]) -> Result<InputNames, Error> {
        let mut names = InputNames {
            texts: Vec::new(),
            losses: Losses::default(),
            normalizer: Normalizer::new(),
        };
        for input in &settings.inputs {
            match input {
                NameInput::Text(text) => names.take(text.as_bytes()),
                NameInput::File(path) => {
                    let reading = NameReading {
                        source: display_name(path).into(),
                        settings,
                        names: &mut names,
                        failure: None,
                    };
                    reading.read(path, own)?;
                }
            }
        }
        Ok(names)
    }

    /// Returns the names, without the refused texts.
    pub(super) fn dois(&self) -> impl Iterator<Item = &Doi> {
        self.texts.iter().filter_map(|text| match text {
            InputText::Name(doi) => Some(doi),
            InputText::Refused(_) => None,
        })
    }

    /// Adds a text. White space alone is ignored.
    fn take(&mut self, text: &[u8]) {
        let text = text.trim_ascii();
        if text.is_empty() {
            return;
        }
        self.texts.push(match self.normalizer.read(text) {
            Ok(read) => InputText::Name(read.doi),
            Err(refusal) => InputText::Refused(quoted(text, &refusal.to_string())),
        });
    }

    /// Adds the name of a row.
    fn row(&mut self, place: &NamePlace, cells: &[&[u8]]) -> Result<(), KnownError> {
        match place {
            NamePlace::Lines => self.take(cells.first().copied().unwrap_or_default()),
            NamePlace::Column(dialect, column) => {
                let cell = cells.get(*column).copied().unwrap_or_default();
                self.take(&dialect.text(cell));
            }
            NamePlace::Member(member) => {
                let bad = |error: serde_json::Error| KnownError::Json(error.to_string().into());
                let line = cells.first().copied().unwrap_or_default();
                let object: serde_json::Map<String, serde_json::Value> =
                    serde_json::from_slice(line).map_err(bad)?;
                match object.get(member) {
                    Some(serde_json::Value::Null) => {}
                    Some(serde_json::Value::String(text)) => self.take(text.as_bytes()),
                    Some(other) => self.take(other.to_string().as_bytes()),
                    None => return Err(KnownError::NoMember(member.as_str().into())),
                }
            }
        }
        Ok(())
    }
}

/// Place of the names in a document.
enum NamePlace {
    Lines,
    /// This member of the objects.
    Member(String),
    /// This column, from 0, in the rows after the header.
    Column(Dialect, usize),
}

/// Place of the names in a document, and the number of bytes above the header.
type FoundNames = (NamePlace, usize);

/// Reads the documents of one input.
struct NameReading<'a> {
    settings: &'a ResolveSettings,
    names: &'a mut InputNames,
    source: Arc<str>,
    failure: Option<Error>,
}

impl NameReading<'_> {
    fn read(mut self, path: &Path, own: &[FileId]) -> Result<(), Error> {
        let ResolveSettings {
            monitor,
            columns,
            tmp,
            ..
        } = self.settings;
        let read_options = ReadOptions {
            own_files: own,
            columns,
            temp_folder: tmp,
            max_file_bytes: READ_MEMORY_BYTES,
            thread_bytes: READ_MEMORY_BYTES,
            ..monitor.read_options()
        };
        let name = Arc::clone(&self.source);
        let lost = |error| Error::new(Cause::Input(error)).in_source(Arc::clone(&name));
        let source = named_source(path).map_err(lost)?;
        let read = read_options.read_source(&source, &mut self);
        if source.is_pipe() {
            monitor.note_stream_end();
        }
        read.map_err(lost)?;
        not_cancelled(monitor)?;
        self.failure.map_or(Ok(()), Err)
    }

    fn fail(&mut self, name: &Option<Arc<str>>, kind: Cause) {
        let error = Error::new(kind).in_source(Arc::clone(&self.source));
        self.failure.get_or_insert(match name {
            Some(name) => error.in_document(Arc::clone(name)),
            None => error,
        });
    }

    /// Logs and counts a part of a document that was not read.
    fn lost(&mut self, name: &Option<Arc<str>>, at: u64, kind: Cause) {
        let error = Error::new(kind)
            .in_source(Arc::clone(&self.source))
            .at(name.clone(), at);
        log::warn!("{error}");
        self.names.losses.add(&error);
    }

    /// Reads the rows of a document.
    fn rows(&mut self, name: &Option<Arc<str>>, place: &NamePlace, mut blocks: RowBlocks<'_>) {
        let mut is_header = matches!(place, NamePlace::Column(..));
        while let Some(piece) = blocks.next() {
            match piece {
                RowPiece::Lost(error, at) => self.lost(name, at, error.into()),
                RowPiece::Rows(bytes, offset) => {
                    let mut at = 0;
                    while at < bytes.len() {
                        let (cells, length) = place.first_row(&bytes[at..]);
                        let is_blank = matches!(cells[..], [cell] if cell.trim_ascii().is_empty());
                        if !is_blank
                            && !std::mem::take(&mut is_header)
                            && let Err(error) = self.names.row(place, &cells)
                        {
                            self.lost(name, offset + at as u64, Cause::Known(error));
                        }
                        at += length;
                    }
                }
            }
            if self.is_halted() {
                return;
            }
        }
    }
}

impl NamePlace {
    /// Finds the names of a document that starts with `head`; `whole` says that the document ends with it.
    ///
    /// # Errors
    /// If it lacks the column that was chosen.
    fn of(
        (head, whole): (&[u8], bool),
        column: Option<&str>,
        choice: HeaderChoice,
    ) -> Result<FoundNames, TableFault> {
        let wanted: Vec<String> = column.map(str::to_owned).into_iter().collect();
        let usual = [DEFAULT_COLUMN.to_owned()];
        let columns = if wanted.is_empty() {
            &usual[..]
        } else {
            &wanted
        };
        let table = match TableHead::of((head, whole), None, columns, choice) {
            Err(_) if column.is_none() => TableHead::of_lines(),
            table => table?,
        };
        let above = table.skipped(head);
        match table.reading {
            TableReading::JsonLines => Ok((NamePlace::Member(columns.concat()), 0)),
            TableReading::Lines(_) | TableReading::JsonArray => Ok((NamePlace::Lines, 0)),
            TableReading::Delimited(dialect) => {
                match (header_column(dialect, &head[above..], &columns[0]), column) {
                    (Ok(found), _) => Ok((NamePlace::Column(dialect, found), above)),
                    (Err(_), None) => Ok((NamePlace::Lines, 0)),
                    (Err(error), Some(_)) => Err(table.explain(error)),
                }
            }
        }
    }

    /// Returns the cells and the length of the row at the start of `bytes`. A line is one cell.
    fn first_row<'b>(&self, bytes: &'b [u8]) -> (Vec<&'b [u8]>, usize) {
        if let NamePlace::Column(dialect, _) = self {
            return dialect.first_row(bytes);
        }
        let end = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
        (vec![&bytes[..end]], end)
    }

    /// Returns the dialect that cuts rows.
    fn dialect(&self) -> Dialect {
        match self {
            NamePlace::Column(dialect, _) => *dialect,
            NamePlace::Lines | NamePlace::Member(_) => TableReading::LINES.dialect(),
        }
    }
}

impl DocumentSink for NameReading<'_> {
    fn document(&mut self, DocumentHead { name, .. }: DocumentHead, bytes: &mut dyn ReadBytes) {
        if self.is_halted() {
            return;
        }
        let mut raw = PeekReader::with_capacity(bytes, TextKind::HEAD_BYTES);
        let mut offset = 0;
        if raw.peek(UTF8_BOM.len()) == UTF8_BOM {
            raw.consume(UTF8_BOM.len());
            offset = UTF8_BOM.len() as u64;
        }
        let head = table_bytes(&mut raw, READ_MEMORY_BYTES);
        let (column, header) = (self.settings.column.as_deref(), self.settings.header);
        match NamePlace::of(head, column, header) {
            Ok((place, above)) => {
                raw.consume(above);
                offset += above as u64;
                let sizes = BlockSizes::within(READ_MEMORY_BYTES);
                let blocks = RowBlocks::new(raw, offset, place.dialect(), sizes);
                self.rows(&name, &place, blocks);
            }
            Err(error) => self.fail(&name, Cause::Table(error.into())),
        }
    }

    fn cells(&mut self, _table: &DocumentHead, batch: CellBatch) {
        for cell in batch.cells() {
            self.names.take(batch.text(cell));
        }
    }

    fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
        self.lost(&name, offset, Cause::Input(error));
    }

    fn skip(&mut self, name: Option<Arc<str>>, kind: &'static str) {
        self.fail(&name, Cause::Table(TableError::NotText(kind)));
    }

    fn is_halted(&self) -> bool {
        self.failure.is_some() || self.settings.monitor.is_cancelled()
    }
}
