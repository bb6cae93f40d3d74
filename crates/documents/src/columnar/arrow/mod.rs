//! Apache Arrow: files, which are also called Feather, and streams.
//!
//! `flatbuffer` reads the encoding of metadata, `message` and `schema` what it says. `file` finds the batches of rows through
//! the metadata at the end of a file, and of a stream through the messages before them; `batch` opens the columns of a batch. A
//! `column` reads its cells through the `buffer`s of a batch, of which it holds a window, and texts of `views` and entries of a
//! `dictionary` from what it holds as a whole.

mod batch;
mod buffer;
mod column;
mod dictionary;
mod file;
mod flatbuffer;
mod message;
mod schema;
#[cfg(test)]
mod tests;
mod views;

pub(crate) use self::file::ArrowFile;
pub(crate) use self::message::starts_stream;
