//! Finds the objects of an array in JSON, whatever is between them: an array that is a document, or the `items` of a page of works.

use std::ops::Range;

use memchr::{memchr_iter, memchr2, memchr3, memrchr};

use super::json::string;

/// Finds the objects of an array in a buffer to which bytes are appended. Reads each byte once.
#[derive(Default)]
pub struct ObjectFinder {
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

/// Returns the offset after the opening bracket of the array `items` of a page of works.
pub fn items(bytes: &[u8]) -> Option<usize> {
    let at = memchr_iter(b'[', bytes).find(|&at| ends_with_items(&bytes[..at]) == Some(true))?;
    Some(at + 1)
}

/// Whether the value after `bytes` belongs to the member `items`. Returns `None` if `bytes` do not end with a member's name.
fn ends_with_items(bytes: &[u8]) -> Option<bool> {
    let name = bytes.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let start = memrchr(b'"', name.strip_suffix(b"\"")?)?;
    Some(string(&name[start..]).is_ok_and(|name| name == "items"))
}

impl ObjectFinder {
    /// Creates a finder for a buffer that has the content of the array from `start` on.
    pub fn at(start: usize) -> Self {
        ObjectFinder {
            at: start,
            ..ObjectFinder::default()
        }
    }

    /// Whether the end of the array was read.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Treats the array as ended.
    pub fn end(&mut self) {
        self.has_ended = true;
    }

    /// Reads to the end of the bytes or the array. Adds the ranges of whole objects to `found`.
    pub fn advance(&mut self, bytes: &[u8], found: &mut Vec<Range<usize>>) {
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
    pub fn needed(&self) -> usize {
        match self.depth {
            0 => self.at,
            _ => self.start,
        }
    }

    /// Adjusts the offsets after the first `count` bytes of the buffer were removed.
    pub fn shift(&mut self, count: usize) {
        self.at -= count;
        self.start = self.start.saturating_sub(count);
    }

    /// Drops the part of the open object that was read. Returns its offset, and whether no part of the object was dropped before.
    pub fn drop_open(&mut self) -> (usize, bool) {
        let start = std::mem::replace(&mut self.start, self.at);
        (start, !std::mem::replace(&mut self.is_dropped, true))
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
