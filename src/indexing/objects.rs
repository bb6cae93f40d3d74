//! Cuts arrays of JSON into their objects: a single array, or the array of each page of works.

use std::ops::Range;

use doisift_documents::InputError;
use memchr::{memchr_iter, memchr2, memchr3, memmem, memrchr};

use crate::error::{Cause, KnownError};
use doisift_structure::string_bytes;
use doisift_tables::{BlockSizes, HeldText, RawText, RowLoss};

/// Finds the objects of an array in a buffer to which bytes are appended. Reads each byte once.
#[derive(Default)]
struct ObjectFinder {
    /// Bytes of the buffer that were read.
    at: usize,
    depth: usize,
    in_string: bool,
    /// Offset of the object that is not whole yet.
    start: usize,
    /// Whether the start of that object was dropped.
    is_dropped: bool,
    has_ended: bool,
}

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

/// Returns the offset after the opening bracket of the array `items` of a page of works.
pub(super) fn items(bytes: &[u8]) -> Option<usize> {
    let at = memchr_iter(b'[', bytes).find(|&at| ends_with_items(&bytes[..at]) == Some(true))?;
    Some(at + 1)
}

/// Whether the value after `bytes` belongs to the member `items`. Returns `None` if `bytes` do not end with a member's name.
fn ends_with_items(bytes: &[u8]) -> Option<bool> {
    let name = bytes.trim_ascii_end().strip_suffix(b":")?;
    let name = name.trim_ascii_end().strip_suffix(b"\"")?;
    let start = memrchr(b'"', name)? + 1;
    Some(*string_bytes(&name[start..]) == *b"items")
}

/// A piece of an array: bytes, the ranges of the objects in them, and the offset of the bytes; or a loss at an offset.
pub(super) enum ObjectPiece<'b> {
    Objects(&'b [u8], &'b [Range<usize>], u64),
    Lost(Cause, u64),
}

impl ObjectFinder {
    /// Reads to the end of the bytes or the array. Adds the ranges of whole objects to `found`.
    fn advance(&mut self, bytes: &[u8], found: &mut Vec<Range<usize>>) {
        while self.at < bytes.len() && !self.has_ended {
            if self.in_string {
                self.pass_string(bytes);
            } else {
                self.step(bytes, found);
            }
        }
    }

    /// Reads to the end of a string or of the bytes.
    fn pass_string(&mut self, bytes: &[u8]) {
        let mark = memchr2(b'"', b'\\', &bytes[self.at..]).map(|length| self.at + length);
        match mark {
            None => self.at = bytes.len(),
            Some(mark) if bytes[mark] == b'"' => {
                self.in_string = false;
                self.at = mark + 1;
            }
            // The byte after a backslash does not close the string, even if it is in the next read.
            Some(mark) => self.at = mark + 2,
        }
    }

    /// Reads to the next quote or brace.
    fn step(&mut self, bytes: &[u8], found: &mut Vec<Range<usize>>) {
        let rest = &bytes[self.at..];
        let mark = match self.depth {
            0 => rest.iter().position(|byte| b"\"{]".contains(byte)),
            _ => memchr3(b'"', b'{', b'}', rest),
        };
        let Some(mark) = mark.map(|length| self.at + length) else {
            self.at = bytes.len();
            return;
        };
        self.at = mark + 1;
        match bytes[mark] {
            b'"' => self.in_string = true,
            b'{' => self.open(mark),
            b'}' => self.close(found),
            _ => self.has_ended = true,
        }
    }

    fn open(&mut self, at: usize) {
        if self.depth == 0 {
            self.start = at;
        }
        self.depth += 1;
    }

    fn close(&mut self, found: &mut Vec<Range<usize>>) {
        self.depth -= 1;
        if self.depth == 0 {
            let is_whole = !std::mem::take(&mut self.is_dropped);
            found.extend(is_whole.then_some(self.start..self.at));
        }
    }

    /// Returns the offset of the first byte that is still needed.
    fn needed(&self) -> usize {
        match self.depth {
            0 => self.at,
            _ => self.start,
        }
    }

    /// Adjusts the offsets after the first `count` bytes of the buffer were removed.
    fn shift(&mut self, count: usize) {
        self.at -= count;
        self.start = self.start.saturating_sub(count);
    }
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
            if self.finder.has_ended {
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
        self.finder.has_ended = true;
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
        let at = self.text.offset + self.finder.start as u64;
        self.finder.start = self.finder.at;
        let is_first = !std::mem::replace(&mut self.finder.is_dropped, true);
        let error = KnownError::Rows(RowLoss::TooLong(self.text.sizes.max));
        is_first.then_some(ObjectPiece::Lost(Cause::Known(error), at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_items_of_a_page_are_found_by_the_name_that_is_meant() {
        for (page, start) in [
            (r#"{"a":[1],"items" : ["#, Some(20)),
            (r#"{"a":"items","\u0069tems":[{}"#, Some(27)),
            (r#"{"items":1,"a":["#, None),
            (r#"items":["#, None),
        ] {
            assert_eq!(items(page.as_bytes()), start, "{page}");
        }
    }
}
