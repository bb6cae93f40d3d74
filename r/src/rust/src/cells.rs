//! Reads R's character vectors as bytes.
//!
//! R has no safe access to the bytes of a string, which need not be UTF-8, so this module lifts `unsafe_code`. All of it runs on
//! R's thread.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::c_void;

use encoding_rs::WINDOWS_1252;
use extendr_api::{GetSexp, Robj, Rtype, Types};
use extendr_ffi::{LENGTH, R_CHAR, R_NaString, R_xlen_t, Rf_xlength, SEXP, STRING_ELT, cetype_t};

use crate::Answer;

unsafe extern "C" {
    /// Declared as in R: extendr's `cetype_t` lacks some encodings.
    fn Rf_getCharCE(string: *const c_void) -> u32;
}

const LATIN1: u32 = cetype_t::CE_LATIN1 as u32;

/// A character vector that R keeps alive.
pub(crate) struct Cells<'r> {
    vector: &'r Robj,
    pub(crate) len: usize,
}

impl<'r> Cells<'r> {
    pub(crate) fn of(vector: &'r Robj) -> Answer<Cells<'r>> {
        if vector.rtype() != Rtype::Strings {
            return Err("x is not a character vector".to_owned());
        }
        // SAFETY: it is a vector.
        let len = unsafe { Rf_xlength(vector.get()) };
        Ok(Cells {
            vector,
            len: len.unsigned_abs(),
        })
    }

    /// Returns the text of a cell, or `None` for NA. Decodes strings that are marked as latin1; returns the bytes of all others.
    pub(crate) fn get(&self, row: usize) -> Option<Cow<'r, [u8]>> {
        let (bytes, encoding) = self.bytes(row)?;
        Some(match encoding == LATIN1 && !bytes.is_ascii() {
            // R also treats latin1 as this superset of it.
            true => match WINDOWS_1252.decode_without_bom_handling(bytes).0 {
                Cow::Borrowed(text) => text.as_bytes().into(),
                Cow::Owned(text) => text.into_bytes().into(),
            },
            false => bytes.into(),
        })
    }

    /// Returns the bytes of a cell and its encoding mark in R, or `None` for NA.
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
