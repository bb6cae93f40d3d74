//! An item of a record, such as a reference, while it is read.

use doisift_structure::{ItemPart, MAX_CAPTURED_BYTES};

use crate::records::ItemDetails;

/// An item whose end was not read yet.
pub(super) struct OpenItem {
    /// `None` if the item is not a reference.
    pub(super) reference: Option<u64>,
    pub(super) offset: u64,
    pub(super) path: String,
    pub(super) details: ItemDetails,
    /// The whole text, and the pieces that replace it if it is empty.
    text: String,
    pieces: String,
    pub(super) is_named: bool,
    /// Number of the first undecided row in the item.
    pub(super) first: usize,
}

impl OpenItem {
    /// Creates an item with its reference, offset and path. `first` is the number of undecided rows before it.
    pub(super) fn new((reference, offset, path): (Option<u64>, u64, &str), first: usize) -> Self {
        OpenItem {
            reference,
            offset,
            path: path.to_owned(),
            details: ItemDetails::default(),
            text: String::new(),
            pieces: String::new(),
            is_named: false,
            first,
        }
    }

    /// Takes a part. The first of several parts of a kind counts; texts and pieces are joined.
    pub(super) fn take(&mut self, part: ItemPart, text: &str) {
        if text.is_empty() {
            return;
        }
        let details = &mut self.details;
        let kept = match part {
            ItemPart::Key => &mut details.key,
            ItemPart::AssertedBy => &mut details.asserted_by,
            ItemPart::Relation => &mut details.relation,
            ItemPart::UpdateType => &mut details.update_type,
            ItemPart::Text => return self.text.push_str(text),
            ItemPart::Piece => return self.add_piece(text),
            // Only a check asks for the others.
            _ => return,
        };
        kept.get_or_insert_with(|| text.into());
    }

    fn add_piece(&mut self, text: &str) {
        if !self.pieces.is_empty() {
            self.pieces.push(' ');
        }
        if self.pieces.len() + text.len() <= MAX_CAPTURED_BYTES {
            self.pieces.push_str(text);
        }
    }

    /// Returns the text of the reference, or its pieces joined with blanks.
    pub(super) fn whole_text(&self) -> &str {
        match self.text.is_empty() {
            true => &self.pieces,
            false => &self.text,
        }
    }
}
