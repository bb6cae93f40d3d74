//! What a run writes of the mentions that it finds.

use crate::error::{Error, ErrorKind};
use crate::records::{Format, Layout, RowKind};

/// The rows that are wanted, as set in a builder.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub(super) mentions: bool,
    pub(super) fields: Option<Vec<String>>,
}

/// The rows that a run writes.
#[derive(Debug)]
pub(super) struct Selection {
    pub(super) layout: Layout,
}

impl Wanted {
    /// The selection, for an output of `format`.
    ///
    /// # Errors
    /// If the rows do not have the fields that were chosen.
    pub(super) fn select(self, format: Format) -> Result<Selection, Error> {
        let rows = match self.mentions {
            true => RowKind::Mentions,
            false => RowKind::Records,
        };
        let layout = Layout::with_fields(format, rows, self.fields.as_deref());
        Ok(Selection {
            layout: layout.map_err(|error| Error::new(ErrorKind::Fields(error)))?,
        })
    }
}

impl Selection {
    /// Whether each mention is a row, which is written in the order of sources.
    pub(super) fn writes_mentions(&self) -> bool {
        self.layout.rows == RowKind::Mentions
    }
}
