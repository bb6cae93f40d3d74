//! Converts text in UTF-16 and UTF-32 to UTF-8.
//!
//! The byte order mark determines the encoding and is left out. Each unit that is not a character is replaced by U+FFFD,
//! and so is an incomplete last one. Only the first of these is reported as an error. Offsets count bytes of the UTF-8.

use encoding_rs::{DecoderResult, UTF_16BE, UTF_16LE};

use super::content::UnicodeEncoding;
use super::fault::InputError;
use super::peek::PeekReader;
use super::read::{ReadBuffer, ReadBytes};

/// Bytes of UTF-8 that are converted at once.
const STEP_BYTES: usize = 8 << 10;

/// The text of `raw` as UTF-8.
///
/// An error of `raw` is returned after all text before it; the bytes after it start with a new unit. The first unit that is
/// not a character gives an [`InputError::Encoding`] before its replacement.
pub(super) struct Transcoded<R> {
    raw: PeekReader<R>,
    way: UnicodeEncoding,
    decoder: UnitDecoder,
    out: Box<[u8]>,
    start: usize,
    end: usize,
    /// The end or error after the text in `out`; `None` if more text follows.
    ending: Option<Result<(), InputError>>,
    /// Whether a unit that is not a character follows the text in `out`.
    replaces: bool,
    /// Whether such a unit was reported.
    reported: bool,
}

enum UnitDecoder {
    Utf16(encoding_rs::Decoder),
    Utf32(Utf32Decoder),
}

impl<R: ReadBytes> Transcoded<R> {
    /// Reads `raw`, which must start with the byte order mark of `way`. One byte of the mark may be wrong.
    pub(super) fn new(way: UnicodeEncoding, mut raw: PeekReader<R>) -> Self {
        let mark = way.mark();
        let replaces = raw.peek(mark.len()) != mark;
        raw.consume(mark.len());
        let mut transcoded = Transcoded {
            raw,
            way,
            decoder: UnitDecoder::new(way),
            out: vec![0; STEP_BYTES].into_boxed_slice(),
            start: 0,
            end: 0,
            ending: None,
            replaces: false,
            reported: false,
        };
        if replaces {
            transcoded.report();
        }
        transcoded
    }

    /// Converts more text, or sets the ending.
    fn fill(&mut self) -> Result<(), InputError> {
        let held = match self.raw.fill_buf() {
            Ok(held) => held,
            Err(error) => {
                self.ending = Some(Err(error));
                &[]
            }
        };
        let last = held.is_empty();
        let from = if std::mem::take(&mut self.replaces) {
            char::REPLACEMENT_CHARACTER.encode_utf8(&mut self.out).len()
        } else {
            0
        };
        let decoded = self.decoder.decode(held, &mut self.out[from..], last);
        self.raw.consume(decoded.read);
        (self.start, self.end) = (0, from + decoded.written);
        if decoded.malformed {
            self.replaces = true;
            self.report();
        } else if last {
            self.decoder = UnitDecoder::new(self.way);
            self.ending.get_or_insert(Ok(()));
        }
        Ok(())
    }

    /// Reports a unit that is not a character after the text in `out`. An error of `raw` at that place is reported instead.
    fn report(&mut self) {
        if !std::mem::replace(&mut self.reported, true) {
            let error = InputError::Encoding(self.way.name());
            self.ending.get_or_insert(Err(error));
        }
    }
}

impl<R: ReadBytes> ReadBytes for Transcoded<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        while self.start == self.end && !into.is_empty() {
            if let Some(ending) = self.ending.take() {
                return ending.map(|()| 0);
            }
            self.fill()?;
        }
        let count = into.len().min(self.end - self.start);
        into[..count].copy_from_slice(&self.out[self.start..self.start + count]);
        self.start += count;
        Ok(count)
    }
}

impl UnitDecoder {
    fn new(way: UnicodeEncoding) -> Self {
        let utf16 = |encoding: &'static encoding_rs::Encoding| {
            UnitDecoder::Utf16(encoding.new_decoder_without_bom_handling())
        };
        match way {
            UnicodeEncoding::Utf16Le => utf16(UTF_16LE),
            UnicodeEncoding::Utf16Be => utf16(UTF_16BE),
            UnicodeEncoding::Utf32Le => UnitDecoder::Utf32(Utf32Decoder::new(u32::from_le_bytes)),
            UnicodeEncoding::Utf32Be => UnitDecoder::Utf32(Utf32Decoder::new(u32::from_be_bytes)),
        }
    }

    /// Decodes some of `input` into `out`, until that is full or a unit is not a character. `last` says that no more input
    /// follows.
    fn decode(&mut self, input: &[u8], out: &mut [u8], last: bool) -> DecodeProgress {
        match self {
            UnitDecoder::Utf16(decoder) => {
                let (result, read, written) =
                    decoder.decode_to_utf8_without_replacement(input, out, last);
                DecodeProgress {
                    read,
                    written,
                    malformed: matches!(result, DecoderResult::Malformed(..)),
                }
            }
            UnitDecoder::Utf32(decoder) => decoder.decode(input, out, last),
        }
    }
}

/// The result of a decoding step.
struct DecodeProgress {
    read: usize,
    written: usize,
    /// Whether the last unit is not a character.
    malformed: bool,
}

/// UTF-32, which encoding_rs does not have.
struct Utf32Decoder {
    value: fn([u8; 4]) -> u32,
    unit: [u8; 4],
    /// Bytes of the current unit so far.
    held: usize,
}

impl Utf32Decoder {
    fn new(value: fn([u8; 4]) -> u32) -> Self {
        Utf32Decoder {
            value,
            unit: [0; 4],
            held: 0,
        }
    }

    fn decode(&mut self, input: &[u8], out: &mut [u8], last: bool) -> DecodeProgress {
        let (mut read, mut written) = (0, 0);
        let mut malformed = false;
        while out.len() - written >= 4 && !malformed {
            let Some(byte) = input.get(read) else { break };
            read += 1;
            self.unit[self.held] = *byte;
            self.held += 1;
            if self.held == 4 {
                self.held = 0;
                match char::from_u32((self.value)(self.unit)) {
                    Some(char) => written += char.encode_utf8(&mut out[written..]).len(),
                    None => malformed = true,
                }
            }
        }
        malformed |= last && std::mem::take(&mut self.held) > 0;
        DecodeProgress {
            read,
            written,
            malformed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [UnicodeEncoding; 4] = [
        UnicodeEncoding::Utf16Le,
        UnicodeEncoding::Utf16Be,
        UnicodeEncoding::Utf32Le,
        UnicodeEncoding::Utf32Be,
    ];

    fn encode(way: UnicodeEncoding, text: &str) -> Vec<u8> {
        let units = text.encode_utf16();
        let chars = text.chars().map(u32::from);
        let text: Vec<u8> = match way {
            UnicodeEncoding::Utf16Le => units.flat_map(u16::to_le_bytes).collect(),
            UnicodeEncoding::Utf16Be => units.flat_map(u16::to_be_bytes).collect(),
            UnicodeEncoding::Utf32Le => chars.flat_map(u32::to_le_bytes).collect(),
            UnicodeEncoding::Utf32Be => chars.flat_map(u32::to_be_bytes).collect(),
        };
        [way.mark(), &text].concat()
    }

    /// Returns `parts` by single bytes, with an error between them.
    struct Parts<'p>(Vec<&'p [u8]>);

    impl ReadBytes for Parts<'_> {
        fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
            match self.0.first_mut() {
                None => Ok(0),
                Some([]) => {
                    self.0.remove(0);
                    Err(InputError::Shrunk)
                }
                Some(part) => part.read(&mut into[..1]),
            }
        }
    }

    /// Returns the decoded text, with `!` for an error.
    fn decode(way: UnicodeEncoding, raw: impl ReadBytes, step: usize) -> String {
        let mut raw = PeekReader::new(raw);
        assert_eq!(raw.peek(way.mark().len()), way.mark());
        let mut text = Transcoded::new(way, raw);
        let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
        loop {
            match text.read(&mut buffer) {
                Ok(0) => return String::from_utf8_lossy(&out).into_owned(),
                Ok(read) => out.extend(&buffer[..read]),
                Err(_) => out.push(b'!'),
            }
        }
    }

    #[test]
    fn every_encoding_gives_the_same_text_without_a_mark() {
        let long = "10.5555/\u{e9}\u{20ac}\u{1f600}\u{fffd}\u{10ffff} ".repeat(1000);
        for text in ["", "a", "10.5555/\u{e9}\u{1f600}", &long] {
            for way in ALL {
                for step in [1, 5, 1 << 16] {
                    assert_eq!(decode(way, &encode(way, text)[..], step), text, "{way:?}");
                }
            }
        }
    }

    #[test]
    fn a_last_unit_that_is_cut_short_is_reported_and_becomes_a_replacement() {
        for way in ALL {
            let packed = encode(way, "ab");
            let unit = (packed.len() - way.mark().len()) / 2;
            for cut in 1..unit {
                let text = decode(way, &packed[..packed.len() - cut], 1);
                assert_eq!(text, "a!\u{fffd}", "{way:?}");
            }
        }
    }

    #[test]
    fn what_is_no_character_is_reported_once_and_becomes_a_replacement() {
        let surrogate = [&[0xfe, 0xff][..], &[0xd8, 0, 0, b'a', 0xdc, 0]].concat();
        let text = decode(UnicodeEncoding::Utf16Be, &surrogate[..], 9);
        assert_eq!(text, "!\u{fffd}a\u{fffd}");
        let mark = UnicodeEncoding::Utf32Be.mark();
        let wrong = [mark, &[0, 0, 0xd8, 0], &[0, 0, 0, b'a'], &[0, 0x11, 0, 0]].concat();
        let text = decode(UnicodeEncoding::Utf32Be, &wrong[..], 9);
        assert_eq!(text, "!\u{fffd}a\u{fffd}");
    }

    #[test]
    fn a_mark_that_is_damaged_is_reported_before_the_text() {
        for way in ALL {
            let mut raw = encode(way, "text");
            raw[1] ^= 1;
            let mut text = Transcoded::new(way, PeekReader::new(&raw[..]));
            let (mut out, error) = (Vec::new(), text.read(&mut [0; 9]));
            assert!(error.is_err() && text.read_to_end(&mut out).is_ok());
            assert_eq!(out, b"text", "{way:?}");
        }
    }

    #[test]
    fn a_replacement_at_the_end_of_the_room_is_not_lost() {
        for length in STEP_BYTES - 4..STEP_BYTES + 4 {
            let text = "a".repeat(length);
            let bad = [
                &encode(UnicodeEncoding::Utf16Le, &text)[..],
                b"\0\xd8b\0\0\xd8",
            ]
            .concat();
            let expected = format!("{text}!\u{fffd}b\u{fffd}");
            assert_eq!(
                decode(UnicodeEncoding::Utf16Le, &bad[..], 1 << 16),
                expected,
                "{length}"
            );
        }
    }

    #[test]
    fn an_error_comes_once_after_the_text_before_it_and_reading_goes_on() {
        for way in ALL {
            let (first, second) = (encode(way, "ab"), encode(way, "cd"));
            let second = &second[way.mark().len()..];
            let parts = Parts(vec![&first, second]);
            assert_eq!(decode(way, parts, 1), "ab!cd!", "{way:?}");
        }
    }
}
