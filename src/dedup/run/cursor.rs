//! Reads the entries of a run in order, starting at any frame.

use zstd::zstd_safe::DCtx;

use super::super::order::prefix;
use super::super::{DocumentId, StoredFields};
use super::entry::{Fields, take_known};
use super::fault::{RunDamage, RunFault, SpillError};
use super::file::OpenRun;
use super::frame::{FrameKind, decompressor};
use doisift_known::bytes::ByteReader;

/// Reads a run entry by entry, and holds the current one.
pub(in crate::dedup) struct Cursor<'r> {
    run: &'r OpenRun,
    /// Offset of the next frame.
    next: u64,
    /// Offset of the next entry in `content`.
    at: usize,
    content: Vec<u8>,
    packed: Vec<u8>,
    decompressor: DCtx<'static>,
    /// Reading ends before this key.
    upper: Option<&'r [u8]>,
    /// Length of the common beginning of all keys between the bounds.
    depth: usize,
    /// The eight bytes of the key after the common beginning, which are compared first. The maximum at the end.
    rank: u64,
    key: Vec<u8>,
    fields: Option<Fields>,
    open: Vec<DocumentId>,
    ended: bool,
}

impl<'r> Cursor<'r> {
    /// Creates a cursor at the first entry whose key is not below `lower`, in the frame at `at` or later. It ends before `upper`.
    pub(in crate::dedup) fn new(
        run: &'r OpenRun,
        at: u64,
        lower: &[u8],
        upper: Option<&'r [u8]>,
    ) -> Result<Self, SpillError> {
        let decompressor = decompressor();
        let common = |upper: &[u8]| {
            let pairs = lower.iter().zip(upper);
            pairs.take_while(|(a, b)| a == b).count()
        };
        let mut cursor = Cursor {
            run,
            next: at,
            at: 0,
            content: Vec::new(),
            packed: Vec::new(),
            decompressor: decompressor.map_err(|error| run.fault(error))?,
            upper,
            // All keys between two keys share the common beginning of these two.
            depth: upper.map_or(0, common),
            rank: 0,
            key: Vec::new(),
            fields: None,
            open: Vec::new(),
            ended: false,
        };
        cursor.advance()?;
        while !cursor.ended && cursor.key.as_slice() < lower {
            cursor.advance()?;
        }
        Ok(cursor)
    }

    /// Whether there are no more entries.
    #[inline]
    pub(in crate::dedup) fn is_ended(&self) -> bool {
        self.ended
    }

    #[inline]
    pub(in crate::dedup) fn rank(&self) -> u64 {
        self.rank
    }

    #[inline]
    pub(in crate::dedup) fn key(&self) -> &[u8] {
        &self.key
    }

    /// Returns the facts about the key, the buffer with their strings, and the open documents and sources that mention it. `None`
    /// if only keys are kept.
    pub(in crate::dedup) fn known(&self) -> Option<(&Fields, &[u8], &[DocumentId])> {
        let fields = self.fields.as_ref()?;
        Some((fields, &self.content, &self.open))
    }

    /// Moves to the next entry.
    #[inline]
    pub(in crate::dedup) fn advance(&mut self) -> Result<(), SpillError> {
        while self.at == self.content.len() {
            if self.run.is_end(self.next) {
                self.end();
                return Ok(());
            }
            self.frame().map_err(|fault| self.run.fault(fault))?;
        }
        if self.entry().is_none() {
            return Err(self.run.fault(RunDamage::Content));
        }
        self.rank = prefix(self.key.get(self.depth..).unwrap_or_default());
        if self.upper.is_some_and(|upper| self.key.as_slice() >= upper) {
            self.end();
        }
        Ok(())
    }

    /// Ends the cursor.
    fn end(&mut self) {
        (self.ended, self.rank) = (true, u64::MAX);
    }

    #[cold]
    fn frame(&mut self) -> Result<(), RunFault> {
        let head = self.run.head(FrameKind::Names, self.next, &mut self.key)?;
        self.key.clear();
        let content = &mut self.content;
        self.run.content(
            self.next,
            &head,
            &mut self.decompressor,
            &mut self.packed,
            content,
        )?;
        self.next += head.length();
        self.at = 0;
        Ok(())
    }

    #[inline]
    fn entry(&mut self) -> Option<()> {
        let mut bytes = ByteReader::new(&self.content, self.at);
        let shared = bytes.length()?;
        if shared > self.key.len() {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(bytes.bytes()?);
        match self.run.stored_fields() {
            StoredFields::All => self.fields = Some(take_known(&mut bytes, &mut self.open)?),
            StoredFields::Count => self.fields = Some(Fields::counted(bytes.number()?)),
            StoredFields::Key => {}
        }
        self.at = bytes.offset();
        Some(())
    }
}
