//! Arrow arrays and streams that are passed through the C data and stream interfaces.
//!
//! The `arrow` crates have the structs of the interfaces and the arrays. `builders` makes arrays with offsets of 32 or 64 bits,
//! `text_array` reads arrays of texts of any type, and `stream` imports and exports streams of arrays. Knows neither Python nor
//! DOI names.

mod builders;
mod stream;
#[cfg(test)]
mod tests;
mod text_array;

pub(crate) use builders::{Flags, Floats, Integers, Lists, Overflow, Texts, Width, rows};
pub(crate) use stream::{Batches, FAILED, INVALID, ImportedStream, StreamError, export};
pub(crate) use text_array::{TextArray, TextType};
