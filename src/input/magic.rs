//! What a stream is, told by its first bytes.

use super::fault::Packing;

/// Bytes that tell everything we know: a tar header.
pub(super) const LENGTH: usize = 512;

/// What a stream holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Text, or anything that we have no better word for.
    Text,
    /// Packed, or a container.
    Packed(Packing),
    /// No text, and nothing that holds text for us; its kind.
    Binary(&'static str),
}

/// What `head` starts; it is shorter than [`LENGTH`] only where the stream is.
pub(super) fn recognise(head: &[u8]) -> Content {
    packing(head).map_or(Content::Text, Content::Packed)
}

fn packing(head: &[u8]) -> Option<Packing> {
    Some(match head {
        [0x1f, 0x8b, ..] => Packing::Gzip,
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Packing::Zstd,
        // A skippable frame, which may come before any other.
        [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Packing::Zstd,
        [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] if is_bzip2_block(block) => Packing::Bzip2,
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Packing::Xz,
        [0x04, 0x22, 0x4d, 0x18, ..] => Packing::Lz4,
        [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Packing::Zip,
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => Packing::SevenZip,
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => Packing::Rar,
        [b'W', b'A', b'R', b'C', b'/', b'0'..=b'9', ..] => Packing::Warc,
        _ => return None,
    })
}

/// A first block, or the end of a stream that has none: a text may well start with `BZh9`.
fn is_bzip2_block(head: &[u8]) -> bool {
    head.starts_with(&[0x31, 0x41, 0x59, 0x26, 0x53, 0x59])
        || head.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_starts_like_a_magic_is_text() {
        for text in [&b"BZh9 10.5555/a"[..], b"PK", b"7z", b"Rar!", b"\x1f", b""] {
            assert_eq!(recognise(text), Content::Text, "{text:?}");
        }
    }
}
