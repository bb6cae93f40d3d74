//! bzip2.

use bzip2::{Decompress, Status};

use super::members::{MemberFormat, Whole, find};
use super::streams::{Decode, DecodeFault, DecodeStep};
use crate::fault::{InputError, Packing};
use crate::numbers;
use crate::read_options::Limits;

/// Start of a stream with the smallest blocks. A decoder needs little memory for it.
const SMALLEST: &[u8] = b"BZh1";

pub(crate) struct Bzip2(Decompress);

impl Bzip2 {
    pub(crate) fn new() -> Self {
        Bzip2(Decompress::new(false))
    }

    fn run(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
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
    fn give(&mut self, output: &mut [u8]) -> DecodeStep {
        let mut given = self.run(&[], output);
        if given.ended.is_ok() || given.written > 0 {
            return given;
        }
        let mut room = output.len() / 2;
        while room > 0 {
            let free = output.len().min(given.written + room);
            let more = self.run(&[], &mut output[given.written..free]);
            given.written += more.written;
            if more.written == 0 {
                room /= 2;
            }
        }
        given
    }
}

impl Decode for Bzip2 {
    const PACKING: Packing = Packing::Bzip2;

    fn starts(head: &[u8]) -> bool {
        numbers::is_bzip2(head)
    }

    fn restart(&mut self) -> Result<(), InputError> {
        *self = Bzip2::new();
        Ok(())
    }

    /// One call of the decoder writes decoded bytes and reads nothing. The next one decodes a block and has no room to write.
    fn step(&mut self, input: &[u8], output: &mut [u8]) -> DecodeStep {
        let given = self.give(output);
        match given {
            DecodeStep {
                written: 0,
                ended: Ok(false),
                ..
            } => self.run(input, &mut []),
            _ => given,
        }
    }
}

impl MemberFormat for Bzip2 {
    const MAGIC: &'static [u8] = b"BZh";
    // A block has 900,000 bytes, and packing may make it slightly longer.
    const FIRST: usize = 1 << 20;
    // Decoding a longer stream takes far longer than clearing the decoder's memory.
    const WHOLE: usize = 16 << 10;

    fn new(_: &Limits) -> Result<Self, InputError> {
        Ok(Bzip2::new())
    }

    /// A decoder clears memory for a whole block, up to 3.6 MB, as the stream's header says. That takes six times as long as
    /// decoding a stream of a hundred bytes. So a short stream is first decoded with the header of the smallest blocks. If its
    /// block is larger, that fails, and it is decoded in pieces.
    fn whole(&mut self, bytes: &[u8], out: &mut [u8]) -> Whole {
        // The stream may end in these bytes if they are the last, or if another stream starts in them.
        let may_end = bytes.len() < Self::WHOLE || find::<Self>(bytes, 1).is_some();
        if !may_end || !Self::starts(bytes) {
            return Whole::No;
        }
        let mut small = Bzip2::new();
        let (mut read, mut written) = (small.run(SMALLEST, &mut []).read, 0);
        loop {
            let step = small.run(&bytes[read..], &mut out[written..]);
            read += step.read;
            written += step.written;
            match step.ended {
                Ok(true) => return Whole::Done { read, written },
                Ok(false) if step.read + step.written > 0 => {}
                _ => return Whole::No,
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
                Whole::Done {
                    read: packed.len(),
                    written: text.len(),
                }
            } else {
                Whole::No
            };
            assert_eq!(Bzip2::new().whole(&packed, &mut out), expected);
            assert!(!is_whole || out.starts_with(text));
            let after = [&packed[..], b"BZh91AY&SY", &[0; Bzip2::WHOLE]].concat();
            let held = &after[..Bzip2::WHOLE];
            assert_eq!(Bzip2::new().whole(held, &mut out), expected);
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
            let mut members = MemberReader::<_, Bzip2>::new(&file[..], &limits).unwrap();
            let (out, errors) = outcome(&mut members, 10_000);
            assert!(
                out == all.concat() && errors.is_empty(),
                "{level}: {errors:?}"
            );
        }
    }
}
