//! What a run writes of the mentions that it finds.

use crate::error::{Error, ErrorKind, SelectionError};
use crate::records::{Field, Format, Layout, RowKind};

/// Greatest number of bytes before and after a mention that its row may have.
const MOST_CONTEXT: usize = 1024;

/// The rows that are wanted, as set in a builder.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) mentions: bool,
    pub(super) fields: Option<Vec<String>>,
    pub(super) context: Option<usize>,
}

/// The rows that a run writes.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) layout: Layout,
    /// Bytes before and after each mention whose text is written.
    pub(super) context: usize,
}

impl Wanted {
    /// The selection, for an output of `format`.
    ///
    /// # Errors
    /// If the rows do not have the fields that were chosen, or options contradict each other.
    pub(super) fn select(self, format: Format) -> Result<Selection, Error> {
        let rows = match self.mentions {
            true => RowKind::Mentions,
            false => RowKind::Records,
        };
        let layout = Layout::with_fields(format, rows, self.fields.as_deref());
        let layout = layout.map_err(|error| Error::new(ErrorKind::Fields(error)))?;
        let layout = match self.context {
            Some(_) if self.fields.is_none() => layout.and(&[Field::Before, Field::After]),
            _ => layout,
        };
        self.check_context(&layout)?;
        Ok(Selection {
            context: self.context.unwrap_or(0),
            layout,
        })
    }

    fn check_context(&self, layout: &Layout) -> Result<(), Error> {
        let is_written = layout.has(Field::Before) || layout.has(Field::After);
        let fault = match self.context {
            None if is_written => SelectionError::NoContext,
            Some(_) if !self.mentions || layout.format == Format::Names => {
                SelectionError::NoMentions
            }
            Some(_) if !is_written => SelectionError::NoFields,
            Some(bytes) if bytes > MOST_CONTEXT => SelectionError::Context(MOST_CONTEXT),
            _ => return Ok(()),
        };
        Err(Error::new(ErrorKind::Selection(fault)))
    }
}

impl Selection {
    /// Whether each mention is a row, which is written in the order of sources.
    pub(super) fn writes_mentions(&self) -> bool {
        self.layout.rows == RowKind::Mentions
    }

    /// Whether rows say which WARC record their document is.
    pub(super) fn writes_captures(&self) -> bool {
        self.layout.has(Field::RecordId) || self.layout.has(Field::Date)
    }
}
