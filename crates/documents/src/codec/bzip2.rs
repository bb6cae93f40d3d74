//! bzip2.

use bzip2::{Decompress, Status};

use super::members::{MemberFormat, WholeMember, find};
use super::streams::{DecodeFault, DecodeStep, StreamDecoder};
use crate::fault::{InputError, Packing};
use crate::numbers;
use crate::read_options::ReadLimits;

/// Start of a stream with the smallest blocks. A decoder needs little memory for it.
const SMALLEST_STREAM: &[u8] = b"BZh1";

pub(crate) struct Bzip2Decoder(Decompress);

impl Bzip2Decoder {
    pub(crate) fn new() -> Self {
        Bzip2Decoder(Decompress::new(false))
    }

    fn decode_step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let (read, written) = (self.0.total_in(), self.0.total_out());
        let status = self.0.decompress(input, output);
        DecodeStep {
            read: (self.0.total_in() - read) as usize,
            written: (self.0.total_out() - written) as usize,
            ended: status
                .map(|status| status == Status::StreamEnd)
                .map_err(DecodeFault::from),
        }
    }

    /// Writes decoded bytes. A call that fails at a damaged place does not return the bytes before it, and changes nothing.
    /// Calls with less room return these bytes.
    fn write_decoded(&mut self, output: &mut [u8]) -> DecodeStep {
        let mut given = self.decode_step(&[], output);
        if given.ended.is_ok() || given.written > 0 {
            return given;
        }
        let mut room = output.len() / 2;
        while room > 0 {
            let free = output.len().min(given.written + room);
            let more = self.decode_step(&[], &mut output[given.written..free]);
            given.written += more.written;
            if more.written == 0 {
                room /= 2;
            }
        }
        given
    }
}

impl StreamDecoder for Bzip2Decoder {
    const PACKING: Packing = Packing::Bzip2;

    fn starts(head: &[u8]) -> bool {
        numbers::is_bzip2(head)
    }

    fn restart(&mut self) -> Result<(), InputError> {
        *self = Bzip2Decoder::new();
        Ok(())
    }

    /// One call of the decoder writes decoded bytes and reads nothing. The next one decodes a block and has no room to write.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let given = self.write_decoded(output);
        match given {
            DecodeStep {
                written: 0,
                ended: Ok(false),
                ..
            } => self.decode_step(input, &mut []),
            _ => given,
        }
    }
}

impl MemberFormat for Bzip2Decoder {
    const MAGIC: &'static [u8] = b"BZh";
    // A block has 900,000 bytes, and packing may make it slightly longer.
    const MAX_STEP_PACKED_BYTES: usize = 1 << 20;
    // Decoding a longer stream takes far longer than clearing the decoder's memory.
    const MAX_WHOLE_PACKED_BYTES: usize = 16 << 10;

    fn new(_: &ReadLimits) -> Result<Self, InputError> {
        Ok(Bzip2Decoder::new())
    }

    /// A decoder clears memory for a whole block, up to 3.6 MB, as the stream's header says. That takes six times as long as
    /// decoding a stream of a hundred bytes. So a short stream is first decoded with the header of the smallest blocks. If its
    /// block is larger, that fails, and it is decoded in pieces.
    fn whole(&mut self, bytes: &[u8], out: &mut [u8]) -> WholeMember {
        // The stream may end in these bytes if they are the last, or if another stream starts in them.
        let may_end =
            bytes.len() < Self::MAX_WHOLE_PACKED_BYTES || find::<Self>(bytes, 1).is_some();
        if !may_end || !Self::starts(bytes) {
            return WholeMember::No;
        }
        let mut small = Bzip2Decoder::new();
        let (mut read, mut written) = (small.decode_step(SMALLEST_STREAM, &mut []).read, 0);
        loop {
            let step = small.decode_step(&bytes[read..], &mut out[written..]);
            read += step.read;
            written += step.written;
            match step.ended {
                Ok(true) => return WholeMember::Done { read, written },
                Ok(false) if step.read + step.written > 0 => {}
                _ => return WholeMember::No,
            }
        }
    }

    /// These ten bytes are very unlikely in other data, and each block after them has a checksum.
    fn may_start(head: &[u8]) -> bool {
        Self::starts(head)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::AtomicU64;

    use super::super::members::MemberReader;
    use super::super::members::tests::{noise, outcome};
    use super::*;
    use crate::read_options::ReadOptions;

    fn packed(text: &[u8], level: u32) -> Vec<u8> {
        let level = ::bzip2::Compression::new(level);
        let mut out = ::bzip2::write::BzEncoder::new(Vec::new(), level);
        out.write_all(text).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn a_short_stream_is_decoded_at_once_unless_its_block_is_large() {
        let large = b"ab".repeat(100_000);
        for (text, is_whole) in [
            (&b""[..], true),
            (b"text", true),
            (&noise(1, 10_000), true),
            (&large[..90_000], true),
            (&large[..120_000], false),
            (&large, false),
        ] {
            let (packed, mut out) = (packed(text, 9), vec![0; 1 << 18]);
            let expected = if is_whole {
                WholeMember::Done {
                    read: packed.len(),
                    written: text.len(),
                }
            } else {
                WholeMember::No
            };
            assert_eq!(Bzip2Decoder::new().whole(&packed, &mut out), expected);
            assert!(!is_whole || out.starts_with(text));
            let after = [
                &packed[..],
                b"BZh91AY&SY",
                &[0; Bzip2Decoder::MAX_WHOLE_PACKED_BYTES],
            ]
            .concat();
            let held = &after[..Bzip2Decoder::MAX_WHOLE_PACKED_BYTES];
            assert_eq!(Bzip2Decoder::new().whole(held, &mut out), expected);
        }
    }

    #[test]
    fn streams_of_every_size_and_level_are_read_in_any_order() {
        let texts = [
            b"ab".repeat(300_000),
            noise(1, 20_000),
            b"short".to_vec(),
            Vec::new(),
            noise(2, 120_000),
            vec![b'a'; 1 << 20],
        ];
        let orders = [[0, 1, 2, 3, 4, 5], [2, 0, 3, 5, 1, 4]];
        for (level, order) in [1, 9]
            .into_iter()
            .flat_map(|level| orders.map(|order| (level, order)))
        {
            let all = order.map(|at| &texts[at][..]);
            let file = all.map(|text| packed(text, level)).concat();
            let bytes = AtomicU64::new(0);
            let limits = ReadOptions::for_tests(&bytes).limits;
            let mut members = MemberReader::<_, Bzip2Decoder>::new(&file[..], &limits).unwrap();
            let (out, errors) = outcome(&mut members, 10_000);
            assert!(
                out == all.concat() && errors.is_empty(),
                "{level}: {errors:?}"
            );
        }
    }
}
