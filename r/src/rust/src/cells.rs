//! R's character vectors, as bytes.
//!
//! R gives no safe access to the bytes of a string, which need not be UTF-8, so this module lifts `unsafe_code`. All of it runs on
//! R's thread. R leaves a function only where a string is too long or holds a NUL, which is checked before, or where memory is
//! short.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{c_char, c_void};

use encoding_rs::WINDOWS_1252;
use extendr_api::{GetSexp, Robj, Rtype, Strings, Types};
use extendr_ffi::{
    LENGTH, R_CHAR, R_NaString, R_xlen_t, Rf_mkCharLenCE, Rf_xlength, SET_STRING_ELT, SEXP,
    STRING_ELT, cetype_t,
};

use crate::Answer;

unsafe extern "C" {
    /// As R declares it; an encoding that extendr has no name for would not be one of its `cetype_t`.
    fn Rf_getCharCE(string: *const c_void) -> u32;
}

const UTF8: u32 = cetype_t::CE_UTF8 as u32;
const LATIN1: u32 = cetype_t::CE_LATIN1 as u32;

/// A character vector that R keeps alive.
pub(crate) struct Cells<'r> {
    vector: &'r Robj,
    pub(crate) len: usize,
}

impl<'r> Cells<'r> {
    pub(crate) fn of(vector: &'r Robj) -> Answer<Cells<'r>> {
        if vector.rtype() != Rtype::Strings {
            return Err("x is no character vector".to_owned());
        }
        // SAFETY: it is a vector.
        let len = unsafe { Rf_xlength(vector.get()) };
        Ok(Cells {
            vector,
            len: len.unsigned_abs(),
        })
    }

    /// The text of a cell; none if it is NA. What is marked as latin1 becomes UTF-8; all else comes as it is.
    pub(crate) fn get(&self, row: usize) -> Option<Cow<'r, [u8]>> {
        let (bytes, encoding) = self.bytes(row)?;
        Some(match encoding == LATIN1 && !bytes.is_ascii() {
            // R takes latin1 for this superset of it too.
            true => match WINDOWS_1252.decode_without_bom_handling(bytes).0 {
                Cow::Borrowed(text) => text.as_bytes().into(),
                Cow::Owned(text) => text.into_bytes().into(),
            },
            false => bytes.into(),
        })
    }

    /// Whether a cell is this text, and R knows it as UTF-8.
    pub(crate) fn is(&self, row: usize, text: &str) -> bool {
        self.bytes(row).is_some_and(|(bytes, encoding)| {
            bytes == text.as_bytes() && (encoding == UTF8 || bytes.is_ascii())
        })
    }

    /// The bytes of a cell as R has them, and how R marks them.
    fn bytes(&self, row: usize) -> Option<(&'r [u8], u32)> {
        let string = self.string(row);
        // SAFETY: `string` is an element of a character vector, whose bytes live as long as the vector.
        unsafe {
            if string == R_NaString {
                return None;
            }
            let length = LENGTH(string).unsigned_abs() as usize;
            let bytes = std::slice::from_raw_parts(R_CHAR(string).cast::<u8>(), length);
            Some((bytes, Rf_getCharCE(string.cast())))
        }
    }

    fn string(&self, row: usize) -> SEXP {
        assert!(row < self.len);
        // SAFETY: the vector has this element.
        unsafe { STRING_ELT(self.vector.get(), row as R_xlen_t) }
    }
}

/// A character vector that is filled.
pub(crate) struct StringVector {
    vector: Robj,
    len: usize,
}

impl StringVector {
    /// Empty strings.
    pub(crate) fn new(len: usize) -> StringVector {
        StringVector {
            vector: Strings::new(len).into(),
            len,
        }
    }

    /// Sets an element; NA if there is no text.
    pub(crate) fn set(&mut self, row: usize, text: Option<&str>) {
        let Some(text) = text else {
            // SAFETY: it is R's constant.
            return self.put(row, unsafe { R_NaString });
        };
        let held = writable(text);
        // SAFETY: the bytes are UTF-8 without a NUL, and no more than the length says.
        let string = unsafe {
            let start = held.as_ptr().cast::<c_char>();
            Rf_mkCharLenCE(start, held.len() as i32, cetype_t::CE_UTF8)
        };
        self.put(row, string);
    }

    /// Sets an element to the string of the cell in the same row.
    pub(crate) fn keep(&mut self, row: usize, cells: &Cells<'_>) {
        self.put(row, cells.string(row));
    }

    fn put(&mut self, row: usize, string: SEXP) {
        assert!(row < self.len);
        // SAFETY: the vector is ours and has this element; nothing else was allocated since `string` was.
        unsafe { SET_STRING_ELT(self.vector.get(), row as R_xlen_t, string) }
    }

    pub(crate) fn finish(self) -> Robj {
        self.vector
    }
}

/// The text as R can hold it: without NUL, and of less than 2 GiB.
fn writable(text: &str) -> Cow<'_, str> {
    let mut end = text.len().min(i32::MAX as usize);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    match text.contains('\0') {
        true => text.replace('\0', "\u{fffd}").into(),
        false => text.into(),
    }
}
