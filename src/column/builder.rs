//! Builds a normalization from its options: fills in defaults, and refuses options that contradict each other.

use std::path::{Path, PathBuf};

use doisift_documents::SheetChoice;

use super::Normalize;
use super::cleaner::ColumnCleaner;
use super::format::TableFormat;
use super::header::HeaderChoice;
use super::options::{NameOptions, TableOptions};
use super::settings::NormalizeSettings;
use crate::error::{Cause, Error, TableError};
use crate::lookup;
use crate::normalize::{Normalizer, Presentation};
use crate::options::{
    FormOptions, HeaderOptions, LimitOptions, LookupOptions, OutputOptions, ResourceOptions,
};
use crate::task::{Monitor, chosen_tmp_dir, named_output};

/// Bytes of rows that a thread cleans at once, and of lines: fewer, since each may give a message.
const CHUNK: usize = 1 << 20;
const CHUNK_OF_LINES: usize = 128 << 10;
/// Max bytes of a row of a table, and of a line.
const ROW: usize = 256 << 20;
const LINE: usize = 16 << 20;
/// Max bytes of the shared texts of a workbook.
const SHARED: usize = 256 << 20;

/// Builds a [`Normalize`].
#[derive(Debug, Default)]
pub struct NormalizeBuilder {
    inputs: Vec<PathBuf>,
    monitor: Monitor,
    pub(crate) tables: TableOptions,
    pub(crate) header: HeaderOptions,
    pub(crate) names: NameOptions,
    pub(crate) forms: FormOptions,
    pub(crate) lookup: LookupOptions,
    pub(crate) output: OutputOptions,
    pub(crate) resources: ResourceOptions,
    pub(crate) limits: LimitOptions,
}

option_builder! {
    NormalizeBuilder for Normalize:
        tables: TableOptions, table_setters;
        header: HeaderOptions, header_setters;
        names: NameOptions, name_setters;
        forms: FormOptions, form_setters;
        lookup: LookupOptions, lookup_setters;
        output: OutputOptions, output_setters;
        resources: ResourceOptions, resource_setters;
        limits: LimitOptions, limit_setters;
}

impl NormalizeBuilder {
    /// Adds a file to read, or `-` for standard input: plain or packed text in any [encoding](crate::Charset), UTF-32 only with a
    /// byte order mark. Each member of an archive is a table. Several tables are written as one, so they need the same format and
    /// header, which is written once. Of a workbook (xlsx, xlsb, xls or ods), a [`sheet`](Self::sheet) is read, and written as
    /// comma-separated text.
    pub fn input(mut self, path: impl AsRef<Path>) -> Self {
        self.inputs.push(path.as_ref().to_owned());
        self
    }

    /// Lets `monitor` observe and cancel the run. Its progress has only bytes.
    pub fn monitor(mut self, monitor: &Monitor) -> Self {
        self.monitor = monitor.clone();
        self
    }

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
            self.tables.multiple,
        ))
    }

    /// Returns the form in which names are written.
    #[doc(hidden)]
    pub fn presentation(&self) -> Presentation {
        self.names.presentation()
    }

    fn header_choice(&self) -> HeaderChoice {
        match self.tables.no_header {
            true => HeaderChoice::Missing,
            false => self.header.header_row.into(),
        }
    }

    /// Returns the run, ready to start.
    ///
    /// # Errors
    /// If there is no input, options contradict each other, or the index of [known](Self::known) names cannot be read.
    pub fn build(self) -> Result<Normalize, Error> {
        self.check()?;
        let known = lookup::chosen(self.lookup.known.as_deref())?;
        let is_table = !self.tables.column.is_empty();
        let (chunk, row) = if is_table {
            (CHUNK, ROW)
        } else {
            (CHUNK_OF_LINES, LINE)
        };
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let output = self.output.output.as_deref().and_then(named_output);
        let settings = NormalizeSettings {
            given: self.values(),
            format: self.table_format(),
            presentation: self.names.presentation(),
            tmp: chosen_tmp_dir(None, output.as_deref()),
            sheet: is_table.then_some(SheetChoice {
                sheet: self.tables.sheet.clone(),
                memory: SHARED,
            }),
            header: self.header_choice(),
            inputs: self.inputs,
            max_row: self.tables.max_row.unwrap_or(row),
            tables: self.tables,
            names: self.names,
            ends: lookup::ends(&known),
            known,
            arxiv: self.forms.arxiv,
            lookup: self.lookup,
            output,
            report: self.output.report,
            threads: self.resources.threads.unwrap_or_else(cores).max(1),
            chunk: self.resources.chunk.unwrap_or(chunk).max(1),
            limits: self.limits.limits(),
            monitor: self.monitor,
        };
        Ok(Normalize { settings })
    }

    /// Returns the format of the tables, if the options have it.
    fn table_format(&self) -> Option<TableFormat> {
        // A byte that is not ASCII is refused as a delimiter.
        let byte = |character| u8::try_from(character).unwrap_or(u8::MAX);
        let delimited = self.tables.delimiter.map(byte).map(TableFormat::Delimited);
        self.tables.input_format.or(delimited)
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
        let (columns, new) = (&self.tables.column, &self.tables.new_column);
        let mut named = columns.iter().enumerate();
        if named.any(|(at, column)| columns[..at].contains(column)) {
            return Err("a column is named twice");
        }
        if self.tables.in_place && !new.is_empty() {
            return Err("a column is replaced or has a new one, not both");
        }
        if !new.is_empty() && new.len() != columns.len() {
            return Err("name no new column, or one for each column");
        }
        if self.tables.no_header && self.header.header_row.is_some() {
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
