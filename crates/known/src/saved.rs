//! The state of a builder besides its files of sorted names, as bytes. With it another process can continue.

use std::collections::BTreeSet;
use std::fs::File;

use crate::alphabet::Alphabet;
use crate::build::{NameOrigin, file_budgets};
use crate::bytes::{ByteReader, put_bytes, put_number};
use crate::sort::{Run, Sorter};
use crate::{BuildError, BuildOptions, Date, IndexBuilder, IndexSource};

/// The saved state of a builder.
struct SavedBuild {
    sources: Vec<IndexSource>,
    origins: Vec<NameOrigin>,
    alphabet: Alphabet,
    prefixes: BTreeSet<String>,
    /// The runs of names, and those of notices.
    runs: [Vec<Run>; 2],
}

impl IndexBuilder {
    /// Makes a builder that keeps its sorted names and notices in these two files, which are emptied. The files outlast it:
    /// see [`save`](Self::save).
    ///
    /// # Errors
    ///
    /// If a file cannot be emptied.
    pub fn in_files(options: BuildOptions, files: [File; 2]) -> Result<Self, BuildError> {
        let saved = SavedBuild {
            sources: Vec::new(),
            origins: Vec::new(),
            alphabet: Alphabet::default(),
            prefixes: BTreeSet::new(),
            runs: [Vec::new(), Vec::new()],
        };
        Self::continue_from(options, files, saved)
    }

    /// Writes all names and notices so far to the files of the builder, and to disk. Returns the bytes that
    /// [`resume`](Self::resume) needs besides these files.
    ///
    /// # Errors
    ///
    /// If a file fails.
    pub fn save(&mut self) -> Result<Vec<u8>, BuildError> {
        let mut out = Vec::new();
        put_number(&mut out, self.sources.len() as u64);
        for source in &self.sources {
            put_bytes(&mut out, source.name.as_bytes());
            put_agency(&mut out, source.agency.as_deref());
            out.extend_from_slice(&Date::to_bytes(source.date));
            put_number(&mut out, source.names);
        }
        put_number(&mut out, self.origins.len() as u64);
        for origin in &self.origins {
            put_agency(&mut out, origin.agency.as_deref());
            put_number(&mut out, origin.source.map_or(0, |at| at as u64 + 1));
        }
        for word in self.alphabet.words() {
            out.extend_from_slice(&word.to_le_bytes());
        }
        put_number(&mut out, self.prefixes.len() as u64);
        for prefix in &self.prefixes {
            put_bytes(&mut out, prefix.as_bytes());
        }
        for sorter in [&mut self.names, &mut self.notices] {
            let runs = sorter.save().map_err(BuildError::Temporary)?;
            put_number(&mut out, runs.len() as u64);
            for run in runs {
                put_number(&mut out, run.end - run.start);
                out.extend_from_slice(&run.checksum.to_le_bytes());
            }
        }
        Ok(out)
    }

    /// Continues a builder that was [saved](Self::save), with its files and the bytes that `save` returned. Later bytes of
    /// the files are dropped. Returns `None` if `saved` is not the state of a builder.
    ///
    /// The sorted names are checked when they are merged.
    ///
    /// # Errors
    ///
    /// If a file is shorter than it was, or fails.
    pub fn resume(
        options: BuildOptions,
        files: [File; 2],
        saved: &[u8],
    ) -> Result<Option<Self>, BuildError> {
        let saved = SavedBuild::read(&mut ByteReader::new(saved, 0));
        saved
            .map(|saved| Self::continue_from(options, files, saved))
            .transpose()
    }

    fn continue_from(
        options: BuildOptions,
        [names, notices]: [File; 2],
        saved: SavedBuild,
    ) -> Result<Self, BuildError> {
        let budgets = file_budgets(&options);
        let [name_runs, notice_runs] = saved.runs;
        let names = Sorter::in_file(budgets[0], names, name_runs);
        let notices = Sorter::in_file(budgets[1], notices, notice_runs);
        let names = names.map_err(BuildError::Temporary)?;
        let notices = notices.map_err(BuildError::Temporary)?;
        let mut builder = Self::with_sorters(options, names, notices);
        builder.sources = saved.sources;
        builder.origins = saved.origins;
        builder.alphabet = saved.alphabet;
        builder.prefixes = saved.prefixes;
        Ok(builder)
    }
}

impl SavedBuild {
    fn read(fields: &mut ByteReader<'_>) -> Option<Self> {
        let saved = SavedBuild {
            sources: fields.list(read_source)?,
            origins: fields.list(read_origin)?,
            alphabet: Alphabet::from_words([
                fields.fixed()?,
                fields.fixed()?,
                fields.fixed()?,
                fields.fixed()?,
            ]),
            prefixes: fields.list(|fields| fields.text().map(str::to_owned))?,
            runs: [read_runs(fields)?, read_runs(fields)?],
        };
        fields.expect_end()?;
        Some(saved)
    }
}

fn put_agency(out: &mut Vec<u8>, agency: Option<&str>) {
    put_number(out, u64::from(agency.is_some()));
    put_bytes(out, agency.unwrap_or_default().as_bytes());
}

fn read_agency(fields: &mut ByteReader<'_>) -> Option<Option<String>> {
    let is_known = fields.number()? == 1;
    let agency = fields.text()?;
    Some(is_known.then(|| agency.to_owned()))
}

fn read_source(fields: &mut ByteReader<'_>) -> Option<IndexSource> {
    Some(IndexSource {
        name: fields.text()?.to_owned(),
        agency: read_agency(fields)?,
        date: Date::from_bytes(fields.array()?)?,
        names: fields.number()?,
    })
}

fn read_origin(fields: &mut ByteReader<'_>) -> Option<NameOrigin> {
    Some(NameOrigin {
        agency: read_agency(fields)?,
        source: fields.length()?.checked_sub(1),
    })
}

fn read_runs(fields: &mut ByteReader<'_>) -> Option<Vec<Run>> {
    let mut start = 0u64;
    fields.list(|fields| {
        let end = start.checked_add(fields.number()?)?;
        let checksum = fields.fixed()?;
        let run = Run {
            start,
            end,
            checksum,
        };
        start = end;
        Some(run)
    })
}
