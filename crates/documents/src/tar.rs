//! Members of tar archives: v7, ustar, pax and GNU.
//!
//! The crate `tar` parses headers, but its reader is not used: it stops at the first damaged header, and holds names and
//! pax records of any length in memory. Here a damaged header costs one member: reading continues at the next header with a
//! valid checksum, at any offset, even after a gap that damage to the enclosing packing left. Zero blocks between members
//! are skipped, as by `tar --ignore-zeros`. An archive ends with at least one zero block (POSIX has two). A missing one is
//! reported, since the archive may have been cut off between members.

use std::io::ErrorKind;

use memchr::{memchr, memmem};
use tar::{GnuExtSparseHeader, GnuHeader, Header};

use super::ahead::{MemberBytes, MemberPrefetcher};
use super::codec::damaged;
use super::container::{MemberSink, StreamLevel};
use super::content::StreamContent;
use super::fault::{InputError, Packing};
use super::file::SourceFile;
use super::magic;
use super::name::escaped;
use super::numbers::{is_tar_header, is_zero, tar_data_size};
use super::peek::PeekReader;
use super::read::{ReadAt, ReadBuffer, ReadBytes, UnpackedAhead};
use super::read_options::ReadOptions;

/// Headers, and members with their padding, are multiples of this.
const BLOCK_BYTES: usize = 512;
/// Bytes that are searched at once for a header.
const SEARCH_BYTES: usize = 64 << 10;
/// The bytes at `USTAR_MAGIC_OFFSET` of a header of POSIX or GNU tar.
const USTAR_MAGIC: &[u8] = b"ustar";
const USTAR_MAGIC_OFFSET: usize = 257;
/// Maximum number of headers that are read to find the next file.
const MAX_MEMBER_HEADERS: usize = 16;
/// Maximum number of bytes that are read of a long name, or of a member's pax records.
const MAX_EXTENSION_BYTES: usize = 1 << 20;

/// Passes on the regular files of an archive. Folders, links and devices are skipped.
pub(super) fn read_archive(
    sink: &mut dyn MemberSink,
    options: &ReadOptions<'_>,
    level: &StreamLevel<'_>,
    bytes: &mut dyn ReadBytes,
) {
    let file = level.file.filter(|_| !level.unpacked);
    let mut archive = TarArchive {
        options,
        file,
        ahead: None,
        sink,
        level,
        tape: TarStream::new(bytes),
        number: 0,
        extension: MemberExtension::default(),
    };
    while let Some(header) = archive.header() {
        if !archive.entry(&header) {
            return;
        }
    }
}

struct TarArchive<'a, 'b, 'o> {
    options: &'a ReadOptions<'o>,
    /// The archive as a file, if it is one.
    file: Option<&'a SourceFile>,
    /// The members that other threads unpack. They are started at the first member that is packed.
    ahead: Option<MemberPrefetcher<'o>>,
    sink: &'a mut dyn MemberSink,
    level: &'a StreamLevel<'a>,
    tape: TarStream<'b>,
    /// Members so far, of every kind.
    number: u64,
    extension: MemberExtension,
}

/// The headers before a member that describe it.
#[derive(Default)]
struct MemberExtension {
    long_name: Vec<u8>,
    pax: Vec<u8>,
}

impl TarArchive<'_, '_, '_> {
    /// Reads up to the next header, and reports losses before it.
    fn header(&mut self) -> Option<Header> {
        let mut bad = None;
        let mut zeros = false;
        loop {
            if self.skip_unknown_blocks() {
                // The error explains the missing header.
                bad = None;
            }
            let at = self.tape.at;
            match self.tape.block() {
                Ok(NextBlock::Zeros) => zeros |= bad.is_none(),
                Ok(NextBlock::Header(header)) => {
                    self.lose_header(bad);
                    self.tape.reported = false;
                    return Some(*header);
                }
                Ok(NextBlock::Other) => {
                    bad.get_or_insert(at);
                    self.extension = MemberExtension::default();
                }
                Ok(NextBlock::End) => {
                    self.report_end(at, bad, zeros);
                    return None;
                }
                // After the end mark, no member is damaged.
                Err(error) if zeros => self.sink.report_loss(self.level, at, error),
                Err(error) => self.lose_next(at, error),
            }
        }
    }

    /// Reports faults at the end of the archive, at `at`. `bad` is the offset of the first bad block before the end;
    /// `zeros` says whether the end mark came before.
    fn report_end(&mut self, at: u64, bad: Option<u64>, zeros: bool) {
        match bad {
            Some(bad) if zeros => {
                let error = InputError::Trailing(Packing::Tar);
                self.sink.report_loss(self.level, bad, error);
            }
            None if !zeros && !self.tape.reported => {
                self.lose_next(at, InputError::Endless(Packing::Tar));
            }
            _ => self.lose_header(bad),
        }
    }

    /// Skips blocks that belong to no header. Returns whether it reported damage.
    fn skip_unknown_blocks(&mut self) -> bool {
        let mut reported = false;
        while self.tape.search.is_some() {
            match self.tape.skip(u64::MAX) {
                Ok(_) => self.tape.search = None,
                Err(error) => {
                    reported = true;
                    self.lose_next(self.tape.at, error);
                }
            }
        }
        reported
    }

    /// Reads the member after a header. Returns false if the source should not be read further.
    fn entry(&mut self, header: &Header) -> bool {
        let size = tar_data_size(header).unwrap_or(0);
        match header.entry_type().as_byte() {
            b'L' => self.extension.long_name = self.extended(size),
            b'x' | b'X' => self.pax(size),
            b'K' | b'g' => drop(self.extended(size)),
            _ => {
                let extension = std::mem::take(&mut self.extension);
                let size = pax_number(&extension.pax, b"size").unwrap_or(size);
                self.number += 1;
                return self.member(header, &extension, size);
            }
        }
        true
    }

    /// Keeps pax records, and reports a loss if they are not pax records.
    fn pax(&mut self, size: u64) {
        let at = self.tape.at;
        let records = self.extended(size);
        let mut rest = &records[..];
        while let Some((_, after)) = pax_record(rest) {
            rest = after;
        }
        // If it is cut short, it was too long to be read whole, or the loss was reported.
        if !rest.is_empty() && records.len() as u64 == size {
            self.lose_next(at, damaged(Packing::Tar, ErrorKind::InvalidData));
        }
        self.extension.pax = records;
    }

    /// Returns the first bytes of an extension's data.
    fn extended(&mut self, size: u64) -> Vec<u8> {
        let at = self.tape.at;
        let mut data = TarData::new(&mut self.tape, size);
        let mut said = Vec::new();
        let mut result = data.read_up_to(MAX_EXTENSION_BYTES, &mut said).map(drop);
        loop {
            match result.and_then(|()| data.finish()) {
                Ok(()) => return said,
                Err(error) => {
                    let number = self.number + 1;
                    self.sink
                        .report_member_loss(self.level, number, "", at, error);
                    said.clear();
                    result = Ok(());
                }
            }
        }
    }

    fn member(&mut self, header: &Header, extension: &MemberExtension, size: u64) -> bool {
        let (level, number) = (self.level, self.number);
        let name = &name(header, extension);
        if let Err(error) = self.tape.skip_sparse_maps(header) {
            self.sink.report_member_loss(level, number, name, 0, error);
        }
        let unpacked = self.unpacked(size);
        let mut data = TarData::new(&mut self.tape, size);
        let go_on = if is_sparse(header, extension) {
            let error = InputError::Sparse;
            self.sink.report_member_loss(level, number, name, 0, error);
            true
        } else if is_file(header, name, size) {
            data.unpacked = unpacked;
            self.sink.member(level, number, name, &mut data)
        } else {
            true
        };
        while go_on && let Err(error) = data.finish() {
            self.sink
                .report_member_loss(level, number, name, data.at, error);
        }
        go_on
    }

    /// Returns the unpacked bytes of the next member, of `size` bytes, if another thread unpacks it.
    fn unpacked(&mut self, size: u64) -> Option<UnpackedAhead> {
        let (file, at) = (self.file?, self.tape.at);
        let member = member_at(at, size)?;
        if self.ahead.is_none() && self.tape.starts_gzip() {
            self.ahead = MemberPrefetcher::start(file, self.options);
        }
        self.ahead.as_mut()?.take_unpacked(&member, member_after)
    }

    fn lose_header(&mut self, bad: Option<u64>) {
        if let Some(at) = bad {
            self.number += 1;
            let (packing, number) = (Packing::Tar, self.number);
            let error = InputError::Header { packing, number };
            self.sink.report_loss(self.level, at, error);
        }
    }

    /// Reports an error at `at`, where the next member should be.
    fn lose_next(&mut self, at: u64, error: InputError) {
        self.sink
            .report_member_loss(self.level, self.number + 1, "", at, error);
    }
}

/// The next block of an archive, where a header should be.
enum NextBlock {
    Header(Box<Header>),
    Zeros,
    /// Neither a header nor zeros, or shorter than a block.
    Other,
    End,
}

/// The bytes of an archive.
struct TarStream<'b> {
    raw: PeekReader<&'b mut dyn ReadBytes>,
    /// Number of bytes read.
    at: u64,
    /// The offset from which the next header is searched for, if its offset is not known. Reading ends before it.
    search: Option<u64>,
    /// Number of bytes from here in which no header starts.
    clear: usize,
    /// Whether damage after the last header was reported.
    reported: bool,
}

impl<'b> TarStream<'b> {
    fn new(bytes: &'b mut dyn ReadBytes) -> Self {
        TarStream {
            raw: PeekReader::with_capacity(bytes, SEARCH_BYTES),
            at: 0,
            search: None,
            clear: 0,
            reported: false,
        }
    }

    /// Whether the next bytes may be packed by gzip.
    fn starts_gzip(&mut self) -> bool {
        matches!(
            magic::recognise(self.raw.peek(BLOCK_BYTES)),
            StreamContent::Packed(Packing::Gzip)
        )
    }

    /// Returns the error for an archive that ends in a member.
    fn ended_early(&mut self) -> InputError {
        self.reported = true;
        damaged(Packing::Tar, ErrorKind::UnexpectedEof)
    }

    /// Skips the maps of a sparse file that follow its header in GNU tar's own format.
    fn skip_sparse_maps(&mut self, header: &Header) -> Result<(), InputError> {
        let gnu = header
            .as_gnu()
            .filter(|_| header.entry_type().is_gnu_sparse());
        let mut has_map = gnu.is_some_and(GnuHeader::is_extended);
        while has_map {
            let mut map = GnuExtSparseHeader::new();
            if !self.read_full(map.as_mut_bytes())? {
                return Err(self.ended_early());
            }
            has_map = map.is_extended();
        }
        Ok(())
    }

    /// Reads the next block. Starts a search if it is not a header.
    fn block(&mut self) -> Result<NextBlock, InputError> {
        let held = self.raw.peek(BLOCK_BYTES);
        if held.len() < BLOCK_BYTES {
            return self.rest();
        }
        let block = if is_zero(held) {
            NextBlock::Zeros
        } else if is_tar_header(held) {
            NextBlock::Header(Box::new(Header::from_byte_slice(held).clone()))
        } else {
            self.search = Some(self.at);
            return Ok(NextBlock::Other);
        };
        self.raw.consume(BLOCK_BYTES);
        self.at += BLOCK_BYTES as u64;
        Ok(block)
    }

    /// Reads the last bytes before the end or an error, which are fewer than a block.
    fn rest(&mut self) -> Result<NextBlock, InputError> {
        let mut rest = Vec::new();
        self.read_up_to(BLOCK_BYTES, &mut rest)?;
        Ok(match &rest[..] {
            [] => NextBlock::End,
            rest if is_zero(rest) => NextBlock::Zeros,
            _ => NextBlock::Other,
        })
    }

    /// Returns a number of bytes from here in which the search found no header. It is 0 only before a header, an error or
    /// the end.
    fn clear(&mut self, since: u64) -> usize {
        if self.clear == 0 {
            let passed = ((self.at - since) % BLOCK_BYTES as u64) as usize;
            let held = self.raw.peek(SEARCH_BYTES);
            // A header may start in the last bytes and continue after them.
            let known = match held.len() {
                SEARCH_BYTES => SEARCH_BYTES - BLOCK_BYTES + 1,
                all => all,
            };
            self.clear = find_header(held, (BLOCK_BYTES - passed) % BLOCK_BYTES).unwrap_or(known);
        }
        self.clear
    }
}

impl ReadBytes for TarStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let mut max = into.len();
        if let Some(since) = self.search
            && !self.raw.peek(1).is_empty()
        {
            max = max.min(self.clear(since));
        }
        if max == 0 {
            return Ok(0);
        }
        match self.raw.read(&mut into[..max]) {
            Ok(read) => {
                self.at += read as u64;
                self.clear = self.clear.saturating_sub(read);
                Ok(read)
            }
            Err(error) => {
                self.search = Some(self.at);
                self.clear = 0;
                self.reported = true;
                Err(error)
            }
        }
    }
}

/// The data of a member, and its padding.
struct TarData<'t, 'b> {
    tape: &'t mut TarStream<'b>,
    /// Number of bytes read.
    at: u64,
    size: u64,
    padding: u64,
    unpacked: Option<UnpackedAhead>,
}

impl<'t, 'b> TarData<'t, 'b> {
    fn new(tape: &'t mut TarStream<'b>, size: u64) -> Self {
        TarData {
            tape,
            at: 0,
            size,
            padding: size.wrapping_neg() % BLOCK_BYTES as u64,
            unpacked: None,
        }
    }

    /// Skips the bytes that were not read. After an error, the next call continues after it.
    fn finish(&mut self) -> Result<(), InputError> {
        self.skip(u64::MAX)?;
        let padding = std::mem::take(&mut self.padding);
        if self.tape.search.is_none() && self.tape.skip(padding)? < padding {
            return Err(self.tape.ended_early());
        }
        Ok(())
    }
}

impl ReadBytes for TarData<'_, '_> {
    /// After an error, the bytes before the next header count as the member's, up to the member's size.
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let left = usize::try_from(self.size - self.at).unwrap_or(usize::MAX);
        let max = into.len().min(left);
        if max == 0 {
            return Ok(0);
        }
        let read = self.tape.read(&mut into[..max])?;
        self.at += read as u64;
        if read == 0 {
            (self.size, self.padding) = (self.at, 0);
            if self.tape.search.is_none() {
                return Err(self.tape.ended_early());
            }
        }
        Ok(read)
    }

    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        self.unpacked.take()
    }
}

/// Returns the member of `size` bytes at `at` of an archive, without a checksum.
fn member_at(at: u64, size: u64) -> Option<MemberBytes> {
    let range = at..at.checked_add(size)?;
    Some(MemberBytes { range, check: None })
}

/// Returns the bytes of the first file after the member that ends at `end` of an archive. Reads only headers. Returns
/// `None` if there is no valid one.
fn member_after(file: &SourceFile, end: u64) -> Option<MemberBytes> {
    let mut at = end.checked_next_multiple_of(BLOCK_BYTES as u64)?;
    for _ in 0..MAX_MEMBER_HEADERS {
        let mut block = [0; BLOCK_BYTES];
        let read = file.read_at(&mut block, at).ok()?;
        if read < BLOCK_BYTES || !is_tar_header(&block) {
            return None;
        }
        let header = Header::from_byte_slice(&block);
        let member = member_at(at + BLOCK_BYTES as u64, tar_data_size(header)?)?;
        if matches!(header.entry_type().as_byte(), b'0' | 0) {
            return Some(member);
        }
        at = member
            .range
            .end
            .checked_next_multiple_of(BLOCK_BYTES as u64)?;
    }
    None
}

/// Whether a member is a regular file. A type that neither POSIX nor GNU tar defines counts as one.
fn is_file(header: &Header, name: &str, size: u64) -> bool {
    match header.entry_type().as_byte() {
        b'1'..=b'6' | b'D' | b'N' | b'V' => false,
        // A folder in an old archive, which has no type for folders.
        _ => !(name.ends_with('/') && size == 0),
    }
}

/// Whether the archive holds only the pieces of a file that have data, and a map of them: in GNU tar's own format, or in pax records.
fn is_sparse(header: &Header, extension: &MemberExtension) -> bool {
    let mut pairs = pax_pairs(&extension.pax);
    header.entry_type().is_gnu_sparse() || pairs.any(|(key, _)| key.starts_with(b"GNU.sparse."))
}

fn name(header: &Header, extension: &MemberExtension) -> String {
    let pax = |key| pax(&extension.pax, key);
    let long = Some(&extension.long_name[..]).filter(|name| !name.is_empty());
    let stored = header.path_bytes();
    let name = pax(b"GNU.sparse.name")
        .or_else(|| pax(b"path"))
        .or(long)
        .unwrap_or(&stored);
    // GNU tar ends a long name with a zero.
    escaped(name.split(|byte| *byte == 0).next().unwrap_or(name))
}

/// Returns the last value of `key` in pax records.
fn pax<'p>(records: &'p [u8], key: &[u8]) -> Option<&'p [u8]> {
    let mut found = None;
    for (other, value) in pax_pairs(records) {
        if other == key {
            found = Some(value);
        }
    }
    found
}

/// Returns the keys and values of pax records, each `LENGTH KEY=VALUE` and a line feed. The crate's reader is not used,
/// because it takes a line feed in a value for the end of the record.
fn pax_pairs(mut records: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let next = move || {
        let (record, rest) = pax_record(records)?;
        records = rest;
        Some(record)
    };
    std::iter::from_fn(next).filter_map(|record| {
        let equals = memchr(b'=', record)?;
        Some((&record[..equals], &record[equals + 1..]))
    })
}

fn pax_record(records: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = memchr(b' ', records)?;
    let length: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
    let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
    Some((record, &records[length..]))
}

fn pax_number(records: &[u8], key: &[u8]) -> Option<u64> {
    decimal(pax(records, key)?)
}

fn decimal(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// Returns the offset of the first header in `held`. A header with the magic may be at any offset. One of v7, which has
/// zeros after its fields, must be at `lead` or a multiple of the block size after it.
fn find_header(held: &[u8], lead: usize) -> Option<usize> {
    let fits = |at: &usize| at + BLOCK_BYTES <= held.len();
    let marked = memmem::find_iter(held.get(USTAR_MAGIC_OFFSET..)?, USTAR_MAGIC)
        .filter(fits)
        .find(|at| is_tar_header(&held[*at..*at + BLOCK_BYTES]));
    let lined = (lead..marked.unwrap_or(held.len()))
        .step_by(BLOCK_BYTES)
        .take_while(fits)
        .map(|at| (at, &held[at..at + BLOCK_BYTES]))
        .find(|(_, block)| is_bare(&block[USTAR_MAGIC_OFFSET..]) && is_tar_header(block));
    lined.map(|(at, _)| at).or(marked)
}

/// Whether the fields after those of v7 are zeros, or the device numbers 0 that GNU tar writes.
fn is_bare(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, 0 | b'0'))
}

/// Collects the documents and losses that a container reader passes on, for tests.
#[cfg(test)]
pub(super) mod taken {
    use std::sync::Arc;
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::documents::{DocumentHead, DocumentSink};
    use crate::expansion::Expansion;
    use crate::read_options::ReadOptions;
    use crate::source_reader::SourceReader;

    #[derive(Default)]
    pub(crate) struct Taken {
        pub(crate) documents: Vec<(String, Vec<u8>)>,
        /// Name, offset and error.
        pub(crate) lost: Vec<(String, u64, String)>,
    }

    impl DocumentSink for Taken {
        fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
            let mut text = Vec::new();
            while let Err(error) = bytes.read_to_end(&mut text) {
                self.report_loss(head.name.clone(), text.len() as u64, error);
                assert!(self.lost.len() < 1000, "an error for ever");
            }
            let name = head.name.as_deref().unwrap_or("-").into();
            self.documents.push((name, text));
        }

        fn report_loss(&mut self, name: Option<Arc<str>>, offset: u64, error: InputError) {
            let name = name.as_deref().unwrap_or("-").into();
            self.lost.push((name, offset, error.to_string()));
        }

        fn skip(&mut self, _: Option<Arc<str>>, _: &'static str) {}

        fn is_halted(&self) -> bool {
            false
        }
    }

    impl Taken {
        pub(crate) fn read_by(
            read: impl FnOnce(&mut SourceReader<'_>, &ReadOptions<'_>, &StreamLevel<'_>),
        ) -> Self {
            let (bytes, mut taken) = (AtomicU64::new(0), Taken::default());
            let options = ReadOptions::for_tests(&bytes);
            let expansion = Expansion::new(1000, 0);
            let mut sink = SourceReader::new(&options, &expansion, &mut taken);
            read(&mut sink, &options, &StreamLevel::source(None));
            sink.finish();
            taken
        }

        pub(crate) fn names(&self) -> Vec<&str> {
            self.documents.iter().map(|(name, _)| &name[..]).collect()
        }

        pub(crate) fn has(&self, name: &str, text: &[u8]) -> bool {
            self.documents.iter().any(|(n, t)| n == name && t == text)
        }
    }
}

#[cfg(test)]
mod tests {
    use tar::{Builder, EntryType, GnuExtSparseHeader};

    use super::taken::Taken;
    use super::*;
    use crate::read::ChainedReader;

    fn taken(mut archive: impl ReadBytes) -> Taken {
        Taken::read_by(|sink, options, level| read_archive(sink, options, level, &mut archive))
    }

    fn header(kind: EntryType, name: &[u8], size: usize) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.as_old_mut().name[..name.len()].copy_from_slice(name);
        header.set_size(size as u64);
        header.set_cksum();
        header
    }

    /// Makes a member with its padding.
    fn member(header: &Header, text: &[u8]) -> Vec<u8> {
        let mut member = [header.as_bytes(), text].concat();
        member.resize(member.len().next_multiple_of(BLOCK_BYTES), 0);
        member
    }

    fn file(name: &[u8], text: &[u8]) -> Vec<u8> {
        member(&header(EntryType::Regular, name, text.len()), text)
    }

    const END: [u8; 2 * BLOCK_BYTES] = [0; 2 * BLOCK_BYTES];

    /// Makes three members of 600 bytes, which take three blocks each, and the end mark.
    fn three() -> Vec<u8> {
        let mut archive: Vec<u8> = [b'a', b'b', b'c']
            .iter()
            .flat_map(|name| file(&[*name], &[*name; 600]))
            .collect();
        archive.extend(END);
        archive
    }

    /// Returns the names of the members of `three` that were read without errors.
    fn intact(taken: &Taken) -> Vec<&str> {
        let mut names = taken.names();
        names.retain(|name| taken.has(name, &[name.as_bytes()[0]; 600]));
        names
    }

    #[test]
    fn regular_files_come_out_in_order_and_all_else_is_passed_over() -> Result<(), InputError> {
        let long = "long/".repeat(60) + "name";
        let mut tar = Builder::new(Vec::new());
        let gnu = |kind| header(kind, b"", 0);
        tar.append_data(&mut gnu(EntryType::Regular), "empty", &b""[..])?;
        tar.append_data(&mut gnu(EntryType::Directory), "folder/", &b""[..])?;
        tar.append_link(&mut gnu(EntryType::Symlink), "link", &long)?;
        let mut four = header(EntryType::Regular, b"", 4);
        tar.append_data(&mut four, &long, &b"text"[..])?;
        let taken = taken(&tar.into_inner()?[..]);
        assert_eq!(taken.names(), ["empty", &long]);
        assert!(taken.has(&long, b"text") && taken.lost.is_empty());
        Ok(())
    }

    #[test]
    fn names_are_taken_as_they_are_stored() -> Result<(), InputError> {
        let mut tar = Builder::new(Vec::new());
        let pax = [
            ("comment", &b"two\nlines"[..]),
            ("path", b"a\nb"),
            ("size", b"3"),
        ];
        tar.append_pax_extensions(pax)?;
        let mut archive = tar.into_inner()?;
        archive.truncate(2 * BLOCK_BYTES);
        let cut = member(&header(EntryType::Regular, b"cut", 0), b"pax");
        archive.extend([cut, file(b"", b"1"), file(b"caf\xe9", b"2"), END.to_vec()].concat());
        let taken = taken(&archive[..]);
        assert_eq!(taken.names(), ["a\nb", "#2", "caf\\xE9"]);
        assert!(taken.has("a\nb", b"pax") && taken.lost.is_empty());
        Ok(())
    }

    #[test]
    fn archives_that_follow_each_other_are_one_and_need_an_end_mark() {
        let archive = [three(), three()].concat();
        let unmarked = archive.len() - 2 * BLOCK_BYTES;
        let error = "the tar data ends without its end mark".to_owned();
        for (end, lost) in [
            (archive.len(), vec![]),
            (unmarked + BLOCK_BYTES, vec![]),
            (unmarked, vec![("#7".into(), unmarked as u64, error)]),
        ] {
            let taken = taken(&archive[..end]);
            assert_eq!(intact(&taken), ["a", "b", "c", "a", "b", "c"]);
            assert_eq!(taken.lost, lost);
        }
    }

    #[test]
    fn pax_records_that_are_none_are_told_with_the_member_they_speak_of() {
        let pax = member(&header(EntryType::XHeader, b"x", 9), b"9 path=a\n");
        let archive = [pax, file(b"b", b"b"), END.to_vec()].concat();
        assert!(taken(&archive[..]).lost.is_empty());
        let mut damaged = archive;
        damaged[BLOCK_BYTES] = b'7';
        let taken = taken(&damaged[..]);
        let error = "the tar data is damaged: invalid data".into();
        assert_eq!(taken.lost, [("#1".into(), BLOCK_BYTES as u64, error)]);
        assert!(taken.has("b", b"b"));
    }

    #[test]
    fn a_damaged_byte_in_a_header_costs_its_member_alone() {
        for at in 1536..2048 {
            let mut archive = three();
            archive[at] ^= 4;
            let taken = taken(&archive[..]);
            assert_eq!(taken.names(), ["a", "c"], "byte {at}");
            let error = "the tar header of member 2 is damaged".into();
            assert_eq!(taken.lost, [("-".into(), 1536, error)], "byte {at}");
        }
    }

    #[test]
    fn a_header_without_magic_is_found_again_too() {
        let mut old = Header::new_old();
        old.as_old_mut().name[0] = b'b';
        old.set_size(1);
        // GNU tar has them in v7 too.
        for devices in [[0; 16], *b"0000000\x000000000\0"] {
            old.as_mut_bytes()[329..345].copy_from_slice(&devices);
            old.set_cksum();
            let mut archive = [file(b"a", b"a"), member(&old, b"b"), END.to_vec()].concat();
            archive[0] ^= 1;
            let taken = taken(&archive[..]);
            assert!(taken.has("b", b"b") && taken.lost.len() == 1);
        }
    }

    #[test]
    fn any_damaged_byte_costs_at_most_a_member_and_is_told_at_most_once() {
        for at in 0..three().len() {
            let mut archive = three();
            archive[at] ^= 0xff;
            let taken = taken(&archive[..]);
            assert!(intact(&taken).len() >= 2, "byte {at}");
            assert!(taken.lost.len() <= 1, "byte {at}: {:?}", taken.lost);
        }
    }

    #[test]
    fn an_archive_cut_short_gives_what_came_before_and_tells_it_once() {
        let archive = three();
        for end in 0..archive.len() {
            let taken = taken(&archive[..end]);
            let whole = (0..3).filter(|member| member * 1536 + 1112 <= end);
            assert_eq!(intact(&taken).len(), whole.count(), "cut at {end}");
            let reported = usize::from(end <= 4608);
            assert_eq!(taken.lost.len(), reported, "cut at {end}: {:?}", taken.lost);
            if (512..1112).contains(&end) {
                let error = "the tar data is damaged: unexpected end of file".into();
                assert_eq!(taken.lost, [("a".into(), end as u64 - 512, error)]);
            }
        }
    }

    #[test]
    fn garbage_after_the_end_mark_is_told() {
        let taken = taken(&[three(), vec![b'x'; 700]].concat()[..]);
        assert_eq!(intact(&taken).len(), 3);
        let error = "bytes after the tar data were ignored".into();
        assert_eq!(taken.lost, [("-".into(), 5632, error)]);
    }

    /// Fails once between these bytes.
    fn gap<'b>(before: &'b [u8], after: &'b [u8]) -> impl ReadBytes + 'b {
        ChainedReader::new(before, Some(InputError::Shrunk), after)
    }

    #[test]
    fn after_a_gap_reading_goes_on_at_the_next_header_wherever_it_stands() {
        let archive = three();
        for start in 0..archive.len() {
            let end = archive.len().min(start + 300);
            let taken = taken(gap(&archive[..start], &archive[end..]));
            let whole = (0..3).filter(|i| i * 1536 >= end || i * 1536 + 1112 <= start);
            assert!(
                intact(&taken).len() >= whole.count(),
                "gap at {start}: {:?} {:?}",
                taken.names(),
                taken.lost
            );
            assert_eq!(taken.lost.len(), 1, "gap at {start}: {:?}", taken.lost);
            let error = InputError::Shrunk.to_string();
            assert_eq!(taken.lost[0].2, error, "gap at {start}");
        }
    }

    #[test]
    fn a_text_goes_on_after_a_gap_up_to_the_next_header() {
        let archive = [file(b"a", &[b'a'; 100_000]), file(b"b", b"b")].concat();
        let taken = taken(gap(&archive[..1000], &archive[70_001..]));
        assert_eq!(taken.names(), ["a", "b"]);
        let mut text = taken.documents[0].1.clone();
        text.retain(|byte| *byte != 0);
        assert_eq!(text, vec![b'a'; 1000 + 512 + 100_000 - 70_001 - 512]);
    }

    #[test]
    fn a_sparse_file_is_reported_and_what_follows_is_read() {
        let mut sparse = header(EntryType::GNUSparse, b"sparse", 512 + 3);
        if let Some(gnu) = sparse.as_gnu_mut() {
            gnu.set_real_size(3000);
            gnu.set_is_extended(true);
            gnu.sparse[0].set_offset(1000);
            gnu.sparse[0].set_length(512);
        }
        sparse.set_cksum();
        let mut more = GnuExtSparseHeader::new();
        more.sparse_mut()[0].set_offset(2000);
        more.sparse_mut()[0].set_length(3);
        let data = [&more.as_bytes()[..], &[b'x'; 512], b"yyy"].concat();
        let archive = [member(&sparse, &data), file(b"b", b"b"), END.to_vec()].concat();
        let taken = taken(&archive[..]);
        assert_eq!((taken.names(), taken.lost.len()), (vec!["b"], 1));
        assert!(taken.lost[0].2.contains("sparse"), "{:?}", taken.lost);
    }

    #[test]
    fn a_crafted_size_takes_no_memory_and_is_told_once() {
        let kinds = [
            EntryType::XHeader,
            EntryType::GNULongName,
            EntryType::Regular,
        ];
        for kind in kinds {
            let archive = [header(kind, b"x", usize::MAX >> 2).as_bytes(), &b"text"[..]].concat();
            assert_eq!(taken(&archive[..]).lost.len(), 1, "{kind:?}");
        }
    }
}
