//! Recognises the lzma format, `.lzma`: the predecessor of xz, which has no magic number and no checksum. Files of this format
//! are not unpacked.

use liblzma::stream::{Action, Status, Stream};

use crate::numbers::number;

/// Bytes of the header: properties, the size of the dictionary, and that of the unpacked data.
const HEADER_BYTES: usize = 13;
/// Bytes of the header and of the first five bytes of data, which any stream has.
const MIN_STREAM_BYTES: usize = HEADER_BYTES + 5;
/// The largest value of the first byte, `(pb * 5 + lp) * 9 + lc`.
const MAX_PROPERTIES: u8 = (4 * 5 + 4) * 9 + 8;
/// The first byte for lc = 3, lp = 0 and pb = 2.
const DEFAULT_PROPERTIES: u8 = 0x5d;
/// Bytes that a trial decodes. Data that is not lzma fails far earlier.
const TRIAL_BYTES: usize = 64;
/// The smallest dictionary.
const MIN_DICTIONARY_BYTES: u32 = 4 << 10;
/// Limit on the stated unpacked size, as in xz(1).
const MAX_UNPACKED_BYTES: u64 = 1 << 38;

/// Whether `head` is the start of the lzma format: its header has values that encoders write, and the first byte of data is
/// 0. So a text is never taken for it.
///
/// A header without a size has eight bytes of 0xff, which is enough even if the data is damaged. A header with a size
/// resembles other binary data. So it must have the default properties of encoders, and the data must start to decode.
pub(crate) fn is_lzma(head: &[u8]) -> bool {
    if head.len() < MIN_STREAM_BYTES || !is_header(head) || head[HEADER_BYTES] != 0 {
        return false;
    }
    is_unknown(&head[5..HEADER_BYTES])
        || head[0] == DEFAULT_PROPERTIES && decodes(&head[..head.len().min(TRIAL_BYTES)])
}

/// Whether `head` starts with a header.
fn is_header(head: &[u8]) -> bool {
    let dictionary = number(head, 1, 4) as u32;
    let is_size = is_unknown(&head[5..HEADER_BYTES])
        || (1..MAX_UNPACKED_BYTES).contains(&number(head, 5, HEADER_BYTES - 5));
    head[0] <= MAX_PROPERTIES && is_dictionary(dictionary) && is_size
}

/// Whether encoders write this size of a dictionary: a power of two, or one and a half times a power of two.
fn is_dictionary(size: u32) -> bool {
    let lowest = size & size.wrapping_neg();
    let rest = size - lowest;
    size == u32::MAX || size >= MIN_DICTIONARY_BYTES && (rest == 0 || rest == lowest << 1)
}

/// Whether this size means that the stream has an end mark instead.
fn is_unknown(size: &[u8]) -> bool {
    size.iter().all(|byte| *byte == 0xff)
}

/// Whether `head` decodes to its end, or to the size of its smallest dictionary.
fn decodes(head: &[u8]) -> bool {
    let Ok(mut stream) = Stream::new_lzma_decoder(u64::MAX) else {
        return false;
    };
    // The output is not longer than the smallest dictionary, so this dictionary is large enough.
    let head = [&head[..1], &MIN_DICTIONARY_BYTES.to_le_bytes(), &head[5..]].concat();
    let mut output = [0; MIN_DICTIONARY_BYTES as usize];
    loop {
        let (read, written) = (stream.total_in() as usize, stream.total_out() as usize);
        let status = stream.process(&head[read..], &mut output[written..], Action::Run);
        match status {
            Err(_) => return false,
            Ok(Status::StreamEnd) => return true,
            Ok(_) => {}
        }
        if (stream.total_in() as usize, stream.total_out() as usize) == (read, written) {
            return true;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use liblzma::stream::LzmaOptions;
    use proptest::prelude::*;

    use super::super::members::tests::noise;
    use super::*;
    use crate::content::StreamContent;
    use crate::fault::Packing;
    use crate::magic;

    /// Packs `text` with the options that `set` sets.
    fn packed_by(text: &[u8], set: impl FnOnce(&mut LzmaOptions)) -> Vec<u8> {
        let mut options = LzmaOptions::new_preset(1).unwrap();
        set(&mut options);
        let stream = Stream::new_lzma_encoder(&options).unwrap();
        let mut out = Vec::new();
        let mut encoder = liblzma::read::XzEncoder::new_stream(text, stream);
        encoder.read_to_end(&mut out).unwrap();
        out
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        packed_by(text, |_| {})
    }

    fn is_reported(packed: &[u8]) -> bool {
        let head = &packed[..packed.len().min(magic::HEAD_BYTES)];
        magic::recognise(head) == StreamContent::Packed(Packing::Lzma)
    }

    #[test]
    fn what_any_options_give_is_recognised() {
        let text = [&b"10.5555/some text ".repeat(3000)[..], &noise(1, 3000)].concat();
        for dictionary in [12, 13, 16, 20, 23, 26] {
            for half in [0, 1 << (dictionary - 1)] {
                for (lc, lp, pb) in [(3, 0, 2), (0, 0, 0), (4, 0, 0), (0, 4, 4), (2, 2, 1)] {
                    let packed = packed_by(&text, |options| {
                        options.dict_size((1 << dictionary) + half);
                        options.literal_context_bits(lc).literal_position_bits(lp);
                        options.position_bits(pb);
                    });
                    assert!(is_reported(&packed), "{dictionary} {lc} {lp} {pb}");
                }
            }
        }
        for text in [&b""[..], b"a", &noise(1, 100_000)] {
            assert!(is_reported(&packed(text)));
        }
    }

    #[test]
    fn a_stream_of_known_size_is_recognised() {
        for text in [&b"a"[..], &noise(1, 10_000)] {
            let mut packed = packed(text);
            packed[5..HEADER_BYTES].copy_from_slice(&(text.len() as u64).to_le_bytes());
            assert!(is_reported(&packed));
        }
    }

    #[test]
    fn nothing_else_is_taken_for_it() {
        let mut tga = [0; 512];
        tga[2] = 2;
        tga[12..18].copy_from_slice(&[0, 1, 0, 1, 24, 0]);
        let mut zeros = [0; 512];
        assert!(!is_reported(&tga) && !is_reported(&zeros));
        for bit in 0..8 * 16 {
            zeros[bit / 8] ^= 1 << (bit % 8);
            assert!(!is_reported(&zeros), "bit {bit}");
            zeros[bit / 8] = 0;
        }
        for text in ["]\n", "] is a bracket. ", "]]]]]]]]]]]]]]]]]]]]]]]]]]]]"] {
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
            let is_reported = |bytes: &[u8]| is_reported(bytes) || is_reported(&bytes.repeat(300));
            assert!(
                !is_reported(text.as_bytes()) && !is_reported(&wide),
                "{text}"
            );
        }
        // A header with a size before data that does not decode, and one without.
        let mut packed = packed(&noise(1, 1000));
        packed[20..200].fill(0xff);
        assert!(is_reported(&packed));
        packed[5..HEADER_BYTES].copy_from_slice(&1000_u64.to_le_bytes());
        assert!(!is_reported(&packed));
        // Small numbers in binary data.
        let mut numbers = [0; 512];
        for (at, small) in (0..HEADER_BYTES).zip(1..) {
            numbers[3] = 1;
            numbers[at] = small;
            assert!(!is_reported(&numbers), "{at}");
            numbers[at] = 0;
        }
    }

    proptest! {
        #[test]
        fn text_is_never_taken_for_it(text in "\\PC{18,600}") {
            let head = &text.as_bytes()[..text.len().min(magic::HEAD_BYTES)];
            prop_assert!(!is_lzma(head));
        }

        #[test]
        fn bytes_are_never_taken_for_it(bytes in prop::collection::vec(any::<u8>(), 18..600)) {
            prop_assert!(!is_lzma(&bytes[..bytes.len().min(magic::HEAD_BYTES)]));
        }
    }
}
