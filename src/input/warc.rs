//! Members of warc archives.

use std::io::Read;

use super::fault::{InputError, Packing};
use super::walk::{Level, Walk};

/// Hands out the members of an archive.
pub(super) fn read(walk: &mut Walk<'_>, level: &Level<'_>, _bytes: &mut dyn Read) {
    walk.lose(level, 0, InputError::Unsupported(Packing::Warc));
}
