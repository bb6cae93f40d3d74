//! Reads the members of a file in order, starting at any of them.

use super::members::{MemberFormat, MemberReader, MemberStep};
use super::parallel::{DecodedSection, OrderedReader};
use super::read::StopAtError;
use super::section::MemberSections;
use crate::fault::InputError;
use crate::file::{SourceFile, check_end};
use crate::read::{ReadAt, ReadBytes};
use crate::read_options::ReadOptions;

/// A [`MemberReader`] of a file.
pub(super) struct FileMembers<F> {
    file: SourceFile,
    size: u64,
    reader: MemberReader<StopAtError<FileReader>, F>,
    /// Bytes of the current member that were already returned, and are skipped.
    returned: u64,
}

impl<F: MemberFormat> FileMembers<F> {
    /// Continues with the member at `position`, or at the end of the file.
    pub(super) fn continue_at(&mut self, position: u64) {
        let file = FileReader::new(&self.file, self.size, position);
        self.reader.continue_with(file, position);
        self.returned = 0;
    }

    /// Continues with the member at `position`, of which `returned` unpacked bytes were already returned.
    pub(super) fn read_again(&mut self, position: u64, returned: u64) {
        self.continue_at(position);
        self.returned = returned;
    }

    /// Returns the position in the file at which decoding continues.
    pub(super) fn position(&self) -> u64 {
        self.reader.position()
    }
}

impl<F: MemberFormat> OrderedReader for FileMembers<F> {
    type Sections = MemberSections<F>;

    fn new(
        file: &SourceFile,
        size: u64,
        options: &ReadOptions<'_>,
        _: usize,
    ) -> Result<Self, InputError> {
        let start = FileReader::new(file, size, 0);
        let reader = MemberReader::new(start, &options.limits)?;
        Ok(FileMembers {
            file: file.clone(),
            size,
            reader: reader.of_file(size, options.whole_member_bytes()),
            returned: 0,
        })
    }

    fn bit(&self) -> u64 {
        8 * self.position()
    }

    fn step(&mut self, into: &mut [u8]) -> Result<MemberStep, InputError> {
        let room = match usize::try_from(self.returned).unwrap_or(usize::MAX) {
            0 => into.len(),
            returned => into.len().min(returned),
        };
        let step = self.reader.step(&mut into[..room])?;
        match step {
            MemberStep::Bytes(count) if self.returned > 0 => {
                self.returned -= count as u64;
                return Ok(MemberStep::Bytes(0));
            }
            MemberStep::Boundary => self.returned = 0,
            _ => {}
        }
        Ok(step)
    }

    fn hint(&self) {}

    fn pass(&mut self, section: &DecodedSection<()>) -> bool {
        self.continue_at(section.bits.end / 8);
        true
    }
}

/// Reads a file from an offset.
pub(super) struct FileReader {
    file: SourceFile,
    /// Size of the file when it was opened.
    size: u64,
    at: u64,
}

impl FileReader {
    /// The file had `size` bytes when it was opened.
    pub(super) fn new(file: &SourceFile, size: u64, at: u64) -> StopAtError<Self> {
        StopAtError::new(FileReader {
            file: file.clone(),
            size,
            at,
        })
    }
}

impl ReadBytes for FileReader {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let read = self.file.read_at(into, self.at)?;
        if read == 0 && !into.is_empty() {
            check_end(&self.file, self.at, self.size)?;
        }
        self.at += read as u64;
        Ok(read)
    }
}
