//! Finds the objects of a file by their headers, `12 0 obj`.
//!
//! The tables at the end of a file (ISO 32000-2, 7.5.4 and 7.5.8) are not read: a search finds the same objects in whole
//! files and in damaged ones, in one pass. The last object with a number counts, as an update of a file is written after
//! what it replaces.

use std::collections::HashMap;

use memchr::memmem;

use super::lexer::{Lexer, Token, is_blank};
use super::object::{ObjectRef, PdfDict, PdfObject};

/// Minimum bytes of the file per object. An object stream of a hostile file may claim millions.
const MIN_BYTES_PER_OBJECT: usize = 4;
/// Number of objects that the smallest file may have.
const FREE_OBJECTS: usize = 1 << 10;
/// Maximum number of objects in all trailers; more are ignored.
const MAX_TRAILER_OBJECTS: usize = 1 << 20;

/// The place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectPlace {
    /// The offset in the file.
    At(usize),
    /// The number of an object stream, and the object's index there.
    In { stream: u32, index: usize },
}

/// The places of all objects, and the entries of the trailers.
#[derive(Debug, Default)]
pub(super) struct ObjectTable {
    places: HashMap<u32, ObjectPlace>,
    /// Entries of trailers and of cross-reference streams, in the order of the file.
    pub(super) trailer: PdfDict,
    /// Whether the file ends with a table of its objects, even a damaged one. A file that was cut short does not.
    pub(super) has_end: bool,
    /// Numbers and offsets of object streams, in the order of the file.
    pub(super) streams: Vec<(u32, usize)>,
    max_objects: usize,
    /// Number of objects that further trailers may have.
    trailer_room: usize,
}

/// The header of an object.
#[derive(Clone, Copy)]
struct ObjectHeader {
    id: ObjectRef,
    /// The offset of its number, and the offset after it.
    start: usize,
    end: usize,
}

impl ObjectTable {
    /// Searches the whole file. Each object and trailer ends at the next header, so that no byte is read repeatedly if many
    /// objects are not closed.
    pub(super) fn search(data: &[u8]) -> ObjectTable {
        let mut table = ObjectTable {
            max_objects: data.len() / MIN_BYTES_PER_OBJECT + FREE_OBJECTS,
            trailer_room: MAX_TRAILER_OBJECTS,
            ..ObjectTable::default()
        };
        let mut next = header_after(data, 0);
        table.gap(&data[..next.map_or(data.len(), |header| header.start)]);
        while let Some(header) = next {
            table.add(header.id.number, ObjectPlace::At(header.start));
            next = header_after(data, header.end);
            let limit = next.map_or(data.len(), |header| header.start);
            table.has_end = false;
            let end = table.stream(data, header, limit);
            if end > limit {
                // What looks like a header is in the data of the stream.
                next = header_after(data, end);
            }
            table.gap(&data[end..next.map_or(data.len(), |header| header.start)]);
        }
        table
    }

    /// Adds an object. Returns whether the file may have that many.
    pub(super) fn add(&mut self, number: u32, place: ObjectPlace) -> bool {
        let has_room = self.places.len() < self.max_objects;
        if has_room {
            self.places.insert(number, place);
        }
        has_room
    }

    pub(super) fn get(&self, number: u32) -> Option<ObjectPlace> {
        self.places.get(&number).copied()
    }

    /// Returns the offset of an object, or of the stream that has it.
    fn offset(&self, place: ObjectPlace) -> (usize, usize) {
        match place {
            ObjectPlace::At(offset) => (offset, 0),
            ObjectPlace::In { stream, index } => match self.places.get(&stream) {
                Some(ObjectPlace::At(offset)) => (*offset, index),
                _ => (usize::MAX, index),
            },
        }
    }

    /// Whether an object with this number comes after `offset`.
    pub(super) fn is_after(&self, number: u32, offset: usize) -> bool {
        self.get(number)
            .is_some_and(|place| self.offset(place).0 > offset)
    }

    /// Returns the numbers of all objects, in the order of the file.
    pub(super) fn in_file_order(&self) -> Vec<u32> {
        let mut order: Vec<_> = self.places.keys().copied().collect();
        order.sort_by_cached_key(|number| self.get(*number).map(|place| self.offset(place)));
        order
    }

    /// Reads the dictionary of a stream before `limit`, the next header. Returns the offset after its data if its length is
    /// right, otherwise after its header.
    fn stream(&mut self, data: &[u8], header: ObjectHeader, limit: usize) -> usize {
        if memmem::find(&data[header.end..limit], b"stream").is_none() {
            return header.end;
        }
        let mut lexer = Lexer::new(&data[..limit], header.end);
        let Some(PdfObject::Dict(dict)) = lexer.object() else {
            return header.end;
        };
        let objects = lexer.objects;
        let Some(start) = data_start(data, lexer) else {
            return header.end;
        };
        let end = stated_end(data, start, dict.get(b"Length").count());
        match dict.get(b"Type").name() {
            b"XRef" => {
                self.has_end = true;
                self.trailer(dict, objects);
            }
            b"ObjStm" => self.streams.push((header.id.number, header.start)),
            _ => {}
        }
        end.unwrap_or(header.end)
    }

    /// Reads the last trailer among the bytes before a header.
    fn gap(&mut self, bytes: &[u8]) {
        self.has_end |= memmem::find(bytes, b"startxref").is_some();
        let Some(at) = memmem::rfind(bytes, b"trailer") else {
            return;
        };
        let mut lexer = Lexer::new(bytes, at + b"trailer".len());
        if let Some(PdfObject::Dict(dict)) = lexer.object() {
            self.has_end |= bytes[..lexer.at].ends_with(b">>");
            self.trailer(dict, lexer.objects);
        }
    }

    /// Adds the entries of a trailer, which has this number of objects.
    fn trailer(&mut self, dict: PdfDict, objects: usize) {
        if let Some(room) = self.trailer_room.checked_sub(objects) {
            self.trailer_room = room;
            self.trailer.0.extend(dict.0);
        }
    }
}

/// Returns the first header that starts at `from` or later.
fn header_after(data: &[u8], from: usize) -> Option<ObjectHeader> {
    let words = memmem::find_iter(&data[from..], b"obj");
    words.map(|at| from + at).find_map(|at| {
        let (id, start) = header_before(data, at)?;
        let end = at + b"obj".len();
        (start >= from).then_some(ObjectHeader { id, start, end })
    })
}

/// Returns the id that comes before the `obj` at `at`, and its offset.
fn header_before(data: &[u8], at: usize) -> Option<(ObjectRef, usize)> {
    let front = &data[at.saturating_sub(32)..at];
    let (front, generation) = number_at_end(front)?;
    let (front, number) = number_at_end(front)?;
    let id = ObjectRef {
        number: u32::try_from(number).ok()?,
        generation: u16::try_from(generation).ok()?,
    };
    Some((id, at - at.min(32) + front.len()))
}

/// Returns the number at the end of `text`, before white space, and the bytes before it.
fn number_at_end(text: &[u8]) -> Option<(&[u8], u64)> {
    let blanks = text.iter().rev().take_while(|byte| is_blank(**byte));
    let text = &text[..text.len() - blanks.count()];
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit());
    let (front, digits) = text.split_at(text.len() - digits.count());
    Some((front, str::from_utf8(digits).ok()?.parse().ok()?))
}

/// Reads the object header at `at`. Returns the id and the offset after it.
pub(super) fn header_at(data: &[u8], at: usize) -> Option<(ObjectRef, usize)> {
    let mut lexer = Lexer::new(data, at);
    let (Token::Number(number), Token::Number(generation)) = (lexer.token()?, lexer.token()?)
    else {
        return None;
    };
    lexer.skip_blanks();
    if !lexer.rest().starts_with(b"obj") {
        return None;
    }
    let id = ObjectRef {
        number: number as u32,
        generation: generation as u16,
    };
    Some((id, lexer.at + 3))
}

/// Returns the offset of a stream's data, if `lexer` is before the keyword.
pub(super) fn data_start(data: &[u8], mut lexer: Lexer<'_>) -> Option<usize> {
    lexer.skip_blanks();
    let rest = lexer.rest().strip_prefix(b"stream")?;
    let ends = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    };
    Some(lexer.at + b"stream".len() + ends).filter(|start| *start <= data.len())
}

/// Returns the end of the data at `start` if it has `length` bytes and the keyword follows them.
pub(super) fn stated_end(data: &[u8], start: usize, length: Option<usize>) -> Option<usize> {
    let end = start.checked_add(length?)?;
    let mut lexer = Lexer::new(data.get(..end.saturating_add(64).min(data.len()))?, end);
    lexer.skip_blanks();
    let is_end = lexer.rest().starts_with(b"endstream") || lexer.rest().starts_with(b"endobj");
    (end <= data.len() && is_end).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_object_with_a_number_counts_and_data_of_streams_has_none() {
        let data = b"%PDF-1.4\n1 0 obj (a) endobj 1 0 obj(b)endobj\n2 0 obj<</Length 17>>stream\n\
            1 0 obj(c) endobj\nendstream endobj trailer<</Root 1 0 R>>";
        let table = ObjectTable::search(data);
        assert_eq!(table.in_file_order(), [1, 2]);
        assert_eq!(table.get(1), Some(ObjectPlace::At(28)));
        assert!(table.has_end && table.trailer.has(b"Root"));
        assert!(!ObjectTable::search(&data[..data.len() - 1]).has_end);
    }
}
