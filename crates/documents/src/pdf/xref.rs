//! Finds the objects of a file by its cross-reference tables and streams (ISO 32000-2, 7.5.4 and 7.5.8). If these are
//! damaged, searches for the objects themselves.

use std::collections::{HashMap, HashSet};

use super::filter::{listed, unpack};
use super::lexer::{Lexer, Token, is_blank};
use super::object::{ObjectRef, PdfDict, PdfObject, PdfStream};

/// Maximum number of objects of a file; more are ignored.
const MAX_OBJECTS: usize = 8_000_000;
/// Minimum bytes of the file per counted object, since the table of a hostile file may claim millions.
const MIN_BYTES_PER_OBJECT: usize = 8;
/// Maximum number of sections that a file may chain.
const MAX_SECTIONS: usize = 1024;
/// Bytes at the end of a file in which `startxref` is searched.
const TAIL_BYTES: usize = 1024;

/// The place of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectPlace {
    /// The offset in the file.
    At(usize),
    /// The number of an object stream, and the object's index there.
    In {
        stream: u32,
        index: usize,
    },
    Free,
}

/// The places of all objects, and the entries of the trailers.
#[derive(Debug, Default)]
pub(super) struct XrefTable {
    pub(super) places: HashMap<u32, ObjectPlace>,
    pub(super) trailer: PdfDict,
}

impl XrefTable {
    /// Reads the tables that the end of the file leads to. Returns `None` if there are none, or one of them is damaged.
    pub(super) fn parse(data: &[u8], max: usize) -> Option<XrefTable> {
        let tail = &data[data.len().saturating_sub(TAIL_BYTES)..];
        let found = memchr::memmem::rfind(tail, b"startxref")?;
        let mut lexer = Lexer::new(tail, found + b"startxref".len());
        let Some(Token::Number(start)) = lexer.token() else {
            return None;
        };
        let mut table = XrefTable::default();
        let mut seen = HashSet::new();
        let mut next = vec![start as usize];
        while let Some(at) = next.pop() {
            if !seen.insert(at) {
                continue;
            }
            if seen.len() > MAX_SECTIONS {
                return None;
            }
            let trailer = table.section(data, at, max)?;
            // The table of a hybrid file comes before the stream, which comes before older sections (7.5.8.4).
            let older = [b"Prev".as_slice(), b"XRefStm"].map(|key| trailer.get(key).count());
            next.extend(older.into_iter().flatten());
            table.trailer.0.splice(0..0, trailer.0);
        }
        table.trailer.has(b"Root").then_some(table)
    }

    /// Adds the section at `at`, which is older than those added before. Returns its trailer.
    fn section(&mut self, data: &[u8], at: usize, max: usize) -> Option<PdfDict> {
        let mut lexer = Lexer::new(data, at);
        match lexer.token()? {
            Token::Word(b"xref") => self.entries(lexer, data.len()),
            Token::Number(_) => {
                let stream = stream_at(data, at)?;
                self.stream(data, &stream, max)?;
                Some(stream.dict)
            }
            _ => None,
        }
    }

    fn entries(&mut self, mut lexer: Lexer<'_>, length: usize) -> Option<PdfDict> {
        loop {
            let first = match lexer.token()? {
                Token::Number(first) => first as usize,
                Token::Word(b"trailer") => break,
                _ => return None,
            };
            let Token::Number(count) = lexer.token()? else {
                return None;
            };
            for number in first..first.checked_add(count as usize)? {
                let (Token::Number(offset), Token::Number(_)) = (lexer.token()?, lexer.token()?)
                else {
                    return None;
                };
                let place = match lexer.token()? {
                    Token::Word(b"n") if offset > 0.0 => ObjectPlace::At(offset as usize),
                    Token::Word(b"n" | b"f") => ObjectPlace::Free,
                    _ => return None,
                };
                self.add(number, place, length);
            }
        }
        Some(lexer.object()?.dict().clone())
    }

    fn stream(&mut self, data: &[u8], stream: &PdfStream, max: usize) -> Option<()> {
        let dict = &stream.dict;
        let filters = listed(
            dict.get(b"Filter").clone(),
            dict.get(b"DecodeParms").clone(),
        );
        let unpacked = unpack(&data[stream.data.clone()], &filters, max);
        if unpacked.flaw.is_some() {
            // A search may find objects that a damaged table would not.
            return None;
        }
        let bytes = unpacked.bytes;
        let widths: Vec<_> = dict
            .get(b"W")
            .array()
            .iter()
            .map(PdfObject::count)
            .collect();
        let [Some(kind), Some(second), Some(third)] = widths[..] else {
            return None;
        };
        let width = kind.checked_add(second)?.checked_add(third)?;
        if width == 0 || width > 24 {
            return None;
        }
        let mut rows = bytes.chunks_exact(width);
        let size = [PdfObject::Number(0.0), dict.get(b"Size").clone()];
        let ranges = match dict.get(b"Index").array() {
            [] => &size[..],
            ranges => ranges,
        };
        for range in ranges.chunks_exact(2) {
            let (first, count) = (range[0].count()?, range[1].count()?);
            for (number, row) in (first..first.saturating_add(count)).zip(&mut rows) {
                let place = place(row, kind, second)?;
                self.add(number, place, data.len());
            }
        }
        Some(())
    }

    fn add(&mut self, number: usize, place: ObjectPlace, length: usize) {
        let has_room = self.places.len() < MAX_OBJECTS.min(length / MIN_BYTES_PER_OBJECT + 64);
        if let Some(number) = u32::try_from(number).ok().filter(|_| has_room) {
            self.places.entry(number).or_insert(place);
        }
    }

    /// Searches the whole file for objects. The last one with a number counts. Each object and trailer ends at the next
    /// one, so that no byte is read repeatedly if many objects are not closed.
    pub(super) fn rebuild(data: &[u8]) -> XrefTable {
        let mut table = XrefTable::default();
        let mut root = None;
        let objects = memchr::memmem::find_iter(data, b"obj");
        let headers = objects.filter_map(|at| Some((header_before(data, at)?, at)));
        let mut headers = headers.peekable();
        while let Some(((id, start), at)) = headers.next() {
            table.places.insert(id.number, ObjectPlace::At(start));
            let end = headers.peek().map_or(data.len(), |((_, next), _)| *next);
            let near = &data[at..end.min(at + TAIL_BYTES)];
            if memchr::memmem::find(near, b"/Catalog").is_some() && is_catalog(&data[..end], at + 3)
            {
                root = Some(id);
            }
        }
        let mut trailers = memchr::memmem::find_iter(data, b"trailer").peekable();
        while let Some(at) = trailers.next() {
            let end = trailers.peek().copied().unwrap_or(data.len());
            let trailer = Lexer::new(&data[..end], at + b"trailer".len()).object();
            table
                .trailer
                .0
                .extend(trailer.unwrap_or_default().dict().0.clone());
            if table.trailer.0.len() > MAX_SECTIONS {
                break;
            }
        }
        if let Some(root) = root {
            // The catalog that was found exists. A trailer may refer to another object.
            table
                .trailer
                .0
                .push((b"Root".to_vec(), PdfObject::Ref(root)));
        }
        table
    }

    /// Returns the numbers of objects at offsets of the file, in the order of the file.
    pub(super) fn in_file_order(&self) -> Vec<u32> {
        let offset = |(number, place): (&u32, &ObjectPlace)| match place {
            ObjectPlace::At(offset) => Some((*offset, *number)),
            _ => None,
        };
        let mut order: Vec<_> = self.places.iter().filter_map(offset).collect();
        order.sort_unstable();
        order.into_iter().map(|(_, number)| number).collect()
    }
}

/// Whether `data` ends as a whole file does: a trailer, a cross-reference stream or `startxref` follows its objects.
pub(super) fn has_end(data: &[u8]) -> bool {
    let mut words = memchr::memmem::rfind_iter(data, b"obj");
    let last = words.find_map(|at| header_before(data, at));
    let last = last.map_or(0, |(_, start)| start);
    let end = &data[last..];
    if memchr::memmem::find(end, b"startxref").is_some() {
        return true;
    }
    if let Some(at) = memchr::memmem::rfind(end, b"trailer") {
        let mut lexer = Lexer::new(end, at + b"trailer".len());
        let trailer = lexer.object();
        return matches!(trailer, Some(PdfObject::Dict(_))) && end[..lexer.at].ends_with(b">>");
    }
    stream_at(data, last).is_some_and(|stream| stream.dict.get(b"Type").name() == b"XRef")
}

fn is_catalog(data: &[u8], at: usize) -> bool {
    let object = Lexer::new(data, at).object().unwrap_or_default();
    object.dict().get(b"Type").name() == b"Catalog"
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

/// Reads the stream at `at`. Its dictionary must state its length directly, as that of a cross-reference stream must.
fn stream_at(data: &[u8], at: usize) -> Option<PdfStream> {
    let (id, at) = header_at(data, at)?;
    let mut lexer = Lexer::new(data, at);
    let dict = lexer.object()?.dict().clone();
    let length = dict.get(b"Length").count();
    let start = data_start(data, lexer)?;
    Some(PdfStream {
        data: start..data_end(data, start, length),
        dict,
        id,
    })
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
    Some(data.len() - rest.len() + ends)
}

/// Returns the end of the data at `start`: after `length` bytes if the keyword follows them, otherwise at the next keyword.
pub(super) fn data_end(data: &[u8], start: usize, length: Option<usize>) -> usize {
    let follows = |end: &usize| {
        let mut lexer = Lexer::new(data, *end);
        lexer.skip_blanks();
        lexer.rest().starts_with(b"endstream") || lexer.rest().starts_with(b"endobj")
    };
    let said = length.and_then(|length| start.checked_add(length));
    if let Some(end) = said.filter(|end| *end <= data.len()).filter(follows) {
        return end;
    }
    let found = memchr::memmem::find(&data[start..], b"endstream");
    found.map_or(data.len(), |length| start + length)
}

/// Reads a row whose first two fields have these lengths. Returns `None` for a value that no file has.
fn place(row: &[u8], kind: usize, second: usize) -> Option<ObjectPlace> {
    let field = |bytes: &[u8]| bytes.iter().fold(0_usize, |n, b| n << 8 | usize::from(*b));
    let (a, b) = (&row[kind..kind + second], &row[kind + second..]);
    Some(match if kind == 0 { 1 } else { field(&row[..kind]) } {
        1 => ObjectPlace::At(field(a)),
        2 => ObjectPlace::In {
            stream: u32::try_from(field(a)).ok()?,
            index: field(b),
        },
        _ => ObjectPlace::Free,
    })
}
