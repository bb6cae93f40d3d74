//! Seeded generator of works in the layout of Crossref's public data file: gzip JSON Lines, a work a line, with the truth
//! in files beside them.
//!
//! The options determine the bytes on every machine and for every number of threads. Does not use the library.
//!
//! Proportions are those of 1,324 works of the REST API with 20,000 references, and of 3,000 works of the file of 2020:
//! works with references have 26 in the median; 39 % of the references are a key and a name alone, 8 % hold the reference
//! as text; publishers state 54 % of the names, Crossref the others; one name in sixty is a SICI name, one stated value in
//! a thousand is dirty. Names in text are written in the ways, and as often, as in 1,300 printed references with a name.
//! Two things differ from those samples, which are of journals: a third of the works has references, not a half; and more
//! references have their name in their text alone, by [`Options::mined`], since the names that Crossref does not match are
//! the reason to read the text.

mod json;
mod mined;
mod names;
mod random;
mod reference;
mod stated;
mod truth;
mod words;
mod work;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use flate2::{Compression, GzBuilder, write::GzEncoder};

use json::Json;
use random::Random;
use truth::Truth;

/// Bytes of an average work, to choose the number of names.
const WORK: u64 = 6_000;

/// Number of names per work: a file has only a part of the works that it cites.
const NAMES: u64 = 20;

/// Bytes that are buffered before they are packed.
const PIECE: usize = 256 << 10;

/// Options of the generator.
#[derive(Clone, Debug)]
pub struct Options {
    /// Bytes of all files before they are packed. The last work of a file is complete, so it may be a little longer.
    pub size: u64,
    /// The number of files.
    pub files: u64,
    /// Share of references without a name.
    pub unnamed: f64,
    /// Share of references with a name in their text only.
    pub mined: f64,
    /// Share of stated values that are not just the name.
    pub dirty: f64,
    /// Share of names in text that are written in a way that regular expressions get wrong.
    pub hard: f64,
    /// Seed of all random choices.
    pub seed: u64,
    /// The folder of the files.
    pub output: PathBuf,
    /// The folder of the truth; if empty, none is written.
    pub truth: PathBuf,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            size: 10 << 20,
            files: 20,
            unnamed: 0.15,
            mined: 0.2,
            dirty: 0.001,
            hard: 0.003,
            seed: 1,
            output: PathBuf::new(),
            truth: PathBuf::new(),
        }
    }
}

/// The counts of generated files. They add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes before they are packed.
    pub bytes: u64,
    /// Works.
    pub records: u64,
    /// References of all works.
    pub references: u64,
    /// References with a stated value.
    pub stated: u64,
    /// Stated values without a name, or with more than the name.
    pub dirty: u64,
    /// Names in the text of references, even if the same name is stated.
    pub mined: u64,
    /// References without a name, stated or in their text.
    pub unnamed: u64,
    /// Names in relations, updates and funders.
    pub links: u64,
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.bytes += other.bytes;
        self.records += other.records;
        self.references += other.references;
        self.stated += other.stated;
        self.dirty += other.dirty;
        self.mined += other.mined;
        self.unnamed += other.unnamed;
        self.links += other.links;
    }
}

/// The state while a file is generated.
struct Generator<'o> {
    options: &'o Options,
    random: Random,
    json: Json,
    truth: Truth,
    totals: Totals,
}

/// Writes the file `number` of those that the options ask for, and its truth.
pub fn generate(options: &Options, number: u64) -> io::Result<Totals> {
    let mut out = packed(&path(&options.output, number, "jsonl.gz"), 6)?;
    let mut generator = Generator {
        options,
        random: Random::new(options.seed, number),
        json: Json::new(!number.is_multiple_of(4)),
        truth: Truth::create(&options.truth, number)?,
        totals: Totals::default(),
    };
    let size = options.size / options.files;
    while generator.totals.bytes + (generator.json.text.len() as u64) < size {
        let own = number + generator.totals.records * options.files;
        generator.work(own);
        if generator.json.text.len() >= PIECE {
            generator.write(&mut out)?;
        }
    }
    generator.write(&mut out)?;
    generator.truth.finish()?;
    out.finish()?.flush()?;
    Ok(generator.totals)
}

/// Returns the path of a file below a folder.
pub fn path(folder: &Path, number: u64, ending: &str) -> PathBuf {
    folder.join(format!("{number:05}.{ending}"))
}

/// Creates a gzip file of one member, without a time.
fn packed(path: &Path, level: u32) -> io::Result<GzEncoder<BufWriter<File>>> {
    let file = BufWriter::new(File::create(path)?);
    Ok(GzBuilder::new().write(file, Compression::new(level)))
}

impl Generator<'_> {
    /// Returns the number of a name that a work cites. Some names are cited often.
    fn cited(&mut self) -> u64 {
        let names = NAMES * (1 + self.options.size / WORK);
        self.random.small(names)
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.totals.bytes += self.json.text.len() as u64;
        out.write_all(self.json.text.as_bytes())?;
        self.json.text.clear();
        self.truth.write()
    }
}
