//! The two forms in which an office document is a file.

use std::fs::File;

use super::part::CONTENT;
use crate::container::{Level, Members};
use crate::opening::Opening;
use crate::zip;

/// The file of an office document.
#[derive(Clone, Copy)]
pub(crate) enum Package<'a> {
    /// A zip archive of its parts.
    Zip(&'a File),
    /// Flat OpenDocument: the XML of all parts, which is passed on as the member that holds the content of a zipped one.
    Flat(&'a File),
}

impl<'a> Package<'a> {
    pub(super) fn file(self) -> &'a File {
        match self {
            Package::Zip(file) | Package::Flat(file) => file,
        }
    }

    /// Passes on the members. `reported` says that a loss in them was already reported.
    pub(super) fn read(
        self,
        walk: &mut dyn Members,
        opening: &Opening<'_>,
        level: &Level<'_>,
        reported: bool,
    ) {
        match self {
            Package::Zip(file) => zip::read(walk, opening, level, file, reported),
            Package::Flat(file) => read_flat(walk, opening, level, file),
        }
    }
}

fn read_flat(walk: &mut dyn Members, opening: &Opening<'_>, level: &Level<'_>, file: &File) {
    if let Some(volume) = zip::volume(walk, opening, level, file) {
        walk.member(level, 1, CONTENT, &mut volume.part(0..volume.length));
        volume.pass(volume.length);
    }
}
