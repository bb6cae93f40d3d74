//! Containers: what holds the documents of a source.
//!
//! So far each source is one document. A container that holds many is one more variant, whose members come in the order
//! they stand.

use std::io::{self, Read};
use std::sync::Arc;

/// The documents of one source, in turn.
pub(crate) enum Container<'r> {
    /// The source's bytes are one document, without a name.
    Whole(Option<Box<dyn Read + Send + 'r>>),
}

/// One document: its name, and its decoded bytes as a stream.
pub(crate) struct Member<'c> {
    pub(crate) name: Option<Arc<str>>,
    pub(crate) bytes: Box<dyn Read + Send + 'c>,
}

impl<'r> Container<'r> {
    pub(super) fn whole(bytes: Box<dyn Read + Send + 'r>) -> Self {
        Container::Whole(Some(bytes))
    }

    /// The next document, until there is none.
    ///
    /// # Errors
    /// If the container is damaged between its members.
    pub(crate) fn next(&mut self) -> io::Result<Option<Member<'_>>> {
        match self {
            Container::Whole(bytes) => Ok(bytes.take().map(|bytes| Member { name: None, bytes })),
        }
    }
}
