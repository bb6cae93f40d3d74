//! Reads the names of all inputs: texts, lines, a column of tables, or a member of JSON Lines.

use std::path::Path;
use std::sync::Arc;

use doisift_core::{Doi, TextKind};
use doisift_documents::{
    CellBatch, DocumentHead, DocumentSink, InputError, PeekReader, ReadBytes, ReadOptions,
    display_name,
};
use doisift_tables::{
    BlockSizes, CellPlace, HeaderChoice, TableFault, TableFormat, TableHead, TableItem, TableRows,
    table_bytes,
};

use super::options::{NameInput, ResolveSettings};
use crate::error::{Cause, Error, KnownError, TableError};
use crate::normalize::{Normalizer, quoted};
use crate::objects::remote_sources;
use crate::records::FileId;
use crate::report::Losses;
use crate::task::{named_source, not_cancelled, warn_of_sheets};

/// Bytes of memory for reading rows. Names stay in memory anyway.
const READ_MEMORY_BYTES: usize = 256 << 20;

/// The default column of names, which outputs of doisift have.
const DEFAULT_COLUMN: &str = "doi";

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
}

/// A table, and the place of the name in its rows; `None` if each cell is one.
type FoundNames = (TableHead, Option<CellPlace>);

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
            sheet,
            tmp,
            ..
        } = self.settings;
        let read_options = ReadOptions {
            own_files: own,
            columns,
            sheet: Some(sheet),
            temp_folder: tmp,
            remote: remote_sources(&self.settings.services),
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

    /// Reads the names of a table.
    fn rows(
        &mut self,
        name: &Option<Arc<str>>,
        place: Option<&CellPlace>,
        mut rows: TableRows<'_>,
    ) {
        while !self.is_halted()
            && let Some(item) = rows.next()
        {
            let (row, at) = match item {
                TableItem::Row(row, at) => (row, at),
                TableItem::Lost(loss, at) => {
                    self.lost(name, at, loss.into());
                    continue;
                }
            };
            match place.map(|place| row.cell(place)) {
                None => row.texts().for_each(|text| self.names.take(&text)),
                Some(Ok(cell)) => {
                    self.names
                        .take(&cell.map(|cell| cell.text()).unwrap_or_default());
                }
                Some(Err(fault)) => {
                    let error = KnownError::of_cell(fault, self.column());
                    self.lost(name, at, Cause::Known(error));
                }
            }
        }
    }

    /// Returns the column that was chosen, or the default.
    fn column(&self) -> &str {
        self.settings.column.as_deref().unwrap_or(DEFAULT_COLUMN)
    }

    /// Finds the names of a document that starts with `head`; `whole` says that the document ends with it.
    ///
    /// # Errors
    /// If it lacks the column that was chosen.
    fn find(
        &self,
        (head, whole): (&[u8], bool),
        format: Option<TableFormat>,
    ) -> Result<FoundNames, TableFault> {
        let columns = [self.column().to_owned()];
        let table = TableHead::of((head, whole), format, &columns, self.settings.header);
        let found = table.and_then(|table| {
            let place = CellPlace::of(&table, head, self.column())?;
            Ok((table, Some(place)))
        });
        match found {
            Err(_) if self.settings.column.is_none() => Ok((list(head, format), None)),
            found => found,
        }
    }
}

/// Returns the head of a document without a column of names: each cell of a sheet, or each line, is one.
fn list(head: &[u8], sheet: Option<TableFormat>) -> TableHead {
    let cells = sheet.map(|_| TableHead::of((head, false), sheet, &[], HeaderChoice::Missing));
    let cells = cells.and_then(Result::ok);
    cells.unwrap_or_else(|| TableHead::of_lines(head))
}

impl DocumentSink for NameReading<'_> {
    fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
        if self.is_halted() {
            return;
        }
        let mut raw = PeekReader::with_capacity(bytes, TextKind::HEAD_BYTES);
        warn_of_sheets(&self.source, &head, Some(&self.settings.sheet));
        let format = TableFormat::of_origin(head.origin);
        let sizes = BlockSizes::within(READ_MEMORY_BYTES);
        match self.find(table_bytes(&mut raw, sizes.max), format) {
            Ok((table, place)) => {
                let rows = TableRows::new(raw, 0, &table, sizes);
                self.rows(&head.name, place.as_ref(), rows);
            }
            Err(error) => self.fail(&head.name, Cause::Table(error.into())),
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
