//! The header of a 7z archive, which lists its folders and files.
//!
//! A *folder* of the format is a sequence of files that are packed as one. Memory is bounded by the length of the header, and
//! by a limit.

use std::ops::Range;

/// Maximum number of coders of a folder, as in 7-Zip.
const MAX_CODERS: u64 = 32;

/// Identifiers of properties.
mod id {
    pub(super) const END: u64 = 0;
    pub(super) const HEADER: u64 = 1;
    pub(super) const ARCHIVE: u64 = 2;
    pub(super) const ADDITIONAL_STREAMS: u64 = 3;
    pub(super) const MAIN_STREAMS: u64 = 4;
    pub(super) const FILES: u64 = 5;
    pub(super) const PACK_INFO: u64 = 6;
    pub(super) const UNPACK_INFO: u64 = 7;
    pub(super) const SUB_STREAMS: u64 = 8;
    pub(super) const SIZE: u64 = 9;
    pub(super) const CRC: u64 = 10;
    pub(super) const FOLDER: u64 = 11;
    pub(super) const UNPACK_SIZE: u64 = 12;
    pub(super) const STREAM_COUNT: u64 = 13;
    pub(super) const EMPTY_STREAM: u64 = 14;
    pub(super) const EMPTY_FILE: u64 = 15;
    pub(super) const NAMES: u64 = 17;
    pub(super) const PACKED_HEADER: u64 = 23;
}

/// Why a header cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderFlaw {
    Damaged,
    /// It takes more memory than the limit.
    Large,
}

type Parsed<T> = Result<T, HeaderFlaw>;

/// Kind of header.
pub(super) enum HeaderKind {
    /// The list of an archive.
    Plain(ArchiveListing),
    /// A packed header, as the first folder.
    Packed(PackedStreams),
}

/// The contents of an archive.
#[derive(Debug, Default)]
pub(super) struct ArchiveListing {
    pub(super) streams: PackedStreams,
    pub(super) files: FileNames,
}

/// Packed streams, and the folders that unpack them.
#[derive(Debug, Default)]
pub(super) struct PackedStreams {
    /// Offset of the first packed stream after the start header.
    pub(super) start: u64,
    /// Sizes of the packed streams, which follow one another.
    pub(super) packed: Vec<u64>,
    pub(super) folders: Vec<PackedFolder>,
    /// The files of all folders.
    pub(super) parts: Vec<FolderPart>,
}

/// A file in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FolderPart {
    pub(super) size: u64,
    pub(super) crc: Option<u32>,
}

#[derive(Debug, Default)]
pub(super) struct PackedFolder {
    pub(super) coders: Vec<FolderCoder>,
    /// Pairs of an input of a coder and the output that it reads. Both are counted through all coders.
    binds: Vec<(u64, u64)>,
    /// The inputs that read packed streams.
    packed_inputs: Vec<u64>,
    /// The sizes of the outputs.
    pub(super) sizes: Vec<u64>,
    crc: Option<u32>,
    /// Number of files.
    pub(super) files: usize,
}

#[derive(Debug)]
pub(super) struct FolderCoder {
    pub(super) method: u64,
    pub(super) inputs: u64,
    pub(super) outputs: u64,
    pub(super) properties: Vec<u8>,
}

/// Names of files, and flags for those without bytes.
#[derive(Debug, Default)]
pub(super) struct FileNames {
    pub(super) count: usize,
    names: Vec<u8>,
    /// For each file, whether it has no stream, as folders of the file system and empty files. Missing flags at the end are
    /// false.
    empty: Vec<bool>,
    /// For each of these, whether it is a file.
    empty_files: Vec<bool>,
}

/// A file or folder of the file system.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct ListedFile {
    pub(super) name: String,
    pub(super) has_stream: bool,
    pub(super) is_file: bool,
}

impl PackedFolder {
    /// Returns the indices of the coders in the order in which they unpack; `None` if they do not form a sequence.
    pub(super) fn order(&self) -> Option<Vec<usize>> {
        let is_simple = |coder: &FolderCoder| coder.inputs == 1 && coder.outputs == 1;
        if self.packed_inputs.len() != 1 || !self.coders.iter().all(is_simple) {
            return None;
        }
        let mut order = Vec::with_capacity(self.coders.len());
        let mut at = *self.packed_inputs.first()?;
        while order.len() < self.coders.len() {
            order.push(
                usize::try_from(at)
                    .ok()
                    .filter(|at| *at < self.coders.len())?,
            );
            // The coder that reads this one's output.
            match self.binds.iter().find(|(_, output)| *output == at) {
                Some((input, _)) => at = *input,
                None => break,
            }
        }
        (order.len() == self.coders.len()).then_some(order)
    }

    /// Returns the number of bytes that the folder unpacks to.
    pub(super) fn size(&self) -> u64 {
        let is_bound = |output: u64| self.binds.iter().any(|(_, bound)| *bound == output);
        let outputs = (0..).zip(&self.sizes);
        let mut last = outputs.filter(|(output, _)| !is_bound(*output));
        last.next().map_or(0, |(_, size)| *size)
    }

    /// Returns the number of packed streams that it reads.
    pub(super) fn packed_count(&self) -> usize {
        self.packed_inputs.len()
    }
}

impl FileNames {
    /// Returns the files in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = ListedFile> {
        let mut units = self.names.chunks_exact(2);
        let mut empty_at = 0;
        (0..self.count).map(move |at| {
            let unit = |pair: &[u8]| u16::from_le_bytes([pair[0], pair[1]]);
            let name: Vec<u16> = units
                .by_ref()
                .map(unit)
                .take_while(|unit| *unit != 0)
                .collect();
            let has_stream = !self.empty.get(at).copied().unwrap_or(false);
            let is_empty_file =
                !has_stream && self.empty_files.get(empty_at).copied().unwrap_or(false);
            empty_at += usize::from(!has_stream);
            ListedFile {
                name: String::from_utf16_lossy(&name),
                has_stream,
                is_file: has_stream || is_empty_file,
            }
        })
    }
}

/// Parses a header. `max` bounds the memory that the result takes, in bytes.
pub(super) fn parse(bytes: &[u8], max: usize) -> Parsed<HeaderKind> {
    let mut reader = HeaderReader {
        bytes,
        at: 0,
        left: max,
    };
    match reader.number()? {
        id::PACKED_HEADER => Ok(HeaderKind::Packed(reader.streams()?)),
        id::HEADER => Ok(HeaderKind::Plain(reader.listing()?)),
        _ => Err(HeaderFlaw::Damaged),
    }
}

struct HeaderReader<'h> {
    bytes: &'h [u8],
    at: usize,
    /// Bytes of memory that may still be used.
    left: usize,
}

impl<'h> HeaderReader<'h> {
    fn byte(&mut self) -> Parsed<u8> {
        let byte = self.bytes.get(self.at).ok_or(HeaderFlaw::Damaged)?;
        self.at += 1;
        Ok(*byte)
    }

    fn take_bytes(&mut self, count: u64) -> Parsed<&'h [u8]> {
        let rest = &self.bytes[self.at..];
        let count = usize::try_from(count).map_err(|_| HeaderFlaw::Damaged)?;
        let taken = rest.get(..count).ok_or(HeaderFlaw::Damaged)?;
        self.at += count;
        Ok(taken)
    }

    /// Reads a number of up to 64 bits. The highest bits of the first byte say how many bytes follow.
    fn number(&mut self) -> Parsed<u64> {
        let first = self.byte()?;
        let more = first.leading_ones();
        let mut number = 0;
        for at in 0..more {
            number |= u64::from(self.byte()?) << (8 * at);
        }
        let high = match more {
            0..7 => u64::from(first & (0x7f >> more)),
            _ => 0,
        };
        Ok(number | high.checked_shl(8 * more).unwrap_or(0))
    }

    /// Takes memory for `count` values of `T`, each of which has at least `bits` bits in the rest of the header.
    fn room<T>(&mut self, count: u64, bits: u64) -> Parsed<usize> {
        let rest = (self.bytes.len() - self.at) as u64;
        if count.saturating_mul(bits) > 8 * rest {
            return Err(HeaderFlaw::Damaged);
        }
        let needed = count.saturating_mul(size_of::<T>() as u64);
        let needed = usize::try_from(needed).map_err(|_| HeaderFlaw::Large)?;
        self.left = self.left.checked_sub(needed).ok_or(HeaderFlaw::Large)?;
        usize::try_from(count).map_err(|_| HeaderFlaw::Large)
    }

    fn expect(&mut self, wanted: u64) -> Parsed<()> {
        if self.number()? == wanted {
            Ok(())
        } else {
            Err(HeaderFlaw::Damaged)
        }
    }

    fn numbers(&mut self, count: u64) -> Parsed<Vec<u64>> {
        let count = self.room::<u64>(count, 8)?;
        (0..count).map(|_| self.number()).collect()
    }

    /// Reads bits, the highest of each byte first.
    fn bits(&mut self, count: u64) -> Parsed<Vec<bool>> {
        let count = self.room::<bool>(count, 1)?;
        let bytes = self.take_bytes(count.div_ceil(8) as u64)?;
        let bit = |at: usize| bytes[at / 8] & (0x80 >> (at % 8)) != 0;
        Ok((0..count).map(bit).collect())
    }

    /// Reads checksums, some of which may be missing.
    fn checksums(&mut self, count: u64) -> Parsed<Vec<Option<u32>>> {
        let defined = match self.byte()? {
            0 => self.bits(count)?,
            _ => vec![true; self.room::<bool>(count, 32)?],
        };
        self.room::<Option<u32>>(count, 0)?;
        let mut checksum = |is_defined: bool| {
            let bytes = is_defined.then(|| self.take_bytes(4)).transpose()?;
            let bytes = bytes.and_then(|bytes| bytes.try_into().ok());
            Ok(bytes.map(u32::from_le_bytes))
        };
        defined.into_iter().map(&mut checksum).collect()
    }

    fn streams(&mut self) -> Parsed<PackedStreams> {
        let mut streams = PackedStreams::default();
        let mut has_parts = false;
        loop {
            match self.number()? {
                id::END => break,
                id::PACK_INFO => self.pack_info(&mut streams)?,
                id::UNPACK_INFO => streams.folders = self.unpack_info()?,
                id::SUB_STREAMS => {
                    streams.parts = self.parts(&mut streams.folders)?;
                    has_parts = true;
                }
                _ => return Err(HeaderFlaw::Damaged),
            }
        }
        if !has_parts {
            self.room::<FolderPart>(streams.folders.len() as u64, 0)?;
            let part = |folder: &PackedFolder| FolderPart {
                size: folder.size(),
                crc: folder.crc,
            };
            streams.parts = streams.folders.iter().map(part).collect();
        }
        Ok(streams)
    }

    fn pack_info(&mut self, streams: &mut PackedStreams) -> Parsed<()> {
        streams.start = self.number()?;
        let count = self.number()?;
        loop {
            match self.number()? {
                id::END => break,
                id::SIZE => streams.packed = self.numbers(count)?,
                id::CRC => drop(self.checksums(count)?),
                _ => return Err(HeaderFlaw::Damaged),
            }
        }
        if streams.packed.len() as u64 == count {
            Ok(())
        } else {
            Err(HeaderFlaw::Damaged)
        }
    }

    fn unpack_info(&mut self) -> Parsed<Vec<PackedFolder>> {
        self.expect(id::FOLDER)?;
        let count = self.number()?;
        self.room::<PackedFolder>(count, 16)?;
        // The folders must not be in another stream.
        if self.byte()? != 0 {
            return Err(HeaderFlaw::Damaged);
        }
        let mut folders = (0..count)
            .map(|_| self.folder())
            .collect::<Parsed<Vec<_>>>()?;
        self.expect(id::UNPACK_SIZE)?;
        for folder in &mut folders {
            let outputs = folder.coders.iter().map(|coder| coder.outputs).sum();
            folder.sizes = self.numbers(outputs)?;
        }
        loop {
            match self.number()? {
                id::END => return Ok(folders),
                id::CRC => {
                    let checksums = self.checksums(count)?;
                    let pairs = folders.iter_mut().zip(checksums);
                    pairs.for_each(|(folder, crc)| folder.crc = crc);
                }
                _ => return Err(HeaderFlaw::Damaged),
            }
        }
    }

    fn folder(&mut self) -> Parsed<PackedFolder> {
        let count = self.number()?;
        if !(1..=MAX_CODERS).contains(&count) {
            return Err(HeaderFlaw::Damaged);
        }
        self.room::<FolderCoder>(count, 8)?;
        let coders = (0..count)
            .map(|_| self.coder())
            .collect::<Parsed<Vec<_>>>()?;
        let inputs: u64 = coders.iter().map(|coder| coder.inputs).sum();
        let outputs: u64 = coders.iter().map(|coder| coder.outputs).sum();
        let bound = outputs.checked_sub(1).ok_or(HeaderFlaw::Damaged)?;
        let packed = inputs.checked_sub(bound).ok_or(HeaderFlaw::Damaged)?;
        let mut binds = Vec::new();
        for _ in 0..bound {
            let pair = (self.number()?, self.number()?);
            if pair.0 >= inputs || pair.1 >= outputs {
                return Err(HeaderFlaw::Damaged);
            }
            binds.push(pair);
        }
        let is_bound = |input: &u64| binds.iter().any(|(bound, _)| bound == input);
        let packed_inputs = match packed {
            0 => return Err(HeaderFlaw::Damaged),
            1 => (0..inputs).filter(|input| !is_bound(input)).collect(),
            more => (0..more).map(|_| self.number()).collect::<Parsed<_>>()?,
        };
        Ok(PackedFolder {
            coders,
            binds,
            packed_inputs,
            files: 1,
            ..PackedFolder::default()
        })
    }

    fn coder(&mut self) -> Parsed<FolderCoder> {
        const METHOD_LENGTH_MASK: u8 = 0x0f;
        const IS_COMPLEX: u8 = 0x10;
        const HAS_PROPERTIES: u8 = 0x20;
        let flags = self.byte()?;
        if flags & 0xc0 != 0 || flags & METHOD_LENGTH_MASK > 8 {
            return Err(HeaderFlaw::Damaged);
        }
        let method = self.take_bytes(u64::from(flags & METHOD_LENGTH_MASK))?;
        let method = method
            .iter()
            .fold(0, |method, byte| method << 8 | u64::from(*byte));
        let (mut inputs, mut outputs) = (1, 1);
        if flags & IS_COMPLEX != 0 {
            (inputs, outputs) = (self.number()?, self.number()?);
            if inputs > MAX_CODERS || outputs > MAX_CODERS {
                return Err(HeaderFlaw::Damaged);
            }
        }
        let mut properties = Vec::new();
        if flags & HAS_PROPERTIES != 0 {
            let length = self.number()?;
            self.room::<u8>(length, 8)?;
            properties = self.take_bytes(length)?.to_owned();
        }
        Ok(FolderCoder {
            method,
            inputs,
            outputs,
            properties,
        })
    }

    /// Reads the files of the folders.
    fn parts(&mut self, folders: &mut [PackedFolder]) -> Parsed<Vec<FolderPart>> {
        let mut next = self.number()?;
        if next == id::STREAM_COUNT {
            for folder in &mut *folders {
                let count = self.number()?;
                // All except the last have a size.
                folder.files = self.room::<FolderPart>(count, 0)?;
            }
            next = self.number()?;
        }
        let mut parts = Vec::new();
        for folder in &*folders {
            let mut left = folder.size();
            for at in 1..=folder.files {
                let mut size = left;
                if at < folder.files {
                    if next != id::SIZE {
                        return Err(HeaderFlaw::Damaged);
                    }
                    size = self.number()?;
                }
                left = left.checked_sub(size).ok_or(HeaderFlaw::Damaged)?;
                parts.push(FolderPart {
                    size,
                    crc: folder.crc.filter(|_| folder.files == 1),
                });
            }
        }
        if next == id::SIZE {
            next = self.number()?;
        }
        while next != id::END {
            if next != id::CRC {
                return Err(HeaderFlaw::Damaged);
            }
            self.missing_checksums(&mut parts)?;
            next = self.number()?;
        }
        Ok(parts)
    }

    /// Reads the checksums of files that have none yet.
    fn missing_checksums(&mut self, parts: &mut [FolderPart]) -> Parsed<()> {
        let unknown = parts.iter().filter(|part| part.crc.is_none()).count();
        let checksums = self.checksums(unknown as u64)?;
        let unknown = parts.iter_mut().filter(|part| part.crc.is_none());
        unknown
            .zip(checksums)
            .for_each(|(part, crc)| part.crc = crc);
        Ok(())
    }

    fn listing(&mut self) -> Parsed<ArchiveListing> {
        let mut listing = ArchiveListing::default();
        loop {
            match self.number()? {
                id::END => return Ok(listing),
                id::ARCHIVE => while self.property()?.0 != id::END {},
                id::ADDITIONAL_STREAMS => drop(self.streams()?),
                id::MAIN_STREAMS => listing.streams = self.streams()?,
                id::FILES => listing.files = self.files()?,
                _ => return Err(HeaderFlaw::Damaged),
            }
        }
    }

    /// Reads a property and the range of its bytes, which is empty for the end mark.
    fn property(&mut self) -> Parsed<(u64, Range<usize>)> {
        let property = self.number()?;
        if property == id::END {
            return Ok((property, 0..0));
        }
        let length = self.number()?;
        let start = self.at;
        self.take_bytes(length)?;
        Ok((property, start..self.at))
    }

    fn files(&mut self) -> Parsed<FileNames> {
        let count = self.number()?;
        // A name has at least its end mark.
        let mut files = FileNames {
            count: self.room::<u8>(count, 8)?,
            ..FileNames::default()
        };
        loop {
            let (property, range) = self.property()?;
            let (after, start) = (self.at, range.start);
            match property {
                id::END => return Ok(files),
                id::EMPTY_STREAM => {
                    self.at = start;
                    files.empty = self.bits(count)?;
                }
                id::EMPTY_FILE => {
                    self.at = start;
                    let empty = files.empty.iter().filter(|is_empty| **is_empty).count();
                    files.empty_files = self.bits(empty as u64)?;
                }
                // The first byte says that the names are not in another stream.
                id::NAMES if self.bytes.get(start) == Some(&0) && !range.is_empty() => {
                    self.room::<u8>(range.len() as u64, 0)?;
                    files.names = self.bytes[start + 1..range.end].to_owned();
                }
                id::NAMES => return Err(HeaderFlaw::Damaged),
                _ => {}
            }
            self.at = after;
        }
    }
}
