//! Joins mentions with their places in structured documents, which `doisift-structure` reads.
//!
//! `join` holds rows until the identifier of their record is known; their `paths` are stored without their common starts. Knows only
//! the names of mentions.

mod join;
mod paths;

#[cfg(test)]
mod source_tests;
#[cfg(test)]
mod tests;

pub(crate) use join::{
    BareReference, Edge, EdgeDetails, EdgeJoin, JoinedRow, Mistyped, Node, RowSink,
    StructureFaults, UnnamedRow,
};
pub(crate) use paths::{PathReader, Paths, StoredPath};
