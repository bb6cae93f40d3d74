//! Reads packed streams one after the other, such as those of zlib.
//!
//! Damage ends them, since the start of the next stream is not known.
//!
//! Each packing has its own decoder. This module handles the ends of streams, bytes between them and damage for all
//! packings.

use std::io;

use super::read::{damaged, early_end, is_padding};
use crate::fault::{InputError, Packing};
use crate::peek::PeekReader;
use crate::read::{ReadBuffer, ReadBytes};

/// Decodes one stream at a time.
pub(crate) trait StreamDecoder {
    const PACKING: Packing;

    /// Whether another stream starts with `head`, of up to [`HEAD_BYTES`] bytes.
    fn starts(head: &[u8]) -> bool;

    /// Prepares for another stream.
    fn restart(&mut self) -> Result<(), InputError>;

    /// Decodes some of `input` into `output`. If it consumes and writes nothing and the stream has not ended, more input is
    /// needed.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep;
}

/// Number of bytes that are enough to recognise a stream.
pub(crate) const HEAD_BYTES: usize = 10;

/// The result of a decoding step.
pub(crate) struct DecodeStep {
    pub(crate) read: usize,
    pub(crate) written: usize,
    /// Whether the stream has ended.
    pub(crate) ended: Result<bool, DecodeFault>,
}

/// Why a decoder cannot continue.
#[derive(Debug)]
pub(crate) enum DecodeFault {
    /// The data is damaged, as the codec says.
    Damaged(io::Error),
    /// The data needs a larger window than this limit in bytes.
    Window { packing: Packing, limit: u64 },
}

impl DecodeFault {
    /// Returns the error for data in `packing`.
    pub(crate) fn into_error(self, packing: Packing) -> InputError {
        match self {
            DecodeFault::Damaged(error) => damaged(packing, error),
            DecodeFault::Window { packing, limit } => InputError::Window { packing, limit },
        }
    }
}

impl<E: Into<io::Error>> From<E> for DecodeFault {
    fn from(error: E) -> Self {
        DecodeFault::Damaged(error.into())
    }
}

/// Reads all streams of a source in order. Zeros between and after them are padding; other bytes are an error, after all
/// decoded bytes.
///
/// Bytes decoded before damage are returned before the error, for all sizes of reads.
pub(super) struct StreamsReader<R, D> {
    raw: PeekReader<R>,
    decoder: D,
    place: StreamsState,
    /// The error that ended `raw`, if one did.
    cut: Option<InputError>,
    /// The error after the bytes that were just returned.
    failed: Option<InputError>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamsState {
    Within,
    Between,
    End,
}

impl<R: ReadBytes, D: StreamDecoder> StreamsReader<R, D> {
    /// Reads the streams of `raw`, which must start with one.
    pub(super) fn new(raw: PeekReader<R>, decoder: D) -> Self {
        StreamsReader {
            raw,
            decoder,
            place: StreamsState::Within,
            cut: None,
            failed: None,
        }
    }

    fn step(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if self.cut.is_none() {
            self.cut = self.raw.fill_buf().err();
        }
        let input = match self.cut {
            Some(_) => &[],
            None => self.raw.fill_buf()?,
        };
        let at_end = input.is_empty();
        let step = self.decoder.step(input, into);
        self.raw.consume(step.read);
        match step.ended {
            Ok(true) => self.place = StreamsState::Between,
            Ok(false) if step.read + step.written > 0 => {}
            Ok(false) => self.fail_stuck(at_end),
            Err(fault) => {
                self.place = StreamsState::End;
                self.failed = Some(fault.into_error(D::PACKING));
            }
        }
        Ok(step.written)
    }

    /// Fails because there is no more input: the source ended early, or returned an error.
    fn fail_stuck(&mut self, at_end: bool) {
        self.place = StreamsState::End;
        let reason = || {
            if at_end {
                early_end()
            } else {
                io::ErrorKind::InvalidData.into()
            }
        };
        let error = self.cut.take();
        self.failed = Some(error.unwrap_or_else(|| damaged(D::PACKING, reason())));
    }

    /// Continues after a stream.
    fn end_stream(&mut self) -> Result<(), InputError> {
        self.place = StreamsState::End;
        if let Some(error) = self.cut.take() {
            return Err(error);
        }
        if is_padding(&mut self.raw)? {
            return Ok(());
        }
        if !D::starts(self.raw.peek(HEAD_BYTES)) {
            return Err(InputError::Trailing(D::PACKING));
        }
        self.start()
    }

    fn start(&mut self) -> Result<(), InputError> {
        self.decoder.restart()?;
        self.place = StreamsState::Within;
        Ok(())
    }
}

impl<R: ReadBytes, D: StreamDecoder> ReadBytes for StreamsReader<R, D> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if into.is_empty() {
            return Ok(0);
        }
        loop {
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            match self.place {
                StreamsState::Within => match self.step(into)? {
                    0 => {}
                    written => return Ok(written),
                },
                StreamsState::Between => self.end_stream()?,
                StreamsState::End => return Ok(0),
            }
        }
    }
}
