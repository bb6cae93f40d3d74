//! Character vectors whose strings are made when R reads them.
//!
//! R keeps each distinct string once, and making one takes longer than finding a name. So the texts of a vector stay in one piece
//! of memory, and R asks for strings through its interface for such vectors (ALTREP). Strings that were made are kept, since R
//! protects the elements of a vector only through the vector. To R, the vector is like any other: it can be copied, changed and
//! saved.
//!
//! The interface is in C, so this module lifts `unsafe_code`. All of it runs on R's thread, which collects no garbage while it
//! calls these functions.
#![allow(unsafe_code)]

use std::borrow::Cow;
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::OnceLock;

use extendr_api::Robj;
use extendr_ffi::{
    R_ClearExternalPtr, R_ExternalPtrAddr, R_MakeExternalPtr, R_NaString, R_NilValue,
    R_RegisterCFinalizerEx, R_altrep_class_t, R_altrep_data1, R_altrep_data2,
    R_make_altstring_class, R_new_altrep, R_set_altrep_Length_method, R_set_altrep_data2,
    R_set_altstring_Elt_method, R_set_altstring_Set_elt_method, R_set_altvec_Dataptr_method,
    R_set_altvec_Dataptr_or_null_method, R_xlen_t, Rboolean, Rf_allocVector, Rf_mkCharLenCE,
    Rf_protect, Rf_unprotect, SET_STRING_ELT, SEXP, SEXPTYPE, STRING_ELT, STRING_PTR_RO, cetype_t,
};

/// Concatenated texts, some of which are NA.
#[derive(Default)]
pub(crate) struct Texts {
    all: String,
    /// Offset of the end of each text.
    ends: Vec<usize>,
    missing: Vec<bool>,
}

impl Texts {
    /// Adds a text, or NA for `None`.
    pub(crate) fn push(&mut self, text: Option<&str>) {
        self.all.push_str(&text.map(writable).unwrap_or_default());
        self.ends.push(self.all.len());
        self.missing.push(text.is_none());
    }

    fn get(&self, row: usize) -> Option<&str> {
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        (!self.missing[row]).then(|| &self.all[start..self.ends[row]])
    }

    /// Converts them to a character vector.
    pub(crate) fn into_vector(self) -> Robj {
        let vector = Box::new(LazyStrings {
            made: vec![false; self.ends.len()],
            texts: self,
        });
        // SAFETY: both objects are protected until the vector is R's. The finalizer frees the box, once.
        unsafe {
            let address = Box::into_raw(vector).cast::<c_void>();
            let owner = Rf_protect(R_MakeExternalPtr(address, R_NilValue, R_NilValue));
            R_RegisterCFinalizerEx(owner, Some(free), Rboolean::FALSE);
            let vector = Rf_protect(R_new_altrep(class(), owner, R_NilValue));
            let object = Robj::from_sexp(vector);
            Rf_unprotect(2);
            object
        }
    }
}

/// Removes NULs, and cuts the text to less than 2 GiB, for R.
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

/// The texts of a vector, and which strings were made. The strings are in the R vector that is the second part of the object.
struct LazyStrings {
    texts: Texts,
    made: Vec<bool>,
}

/// # Safety
/// `vector` must be of the class, and no other reference that this returned for it may be in use.
unsafe fn of<'v>(vector: SEXP) -> &'v mut LazyStrings {
    // SAFETY: the first part of such a vector is the pointer, which lives as long. R calls one function at a time.
    unsafe { &mut *R_ExternalPtrAddr(R_altrep_data1(vector)).cast() }
}

/// Returns the R vector with the strings that were made.
///
/// # Safety
/// `vector` is of the class.
unsafe fn strings(vector: SEXP) -> SEXP {
    // SAFETY: R holds what is a part of the vector.
    unsafe {
        if R_altrep_data2(vector) == R_NilValue {
            let strings = Rf_allocVector(SEXPTYPE::STRSXP, length(vector));
            R_set_altrep_data2(vector, strings);
        }
        R_altrep_data2(vector)
    }
}

/// Makes the strings of rows. Returns the R vector that holds them.
///
/// # Safety
/// `vector` is of the class and has these rows.
unsafe fn make(vector: SEXP, rows: std::ops::Range<usize>) -> SEXP {
    // SAFETY: the bytes of each text are UTF-8 without a NUL, and no more than the length says.
    unsafe {
        let strings = strings(vector);
        let lazy = of(vector);
        for row in rows {
            if std::mem::replace(&mut lazy.made[row], true) {
                continue;
            }
            let string = lazy.texts.get(row).map_or(R_NaString, |text| {
                let start = text.as_ptr().cast::<c_char>();
                Rf_mkCharLenCE(start, text.len() as i32, cetype_t::CE_UTF8)
            });
            SET_STRING_ELT(strings, row as R_xlen_t, string);
        }
        strings
    }
}

unsafe extern "C" fn length(vector: SEXP) -> R_xlen_t {
    // SAFETY: R calls it for vectors of the class.
    unsafe { of(vector).made.len() as R_xlen_t }
}

unsafe extern "C" fn element(vector: SEXP, row: R_xlen_t) -> SEXP {
    let at = row as usize;
    // SAFETY: R calls it for rows of the vector.
    unsafe { STRING_ELT(make(vector, at..at + 1), row) }
}

unsafe extern "C" fn set_element(vector: SEXP, row: R_xlen_t, string: SEXP) {
    // SAFETY: R calls it for rows of the vector.
    unsafe {
        of(vector).made[row as usize] = true;
        SET_STRING_ELT(strings(vector), row, string);
    }
}

unsafe extern "C" fn all(vector: SEXP, _: Rboolean) -> *mut c_void {
    // SAFETY: R calls it for vectors of the class, and writes no strings there except by `set_element`.
    unsafe {
        let rows = of(vector).made.len();
        STRING_PTR_RO(make(vector, 0..rows)).cast_mut().cast()
    }
}

/// Returns null, so that R asks for strings one by one.
unsafe extern "C" fn all_made(_: SEXP) -> *const c_void {
    ptr::null()
}

unsafe extern "C" fn free(owner: SEXP) {
    // SAFETY: the pointer is that of `into_vector`, and is cleared with the first call.
    unsafe {
        let address = R_ExternalPtrAddr(owner).cast::<LazyStrings>();
        R_ClearExternalPtr(owner);
        if !address.is_null() {
            drop(Box::from_raw(address));
        }
    }
}

/// Returns the class of these vectors. R never frees it.
fn class() -> R_altrep_class_t {
    static CLASS: OnceLock<usize> = OnceLock::new();
    let address = CLASS.get_or_init(|| {
        // SAFETY: the names end with NUL, and the functions have the types that R calls them with.
        unsafe {
            let names = [c"doisift_strings", c"doisift"].map(|name| name.as_ptr());
            let class = R_make_altstring_class(names[0], names[1], ptr::null_mut());
            R_set_altrep_Length_method(class, Some(length));
            R_set_altvec_Dataptr_method(class, Some(all));
            R_set_altvec_Dataptr_or_null_method(class, Some(all_made));
            R_set_altstring_Elt_method(class, Some(element));
            R_set_altstring_Set_elt_method(class, Some(set_element));
            class.ptr as usize
        }
    });
    R_altrep_class_t {
        ptr: *address as SEXP,
    }
}
