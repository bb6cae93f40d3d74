//! Builds an index from names in any order, in bounded memory.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use doisift_core::check;
use xxhash_rust::xxh3::xxh3_64;

use crate::alphabet::Alphabet;
use crate::blocks::{BlockKeys, BlockWriter, WrittenBlocks};
use crate::bytes::{ByteReader, put_number};
use crate::header::{
    self, IndexHeader, IndexSection, NAME_BLOCKS_SECTION, NAMES_SECTION, NOTICE_BLOCKS_SECTION,
    NOTICES_SECTION, agency_number,
};
use crate::sort::{SortedPairs, Sorter};
use crate::{BuildError, Date, Index, IndexSource, Notice};

/// How an index is built. No option changes the index.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Bytes of memory to use; 128 MiB by default. More data goes to temporary files.
    pub memory: usize,
    /// Threads to use; the cores of this process by default. More than three or four do not help, since one thread merges.
    pub threads: usize,
    /// The folder of temporary files; that of the system by default. They take about 10 bytes per name.
    pub folder: Option<PathBuf>,
}

impl Default for BuildOptions {
    fn default() -> Self {
        BuildOptions {
            memory: 128 << 20,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            folder: None,
        }
    }
}

/// The content of an index that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndexCounts {
    /// Distinct names.
    pub names: u64,
    /// Names that have notices, known or not.
    pub noted: u64,
    /// Registered prefixes in the list.
    pub prefixes: u64,
}

/// A source of this builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourceId(usize);

/// Maximum length of a key. Lengths in temporary files and blocks have 32 bits.
const MAX_KEY_BYTES: usize = 1 << 28;

/// Size of blocks of names. Smaller blocks cost space, larger ones time for a process that looks up a few names.
const NAME_BLOCK_KEYS: BlockKeys = BlockKeys {
    min: 1 << 12,
    max: 1 << 16,
};

/// Blocks of notices have fewer keys, since each has its notices too.
const NOTICE_BLOCK_KEYS: BlockKeys = BlockKeys {
    min: 1 << 8,
    max: 1 << 10,
};

/// Source of a name that is being added.
pub(crate) struct NameOrigin {
    pub(crate) agency: Option<String>,
    /// Index in the list of sources; `None` for the names of an added index, which do not say their source.
    pub(crate) source: Option<usize>,
}

/// Takes names and notices in any order, with repeats, and writes an index of them.
///
/// The bytes of the index depend only on the names, notices and sources: not on their order, the memory or the threads.
pub struct IndexBuilder {
    options: BuildOptions,
    pub(crate) sources: Vec<IndexSource>,
    pub(crate) origins: Vec<NameOrigin>,
    pub(crate) names: Sorter,
    pub(crate) notices: Sorter,
    pub(crate) alphabet: Alphabet,
    /// Registered prefixes, as keys.
    pub(crate) prefixes: BTreeSet<String>,
    /// When a block of names ends.
    cut: BlockKeys,
    /// The key that is being added.
    key: String,
    payload: Vec<u8>,
}

impl IndexBuilder {
    /// Makes a builder without names.
    ///
    /// # Errors
    ///
    /// If temporary files cannot be created.
    pub fn new(options: BuildOptions) -> Result<Self, BuildError> {
        let sorter =
            |budget| Sorter::new(budget, options.folder.as_deref()).map_err(BuildError::Temporary);
        let [names, notices] = file_budgets(&options).map(sorter);
        Ok(Self::with_sorters(options, names?, notices?))
    }

    pub(crate) fn with_sorters(options: BuildOptions, names: Sorter, notices: Sorter) -> Self {
        IndexBuilder {
            options,
            sources: Vec::new(),
            origins: Vec::new(),
            names,
            notices,
            alphabet: Alphabet::default(),
            prefixes: BTreeSet::new(),
            cut: NAME_BLOCK_KEYS,
            key: String::new(),
            payload: Vec::new(),
        }
    }

    /// Makes a builder of smaller blocks.
    #[cfg(test)]
    pub(crate) fn with_cut(options: BuildOptions, cut: BlockKeys) -> Result<Self, BuildError> {
        Ok(IndexBuilder {
            cut,
            ..Self::new(options)?
        })
    }

    /// Declares a source of names. Calls with the same name, agency and date return the same source.
    pub fn source(&mut self, name: &str, agency: Option<&str>, date: Option<Date>) -> SourceId {
        let source = self.listed(IndexSource::new(name, agency, date));
        let origin = self.origin(agency, Some(source));
        SourceId(origin)
    }

    /// Returns the index of a source in the list, and adds it if it is new.
    fn listed(&mut self, source: IndexSource) -> usize {
        let same = |other: &IndexSource| other.identity() == source.identity();
        self.sources.iter().position(same).unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        })
    }

    fn origin(&mut self, agency: Option<&str>, source: Option<usize>) -> usize {
        let same =
            |origin: &NameOrigin| origin.source == source && origin.agency.as_deref() == agency;
        self.origins.iter().position(same).unwrap_or_else(|| {
            self.origins.push(NameOrigin {
                agency: agency.map(str::to_owned),
                source,
            });
            self.origins.len() - 1
        })
    }

    /// Adds a name of a source. Case does not matter.
    ///
    /// # Errors
    ///
    /// If it is not a DOI name ([`BuildError::Name`]), which does not change the builder, or a temporary file cannot be
    /// written.
    pub fn name(&mut self, source: SourceId, name: &str) -> Result<(), BuildError> {
        self.set_key(name)?;
        self.push_name(source.0)
    }

    fn set_key(&mut self, name: &str) -> Result<(), BuildError> {
        check(name)?;
        check_length(name.len())?;
        self.key.clear();
        self.key.push_str(name);
        self.key.make_ascii_lowercase();
        Ok(())
    }

    fn push_name(&mut self, origin: usize) -> Result<(), BuildError> {
        self.alphabet.insert(self.key.as_bytes());
        self.payload.clear();
        put_number(&mut self.payload, origin as u64);
        let pushed = self.names.push(self.key.as_bytes(), &self.payload);
        pushed.map_err(BuildError::Temporary)
    }

    /// Adds a registered prefix, such as `10.5281`: that of any name. Prefixes are kept in memory.
    ///
    /// # Errors
    ///
    /// If it is not the prefix of a DOI name.
    pub fn prefix(&mut self, prefix: &str) -> Result<(), BuildError> {
        if !self.prefixes.contains(prefix) {
            check(&format!("{prefix}/0"))?;
            self.prefixes.insert(prefix.to_ascii_lowercase());
        }
        Ok(())
    }

    /// Adds the prefixes of the names of an index, and those that it lists.
    ///
    /// # Errors
    ///
    /// If the index cannot be read.
    pub fn add_prefixes(&mut self, index: &Index) -> Result<(), BuildError> {
        self.prefixes.extend(index.prefixes().iter().cloned());
        index.each_name(|key, _| match key.split_once('/') {
            Some((prefix, _)) => self.prefix(prefix),
            None => Ok(()),
        })
    }

    /// Adds a notice about a name, which need not be a name of the index.
    ///
    /// Equal notices are kept once. Of notices that differ only in the date, the earliest is kept.
    ///
    /// # Errors
    ///
    /// Same as [`IndexBuilder::name`].
    pub fn retract(&mut self, name: &str, notice: &Notice) -> Result<(), BuildError> {
        self.set_key(name)?;
        let notice = notice.to_bytes();
        check_length(notice.len())?;
        let pushed = self.notices.push(self.key.as_bytes(), &notice);
        pushed.map_err(BuildError::Temporary)
    }

    /// Adds the names, notices, prefixes and sources of an index.
    ///
    /// A source that several indexes have gets the largest of its numbers of names, since an index does not say the source
    /// of each name.
    ///
    /// # Errors
    ///
    /// If the index cannot be read, or a temporary file cannot be written.
    pub fn add(&mut self, index: &Index) -> Result<(), BuildError> {
        for source in index.sources() {
            let at = self.listed(IndexSource::new(
                &source.name,
                source.agency.as_deref(),
                source.date,
            ));
            self.sources[at].names = self.sources[at].names.max(source.names);
        }
        self.prefixes.extend(index.prefixes().iter().cloned());
        index.each_name(|key, agency| {
            self.set_key(key)?;
            let origin = self.origin(agency, None);
            self.push_name(origin)
        })?;
        index.each_notice(|key, notice| self.retract(key, &notice))
    }

    /// Writes the index, and returns its counts. It is written in one pass, to any writer. For a file, write to a temporary
    /// name and then rename it.
    ///
    /// # Errors
    ///
    /// If a temporary file or `out` fails.
    pub fn finish(mut self, mut out: impl Write) -> Result<IndexCounts, BuildError> {
        let agencies = self.agencies();
        let names = self.names.finish().map_err(BuildError::Temporary)?;
        let notices = self.notices.finish().map_err(BuildError::Temporary)?;
        out.write_all(&header::start())
            .map_err(BuildError::Output)?;

        let ranks = NameCounter::new(&self.origins, &agencies, self.sources.len());
        let writer = BlockWriter::new(&mut out, self.cut, self.options.threads);
        let (names, counts) = write_names(names, writer, ranks)?;
        write_all(&mut out, &names.directory)?;
        let writer = BlockWriter::new(&mut out, NOTICE_BLOCK_KEYS, 1);
        let notices = write_notices(notices, writer)?;
        write_all(&mut out, &notices.directory)?;

        for (source, count) in self.sources.iter_mut().zip(counts) {
            source.names = source.names.max(count);
        }
        self.sources.sort_by(|a, b| a.identity().cmp(&b.identity()));
        let header = IndexHeader {
            names: names.keys,
            noted: notices.keys,
            alphabet: self.alphabet,
            agencies,
            sources: self.sources,
            sections: sections(&names, &notices),
            prefixes: self.prefixes.into_iter().collect(),
        };
        write_all(&mut out, &header.to_bytes())?;
        out.flush().map_err(BuildError::Output)?;
        Ok(IndexCounts {
            names: header.names,
            noted: header.noted,
            prefixes: header.prefixes.len() as u64,
        })
    }

    /// Returns all agencies, sorted.
    fn agencies(&self) -> Vec<String> {
        let sources = self.sources.iter().map(|source| &source.agency);
        let origins = self.origins.iter().map(|origin| &origin.agency);
        let agencies: BTreeSet<&String> = sources.chain(origins).flatten().collect();
        agencies.into_iter().cloned().collect()
    }
}

/// Returns the memory for sorting names, and that for notices.
pub(crate) fn file_budgets(options: &BuildOptions) -> [usize; 2] {
    [options.memory / 8 * 5, options.memory / 16]
}

fn check_length(length: usize) -> Result<(), BuildError> {
    let fits = length <= MAX_KEY_BYTES;
    fits.then_some(()).ok_or(BuildError::TooLong(length))
}

fn write_all(out: &mut impl Write, bytes: &[u8]) -> Result<(), BuildError> {
    out.write_all(bytes).map_err(BuildError::Output)
}

fn sections(names: &WrittenBlocks, notices: &WrittenBlocks) -> [IndexSection; 4] {
    let directory =
        |written: &WrittenBlocks| (written.directory.len() as u64, xxh3_64(&written.directory));
    let blocks = IndexSection::first(NAMES_SECTION, names.length, names.checksum);
    let (length, checksum) = directory(names);
    let name_blocks = blocks.next_section(NAME_BLOCKS_SECTION, length, checksum);
    let noted = name_blocks.next_section(NOTICES_SECTION, notices.length, notices.checksum);
    let (length, checksum) = directory(notices);
    let notice_blocks = noted.next_section(NOTICE_BLOCKS_SECTION, length, checksum);
    [blocks, name_blocks, noted, notice_blocks]
}

/// Agency and source of each origin, and the number of names of each source.
struct NameCounter {
    /// The number of each origin's agency, and its source.
    origins: Vec<(u64, Option<usize>)>,
    counts: Vec<u64>,
}

impl NameCounter {
    fn new(origins: &[NameOrigin], agencies: &[String], sources: usize) -> Self {
        let rank = |origin: &NameOrigin| {
            (
                agency_number(agencies, origin.agency.as_deref()),
                origin.source,
            )
        };
        NameCounter {
            origins: origins.iter().map(rank).collect(),
            counts: vec![0; sources],
        }
    }

    /// Counts a name for the source of the origin in `payload`, and returns the number of the agency.
    fn count(&mut self, payload: &[u8]) -> u64 {
        let at = ByteReader::new(payload, 0).length().unwrap_or(usize::MAX);
        let Some(&(agency, source)) = self.origins.get(at) else {
            return 0;
        };
        if let Some(source) = source {
            self.counts[source] += 1;
        }
        agency
    }
}

/// Returns the first of two agencies in order. An unknown agency comes last.
fn first_agency(a: u64, b: u64) -> u64 {
    match (a, b) {
        (0, other) | (other, 0) => other,
        (a, b) => a.min(b),
    }
}

/// Writes each name once, with its agency. Returns the number of names of each source.
fn write_names<W: Write>(
    mut merge: SortedPairs,
    mut writer: BlockWriter<'_, W>,
    mut ranks: NameCounter,
) -> Result<(WrittenBlocks, Vec<u64>), BuildError> {
    let mut last: Option<(Vec<u8>, u64)> = None;
    while let Some((key, payload)) = merge.next_pair().map_err(BuildError::Temporary)? {
        let agency = ranks.count(payload);
        match &mut last {
            Some((name, first)) if name == key => *first = first_agency(*first, agency),
            Some((name, first)) => {
                writer.push(name, *first)?;
                name.clear();
                name.extend_from_slice(key);
                *first = agency;
            }
            None => last = Some((key.to_vec(), agency)),
        }
    }
    if let Some((name, first)) = last {
        writer.push(&name, first)?;
    }
    Ok((writer.finish()?, ranks.counts))
}

/// Writes the notices of each name after their number.
fn write_notices<W: Write>(
    mut merge: SortedPairs,
    mut writer: BlockWriter<'_, W>,
) -> Result<WrittenBlocks, BuildError> {
    let mut name = Vec::new();
    let mut notices: Vec<Vec<u8>> = Vec::new();
    while let Some((key, notice)) = merge.next_pair().map_err(BuildError::Temporary)? {
        if name != key {
            push_notices(&mut writer, &name, &mut notices)?;
            name.clear();
            name.extend_from_slice(key);
        }
        let same = |last: &Vec<u8>| Notice::without_date(last) == Notice::without_date(notice);
        if !notices.last().is_some_and(same) {
            notices.push(notice.to_vec());
        }
    }
    push_notices(&mut writer, &name, &mut notices)?;
    writer.finish()
}

fn push_notices<W: Write>(
    writer: &mut BlockWriter<'_, W>,
    name: &[u8],
    notices: &mut Vec<Vec<u8>>,
) -> Result<(), BuildError> {
    if notices.is_empty() {
        return Ok(());
    }
    let mut data = Vec::new();
    put_number(&mut data, notices.len() as u64);
    data.extend(notices.drain(..).flatten());
    writer.push_data(name, &data)
}
