//! Fills in the defaults of options, and refuses options that contradict each other.

use doisift_documents::SheetChoice;
use doisift_tables::{BlockSizes, HeaderChoice, TableFormat};

use super::CleanTable;
use super::cleaner::ColumnCleaner;
use super::settings::CleanSettings;
use crate::error::{Cause, Error, TableError};
use crate::lookup;
use crate::normalize::{Normalizer, Presentation};
use crate::remote;
use crate::task::{chosen_memory, chosen_threads, chosen_tmp_dir, named_output};

/// Bytes of rows that a thread cleans at once, and of lines: fewer, since each may give a message.
const ROW_CHUNK_BYTES: usize = 1 << 20;
const LINE_CHUNK_BYTES: usize = 128 << 10;
/// Max bytes of a row of a table, and of a line.
const MAX_ROW_BYTES: usize = 256 << 20;
const MAX_LINE_BYTES: usize = 16 << 20;

impl CleanTable {
    /// Returns a normalizer for single texts with these options.
    ///
    /// # Errors
    /// If the index of [known](Self::known) names cannot be read.
    #[doc(hidden)]
    pub fn normalizer(&self) -> Result<Normalizer, Error> {
        let known = lookup::chosen(self.lookup.known.as_deref())?;
        let normalizer = Normalizer::new()
            .strict(self.names.strict)
            .clean(self.names.clean)
            .arxiv(self.forms.arxiv);
        Ok(normalizer.known(lookup::ends(&known)))
    }

    /// Returns a cleaner for cells in memory with these options. Options of files and tables have no effect, except
    /// [`multiple`](Self::multiple).
    ///
    /// # Errors
    /// If options contradict each other, or the index of [known](Self::known) names cannot be read.
    #[doc(hidden)]
    pub fn cleaner(&self) -> Result<ColumnCleaner, Error> {
        self.check_options()?;
        Ok(ColumnCleaner::new(
            self.normalizer()?,
            self.presentation(),
            self.columns.multiple,
        ))
    }

    /// Returns the form in which names are written.
    #[doc(hidden)]
    pub fn presentation(&self) -> Presentation {
        self.names.presentation()
    }

    fn header_choice(&self) -> HeaderChoice {
        match self.table.no_header {
            true => HeaderChoice::Missing,
            false => self.header.header_row.into(),
        }
    }

    /// # Errors
    /// If there is no input, options contradict each other, or the index of [known](Self::known) names cannot be read.
    pub(crate) fn settings(&self) -> Result<CleanSettings, Error> {
        self.check()?;
        let known = lookup::chosen(self.lookup.known.as_deref())?;
        let is_table = !self.columns.column.is_empty();
        let (chunk, row) = if is_table {
            (ROW_CHUNK_BYTES, MAX_ROW_BYTES)
        } else {
            (LINE_CHUNK_BYTES, MAX_LINE_BYTES)
        };
        let output = self.output.output.as_deref().and_then(named_output);
        let services = remote::services(&self.remote, chosen_memory(None), &self.monitor);
        Ok(CleanSettings {
            given: self.given(),
            format: self.table_format(),
            presentation: self.names.presentation(),
            tmp: chosen_tmp_dir(None, output.as_deref()),
            sheet: is_table.then(|| SheetChoice::within(usize::MAX, self.header.sheet.clone())),
            header: self.header_choice(),
            inputs: remote::named(&services, &self.inputs, true)?,
            services,
            sizes: BlockSizes {
                step: self.resources.chunk.unwrap_or(chunk).max(1),
                max: self.table.max_row.unwrap_or(row),
            },
            columns: self.columns.clone(),
            table: self.table.clone(),
            names: self.names.clone(),
            ends: lookup::ends(&known),
            known,
            arxiv: self.forms.arxiv,
            lookup: self.lookup.clone(),
            output,
            report: self.output.report.clone(),
            threads: chosen_threads(self.resources.threads).max(1),
            limits: self.limits.of_reading(),
            monitor: self.monitor.clone(),
        })
    }

    /// Returns the format of the tables, if the options have it.
    fn table_format(&self) -> Option<TableFormat> {
        // A byte that is not ASCII is refused as a delimiter.
        let byte = |character| u8::try_from(character).unwrap_or(u8::MAX);
        let delimited = self.table.delimiter.map(byte).map(TableFormat::Delimited);
        self.table.input_format.or(delimited)
    }

    fn check(&self) -> Result<(), Error> {
        if self.inputs.is_empty() {
            return Err(Error::new(Cause::NoSource));
        }
        self.check_options()
    }

    fn check_options(&self) -> Result<(), Error> {
        self.check_tables()
            .map_err(|why| Error::new(Cause::Table(TableError::Options(why))))
    }

    fn check_tables(&self) -> Result<(), &'static str> {
        let (columns, new) = (&self.columns.column, &self.columns.new_column);
        let mut named = columns.iter().enumerate();
        if named.any(|(at, column)| columns[..at].contains(column)) {
            return Err("a column is named twice");
        }
        if self.columns.in_place && !new.is_empty() {
            return Err("a column is replaced or has a new one, not both");
        }
        if !new.is_empty() && new.len() != columns.len() {
            return Err("name no new column, or one for each column");
        }
        if self.table.no_header && self.header.header_row.is_some() {
            return Err("a table has no header, or a row that is its header, not both");
        }
        match self.table_format() {
            Some(TableFormat::Delimited(b'"' | b'\n' | b'\r' | 0x80..)) => {
                Err("a delimiter is an ASCII character, but no quote and no line end")
            }
            _ => Ok(()),
        }
    }
}
