//! The streams of an OLE2 file (MS-CFB), in which old office programs and encryption store documents.
//!
//! A stream is a chain of sectors. One table for the whole file has the next sector of each sector. The table is held;
//! streams are read sector by sector, and never further than the length that the directory states.

use std::fs::File;
use std::io;

use crate::fault::InputError;
use crate::file::read_at;
use crate::read::ReadBytes;

/// Sector numbers from this one up are special; one of them is the end of a chain.
const FIRST_SPECIAL_SECTOR: u32 = 0xffff_fffa;
/// Bytes of a small sector, and the minimum size of a stream with normal sectors.
const SMALL_SECTOR_BYTES: u64 = 64;
const MIN_NORMAL_STREAM_BYTES: u64 = 4096;
/// Bytes of an entry of the directory.
const ENTRY_BYTES: u64 = 128;
/// Maximum number of entries of the top folder that are read.
const MAX_ENTRIES: usize = 10_000;
/// Bytes that are read at once.
const READ_BYTES: u64 = 64 << 10;

const DAMAGED_DIRECTORY: InputError =
    InputError::Office("has a damaged directory of its parts and was not read; get it again");

/// An OLE2 file.
pub(super) struct OleFile<'f> {
    file: &'f File,
    length: u64,
    /// Bytes of a sector.
    sector: u64,
    /// The sector after each sector.
    next: Vec<u32>,
    /// The small sector after each small sector.
    next_small: Vec<u32>,
    /// The sectors that hold the small ones.
    smalls: Vec<u32>,
    /// The streams of the top folder.
    streams: Vec<OleEntry>,
}

/// An entry of the directory.
#[derive(Clone)]
struct OleEntry {
    name: String,
    kind: u8,
    left: u32,
    right: u32,
    child: u32,
    start: u32,
    length: u64,
}

impl<'f> OleFile<'f> {
    /// Reads the tables of `file`, which may take `memory` bytes.
    pub(super) fn open(file: &'f File, memory: usize) -> Result<Self, InputError> {
        let length = file.metadata()?.len();
        let mut header = [0; 512];
        let is_whole = read_fully(file, &mut header, 0)? == header.len();
        let sector = match u16_at(&header, 30) {
            9 => 512,
            12 => 4096,
            _ => 0,
        };
        if !is_whole || sector == 0 {
            return Err(DAMAGED_DIRECTORY);
        }
        let mut ole = OleFile {
            file,
            length,
            sector,
            next: Vec::new(),
            next_small: Vec::new(),
            smalls: Vec::new(),
            streams: Vec::new(),
        };
        // Both tables have four bytes for each sector.
        let is_large = length / 512 * 8 > memory as u64;
        if is_large {
            let fault = "is too large for --memory, and was not read";
            return Err(InputError::Office(fault));
        }
        ole.read_table(&header)?;
        ole.read_directory(&header)?;
        Ok(ole)
    }

    /// Returns the number of sectors of the file. The header is before the first one.
    fn sectors(&self) -> usize {
        let count = self.length.div_ceil(self.sector).saturating_sub(1);
        usize::try_from(count).unwrap_or(usize::MAX)
    }

    /// Reads the table of the sectors' next sectors.
    fn read_table(&mut self, header: &[u8]) -> Result<(), InputError> {
        let mut parts: Vec<u32> = numbers(&header[76..]).collect();
        let mut more = u32_at(header, 68);
        let mut bytes = vec![0; self.sector as usize];
        while more < FIRST_SPECIAL_SECTOR && parts.len() <= self.sectors() {
            self.read_sector(more, &mut bytes)?;
            let mut listed: Vec<u32> = numbers(&bytes).collect();
            more = listed.pop().unwrap_or(FIRST_SPECIAL_SECTOR);
            parts.append(&mut listed);
        }
        for part in parts
            .into_iter()
            .filter(|part| *part < FIRST_SPECIAL_SECTOR)
        {
            if self.next.len() >= self.sectors() {
                break;
            }
            self.read_sector(part, &mut bytes)?;
            self.next.extend(numbers(&bytes));
        }
        self.next.truncate(self.sectors());
        Ok(())
    }

    fn read_sector(&self, number: u32, into: &mut [u8]) -> Result<(), InputError> {
        into.fill(0);
        let at = (u64::from(number) + 1) * self.sector;
        match read_fully(self.file, into, at)? {
            0 => Err(DAMAGED_DIRECTORY),
            _ => Ok(()),
        }
    }

    /// Returns the sectors of a chain.
    fn chain(&self, start: u32) -> Result<Vec<u32>, InputError> {
        let mut chain = Vec::new();
        let mut at = start;
        while at < FIRST_SPECIAL_SECTOR {
            chain.push(at);
            at = *self.next.get(at as usize).ok_or(DAMAGED_DIRECTORY)?;
            if chain.len() > self.next.len() {
                return Err(DAMAGED_DIRECTORY);
            }
        }
        Ok(chain)
    }

    fn read_directory(&mut self, header: &[u8]) -> Result<(), InputError> {
        let chain = self.chain(u32_at(header, 48))?;
        let root = self.entry(&chain, 0)?;
        if root.kind != 5 {
            return Err(DAMAGED_DIRECTORY);
        }
        self.read_streams(&chain, root.child)?;
        if root.start < FIRST_SPECIAL_SECTOR {
            self.smalls = self.chain(root.start)?;
        }
        let mut bytes = vec![0; self.sector as usize];
        for part in self.chain(u32_at(header, 60))? {
            self.read_sector(part, &mut bytes)?;
            self.next_small.extend(numbers(&bytes));
        }
        Ok(())
    }

    /// Reads the streams of the top folder, which form a tree.
    fn read_streams(&mut self, chain: &[u32], first: u32) -> Result<(), InputError> {
        let (mut due, mut seen) = (vec![first], 0);
        while let Some(number) = due.pop() {
            if number == u32::MAX {
                continue;
            }
            seen += 1;
            let entry = self.entry(chain, number)?;
            if seen > MAX_ENTRIES || !matches!(entry.kind, 1 | 2) {
                return Err(DAMAGED_DIRECTORY);
            }
            due.extend([entry.left, entry.right]);
            if entry.kind == 2 {
                self.streams.push(entry);
            }
        }
        Ok(())
    }

    fn entry(&self, chain: &[u32], number: u32) -> Result<OleEntry, InputError> {
        let each = (self.sector / ENTRY_BYTES) as u32;
        let sector = *chain
            .get((number / each) as usize)
            .ok_or(DAMAGED_DIRECTORY)?;
        let mut bytes = vec![0; self.sector as usize];
        self.read_sector(sector, &mut bytes)?;
        let entry = &bytes[(u64::from(number % each) * ENTRY_BYTES) as usize..];
        let units = entry[..64].chunks_exact(2).map(|unit| u16_at(unit, 0));
        let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        let high = match self.sector {
            512 => 0,
            _ => u64::from(u32_at(entry, 124)),
        };
        Ok(OleEntry {
            name: String::from_utf16_lossy(&units),
            kind: entry[66],
            left: u32_at(entry, 68),
            right: u32_at(entry, 72),
            child: u32_at(entry, 76),
            start: u32_at(entry, 116),
            length: high << 32 | u64::from(u32_at(entry, 120)),
        })
    }

    fn find(&self, name: &str) -> Option<&OleEntry> {
        let mut streams = self.streams.iter();
        streams.find(|entry| entry.name.eq_ignore_ascii_case(name))
    }

    /// Whether the top folder has a stream with this name, in any case.
    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns the stream with this name.
    pub(super) fn stream(&self, name: &str) -> Option<OleStream<'_>> {
        let entry = self.find(name)?;
        Some(OleStream {
            ole: self,
            is_small: entry.length < MIN_NORMAL_STREAM_BYTES,
            next: entry.start,
            left: entry.length,
            held: Vec::new(),
            at: 0,
        })
    }
}

/// Reads a stream.
pub(super) struct OleStream<'o> {
    ole: &'o OleFile<'o>,
    is_small: bool,
    /// The next sector.
    next: u32,
    /// Bytes of the stream that were not read from the file yet.
    left: u64,
    held: Vec<u8>,
    at: usize,
}

impl OleStream<'_> {
    /// Reads the next sectors. Those that follow each other in the file are read at once.
    fn fill(&mut self) -> Result<(), InputError> {
        let ole = self.ole;
        let (size, next) = if self.is_small {
            (SMALL_SECTOR_BYTES, &ole.next_small)
        } else {
            (ole.sector, &ole.next)
        };
        let after = |sector: u32| {
            next.get(sector as usize)
                .copied()
                .unwrap_or(FIRST_SPECIAL_SECTOR)
        };
        let (offset, mut length) = (self.offset(), size);
        while !self.is_small && length < READ_BYTES && after(self.next) == self.next.wrapping_add(1)
        {
            self.next += 1;
            length += size;
        }
        let wanted = length.min(self.left);
        self.held.resize(wanted as usize, 0);
        self.at = 0;
        let read = match offset {
            Some(offset) => read_fully(ole.file, &mut self.held, offset)?,
            None => 0,
        };
        self.held.truncate(read);
        self.next = after(self.next);
        self.left -= read as u64;
        if (read as u64) < wanted {
            self.left = 0;
            let fault = "is cut short, or its sectors are damaged; get it again";
            return Err(InputError::Office(fault));
        }
        Ok(())
    }

    /// Returns the offset of the next sector in the file.
    fn offset(&self) -> Option<u64> {
        let (ole, number) = (self.ole, u64::from(self.next));
        if self.next >= FIRST_SPECIAL_SECTOR {
            return None;
        }
        if !self.is_small {
            return Some((number + 1) * ole.sector);
        }
        let at = number * SMALL_SECTOR_BYTES;
        let holder = *ole.smalls.get((at / ole.sector) as usize)?;
        Some((u64::from(holder) + 1) * ole.sector + at % ole.sector)
    }
}

impl ReadBytes for OleStream<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        if self.at == self.held.len() && self.left > 0 {
            self.fill()?;
        }
        let read = (&self.held[self.at..]).read(into)?;
        self.at += read;
        Ok(read)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes
        .get(at..at + 2)
        .map_or(0, |two| u16::from_le_bytes([two[0], two[1]]))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|four| u32_at(four, 0))
}

/// Reads at `at` until `into` is full or the file ends.
fn read_fully(file: &File, into: &mut [u8], at: u64) -> io::Result<usize> {
    let mut held = 0;
    while held < into.len() {
        match read_at(file, &mut into[held..], at + held as u64) {
            Ok(0) => break,
            Ok(read) => held += read,
            Err(error) => return Err(error),
        }
    }
    Ok(held)
}
