//! Code pages of documents and character sets of fonts.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GBK, MACINTOSH, SHIFT_JIS, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1257,
    WINDOWS_1258,
};

/// Returns the encoding of a Windows code page; for an unknown one that of Western Europe, whose ASCII letters are the
/// same.
pub(super) fn of_code_page(page: i64) -> &'static Encoding {
    let known = u16::try_from(page).ok().and_then(codepage::to_encoding);
    // The words of RTF are ASCII between the characters of the page.
    let usable = known.filter(|known| known.is_ascii_compatible());
    usable.unwrap_or(WINDOWS_1252)
}

/// Returns the encoding of a font's character set (RTF 1.9.1, "Font Table"); `None` if it is that of the document.
pub(super) fn of_font(charset: i64) -> Option<&'static Encoding> {
    Some(match charset {
        77 => MACINTOSH,
        128 => SHIFT_JIS,
        129 => EUC_KR,
        134 => GBK,
        136 => BIG5,
        161 => WINDOWS_1253,
        162 => WINDOWS_1254,
        163 => WINDOWS_1258,
        177 => WINDOWS_1255,
        178 => WINDOWS_1256,
        186 => WINDOWS_1257,
        204 => WINDOWS_1251,
        222 => WINDOWS_874,
        238 => WINDOWS_1250,
        _ => return None,
    })
}
