//! Finds the members of an archive without a sound directory by their local headers.

use std::cell::Cell;
use std::io;

use super::data::ZipData;
use super::headers::{CENTRAL_MAGIC, DESCRIPTOR_MAGIC, END_MAGIC, LocalHeader, local};
use super::sound::DirectoryFlaw;
use super::{MEMBER_END_MAGICS, ZipArchive, is_marker};
use crate::codec::damaged;
use crate::fault::{InputError, Packing};
use crate::magic;
use crate::numbers::{self, LOCAL_HEADER_MAGIC};
use crate::read::ReadBytes;

/// Bytes after the data of a member that may hold its sizes.
const MAX_DESCRIPTOR_BYTES: u64 = 24;

/// The state of a search for local headers.
#[derive(Default)]
struct HeaderSearch {
    at: u64,
    /// Whether the last member was damaged, which was reported.
    damaged: bool,
    /// Whether that damage was that the file ends in the member.
    cut: bool,
    /// Maximum number of bytes after the last member that are not reported as damage.
    slack: u64,
    /// Offset of the damage to the directory, unless a member may be damaged instead.
    flaw: Option<u64>,
    /// Whether the damage to the directory was reported as part of a gap.
    known: bool,
}

impl ZipArchive<'_, '_> {
    /// Passes on the members that are found by their local headers, and reports damage between them.
    pub(super) fn salvage(&mut self, flaw: DirectoryFlaw, reported: bool) {
        let filled = self.volume.padding_start().unwrap_or(self.volume.length);
        let Some(at) = self.start(&flaw) else {
            return;
        };
        let mut search = HeaderSearch {
            at,
            flaw: (!flaw.leads_astray).then_some(flaw.at),
            // A part may start within a member.
            damaged: flaw.is_part,
            ..HeaderSearch::default()
        };
        while search.at < filled
            && let Ok(Some(magic)) = self.volume.bytes(search.at)
        {
            match magic {
                LOCAL_HEADER_MAGIC => {
                    if !self.found(&mut search) {
                        return;
                    }
                }
                // Another archive may follow the directory.
                DESCRIPTOR_MAGIC | CENTRAL_MAGIC | END_MAGIC => {
                    search.at = self.next(search.at + 4);
                    search.cut = false;
                }
                _ => self.gap(&mut search),
            }
        }
        if !reported && !flaw.is_part && !search.known && !search.cut {
            self.number = match flaw.entry {
                0 => self.number,
                entry => entry - 1,
            };
            self.lose_next(flaw.at, flaw.error);
        }
    }

    /// Returns the offset at which the search for local headers starts, after the content before the archive; `None` if the
    /// source should not be read further.
    fn start(&mut self, flaw: &DirectoryFlaw) -> Option<u64> {
        if flaw.is_part {
            self.sink
                .report_loss(self.level, 0, InputError::Part(Packing::Zip));
            return Some(0);
        }
        let mut head = Vec::new();
        let range = 0..numbers::HEAD_BYTES as u64;
        // An error is returned again when the search reads there.
        let _ = self.volume.section(range).read_to_end(&mut head);
        if is_marker(head.get(..4).unwrap_or_default()) {
            return Some(4);
        }
        if magic::starts_zip(&head) {
            return Some(0);
        }
        let found = self.volume.find(0, &[LOCAL_HEADER_MAGIC]);
        let at = found.unwrap_or(self.volume.length);
        self.before(at).then_some(at)
    }

    /// Passes on the member whose local header was found. Returns false if the search must end.
    fn found(&mut self, search: &mut HeaderSearch) -> bool {
        let Ok(Some(local)) = local(self.volume, search.at) else {
            search.at = self.volume.length;
            return true;
        };
        self.number += 1;
        let LocalHeader {
            entry, name, data, ..
        } = local;
        let sized = data.saturating_add(entry.packed);
        let end = match (entry.is_open(), entry.method) {
            (false, _) => sized,
            (true, 0) => self.volume.find(data, &MEMBER_END_MAGICS).unwrap_or(data),
            (true, _) => self.volume.length,
        };
        let at = Cell::new(data);
        let packed = ZipData::new(self.volume, &at, end);
        let check = (!entry.is_open()).then(|| entry.check());
        let outcome = self.member(&entry, &name, packed, check);
        search.at = if entry.is_open() || sized > self.volume.length {
            at.get()
        } else {
            sized
        };
        search.damaged = outcome.damaged;
        search.cut = outcome.damaged && at.get() == self.volume.length;
        search.slack = if entry.is_open() {
            MAX_DESCRIPTOR_BYTES
        } else {
            0
        };
        outcome.go_on
    }

    /// Skips bytes that are not a header, and reports them unless they follow a damaged member.
    fn gap(&mut self, search: &mut HeaderSearch) {
        let next = self.next(search.at);
        if !search.damaged && next - search.at > search.slack {
            let error = damaged(Packing::Zip, io::ErrorKind::InvalidData);
            self.lose_next(search.at, error);
            search.known |= search.flaw.is_none_or(|at| (search.at..next).contains(&at));
        }
        search.at = next;
    }

    fn next(&self, from: u64) -> u64 {
        let found = self
            .volume
            .find(from, &[LOCAL_HEADER_MAGIC, CENTRAL_MAGIC, END_MAGIC]);
        found.unwrap_or(self.volume.length)
    }
}
