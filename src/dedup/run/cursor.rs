//! Goes through the entries of a run in order, from any frame on.

use zstd::bulk::Decompressor;

use super::super::order::prefix;
use super::super::{DocumentId, Kept};
use super::entry::{Fields, take_known};
use super::fault::{Damage, Fault, SpillError};
use super::file::Reading;
use super::frame::Kind;
use super::varint::Bytes;

/// Stands on one entry of a run at a time.
pub(in crate::dedup) struct Cursor<'r> {
    run: &'r Reading,
    /// Where the next frame starts.
    next: u64,
    /// Where the next entry stands in the content.
    at: usize,
    content: Vec<u8>,
    packed: Vec<u8>,
    decompressor: Decompressor<'static>,
    /// Keys from here on are not given out.
    upper: Option<&'r [u8]>,
    /// Bytes that all keys which are given out have in common.
    depth: usize,
    /// The eight bytes of the key behind these, to compare first.
    rank: u64,
    key: Vec<u8>,
    fields: Option<Fields>,
    open: Vec<DocumentId>,
    ended: bool,
}

impl<'r> Cursor<'r> {
    /// Stands on the first entry whose key is not below `lower`, of those from the frame at `at` on, and goes through those
    /// below `upper`.
    pub(in crate::dedup) fn new(
        run: &'r Reading,
        at: u64,
        lower: &[u8],
        upper: Option<&'r [u8]>,
    ) -> Result<Self, SpillError> {
        let decompressor = Decompressor::new();
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
            // What lies between two keys starts with what they have in common.
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

    /// Whether it stands behind all entries.
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

    /// What is known beside the key, its strings in a buffer, and which open documents mention it.
    pub(in crate::dedup) fn known(&self) -> Option<(&Fields, &[u8], &[DocumentId])> {
        let fields = self.fields.as_ref()?;
        Some((fields, &self.content, &self.open))
    }

    /// Goes on to the next entry.
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
            return Err(self.run.fault(Damage::Content));
        }
        self.rank = prefix(self.key.get(self.depth..).unwrap_or_default());
        if self.upper.is_some_and(|upper| self.key.as_slice() >= upper) {
            self.end();
        }
        Ok(())
    }

    /// Stands behind all entries.
    fn end(&mut self) {
        (self.ended, self.rank) = (true, u64::MAX);
    }

    #[cold]
    fn frame(&mut self) -> Result<(), Fault> {
        let head = self.run.head(Kind::Names, self.next, &mut self.key)?;
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
        let mut bytes = Bytes::new(&self.content, self.at);
        let shared = bytes.length()?;
        if shared > self.key.len() {
            return None;
        }
        self.key.truncate(shared);
        self.key.extend_from_slice(bytes.bytes()?);
        if self.run.kept() == Kept::All {
            self.fields = Some(take_known(&mut bytes, &mut self.open)?);
        }
        self.at = bytes.at;
        Some(())
    }
}
