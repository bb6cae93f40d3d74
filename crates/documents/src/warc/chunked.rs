//! Decodes the chunked transfer coding (RFC 9112, 7.1).

use memchr::memchr;

use crate::fault::{HttpCoding, InputError};
use crate::read::{ReadBuffer, ReadBytes, read_held};

/// Maximum length of the line with a chunk's size, in bytes.
pub(super) const MAX_SIZE_LINE_BYTES: usize = 4 << 10;

/// Reads the data of all chunks of a body. Trailers are ignored.
pub(super) struct ChunkedBody<'c> {
    content: &'c mut dyn ReadBuffer,
    /// Bytes left in the chunk.
    left: u64,
    line: Vec<u8>,
    state: ChunkedState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ChunkedState {
    First,
    Chunk,
    Ended,
}

/// Whether a body that starts with `head` looks chunked: it starts with a size, and a line end follows the chunk, if `head`
/// is long enough to show it.
pub(super) fn starts(head: &[u8]) -> bool {
    let Some(end) = memchr(b'\n', &head[..head.len().min(MAX_SIZE_LINE_BYTES)]) else {
        return !head.is_empty() && head.len() <= 16 && head.iter().all(u8::is_ascii_hexdigit);
    };
    let Some(size) = size(&head[..end]) else {
        return false;
    };
    let chunk = &head[end + 1..];
    match usize::try_from(size)
        .ok()
        .and_then(|size| chunk.get(size..))
    {
        Some(after) => matches!(after, [] | [b'\r' | b'\n', ..]),
        None => head[..end].ends_with(b"\r"),
    }
}

/// Parses the size in a line: hexadecimal digits, with blanks or extensions after them.
fn size(line: &[u8]) -> Option<u64> {
    let end = line
        .iter()
        .position(|byte| !byte.is_ascii_hexdigit())
        .unwrap_or(line.len());
    let (digits, rest) = line.split_at(end);
    let after = rest.trim_ascii();
    if !after.is_empty() && after[0] != b';' {
        return None;
    }
    u64::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

impl<'c> ChunkedBody<'c> {
    pub(super) fn new(content: &'c mut dyn ReadBuffer) -> Self {
        ChunkedBody {
            content,
            left: 0,
            line: Vec::new(),
            state: ChunkedState::First,
        }
    }

    /// Moves to the next chunk, or to the end.
    fn next_chunk(&mut self) -> Result<(), InputError> {
        if self.state == ChunkedState::Chunk && !self.read_line()?.is_empty() {
            return Err(damaged());
        }
        self.left = size(self.read_line()?).ok_or_else(damaged)?;
        self.state = match self.left {
            0 => ChunkedState::Ended,
            _ => ChunkedState::Chunk,
        };
        Ok(())
    }

    /// Returns the next line, without its end.
    fn read_line(&mut self) -> Result<&[u8], InputError> {
        self.line.clear();
        while self.line.len() < MAX_SIZE_LINE_BYTES && !self.line.ends_with(b"\n") {
            let held = self.content.fill_buf()?;
            if held.is_empty() {
                break;
            }
            let held = &held[..held.len().min(MAX_SIZE_LINE_BYTES - self.line.len())];
            let count = memchr(b'\n', held).map_or(held.len(), |at| at + 1);
            self.line.extend_from_slice(&held[..count]);
            self.content.consume(count);
        }
        let line = self.line.strip_suffix(b"\n").ok_or_else(damaged)?;
        Ok(line.trim_ascii_end())
    }

    /// Moves to the next chunk if the current one is read, unless the end is reached.
    fn advance(&mut self) -> Result<(), InputError> {
        if self.left == 0 {
            self.next_chunk()?;
        }
        match self.state {
            ChunkedState::Chunk if self.content.fill_buf()?.is_empty() => Err(damaged()),
            _ => Ok(()),
        }
    }
}

fn damaged() -> InputError {
    InputError::Body(HttpCoding::Chunked)
}

impl ReadBuffer for ChunkedBody<'_> {
    fn fill_buf(&mut self) -> Result<&[u8], InputError> {
        if self.state != ChunkedState::Ended
            && let Err(error) = self.advance()
        {
            self.state = ChunkedState::Ended;
            return Err(error);
        }
        if self.state == ChunkedState::Ended {
            return Ok(&[]);
        }
        let held = self.content.fill_buf()?;
        let max = usize::try_from(self.left).unwrap_or(usize::MAX);
        Ok(&held[..held.len().min(max)])
    }

    fn consume(&mut self, count: usize) {
        self.content.consume(count);
        self.left -= count as u64;
    }
}

impl ReadBytes for ChunkedBody<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        read_held(self, into)
    }
}
