//! Imports and exports Arrow arrays and streams by the C data and stream interfaces.
//!
//! `ffi` has the structs of the interfaces, `text_array` reads arrays of texts, `data` builds arrays of the types in `field`,
//! `stream` has the interface of streams. It implements only the part of Arrow that the package needs: the crate `arrow` would
//! take four times as long to build and make the package four times as large. Knows neither Python nor DOI names.

mod data;
mod ffi;
mod field;
mod stream;
#[cfg(test)]
mod tests;
mod text_array;

pub(crate) use data::{Data, Flags, Integers, Lists, Overflow, Texts};
pub(crate) use ffi::{ArrowArray, ArrowArrayStream, ArrowSchema, Movable};
pub(crate) use field::{Field, Kind, Width};
pub(crate) use stream::{Batches, FAILED, INVALID, StreamError};
pub(crate) use text_array::{TextArray, TextType};
