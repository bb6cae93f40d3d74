//! Filters of streams (ISO 32000-2, 7.4). The unpacked bytes of each are bounded.
//!
//! Filters of images are not undone, since nothing reads the pixels.

use flate2::{Decompress, FlushDecompress, Status};

use super::lexer::is_blank;
use super::object::{PdfDict, PdfObject};

/// Maximum number of filters of one stream; more of them are a bomb.
pub(super) const MAX_FILTERS: usize = 8;
/// Bytes of output for which room is made at once.
const STEP_BYTES: usize = 64 << 10;

/// The output of a filter.
#[derive(Debug, Default)]
pub(super) struct FilterOutput {
    pub(super) bytes: Vec<u8>,
    pub(super) flaw: Option<StreamFlaw>,
}

/// Why a stream was not read completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StreamFlaw {
    /// The data ends early, or cannot be decoded after the bytes that were unpacked.
    Damaged,
    /// It unpacks to more bytes than the limit.
    Large,
    /// It has more filters than the limit.
    Chained,
    /// Forms are nested too deeply.
    Nested,
    /// The page shows more text than the limit.
    Text,
    /// An operator has more operands than the limit.
    Operands,
    /// The page has more links than the limit.
    Links,
    /// The texts of characters in a font need more memory than the limit.
    Characters,
    /// It is packed by a filter for images, or an unknown one.
    Unreadable,
    /// The file does not have the stream.
    Missing,
}

/// A filter, and its parameters.
pub(super) struct Filter {
    name: Vec<u8>,
    parameters: PdfDict,
}

impl Filter {
    pub(super) fn new(name: Vec<u8>, parameters: PdfDict) -> Self {
        Filter { name, parameters }
    }

    /// Returns the name of the method by which the stream is encrypted, if this is a crypt filter.
    pub(super) fn crypt_name(&self) -> Option<&[u8]> {
        (self.name == b"Crypt").then(|| self.parameters.get(b"Name").name())
    }

    fn number(&self, key: &[u8], default: usize) -> usize {
        self.parameters.get(key).count().unwrap_or(default)
    }
}

/// Undoes `filters` in their order, each to at most `max` bytes.
pub(super) fn unpack(data: &[u8], filters: &[Filter], max: usize) -> FilterOutput {
    let Some((first, rest)) = filters.split_first() else {
        let kept = data.len().min(max);
        return FilterOutput {
            bytes: data[..kept].to_vec(),
            flaw: (kept < data.len()).then_some(StreamFlaw::Large),
        };
    };
    if filters.len() > MAX_FILTERS {
        return FilterOutput {
            flaw: Some(StreamFlaw::Chained),
            ..FilterOutput::default()
        };
    }
    let mut unpacked = undo(first, data, max);
    for filter in rest {
        if unpacked.flaw == Some(StreamFlaw::Unreadable) {
            break;
        }
        let next = undo(filter, &unpacked.bytes, max);
        unpacked = FilterOutput {
            flaw: next.flaw.or(unpacked.flaw),
            ..next
        };
    }
    unpacked
}

fn undo(filter: &Filter, data: &[u8], max: usize) -> FilterOutput {
    let mut out = Vec::new();
    let done = match &filter.name[..] {
        b"FlateDecode" | b"Fl" => inflate(data, max, &mut out),
        b"LZWDecode" | b"LZW" => lzw(data, filter.number(b"EarlyChange", 1), max, &mut out),
        b"ASCII85Decode" | b"A85" => ascii85(data, max, &mut out),
        b"ASCIIHexDecode" | b"AHx" => ascii_hex(data, max, &mut out),
        b"RunLengthDecode" | b"RL" => run_length(data, max, &mut out),
        // Encryption is undone before all filters.
        b"Crypt" => return unpack(data, &[], max),
        _ => Err(StreamFlaw::Unreadable),
    };
    if filter.number(b"Predictor", 1) > 1 {
        out = Predictor::of(filter).undo(out);
    }
    FilterOutput {
        bytes: out,
        flaw: done.err(),
    }
}

/// Checks data that ended before `rest`. Only blanks may follow the end mark.
fn ended(rest: &[u8]) -> Result<(), StreamFlaw> {
    if rest.iter().all(|byte| is_blank(*byte)) {
        Ok(())
    } else {
        Err(StreamFlaw::Damaged)
    }
}

/// Checks that `bytes` more bytes of output are within `max`.
fn room(out: &[u8], bytes: usize, max: usize) -> Result<(), StreamFlaw> {
    if max - out.len() >= bytes {
        Ok(())
    } else {
        Err(StreamFlaw::Large)
    }
}

/// Unpacks a zlib stream. Some writers leave out its header, or its checksum too.
fn inflate(data: &[u8], max: usize, out: &mut Vec<u8>) -> Result<(), StreamFlaw> {
    let data = trimmed(data);
    let has_header = data.len() > 1
        && data[0] & 0x0f == 8
        && (u16::from(data[0]) << 8 | u16::from(data[1])) % 31 == 0;
    if has_header {
        let read = deflate(&data[2..], max, out)?;
        return match checksum(&data[2 + read..]) {
            Some(sum) if sum != adler2::adler32_slice(out) => Err(StreamFlaw::Damaged),
            _ => Ok(()),
        };
    }
    let done = deflate(data, max, out);
    if done == Err(StreamFlaw::Damaged) && data.len() > 2 {
        // The damage may be in the header itself.
        let mut behind = Vec::new();
        let done = deflate(&data[2..], max, &mut behind);
        if behind.len() > out.len() {
            *out = behind;
        }
        return Err(done.err().unwrap_or(StreamFlaw::Damaged));
    }
    // A checksum may follow.
    ended(data.get(done? + 4..).unwrap_or_default())
}

/// Returns the checksum at the start of `rest`, the bytes after deflated data; `None` if only a line end is there.
fn checksum(rest: &[u8]) -> Option<u32> {
    let sum = rest.first_chunk()?;
    let is_line_end = |byte: &u8| matches!(byte, b'\r' | b'\n');
    (!sum.iter().all(is_line_end)).then(|| u32::from_be_bytes(*sum))
}

/// Unpacks deflated data. Returns the number of bytes of `body` that it has.
fn deflate(body: &[u8], max: usize, out: &mut Vec<u8>) -> Result<usize, StreamFlaw> {
    let mut decoder = Decompress::new(false);
    loop {
        let read = decoder.total_in() as usize;
        let room = STEP_BYTES.min(max - out.len());
        out.reserve(room.max(1));
        let filled = out.len();
        out.resize(filled + room, 0);
        let status = decoder.decompress(&body[read..], &mut out[filled..], FlushDecompress::None);
        let written = decoder.total_out() as usize;
        out.truncate(written);
        match status {
            Ok(Status::StreamEnd) => return Ok(decoder.total_in() as usize),
            Ok(_) if written > filled => {}
            Ok(_) if room == 0 => return Err(StreamFlaw::Large),
            Ok(_) if decoder.total_in() as usize > read => {}
            Ok(_) | Err(_) => return Err(StreamFlaw::Damaged),
        }
    }
}

/// Returns `data` without the line ends before it, which some writers add.
fn trimmed(data: &[u8]) -> &[u8] {
    let blanks = data.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    &data[blanks.count()..]
}

/// The code of LZW that clears the table, the code that ends the data, and the maximum number of codes.
const CLEAR_CODE: usize = 256;
const END_CODE: usize = 257;
const MAX_CODES: usize = 4096;

/// The codes of LZW, most significant bit first.
struct LzwCodes<'d> {
    bytes: std::slice::Iter<'d, u8>,
    held: u32,
    bits: u32,
}

impl LzwCodes<'_> {
    /// Reads the next code, of `width` bits; `None` at the end of the data, since the end mark may be missing.
    fn next_code(&mut self, width: u32) -> Option<usize> {
        while self.held < width {
            self.bits = self.bits << 8 | u32::from(*self.bytes.next()?);
            self.held += 8;
        }
        self.held -= width;
        Some((self.bits >> self.held) as usize & ((1 << width) - 1))
    }
}

/// Returns the width of a code if there are this many codes.
fn lzw_width(codes: usize) -> u32 {
    match codes {
        ..=511 => 9,
        512..=1023 => 10,
        1024..=2047 => 11,
        _ => 12,
    }
}

fn lzw(data: &[u8], early: usize, max: usize, out: &mut Vec<u8>) -> Result<(), StreamFlaw> {
    let mut codes = LzwCodes {
        bytes: data.iter(),
        held: 0,
        bits: 0,
    };
    // The last position of each sequence in the output, and its length.
    let mut known: Vec<(usize, usize)> = Vec::new();
    let mut last: Option<(usize, usize)> = None;
    while let Some(code) = codes.next_code(lzw_width(END_CODE + 1 + known.len() + early.min(1))) {
        let start = out.len();
        match code {
            END_CODE => return ended(codes.bytes.as_slice()),
            CLEAR_CODE => {
                known.clear();
                last = None;
                continue;
            }
            _ => {}
        }
        // The new sequence is the last one and the byte after it, which was written directly after it.
        if let Some((at, len)) = last.filter(|_| known.len() + END_CODE + 1 < MAX_CODES) {
            known.push((at, len + 1));
        }
        if code < CLEAR_CODE {
            room(out, 1, max)?;
            out.push(code as u8);
        } else {
            let (at, len) = *known.get(code - END_CODE - 1).ok_or(StreamFlaw::Damaged)?;
            room(out, len, max)?;
            // The sequence may include its own first byte as its last one.
            for byte in at..at + len {
                out.push(out[byte]);
            }
        }
        last = Some((start, out.len() - start));
    }
    Ok(())
}

fn ascii85(data: &[u8], max: usize, out: &mut Vec<u8>) -> Result<(), StreamFlaw> {
    let data = data.strip_prefix(b"<~").unwrap_or(data);
    let (mut group, mut count) = (0_u32, 0);
    let mut bytes = data.iter();
    for byte in bytes.by_ref() {
        match byte {
            b'~' => break,
            b'z' if count == 0 => {
                room(out, 4, max)?;
                out.extend([0; 4]);
            }
            b'!'..=b'u' => {
                group = group.wrapping_mul(85).wrapping_add(u32::from(byte - b'!'));
                count += 1;
                if count == 5 {
                    room(out, 4, max)?;
                    out.extend(group.to_be_bytes());
                    (group, count) = (0, 0);
                }
            }
            byte if is_blank(*byte) => {}
            _ => return Err(StreamFlaw::Damaged),
        }
    }
    if count > 1 {
        for _ in count..5 {
            group = group.wrapping_mul(85).wrapping_add(84);
        }
        room(out, count - 1, max)?;
        out.extend(&group.to_be_bytes()[..count - 1]);
    }
    let rest = bytes.as_slice();
    ended(rest.strip_prefix(b">").unwrap_or(rest))
}

fn ascii_hex(data: &[u8], max: usize, out: &mut Vec<u8>) -> Result<(), StreamFlaw> {
    let mut high = None;
    let mut bytes = data.iter();
    for byte in bytes.by_ref() {
        let digit = match char::from(*byte).to_digit(16) {
            Some(digit) => digit as u8,
            None if *byte == b'>' => break,
            None if is_blank(*byte) => continue,
            None => return Err(StreamFlaw::Damaged),
        };
        match high.take() {
            None => high = Some(digit),
            Some(high) => {
                room(out, 1, max)?;
                out.push(high << 4 | digit);
            }
        }
    }
    room(out, 1, max)?;
    out.extend(high.map(|high| high << 4));
    ended(bytes.as_slice())
}

fn run_length(data: &[u8], max: usize, out: &mut Vec<u8>) -> Result<(), StreamFlaw> {
    let mut rest = data;
    while let Some((length, after)) = rest.split_first() {
        let count = usize::from(*length);
        rest = match length {
            128 => return ended(after),
            ..128 => {
                let span = after.get(..=count).ok_or(StreamFlaw::Damaged)?;
                room(out, span.len(), max)?;
                out.extend(span);
                &after[span.len()..]
            }
            129.. => {
                let (byte, after) = after.split_first().ok_or(StreamFlaw::Damaged)?;
                room(out, 257 - count, max)?;
                out.resize(out.len() + 257 - count, *byte);
                after
            }
        };
    }
    Ok(())
}

/// Undoes predictors: rows of bytes that were subtracted from the rows before them (7.4.4.4).
struct Predictor {
    is_png: bool,
    /// Bytes of a row, and of a pixel.
    row: usize,
    pixel: usize,
}

impl Predictor {
    fn of(filter: &Filter) -> Self {
        let colors = filter.number(b"Colors", 1).clamp(1, 32);
        let bits = filter.number(b"BitsPerComponent", 8).clamp(1, 32);
        let columns = filter.number(b"Columns", 1).clamp(1, 1 << 24);
        Predictor {
            is_png: filter.number(b"Predictor", 1) >= 10,
            row: (colors * bits * columns).div_ceil(8),
            pixel: (colors * bits).div_ceil(8),
        }
    }

    fn undo(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        if self.is_png {
            return self.png(&bytes);
        }
        for row in bytes.chunks_mut(self.row) {
            for at in self.pixel..row.len() {
                row[at] = row[at].wrapping_add(row[at - self.pixel]);
            }
        }
        bytes
    }

    fn png(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
        for line in bytes.chunks(self.row + 1) {
            let start = out.len();
            for (at, byte) in line[1..].iter().enumerate() {
                let left = at.checked_sub(self.pixel);
                let before = |at: Option<usize>| {
                    at.and_then(|at| out.get((start + at).checked_sub(self.row)?))
                };
                let above = before(Some(at)).copied().unwrap_or(0);
                let corner = before(left).copied().unwrap_or(0);
                let left = left.map_or(0, |left| out[start + left]);
                let predicted = match line[0] {
                    1 => left,
                    2 => above,
                    3 => ((u16::from(left) + u16::from(above)) / 2) as u8,
                    4 => paeth(left, above, corner),
                    _ => 0,
                };
                out.push(byte.wrapping_add(predicted));
            }
        }
        out
    }
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(corner));
    let distance = |value: i16| (a + b - c - value).abs();
    match (distance(a), distance(b), distance(c)) {
        (x, y, z) if x <= y && x <= z => left,
        (_, y, z) if y <= z => above,
        _ => corner,
    }
}

/// Returns the filters that the value of `Filter` lists, with their parameters.
pub(super) fn listed(filters: PdfObject, parameters: PdfObject) -> Vec<Filter> {
    let one = |value: PdfObject| match value {
        PdfObject::Array(items) => items,
        PdfObject::Null => Vec::new(),
        other => vec![other],
    };
    let mut parameters = one(parameters).into_iter();
    let named = one(filters).into_iter().map(|filter| {
        let parameters = match parameters.next() {
            Some(PdfObject::Dict(dict)) => dict,
            _ => PdfDict::default(),
        };
        Filter::new(filter.name().to_vec(), parameters)
    });
    named.take(MAX_FILTERS + 1).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn unpacked(name: &str, data: &[u8], max: usize) -> (Vec<u8>, Option<StreamFlaw>) {
        let filter = Filter::new(name.into(), PdfDict::default());
        let unpacked = unpack(data, &[filter], max);
        (unpacked.bytes, unpacked.flaw)
    }

    fn deflated(bytes: &[u8]) -> Vec<u8> {
        let mut out = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn each_filter_is_undone_up_to_its_limit() {
        let lzw = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        let cases: [(&str, &[u8], &[u8]); 4] = [
            ("LZWDecode", &lzw, b"-----A---B"),
            ("ASCII85Decode", b"87cUR D]i,\"Ebo80~>", b"Hello World!"),
            ("AHx", b"48 65 6C6c6F> \n", b"Hello"),
            ("RL", b"\x04Hello\xfe!\x80\n", b"Hello!!!"),
        ];
        for (name, packed, plain) in cases {
            assert_eq!(
                unpacked(name, packed, 100),
                (plain.to_vec(), None),
                "{name}"
            );
            for max in 0..plain.len() {
                let (bytes, flaw) = unpacked(name, packed, max);
                assert!(bytes.len() <= max && plain.starts_with(&bytes), "{name}");
                assert_eq!(flaw, Some(StreamFlaw::Large), "{name}: {max}");
            }
        }
    }

    #[test]
    fn deflated_data_is_read_without_its_header_and_checksum() {
        let plain = b"text ".repeat(30_000);
        let packed = deflated(&plain);
        let whole = (plain.clone(), None);
        assert_eq!(unpacked("Fl", &packed, plain.len()), whole);
        assert_eq!(unpacked("Fl", &packed[..packed.len() - 4], 1 << 20), whole);
        assert_eq!(unpacked("Fl", &packed[2..], 1 << 20), whole);
        let mut wrong = packed.clone();
        *wrong.last_mut().unwrap() ^= 1;
        let damaged = (plain.clone(), Some(StreamFlaw::Damaged));
        assert_eq!(unpacked("Fl", &wrong, 1 << 20), damaged);
        wrong = packed.clone();
        wrong[1] ^= 1;
        assert_eq!(unpacked("Fl", &wrong, 1 << 20), damaged);
        let (bytes, flaw) = unpacked("Fl", &packed, 70_000);
        assert_eq!((bytes.len(), flaw), (70_000, Some(StreamFlaw::Large)));
        let (bytes, flaw) = unpacked("Fl", &packed[..packed.len() / 2], 1 << 20);
        assert!(!bytes.is_empty() && plain.starts_with(&bytes));
        assert_eq!(flaw, Some(StreamFlaw::Damaged));
        assert_eq!(
            unpacked("DCTDecode", &packed, 9).1,
            Some(StreamFlaw::Unreadable)
        );
    }

    #[test]
    fn data_after_an_end_mark_is_damage() {
        let lzw = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01, b'x'];
        let packed = deflated(b"text");
        let raw = [&packed[2..], b"more"].concat();
        let cases: [(&str, &[u8]); 6] = [
            ("LZWDecode", &lzw),
            ("A85", b"87cUR D]i,\"Ebo80~>x"),
            ("A85", b"87cUR~D]i,\"Ebo80~>"),
            ("AHx", b"48 65>6C6c6F>"),
            ("RL", b"\x04Hello\x80\xfe!"),
            ("Fl", &raw),
        ];
        for (name, packed) in cases {
            let (bytes, flaw) = unpacked(name, packed, 100);
            assert!(!bytes.is_empty(), "{name}");
            assert_eq!(flaw, Some(StreamFlaw::Damaged), "{name}");
        }
    }

    #[test]
    fn too_many_filters_are_not_too_much_data() {
        let filters =
            || (0..=MAX_FILTERS).map(|_| Filter::new(b"AHx".to_vec(), PdfDict::default()));
        let filters: Vec<_> = filters().collect();
        assert_eq!(unpack(b"41>", &filters, 9).flaw, Some(StreamFlaw::Chained));
    }

    #[test]
    fn a_bomb_in_a_bomb_unpacks_to_the_limit() {
        let zeros = deflated(&vec![0; 4 << 20]);
        let filter = || Filter::new(b"Fl".to_vec(), PdfDict::default());
        let nested = unpack(&deflated(&zeros), &[filter(), filter()], 1 << 20);
        assert_eq!(nested.bytes.len(), 1 << 20);
        assert_eq!(nested.flaw, Some(StreamFlaw::Large));
    }

    #[test]
    fn predictors_are_undone() {
        let entry = |key: &str, value: f64| (key.as_bytes().to_vec(), PdfObject::Number(value));
        let rows = [0, 1, 2, 3, 1, 1, 1, 1, 2, 1, 1, 1, 3, 2, 2, 2, 4, 1, 1, 1];
        let undone = |predictor: f64| {
            let entries = vec![entry("Predictor", predictor), entry("Columns", 3.0)];
            let filter = Filter::new(b"RL".to_vec(), PdfDict(entries));
            let mut packed = vec![rows.len() as u8 - 1];
            packed.extend(rows);
            unpack(&packed, &[filter], 100).bytes
        };
        let png = [1, 2, 3, 1, 2, 3, 2, 3, 4, 3, 5, 6, 4, 6, 7];
        assert_eq!(undone(12.0), png);
        assert_eq!(undone(2.0)[..6], [0, 1, 3, 3, 4, 5]);
    }
}
