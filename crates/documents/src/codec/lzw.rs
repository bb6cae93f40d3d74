//! The format of compress(1), `.Z`: LZW with codes of 9 to 16 bits. It has no checksum, no length and no end mark.
//!
//! PDF has another variant: its codes start at the highest bit, have at most 12 bits, and are not aligned.

use std::io;

use super::streams::{DecodeFault, DecodeStep, StreamDecoder};
use crate::fault::{InputError, Packing};

/// Bytes of the header: the magic number, and the flags.
const HEADER_BYTES: usize = 3;
/// The number of bits of the first codes.
const FIRST_BITS: u32 = 9;
/// Codes for single bytes.
const BYTE_CODES: u16 = 256;
/// The code that clears the table, if the flags say that there is one.
const CLEAR_CODE: u16 = 256;
/// Codes between two positions at which the number of bits can change. The rest of them is padding.
const GROUP_CODES: u32 = 8;

/// The flags, the third byte of a file.
#[derive(Clone, Copy)]
struct LzwFlags(u8);

impl LzwFlags {
    /// Returns the maximum number of bits of a code.
    fn max_bits(self) -> u32 {
        u32::from(self.0 & 0x1f)
    }

    fn has_clear_code(self) -> bool {
        self.0 & 0x80 != 0
    }

    /// Whether the number of bits is valid. Two other bits have no meaning, and gzip(1) ignores them too.
    fn is_possible(self) -> bool {
        (FIRST_BITS..=16).contains(&self.max_bits())
    }
}

/// Whether `head` is the start of a file.
pub(crate) fn is_lzw(head: &[u8]) -> bool {
    matches!(head, [0x1f, 0x9d, flags, ..] if LzwFlags(*flags).is_possible())
}

/// Takes 256 KiB of memory.
pub(super) struct LzwDecoder {
    /// The bytes of the header so far.
    header: Vec<u8>,
    flags: LzwFlags,
    /// Bits that were read, the lowest first, and their number.
    bits: u64,
    held: u32,
    /// Bits of a code.
    width: u32,
    /// Codes since the last position at which the width could change.
    in_group: u32,
    /// Bits of padding that are still to be skipped.
    padding: u32,
    /// For each code from 256, the code of the string without its last byte.
    before: Box<[u16]>,
    /// The last byte of each code's string.
    last: Box<[u8]>,
    /// The next new code.
    free: u32,
    /// The code before; `None` at the start.
    previous: Option<u16>,
    /// The first byte of the string of that code.
    first: u8,
    /// Decoded bytes in reverse order.
    pending: Vec<u8>,
}

impl LzwDecoder {
    pub(super) fn new() -> Self {
        LzwDecoder {
            header: Vec::with_capacity(HEADER_BYTES),
            flags: LzwFlags(0),
            bits: 0,
            held: 0,
            width: FIRST_BITS,
            in_group: 0,
            padding: 0,
            before: vec![0; 1 << 16].into_boxed_slice(),
            last: vec![0; 1 << 16].into_boxed_slice(),
            free: 0,
            previous: None,
            first: 0,
            pending: Vec::new(),
        }
    }

    /// Reads some of the header. Returns the number of bytes read.
    fn header(&mut self, input: &[u8]) -> Result<usize, DecodeFault> {
        let read = input.len().min(HEADER_BYTES - self.header.len());
        self.header.extend_from_slice(&input[..read]);
        if self.header.len() == HEADER_BYTES {
            self.flags = LzwFlags(self.header[2]);
            if !is_lzw(&self.header) {
                return Err(wrong("the header is not that of compress"));
            }
            self.free = u32::from(CLEAR_CODE) + u32::from(self.flags.has_clear_code());
        }
        Ok(read)
    }

    /// Reads the next code; `None` if more input is needed.
    fn code(&mut self, input: &mut &[u8]) -> Option<u16> {
        if self.free >= 1 << self.width && self.width < self.flags.max_bits() {
            self.align();
            self.width += 1;
        }
        while self.padding > 0 {
            self.take_bytes(input);
            let skipped = self.padding.min(self.held);
            if skipped == 0 {
                return None;
            }
            self.skip(skipped);
            self.padding -= skipped;
        }
        self.take_bytes(input);
        if self.held < self.width {
            return None;
        }
        let code = self.bits & ((1 << self.width) - 1);
        self.skip(self.width);
        self.in_group = (self.in_group + 1) % GROUP_CODES;
        Some(code as u16)
    }

    /// Takes bytes of the input until the buffer of bits is full.
    fn take_bytes(&mut self, input: &mut &[u8]) {
        while self.held <= 32
            && let Some((byte, rest)) = input.split_first()
        {
            self.bits |= u64::from(*byte) << self.held;
            self.held += 8;
            *input = rest;
        }
    }

    fn skip(&mut self, bits: u32) {
        self.bits >>= bits;
        self.held -= bits;
    }

    /// Goes to the next position at which the width can change.
    fn align(&mut self) {
        self.padding = (GROUP_CODES - self.in_group) % GROUP_CODES * self.width;
        self.in_group = 0;
    }

    /// Decodes a code into `pending`.
    fn decode(&mut self, code: u16) -> Result<(), DecodeFault> {
        let Some(previous) = self.previous else {
            if code >= BYTE_CODES {
                return Err(wrong("the first code is not a byte"));
            }
            (self.previous, self.first) = (Some(code), code as u8);
            self.pending.push(code as u8);
            return Ok(());
        };
        if code == CLEAR_CODE && self.flags.has_clear_code() {
            self.align();
            self.width = FIRST_BITS;
            // The next string gets the number of the clear code, so no code refers to it.
            self.free = u32::from(CLEAR_CODE);
            return Ok(());
        }
        let mut at = code;
        if u32::from(code) >= self.free.max(u32::from(BYTE_CODES)) {
            if u32::from(code) > self.free {
                return Err(wrong("a code is not defined yet"));
            }
            self.pending.push(self.first);
            at = previous;
        }
        while at >= BYTE_CODES {
            self.pending.push(self.last[usize::from(at)]);
            // Each string is longer than the one before it, so this ends.
            at = self.before[usize::from(at)];
        }
        self.first = at as u8;
        self.pending.push(self.first);
        self.define(previous);
        self.previous = Some(code);
        Ok(())
    }

    /// Defines the next code, if the table is not full: the string of the code before, and one byte more.
    fn define(&mut self, previous: u16) {
        if self.free < 1 << self.flags.max_bits() {
            let at = self.free as usize;
            (self.before[at], self.last[at]) = (previous, self.first);
            self.free += 1;
        }
    }

    /// Moves decoded bytes to `output`. Returns their number.
    fn write_pending(&mut self, output: &mut [u8]) -> usize {
        let count = output.len().min(self.pending.len());
        let left = self.pending.len() - count;
        let given = self.pending.drain(left..).rev();
        output
            .iter_mut()
            .zip(given)
            .for_each(|(to, byte)| *to = byte);
        count
    }

    /// Whether the input may end here: the rest of the last byte is zeros.
    fn may_end(&self) -> bool {
        self.header.len() == HEADER_BYTES && (self.padding > 0 || self.held < 8 && self.bits == 0)
    }

    fn decode_codes(
        &mut self,
        input: &mut &[u8],
        output: &mut [u8],
    ) -> (usize, Result<bool, DecodeFault>) {
        let at_end = input.is_empty();
        if self.header.len() < HEADER_BYTES {
            match self.header(input) {
                Ok(read) => *input = &input[read..],
                Err(error) => return (0, Err(error)),
            }
        }
        let mut written = self.write_pending(output);
        while written < output.len() && self.header.len() == HEADER_BYTES {
            let Some(code) = self.code(input) else {
                return (written, Ok(at_end && written == 0 && self.may_end()));
            };
            if let Err(error) = self.decode(code) {
                return (written, Err(error));
            }
            written += self.write_pending(&mut output[written..]);
        }
        (written, Ok(false))
    }
}

impl StreamDecoder for LzwDecoder {
    const PACKING: Packing = Packing::Compress;

    /// Always false: a file has one stream, which ends with the file.
    fn starts(_: &[u8]) -> bool {
        false
    }

    fn restart(&mut self) -> Result<(), InputError> {
        *self = LzwDecoder::new();
        Ok(())
    }

    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let mut rest = input;
        let (written, ended) = self.decode_codes(&mut rest, output);
        DecodeStep {
            read: input.len() - rest.len(),
            written,
            ended,
        }
    }
}

fn wrong(what: &'static str) -> DecodeFault {
    DecodeFault::Damaged(io::Error::new(io::ErrorKind::InvalidData, what))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::atomic::AtomicU64;

    use super::super::members::tests::{Outcome, noise, outcome};
    use super::super::{PeekReader, unpack};
    use super::*;
    use crate::content::StreamContent;
    use crate::magic;
    use crate::read_options::ReadOptions;

    /// Writes codes as compress(1) does.
    struct CodeWriter {
        out: Vec<u8>,
        bits: u64,
        held: u32,
        in_group: u32,
    }

    impl CodeWriter {
        fn put(&mut self, code: u64, width: u32) {
            self.bits |= code << self.held;
            self.held += width;
            while self.held >= 8 {
                self.out.push(self.bits as u8);
                self.bits >>= 8;
                self.held -= 8;
            }
            self.in_group = (self.in_group + 1) % GROUP_CODES;
        }

        fn finish(mut self) -> Vec<u8> {
            if self.held > 0 {
                self.put(0, 8 - self.held);
            }
            self.out
        }

        fn align(&mut self, width: u32) {
            while self.in_group > 0 {
                self.put(0, width);
            }
        }
    }

    /// Packs `text` with codes of up to `max` bits, and clears a full table if `clears`.
    fn packed(text: &[u8], max: u32, clears: bool) -> Vec<u8> {
        let out = vec![0x1f, 0x9d, max as u8 | u8::from(clears) << 7];
        let mut codes = CodeWriter {
            out,
            bits: 0,
            held: 0,
            in_group: 0,
        };
        let first = 256 + u64::from(clears);
        let (mut table, mut free, mut width) = (HashMap::new(), first, FIRST_BITS);
        let mut current: Option<u64> = None;
        for byte in text {
            let Some(code) = current else {
                current = Some(u64::from(*byte));
                continue;
            };
            if let Some(longer) = table.get(&(code, *byte)) {
                current = Some(*longer);
                continue;
            }
            codes.put(code, width);
            if free < 1 << max {
                table.insert((code, *byte), free);
                free += 1;
            } else if clears {
                codes.put(u64::from(CLEAR_CODE), width);
                codes.align(width);
                (free, width) = (first, FIRST_BITS);
                table.clear();
            }
            // The decoder defines a code when it reads the next one.
            if free > 1 << width && width < max {
                codes.align(width);
                width += 1;
            }
            current = Some(u64::from(*byte));
        }
        if let Some(code) = current {
            codes.put(code, width);
        }
        codes.finish()
    }

    fn read_by(packed: &[u8], step: usize) -> Outcome {
        let head = &packed[..packed.len().min(magic::HEAD_BYTES)];
        assert_eq!(
            magic::recognise(head),
            StreamContent::Packed(Packing::Compress)
        );
        let bytes = AtomicU64::new(0);
        let mut packed = packed;
        let options = ReadOptions::for_tests(&bytes);
        let mut read = unpack(
            Packing::Compress,
            PeekReader::new(&mut packed),
            None,
            &options,
        )
        .unwrap();
        outcome(&mut read, step)
    }

    #[test]
    fn codes_of_every_width_are_read() {
        let texts = [
            Vec::new(),
            b"a".to_vec(),
            b"aaaaaaaaaaaaaaaa".repeat(5000),
            b"10.5555/some text, and more of it ".repeat(4000),
            noise(1, 200_000),
            [noise(2, 50_000), b"repeated ".repeat(20_000)].concat(),
        ];
        for text in &texts {
            for (max, clears) in [
                (9, true),
                (9, false),
                (12, true),
                (12, false),
                (16, true),
                (16, false),
            ] {
                let packed = packed(text, max, clears);
                for step in [7, 1 << 16] {
                    let (out, errors) = read_by(&packed, step);
                    assert!(
                        out == *text && errors.is_empty(),
                        "{max} {clears}: {errors:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn what_no_encoder_writes_is_damage_after_all_that_came_before() {
        // A first code of 300; a code that is not defined yet after two bytes.
        for (codes, before) in [(&[300_u64][..], &b""[..]), (&[97, 98, 400], b"ab")] {
            let out = vec![0x1f, 0x9d, 0x90];
            let mut writer = CodeWriter {
                out,
                bits: 0,
                held: 0,
                in_group: 0,
            };
            codes.iter().for_each(|code| writer.put(*code, 9));
            writer.put(0, 9);
            for step in [1, 100] {
                let (out, errors) = read_by(&writer.out, step);
                assert_eq!((&out[..], errors.len()), (before, 1));
                assert!(
                    errors[0].1.contains("compress (.Z) data is damaged"),
                    "{errors:?}"
                );
            }
        }
    }

    #[test]
    fn a_cut_gives_what_came_before_and_mostly_an_error() {
        let text = b"See 10.5555/some-name, and more of it. ".repeat(3000);
        let packed = packed(&text, 16, true);
        let mut reported = 0;
        for cut in (HEADER_BYTES..packed.len()).step_by(97) {
            let (out, errors) = read_by(&packed[..cut], 1 << 16);
            assert!(text.starts_with(&out) && errors.len() < 2, "{cut}");
            assert_eq!(read_by(&packed[..cut], 3), (out, errors.clone()), "{cut}");
            reported += errors.len();
        }
        assert!(reported > 20, "{reported}");
    }

    #[test]
    fn random_codes_end() {
        for seed in 1..50 {
            let bytes = [&[0x1f, 0x9d, 0x8c][..], &noise(seed, 20_000)].concat();
            let (out, errors) = read_by(&bytes, 1 << 16);
            assert_eq!(read_by(&bytes, 11), (out, errors));
        }
    }
}
