//! What a source gives, in pieces that are counted, compared and written in the order of its bytes.

use std::sync::Arc;

use super::document::Compared;
use super::fix::FileRepairs;
use super::ignore::IgnoreComment;
use super::judge::Judge;
use super::row::CheckedReference;
use crate::error::Error;

/// A piece of what a source gives.
pub(super) enum CheckPiece {
    /// A document begins.
    Document,
    /// Rows of the document.
    Rows(DocumentRows),
    /// Something without references, with its kind.
    Skipped(&'static str),
    /// The repairs of the file.
    Repairs {
        repairs: Box<FileRepairs>,
        source: Arc<str>,
    },
    /// This source was read to its end.
    Read(Arc<str>),
    /// A path that is lost, and concerns no other.
    Lost(Error),
    /// Nothing after this error counts. `is_named` says that the user named the source, so that the run ends.
    Failed { error: Error, is_named: bool },
}

/// Rows of a document, in order.
pub(super) struct DocumentRows {
    /// The name of the document for messages.
    pub(super) document: Arc<str>,
    pub(super) compared: Compared,
    pub(super) rows: Vec<JudgedRow>,
    /// The comments that accept findings, after the last row of the document.
    pub(super) comments: Vec<Arc<IgnoreComment>>,
}

/// A row before it is compared with others.
pub(super) struct JudgedRow {
    pub(super) row: CheckedReference,
    /// The number of the record that cites it.
    pub(super) record: u64,
    /// The comment about it.
    pub(super) comment: Option<Arc<IgnoreComment>>,
}

/// Takes the pieces of one source.
pub(super) trait TakePieces {
    fn take(&mut self, piece: CheckPiece);

    /// Takes the piece that `work` makes, which any thread may do.
    fn take_work(&mut self, judge: &mut Judge, work: PieceWork);

    /// Whether nothing more of the source is needed.
    fn is_over(&self) -> bool;
}

/// Makes a piece.
pub(super) type PieceWork = Box<dyn FnOnce(&mut Judge) -> CheckPiece + Send>;

impl CheckPiece {
    /// Returns the bytes that it takes while it waits.
    pub(super) fn bytes(&self) -> usize {
        match self {
            CheckPiece::Rows(rows) => rows.rows.iter().map(|one| one.row.bytes()).sum(),
            CheckPiece::Repairs { repairs, .. } => repairs.bytes(),
            _ => 0,
        }
    }
}
