//! Units that are counted once for each name, although they have several texts: sources, and documents in several parts.
//!
//! Each unit has a number that no text of its source has. So the table lists it as open like a document. It is open while the
//! reader, a text or a batch holds a clone of its [`CountedUnit`].

use std::sync::{Arc, Weak};

use super::DocumentId;

/// The number that a source has in place of a document's number.
const SOURCE_NUMBER: u64 = u64::MAX;
/// The bit that marks the number of a document in several parts.
const SEVERAL_PARTS_BIT: u64 = 1 << 63;

/// A source, or a document in several parts. More mentions of it may follow as long as a clone exists.
#[derive(Clone, Debug)]
pub(crate) struct CountedUnit(Arc<DocumentId>);

/// A unit in the table. It has ended when no clone is left.
pub(super) struct HeldUnit {
    pub(super) id: DocumentId,
    clones: Weak<DocumentId>,
}

impl CountedUnit {
    /// Creates the unit of the source with this ordinal.
    pub(crate) fn source(source: u32) -> Self {
        CountedUnit(Arc::new(DocumentId::of_source(source)))
    }

    /// Creates the unit of a document whose first text has the number `first` in its source.
    pub(crate) fn whole(source: u32, first: u64) -> Self {
        CountedUnit(Arc::new(DocumentId {
            source,
            document: SEVERAL_PARTS_BIT | first,
        }))
    }

    /// Returns the number of the first text of a document in several parts.
    pub(super) fn first_text(&self) -> u64 {
        self.0.document & !SEVERAL_PARTS_BIT
    }

    pub(super) fn id(&self) -> DocumentId {
        *self.0
    }

    /// Whether there are other clones.
    pub(super) fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    pub(super) fn held_bytes(&self) -> HeldUnit {
        HeldUnit {
            id: self.id(),
            clones: Arc::downgrade(&self.0),
        }
    }
}

impl HeldUnit {
    pub(super) fn has_ended(&self) -> bool {
        self.clones.strong_count() == 0
    }
}

impl DocumentId {
    /// Returns the number of a source itself.
    pub(super) fn of_source(source: u32) -> Self {
        DocumentId {
            source,
            document: SOURCE_NUMBER,
        }
    }

    /// Whether it is the number of a source, not of a document.
    pub(super) fn is_source(self) -> bool {
        self.document == SOURCE_NUMBER
    }
}
