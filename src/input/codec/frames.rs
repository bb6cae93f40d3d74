//! Where zstd's frames end, told by their headers alone (RFC 8878, section 3.1), so that a damaged one can be passed over.

use crate::input::magic;

/// The longest header: that of a frame.
const LONGEST: usize = 18;

/// Follows the bytes of frames, as they are handed to the decoder.
pub(super) struct Frames {
    next: Next,
    /// Bytes of blocks before the next header.
    body: usize,
    header: [u8; LONGEST],
    held: usize,
    /// Frames end in a checksum.
    has_checksum: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Frame,
    Block,
    Checksum,
    End,
    /// A header that makes no sense was seen.
    Unknown,
}

impl Frames {
    pub(super) fn new() -> Self {
        Frames {
            next: Next::Frame,
            body: 0,
            header: [0; LONGEST],
            held: 0,
            has_checksum: false,
        }
    }

    /// Whether it can still be told where the frame ends.
    pub(super) fn is_known(&self) -> bool {
        self.next != Next::Unknown
    }

    /// Follows `bytes` up to the end of the frame. Returns how many of them belong to it, if it ends in them; the next frame
    /// may start there.
    pub(super) fn follow(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            let count = self.body.min(bytes.len() - at);
            self.body -= count;
            at += count;
            if self.body == 0 && self.next == Next::End {
                *self = Frames::new();
                return Some(at);
            }
            if at == bytes.len() || !self.is_known() {
                return None;
            }
            self.header[self.held] = bytes[at];
            self.held += 1;
            at += 1;
            if self.held == self.length() {
                self.next = self.understand();
                self.held = 0;
            }
        }
    }

    /// How long the header is, as far as it is known.
    fn length(&self) -> usize {
        match self.next {
            Next::Block => 3,
            Next::Checksum => 4,
            _ if magic::is_skippable(&self.header[..self.held]) => 8,
            _ if self.held < 5 => 5,
            _ => frame_header(self.header[4]),
        }
    }

    /// What a whole header says is next.
    fn understand(&mut self) -> Next {
        match self.next {
            Next::Block => self.block(),
            Next::Frame if magic::is_skippable(&self.header) => {
                let [_, _, _, _, a, b, c, d, ..] = self.header;
                self.body = u32::from_le_bytes([a, b, c, d]) as usize;
                Next::End
            }
            Next::Frame => {
                self.has_checksum = self.header[4] & 4 != 0;
                Next::Block
            }
            Next::Checksum => Next::End,
            Next::End | Next::Unknown => Next::Unknown,
        }
    }

    fn block(&mut self) -> Next {
        let [a, b, c, ..] = self.header;
        let header = u32::from_le_bytes([a, b, c, 0]);
        self.body = match header >> 1 & 3 {
            // One byte, repeated.
            1 => 1,
            0 | 2 => (header >> 3) as usize,
            _ => return Next::Unknown,
        };
        match header & 1 == 1 {
            false => Next::Block,
            true if self.has_checksum => Next::Checksum,
            true => Next::End,
        }
    }
}

/// Bytes of a frame's header, its magic too, by the fifth of them.
fn frame_header(descriptor: u8) -> usize {
    let is_single = descriptor & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let size = match descriptor >> 6 {
        0 => usize::from(is_single),
        log => 1 << log,
    };
    5 + usize::from(!is_single) + dictionary + size
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};

    use super::*;

    fn frame(text: &[u8], has_checksum: bool, is_pledged: bool) -> io::Result<Vec<u8>> {
        let mut out = zstd::Encoder::new(Vec::new(), 1)?;
        out.include_checksum(has_checksum)?;
        out.set_pledged_src_size(is_pledged.then_some(text.len() as u64))?;
        out.write_all(text)?;
        out.finish()
    }

    #[test]
    fn every_frame_ends_where_it_ends_however_it_is_handed_over() -> io::Result<()> {
        let noise: Vec<u8> = (0..100_000_u32)
            .flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes())
            .collect();
        let words = b"text and text and more text ".repeat(20_000);
        let skippable = b"\x5f\x2a\x4d\x18\x05\0\0\0 text".to_vec();
        let mut frames = vec![skippable];
        for text in [&b""[..], b"a", &[b' '; 300_000], &words, &noise] {
            for (has_checksum, is_pledged) in [(true, false), (false, true), (true, true)] {
                frames.push(frame(text, has_checksum, is_pledged)?);
            }
        }
        let mut follower = Frames::new();
        for frame in &frames {
            for step in [1, 1000, 1 << 20] {
                let mut followed = 0;
                let mut ended = None;
                for part in frame.chunks(step) {
                    assert_eq!(ended, None);
                    ended = follower.follow(part).map(|end| followed + end);
                    followed += part.len();
                }
                assert_eq!(ended, Some(frame.len()));
            }
            assert_eq!(
                follower.follow(&[&frame[..], b"more"].concat()),
                Some(frame.len())
            );
        }
        Ok(())
    }

    #[test]
    fn a_block_of_no_known_kind_ends_what_can_be_told() -> io::Result<()> {
        let mut frame = frame(b"text", true, true)?;
        let block = frame_header(frame[4]);
        frame[block] |= 6;
        let mut follower = Frames::new();
        assert_eq!(follower.follow(&frame), None);
        assert!(!follower.is_known());
        Ok(())
    }
}
