//! Members of zip archives.

use std::fs::File;

use super::fault::{InputError, Packing};
use super::walk::{Level, Walk};

/// Hands out the members of an archive.
pub(super) fn read(walk: &mut Walk<'_>, level: &Level<'_>, _file: &File) {
    walk.lose(level, 0, InputError::Unsupported(Packing::Zip));
}
