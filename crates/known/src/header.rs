//! The outline of the file: its start and end, and the header between them, which lists the sections.
//!
//! The file is `START`, the sections without gaps, the header, and an end of a fixed length that has the offset of the
//! header. It is written in one pass. Every byte is covered by a checksum or compared.

use xxhash_rust::xxh3::xxh3_64;

use crate::alphabet::Alphabet;
use crate::bytes::{ByteReader, put_bytes, put_number};
use crate::file::IndexBytes;
use crate::{Date, FORMAT_VERSION, IndexError, IndexErrorKind, IndexSource};

/// Not text, and changed by programs that convert line ends.
const START_MAGIC: [u8; 8] = *b"\x89DOIX\r\n\n";
const END_MAGIC: [u8; 8] = *b"\nxiod\r\n\x1a";

const START_BYTES: u64 = 16;
const END_BYTES: u64 = 32;

pub(crate) const NAMES_SECTION: &str = "names";
pub(crate) const NAME_BLOCKS_SECTION: &str = "name blocks";
pub(crate) const NOTICES_SECTION: &str = "notices";
pub(crate) const NOTICE_BLOCKS_SECTION: &str = "notice blocks";

/// A section of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndexSection {
    pub(crate) name: &'static str,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) checksum: u64,
}

/// The content of an index's header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct IndexHeader {
    pub(crate) names: u64,
    /// Names with notices.
    pub(crate) noted: u64,
    pub(crate) alphabet: Alphabet,
    /// Sorted. The number of an agency is one more than its index; 0 means that it is not known.
    pub(crate) agencies: Vec<String>,
    pub(crate) sources: Vec<IndexSource>,
    pub(crate) sections: [IndexSection; 4],
    /// Registered prefixes, sorted. Empty if the index has no list of them, which is then left out of the file.
    pub(crate) prefixes: Vec<String>,
}

/// Returns the bytes before the first section.
pub(crate) fn start() -> [u8; START_BYTES as usize] {
    let mut start = [0; START_BYTES as usize];
    start[..8].copy_from_slice(&START_MAGIC);
    start[8..].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
    start
}

impl IndexSection {
    /// Makes the first section of a file.
    pub(crate) fn first(name: &'static str, length: u64, checksum: u64) -> Self {
        IndexSection {
            name,
            offset: START_BYTES,
            length,
            checksum,
        }
    }

    /// Makes the section that follows.
    pub(crate) fn next_section(&self, name: &'static str, length: u64, checksum: u64) -> Self {
        IndexSection {
            name,
            offset: self.end(),
            length,
            checksum,
        }
    }

    fn end(&self) -> u64 {
        self.offset + self.length
    }
}

impl IndexHeader {
    /// Returns the header and the end of the file, which follow the last section.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut out = self.fields();
        let [.., last] = &self.sections;
        let numbers = [last.end(), out.len() as u64, xxh3_64(&out)];
        for number in numbers {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&END_MAGIC);
        out
    }

    /// Returns the checksum of the header, which has those of all sections.
    pub(crate) fn checksum(&self) -> u64 {
        xxh3_64(&self.fields())
    }

    fn fields(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, self.names);
        put_number(&mut out, self.noted);
        for word in self.alphabet.words() {
            out.extend_from_slice(&word.to_le_bytes());
        }
        put_number(&mut out, self.agencies.len() as u64);
        for agency in &self.agencies {
            put_bytes(&mut out, agency.as_bytes());
        }
        put_number(&mut out, self.sources.len() as u64);
        for source in &self.sources {
            self.put_source(&mut out, source);
        }
        for section in &self.sections {
            put_bytes(&mut out, section.name.as_bytes());
            for number in [section.offset, section.length, section.checksum] {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        if !self.prefixes.is_empty() {
            put_number(&mut out, self.prefixes.len() as u64);
        }
        for prefix in &self.prefixes {
            put_bytes(&mut out, prefix.as_bytes());
        }
        out
    }

    fn put_source(&self, out: &mut Vec<u8>, source: &IndexSource) {
        put_bytes(out, source.name.as_bytes());
        put_number(out, agency_number(&self.agencies, source.agency.as_deref()));
        out.extend_from_slice(&Date::to_bytes(source.date));
        put_number(out, source.names);
    }

    /// Reads and checks the outline of a file.
    pub(crate) fn read(content: &IndexBytes, file: &str) -> Result<IndexHeader, IndexError> {
        let error = |section, kind| IndexError::new(file, section, kind);
        check_start(content).map_err(|kind| error("start", kind))?;
        let (offset, bytes) = header_bytes(content).map_err(|kind| error("end", kind))?;
        let header = IndexHeader::parse(&bytes).filter(|header| header.fills(offset));
        header.ok_or_else(|| error("header", IndexErrorKind::Damaged))
    }

    fn parse(bytes: &[u8]) -> Option<IndexHeader> {
        let mut fields = ByteReader::new(bytes, 0);
        let (names, noted) = (fields.number()?, fields.number()?);
        let words = [
            fields.fixed()?,
            fields.fixed()?,
            fields.fixed()?,
            fields.fixed()?,
        ];
        let agencies: Vec<String> = fields.list(|fields| fields.text().map(str::to_owned))?;
        let sources = fields.list(|fields| read_source(fields, &agencies))?;
        let mut end = START_BYTES;
        let mut section = |name| read_section(&mut fields, name, &mut end);
        let sections = [
            section(NAMES_SECTION)?,
            section(NAME_BLOCKS_SECTION)?,
            section(NOTICES_SECTION)?,
            section(NOTICE_BLOCKS_SECTION)?,
        ];
        let prefixes = match fields.is_empty() {
            true => Vec::new(),
            false => read_prefixes(&mut fields)?,
        };
        fields.expect_end()?;
        Some(IndexHeader {
            names,
            noted,
            alphabet: Alphabet::from_words(words),
            agencies,
            sources,
            sections,
            prefixes,
        })
    }

    /// Whether the sections end at `offset`.
    fn fills(&self, offset: u64) -> bool {
        let [.., last] = &self.sections;
        last.end() == offset
    }
}

/// Returns the number of an agency in the file.
pub(crate) fn agency_number(agencies: &[String], agency: Option<&str>) -> u64 {
    let at = agency.and_then(|agency| agencies.iter().position(|other| other == agency));
    at.map_or(0, |at| at as u64 + 1)
}

/// Returns the agency of a number; `None` if no agency has this number.
pub(crate) fn agency(agencies: &[String], number: u64) -> Option<Option<&str>> {
    let Some(at) = number.checked_sub(1) else {
        return Some(None);
    };
    let agency = agencies.get(usize::try_from(at).ok()?);
    agency.map(|agency| Some(agency.as_str()))
}

fn read_source(fields: &mut ByteReader<'_>, agencies: &[String]) -> Option<IndexSource> {
    Some(IndexSource {
        name: fields.text()?.to_owned(),
        agency: agency(agencies, fields.number()?)?.map(str::to_owned),
        date: Date::from_bytes(fields.array()?)?,
        names: fields.number()?,
    })
}

/// Reads prefixes, which must be sorted.
fn read_prefixes(fields: &mut ByteReader<'_>) -> Option<Vec<String>> {
    let prefixes: Vec<String> = fields.list(|fields| fields.text().map(str::to_owned))?;
    prefixes.is_sorted().then_some(prefixes)
}

/// Reads the section that starts at `end`, and sets `end` to the section's end.
fn read_section(
    fields: &mut ByteReader<'_>,
    name: &'static str,
    end: &mut u64,
) -> Option<IndexSection> {
    let is_expected = fields.text()? == name && fields.fixed()? == *end;
    let section = IndexSection {
        name,
        offset: *end,
        length: fields.fixed()?,
        checksum: fields.fixed()?,
    };
    *end = end.checked_add(section.length)?;
    is_expected.then_some(section)
}

fn check_start(content: &IndexBytes) -> Result<(), IndexErrorKind> {
    let length = content.len().min(START_BYTES);
    let bytes = content.read(0, length).map_err(IndexErrorKind::Io)?;
    let (magic, version) = bytes.split_at(bytes.len().min(START_MAGIC.len()));
    if magic != &START_MAGIC[..magic.len()] || magic.is_empty() {
        return Err(IndexErrorKind::Foreign);
    }
    match ByteReader::new(version, 0).fixed() {
        Some(FORMAT_VERSION) => Ok(()),
        Some(other) => Err(IndexErrorKind::Version(other)),
        None => Err(IndexErrorKind::Damaged),
    }
}

/// Returns the offset of the header and its bytes.
fn header_bytes(content: &IndexBytes) -> Result<(u64, Vec<u8>), IndexErrorKind> {
    let end = content.len().checked_sub(END_BYTES);
    let end = end
        .filter(|&end| end >= START_BYTES)
        .ok_or(IndexErrorKind::Damaged)?;
    let bytes = content.read(end, END_BYTES).map_err(IndexErrorKind::Io)?;
    let (offset, length, checksum) = end_fields(&bytes).ok_or(IndexErrorKind::Damaged)?;
    if offset.checked_add(length) != Some(end) {
        return Err(IndexErrorKind::Damaged);
    }
    let header = content.read(offset, length).map_err(IndexErrorKind::Io)?;
    if xxh3_64(&header) != checksum {
        return Err(IndexErrorKind::Damaged);
    }
    Ok((offset, header))
}

/// Returns offset, length and checksum of the header.
fn end_fields(bytes: &[u8]) -> Option<(u64, u64, u64)> {
    let mut fields = ByteReader::new(bytes, 0);
    let numbers = (fields.fixed()?, fields.fixed()?, fields.fixed()?);
    (fields.take(END_MAGIC.len())? == END_MAGIC && fields.is_empty()).then_some(numbers)
}
