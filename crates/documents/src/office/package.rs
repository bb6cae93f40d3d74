//! The two file formats of an office document's package.

use super::part::CONTENT_PART;
use crate::container::{MemberSink, StreamLevel};
use crate::file::{FileSection, SourceFile};
use crate::open_document::{self, is_package};
use crate::read::ReadBytes;
use crate::read_options::ReadOptions;
use crate::zip::{self, BeforeArchive};

/// The file of an office document.
#[derive(Clone, Copy)]
pub(crate) enum PackageFile<'a> {
    /// A zip archive of its parts.
    Zip(&'a SourceFile),
    /// Flat OpenDocument: the XML of all parts, which is passed on as the content member of a zipped document.
    Flat(&'a SourceFile),
}

impl<'a> PackageFile<'a> {
    pub(super) fn file(self) -> &'a SourceFile {
        match self {
            PackageFile::Zip(file) | PackageFile::Flat(file) => file,
        }
    }

    /// Whether it is an office document, and not an archive of other files: by the names in its directory, or by its first
    /// member if it has no directory.
    pub(super) fn is_document(self) -> bool {
        let PackageFile::Zip(file) = self else {
            return true;
        };
        let mut seen = PackagePartNames::default();
        let is_listed = zip::each_name(file, MAX_CHECKED_NAMES, |name| seen.add(name));
        if is_listed {
            return seen.are_of_document();
        }
        let mut head = Vec::new();
        // An error is returned again when the archive is read.
        let _ = FileSection::new(file, 0, open_document::HEAD_BYTES).read_to_end(&mut head);
        is_package(&head)
    }

    /// Passes on the members. `reported` says that a loss in them was already reported.
    pub(super) fn read(
        self,
        sink: &mut dyn MemberSink,
        options: &ReadOptions<'_>,
        level: &StreamLevel<'_>,
        reported: bool,
    ) {
        match self {
            PackageFile::Zip(file) => {
                let before = match reported {
                    true => BeforeArchive::Loss,
                    false => BeforeArchive::Nothing,
                };
                zip::read_archive(sink, options, level, file, before);
            }
            PackageFile::Flat(file) => read_flat(sink, options, level, file),
        }
    }
}

/// Maximum number of names in the directory of an archive that are checked.
const MAX_CHECKED_NAMES: usize = 4096;

/// The names of parts that distinguish an office document from other archives.
#[derive(Default)]
struct PackagePartNames {
    /// The main part of Office Open XML by its usual name.
    main: bool,
    /// The list of its parts, and a part in the folder of a text, a workbook or slides.
    types: bool,
    folder: bool,
    /// The media type or the list of parts of OpenDocument, and its content.
    kind: bool,
    content: bool,
}

/// The usual names of the main parts of Office Open XML.
const MAIN_PARTS: [&[u8]; 4] = [
    b"word/document.xml",
    b"xl/workbook.xml",
    b"xl/workbook.bin",
    b"ppt/presentation.xml",
];

impl PackagePartNames {
    fn add(&mut self, name: &[u8]) {
        let folders = [&b"word/"[..], b"xl/", b"ppt/"];
        self.main |= MAIN_PARTS.contains(&name);
        self.types |= name.eq_ignore_ascii_case(b"[Content_Types].xml");
        self.folder |= folders.iter().any(|folder| name.starts_with(folder));
        self.kind |= matches!(name, b"mimetype" | b"META-INF/manifest.xml");
        self.content |= name == CONTENT_PART.as_bytes();
    }

    fn are_of_document(&self) -> bool {
        self.main || (self.types && self.folder) || (self.kind && self.content)
    }
}

fn read_flat(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    file: &SourceFile,
) {
    if let Some(volume) = zip::volume(sink, options, level, file) {
        sink.member(level, 1, CONTENT_PART, &mut volume.part(0..volume.length));
        volume.count_until(volume.length);
    }
}
