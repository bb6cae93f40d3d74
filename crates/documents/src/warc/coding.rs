//! Decodes compressed codings of HTTP bodies.

use std::io;

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

use super::ahead::PeekBody;
use crate::codec::{
    DecodeFault, DecodeStep, DeflateWrapper, InflateDecoder, StreamDecoder, ZstdDecoder,
};
use crate::fault::{HttpCoding, InputError};
use crate::read::{ReadBuffer, ReadBytes};

/// Number of first bytes by which a coding is recognised.
pub(super) const HEAD_BYTES: usize = 512;
/// Minimum number of bytes without a control character that are taken for text. One in ten million codings starts with this
/// many such bytes.
const MIN_TEXT_BYTES: usize = 128;
/// Maximum input and output of a brotli step in bytes. If a step fails, its output is lost.
const PIECE_BYTES: usize = 4 << 10;
/// Bytes that show whether another stream follows.
const MAGIC_BYTES: usize = 4;
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 8];
const ZSTD_MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

/// The state of a decoder.
pub(super) enum BodyDecoder {
    Gzip(InflateDecoder),
    /// With a zlib header, as the standard requires, or without, as some servers send it.
    Deflate(InflateDecoder),
    Brotli(Box<Brotli>),
    Zstd(ZstdDecoder),
}

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// The position of a decoder in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamProgress {
    Going,
    /// A complete stream, member or frame was decoded.
    Whole,
    /// It cannot continue.
    Failed,
}

impl HttpCoding {
    /// Returns the coding of this name, as registered at IANA, or `x-gzip`.
    pub(super) fn named(name: &[u8]) -> Option<Self> {
        const NAMES: [(&str, HttpCoding); 6] = [
            ("chunked", HttpCoding::Chunked),
            ("gzip", HttpCoding::Gzip),
            ("x-gzip", HttpCoding::Gzip),
            ("deflate", HttpCoding::Deflate),
            ("br", HttpCoding::Brotli),
            ("zstd", HttpCoding::Zstd),
        ];
        let known = NAMES
            .iter()
            .find(|known| name.eq_ignore_ascii_case(known.0.as_bytes()));
        known.map(|known| known.1)
    }
}

impl BodyDecoder {
    /// Makes a decoder, if a body that starts with `head` looks like this coding. zstd accepts windows of up to `window`
    /// bytes.
    pub(super) fn new(coding: HttpCoding, head: &[u8], window: u64) -> Option<Self> {
        match coding {
            HttpCoding::Chunked => None,
            HttpCoding::Gzip => starts(head, GZIP_MAGIC).then(BodyDecoder::gzip),
            HttpCoding::Zstd if is_zstd(head) => {
                ZstdDecoder::new(window).ok().map(BodyDecoder::Zstd)
            }
            HttpCoding::Zstd => None,
            HttpCoding::Deflate => [DeflateWrapper::Zlib, DeflateWrapper::Bare]
                .map(|wrapper| move || BodyDecoder::Deflate(InflateDecoder::new(wrapper)))
                .into_iter()
                .find_map(|engine| trial_decoder(engine, head)),
            HttpCoding::Brotli => trial_decoder(BodyDecoder::brotli, head),
        }
    }

    fn gzip() -> Self {
        BodyDecoder::Gzip(InflateDecoder::new(DeflateWrapper::Gzip))
    }

    fn brotli() -> Self {
        // Windows of up to 16 MiB; browsers accept no larger ones either.
        let alloc = StandardAlloc::default;
        BodyDecoder::Brotli(Box::new(BrotliState::new_strict(alloc(), alloc(), alloc())))
    }

    fn coding(&self) -> HttpCoding {
        match self {
            BodyDecoder::Gzip(_) => HttpCoding::Gzip,
            BodyDecoder::Deflate(_) => HttpCoding::Deflate,
            BodyDecoder::Brotli(_) => HttpCoding::Brotli,
            BodyDecoder::Zstd(_) => HttpCoding::Zstd,
        }
    }

    /// Prepares for another stream after a complete one. Returns false if `after` does not start one.
    fn restart(&mut self, after: &[u8]) -> bool {
        match self {
            BodyDecoder::Gzip(_) if !after.is_empty() && starts(after, GZIP_MAGIC) => {
                *self = BodyDecoder::gzip()
            }
            // The decoder starts the next frame by itself.
            BodyDecoder::Zstd(_) => return !after.is_empty() && is_zstd(after),
            _ => return false,
        }
        true
    }

    /// Decodes some bytes.
    fn decode_step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        match self {
            BodyDecoder::Gzip(engine) | BodyDecoder::Deflate(engine) => engine.step(input, output),
            BodyDecoder::Brotli(state) => {
                let piece = &input[..input.len().min(PIECE_BYTES)];
                let room = output.len().min(PIECE_BYTES);
                unbrotli(state, piece, &mut output[..room])
            }
            BodyDecoder::Zstd(engine) => engine.step(input, output),
        }
    }
}

fn unbrotli(state: &mut Brotli, input: &[u8], output: &mut [u8]) -> DecodeStep {
    let (mut left, mut room, mut total) = (input.len(), output.len(), 0);
    let (mut read, mut written) = (0, 0);
    let result = BrotliDecompressStream(
        &mut left,
        &mut read,
        input,
        &mut room,
        &mut written,
        output,
        &mut total,
        state,
    );
    let ended = match result {
        BrotliResult::ResultSuccess => Ok(true),
        BrotliResult::ResultFailure => Err(io::ErrorKind::InvalidData.into()),
        _ => Ok(false),
    };
    DecodeStep {
        read,
        written,
        ended,
    }
}

/// Whether `head` starts with `magic`, or is the start of it.
fn starts(head: &[u8], magic: &[u8]) -> bool {
    let seen = head.len().min(magic.len());
    seen > 0 && head[..seen] == magic[..seen]
}

/// Whether `head` is the start of a frame, or of a skippable frame.
fn is_zstd(head: &[u8]) -> bool {
    starts(head, ZSTD_MAGIC) || matches!(head, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Makes a decoder, if it decodes `head` and `head` is not text. These codings have no magic number.
fn trial_decoder(engine: impl Fn() -> BodyDecoder, head: &[u8]) -> Option<BodyDecoder> {
    let text = is_text(head);
    if text && head.len() >= MIN_TEXT_BYTES {
        return None;
    }
    let head = &head[..head.len().min(HEAD_BYTES)];
    let step = engine().decode_step(head, &mut [0; 8 * HEAD_BYTES]);
    let read = step.read;
    // A short body may look like text. It is a coding if it decodes completely to its end.
    let is_coding = |ended| !text || ended && read == head.len();
    step.ended.is_ok_and(is_coding).then(engine)
}

/// Whether `head` has no control characters and, if it is short, is UTF-8.
fn is_text(head: &[u8]) -> bool {
    let control = |byte: &u8| byte.is_ascii_control() && !byte.is_ascii_whitespace();
    let is_utf8 =
        || str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    !head.iter().take(2 * MIN_TEXT_BYTES).any(control)
        && (head.len() >= MIN_TEXT_BYTES || is_utf8())
}

/// Reads decoded bytes. An error is returned once, after all decoded bytes; then the end.
pub(super) struct DecodedBody<'c, 'i> {
    content: &'c mut PeekBody<'i>,
    engine: BodyDecoder,
    /// The error of the content, or the limit that it exceeds.
    failure: Option<InputError>,
    progress: StreamProgress,
}

impl<'c, 'i> DecodedBody<'c, 'i> {
    pub(super) fn new(content: &'c mut PeekBody<'i>, engine: BodyDecoder) -> Self {
        DecodedBody {
            content,
            engine,
            failure: None,
            progress: StreamProgress::Going,
        }
    }

    /// Decodes some bytes, maybe none. Must not be called after the end.
    fn step(&mut self, into: &mut [u8]) -> usize {
        let input = match self.content.fill_buf() {
            Ok(input) => input,
            Err(error) => {
                self.failure = Some(error);
                &[]
            }
        };
        let step = self.engine.decode_step(input, into);
        self.content.consume(step.read);
        self.progress = match step.ended {
            Ok(true) if self.goes_on() => StreamProgress::Going,
            Ok(true) => StreamProgress::Whole,
            Ok(false) if step.read + step.written > 0 => StreamProgress::Going,
            Ok(false) => StreamProgress::Failed,
            Err(fault) => {
                if let DecodeFault::Window { packing, limit } = fault {
                    let error = InputError::Window { packing, limit };
                    self.failure.get_or_insert(error);
                }
                StreamProgress::Failed
            }
        };
        step.written
    }

    /// Continues after a complete stream, if another follows. Other bytes are ignored, as in browsers.
    fn goes_on(&mut self) -> bool {
        let next = self.content.peek(MAGIC_BYTES);
        if !next.is_empty() {
            return self.engine.restart(next);
        }
        self.failure = self.content.take_error();
        false
    }

    /// Returns the error that ended it, if there was one.
    fn error(&mut self) -> Option<InputError> {
        let failed = self.progress == StreamProgress::Failed;
        self.progress = StreamProgress::Whole;
        let damaged = || InputError::Body(self.engine.coding());
        self.failure.take().or_else(|| failed.then(damaged))
    }
}

impl ReadBytes for DecodedBody<'_, '_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.progress == StreamProgress::Going && !into.is_empty() {
            match self.step(into) {
                0 => {}
                written => return Ok(written),
            }
        }
        if into.is_empty() {
            Ok(0)
        } else {
            self.error().map_or(Ok(0), Err)
        }
    }
}
