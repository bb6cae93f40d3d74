//! Recognises a file by its last bytes if the first are damaged.
//!
//! PDF, Parquet and Arrow files can be read from their end, which has the offsets of their content.

use memchr::memmem;

use crate::fault::Packing;

/// Returns the format whose files end like `tail`. Text may end like PDF, which counts only if it `may_be_pdf`.
pub(crate) fn packing_at_end(tail: &[u8], may_be_pdf: bool) -> Option<Packing> {
    if has_length(tail, b"PAR1") || has_length(tail, b"PARE") {
        return Some(Packing::Parquet);
    }
    if has_length(tail, b"ARROW1") {
        return Some(Packing::Arrow);
    }
    (may_be_pdf && ends_pdf(tail)).then_some(Packing::Pdf)
}

/// Whether the tail is a magic number after a length below 16 MiB. Its highest byte is 0, which no text has.
fn has_length(tail: &[u8], magic: &[u8]) -> bool {
    let length = tail.strip_suffix(magic).and_then(<[u8]>::last_chunk);
    length.is_some_and(|&[a, b, c, d]| d == 0 && [a, b, c] != [0; 3])
}

/// Whether the tail has the offset of the last table of objects, and the end mark after it.
fn ends_pdf(tail: &[u8]) -> bool {
    let Some(at) = memmem::rfind(tail, b"startxref") else {
        return false;
    };
    let rest = tail[at + b"startxref".len()..].trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    digits > 0 && rest[digits..].trim_ascii_start().starts_with(b"%%EOF")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_does_not_end_like_a_table() {
        let found = |tail: &[u8]| packing_at_end(tail, false);
        for text in ["PAR1", "\0\0\0\0PAR1", "ends in PAR1", "ends in ARROW1"] {
            assert_eq!(found(text.as_bytes()), None, "{text}");
        }
        assert_eq!(found(b"x\x10\x02\0\0ARROW1"), Some(Packing::Arrow));
        assert_eq!(found(b"startxref\n12\n%%EOF"), None);
    }

    #[test]
    fn the_end_of_pdf_may_have_bytes_after_it() {
        let found = |tail: &[u8]| packing_at_end(tail, true);
        assert_eq!(
            found(b"startxref\r\n12\r\n%%EOF\r\n\0\0"),
            Some(Packing::Pdf)
        );
        for text in [
            "startxref\n%%EOF",
            "%%EOF",
            "startxref\n12",
            "startxref 1 2 %%EOF",
        ] {
            assert_eq!(found(text.as_bytes()), None, "{text}");
        }
    }
}
