//! Cuts arrays of JSON into their objects: a single array, or the array of each page of works.

use std::ops::Range;

use doisift_documents::InputError;
use memchr::memmem;

use crate::error::{Cause, KnownError};
use doisift_tables::{BlockSizes, HeldText, ObjectFinder, RawText, RowLoss, items};

/// Cuts a document with arrays of objects into blocks of objects.
pub(super) struct ObjectBlocks<'d> {
    text: HeldText<'d>,
    finder: ObjectFinder,
    ranges: Vec<Range<usize>>,
    /// Offset of a page in which no array was found yet: an object at the start of a line after an array.
    page: Option<u64>,
    /// The damage that ended the document early.
    damage: Option<InputError>,
}

/// A piece of an array: bytes, the ranges of the objects in them, and the offset of the bytes; or a loss at an offset.
pub(super) enum ObjectPiece<'b> {
    Objects(&'b [u8], &'b [Range<usize>], u64),
    Lost(Cause, u64),
}

impl<'d> ObjectBlocks<'d> {
    /// Creates it for the array whose content `raw` has from `offset` on, and for the arrays `items` after it.
    pub(super) fn new(raw: RawText<'d>, offset: u64, sizes: BlockSizes) -> Self {
        ObjectBlocks {
            text: HeldText::new(raw, offset, sizes),
            finder: ObjectFinder::default(),
            ranges: Vec::new(),
            page: None,
            damage: None,
        }
    }

    /// Returns the next objects or the next loss, or `None` at the end. Damage ends the document, since an inner object would
    /// then look like one of the array.
    pub(super) fn next(&mut self) -> Option<ObjectPiece<'_>> {
        loop {
            self.ranges.clear();
            let passed = self.finder.needed().min(self.text.bytes.len());
            self.text.drop_first(passed);
            self.finder.shift(passed);
            if self.finder.has_ended() {
                match self.find_page() {
                    Ok(true) => {}
                    Ok(false) => return self.lost_page(),
                    Err(error) => return Some(ObjectPiece::Lost(error, self.text.end())),
                }
            } else if self.text.has_ended {
                return Some(self.drop_unclosed());
            } else if let Err(error) = self.text.fill() {
                self.text.has_ended = true;
                self.damage = Some(error);
            }
            self.finder.advance(&self.text.bytes, &mut self.ranges);
            if !self.ranges.is_empty() {
                let (bytes, offset) = (&self.text.bytes, self.text.offset);
                return Some(ObjectPiece::Objects(bytes, &self.ranges, offset));
            }
            let held = self.text.bytes.len().saturating_sub(self.finder.needed());
            if held > self.text.sizes.max
                && let Some(lost) = self.drop_object()
            {
                return Some(lost);
            }
        }
    }

    /// Drops the rest of an array that does not end, and returns the loss.
    fn drop_unclosed(&mut self) -> ObjectPiece<'static> {
        let at = self.text.end();
        self.text.bytes.clear();
        self.finder.end();
        let cut = || Cause::Known(KnownError::Json("the array of works does not end".into()));
        let error = self.damage.take().map_or_else(cut, Cause::Input);
        ObjectPiece::Lost(error, at)
    }

    /// Reads from the end of an array to the start of the next page's. Returns whether there is one.
    fn find_page(&mut self) -> Result<bool, Cause> {
        /// Max bytes from the name of the array to its bracket.
        const LONGEST_NAME: usize = 256;
        loop {
            let page = memmem::find(&self.text.bytes, b"\n{");
            let page = page.map(|at| self.text.offset + at as u64 + 1);
            self.page = self.page.or(page);
            if let Some(start) = items(&self.text.bytes) {
                self.text.drop_first(start);
                (self.finder, self.page) = (ObjectFinder::default(), None);
                return Ok(true);
            }
            let held = self.text.bytes.len();
            self.text.drop_first(held.saturating_sub(LONGEST_NAME));
            if self.text.has_ended {
                return Ok(false);
            }
            self.text.fill().map_err(|error| {
                self.text.has_ended = true;
                Cause::Input(error)
            })?;
        }
    }

    /// Returns the loss of a page without an array of works, once.
    fn lost_page(&mut self) -> Option<ObjectPiece<'static>> {
        self.text.bytes.clear();
        let at = self.page.take()?;
        Some(ObjectPiece::Lost(Cause::Known(KnownError::More), at))
    }

    /// Drops the held part of an object that is too long. Returns the loss once per object. The search for its end continues.
    fn drop_object(&mut self) -> Option<ObjectPiece<'static>> {
        let (start, is_first) = self.finder.drop_open();
        let at = self.text.offset + start as u64;
        let error = KnownError::Rows(RowLoss::TooLong(self.text.sizes.max));
        is_first.then_some(ObjectPiece::Lost(Cause::Known(error), at))
    }
}
