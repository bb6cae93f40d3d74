//! LZ4: frames, and the format of the time before them.

use std::io::{self, BufRead, Read};

use lz4_flex::frame::FrameDecoder;

use super::{InputError, Packing, Raw, damaged, early_end, fill, is_padding};
use crate::input::magic;

/// All frames of a source in turn, skippable ones passed over. Zeros between and behind them are padding; anything else
/// there is an error, after all that came before.
pub(super) struct Lz4<R: Read> {
    place: Place<R>,
}

enum Place<R: Read> {
    Between(Raw<R>),
    Within(Box<FrameDecoder<Frame<R>>>),
    End,
}

/// The bytes that a frame is read from. The crate takes their end, and [`io::ErrorKind::UnexpectedEof`], for the frame's; for
/// frames, whose end is marked, that is another error here.
struct Frame<R> {
    raw: Raw<R>,
    is_legacy: bool,
}

impl<R: Read> Read for Frame<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        fill(&mut self.raw)?;
        match self.raw.read(into) {
            Ok(0) if !into.is_empty() && !self.is_legacy => {
                Err(io::Error::new(io::ErrorKind::InvalidData, early_end()))
            }
            result => result,
        }
    }
}

impl<R: Read> Lz4<R> {
    /// `raw` starts with a frame.
    pub(super) fn new(raw: Raw<R>) -> Self {
        Lz4 {
            place: Place::Between(raw),
        }
    }

    /// Goes on behind a frame.
    fn next(mut raw: Raw<R>) -> io::Result<Place<R>> {
        if is_padding(&mut raw)? {
            return Ok(Place::End);
        }
        let head = raw.peek(8);
        if magic::is_skippable(head) {
            skip(&mut raw)?;
            return Ok(Place::Between(raw));
        }
        if !magic::is_lz4(head) {
            return Err(InputError::Trailing(Packing::Lz4).into());
        }
        let is_legacy = head.starts_with(magic::LZ4_LEGACY);
        let frame = FrameDecoder::new(Frame { raw, is_legacy });
        Ok(Place::Within(Box::new(frame)))
    }
}

/// Passes a skippable frame over.
fn skip<R: Read>(raw: &mut Raw<R>) -> io::Result<()> {
    let mut head = [0; 8];
    raw.read_exact(&mut head)
        .map_err(|error| damaged(Packing::Lz4, error))?;
    let [.., a, b, c, d] = head;
    let mut left = u32::from_le_bytes([a, b, c, d]) as usize;
    while left > 0 {
        fill(raw)?;
        let count = raw.fill_buf()?.len().min(left);
        if count == 0 {
            return Err(damaged(Packing::Lz4, early_end()));
        }
        raw.consume(count);
        left -= count;
    }
    Ok(())
}

impl<R: Read> Read for Lz4<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            match std::mem::replace(&mut self.place, Place::End) {
                Place::Between(raw) => self.place = Self::next(raw)?,
                Place::Within(mut frame) => {
                    let read = frame
                        .read(into)
                        .map_err(|error| damaged(Packing::Lz4, error))?;
                    if read > 0 {
                        self.place = Place::Within(frame);
                        return Ok(read);
                    }
                    self.place = Place::Between(frame.into_inner().raw);
                }
                Place::End => return Ok(0),
            }
        }
    }
}
