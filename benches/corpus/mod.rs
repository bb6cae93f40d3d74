//! Seeded generator of text whose names are known: prose with names in it, bare names, works with references, or numbers.
//!
//! The options determine the bytes on every machine. Does not use the library: it generates only mentions whose names are
//! certain without the library's rules.

mod names;
mod references;
mod styles;
mod words;

use std::io::{self, Write};

/// The kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
// Each program that uses this module makes only some of the kinds.
#[allow(dead_code)]
pub enum Kind {
    /// Sentences with names in them.
    Prose,
    /// Bare names, one a line.
    Names,
    /// JSON Lines of works with references, each with a name.
    References,
    /// Lines of numbers with `10.` in them, but without names.
    Numbers,
}

/// Options of the generator.
#[derive(Clone, Debug)]
pub struct Options {
    /// The kind of text.
    pub kind: Kind,
    /// Size in bytes at which the text ends; the last piece is complete, so it may be a little longer.
    pub size: u64,
    /// Number of mentions at which the text ends.
    pub number: u64,
    /// Bytes from one mention to the next, on average; 0 for no mentions.
    pub every: u64,
    /// Share of mentions that are the first of their name.
    pub distinct: f64,
    /// Share of mentions written in a way that many extractors get wrong.
    pub hard: f64,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            kind: Kind::Prose,
            size: 1 << 20,
            number: u64::MAX,
            every: 250,
            distinct: 0.33,
            hard: 0.2,
            seed: 1,
        }
    }
}

/// The counts of a generated text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes of text.
    pub bytes: u64,
    /// Mentions in it.
    pub mentions: u64,
    /// Distinct names in it.
    pub names: u64,
}

/// A generator of pseudo-random numbers (splitmix64).
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        names::mix(self.0)
    }

    /// Returns a number below `end`, or 0.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    fn chance(&mut self, share: f64) -> bool {
        ((self.next() >> 11) as f64) < share * (1u64 << 53) as f64
    }
}

/// Bytes that are buffered before a write.
const PIECE: usize = 256 << 10;

/// The state while a text is generated.
struct Generator<'o> {
    options: &'o Options,
    random: Random,
    text: Vec<u8>,
    /// The name that is being written, with its case.
    name: Vec<u8>,
    totals: Totals,
}

/// Writes a text to `out`.
pub fn generate(options: &Options, out: &mut dyn Write) -> io::Result<Totals> {
    let random = Random(names::mix(options.seed ^ 0x5eed));
    let text = Vec::with_capacity(2 * PIECE);
    let mut generator = Generator {
        options,
        random,
        text,
        name: Vec::new(),
        totals: Totals::default(),
    };
    while generator.wants_more() {
        generator.step();
        if generator.text.len() >= PIECE {
            generator.write(out)?;
        }
    }
    generator.write(out)?;
    out.flush()?;
    Ok(generator.totals)
}

/// Returns the keys of the first `count` names of a text with these options, sorted bytewise. With the count that
/// [`generate`] returned, these are all names of the text.
pub fn sorted_names(options: &Options, count: u64) -> Vec<Vec<u8>> {
    let key = |number| {
        let mut name = Vec::new();
        names::write(&mut name, options.seed, number, options.hard > 0.0);
        name.make_ascii_lowercase();
        name
    };
    let mut names: Vec<Vec<u8>> = (0..count).map(key).collect();
    names.sort_unstable();
    names
}

impl Generator<'_> {
    fn wants_more(&self) -> bool {
        let bytes = self.totals.bytes + self.text.len() as u64;
        bytes < self.options.size && self.totals.mentions < self.options.number
    }

    fn step(&mut self) {
        match self.options.kind {
            Kind::Prose => self.passage(),
            Kind::Names => self.line(),
            Kind::References => references::work(self),
            Kind::Numbers => words::numbers(&mut self.text, &mut self.random),
        }
    }

    fn line(&mut self) {
        self.choose_name();
        self.text.extend_from_slice(&self.name);
        self.text.push(b'\n');
    }

    /// Appends a mention, and prose up to the next one.
    fn passage(&mut self) {
        let before = self.text.len();
        if self.options.every > 0 {
            self.mention();
        }
        let every = if self.options.every > 0 {
            self.options.every
        } else {
            PIECE as u64
        };
        // The distance varies from half to one and a half of `every`, so that names are not at regular offsets.
        let distance = every / 2 + self.random.below(every);
        words::prose(
            &mut self.text,
            &mut self.random,
            before + distance as usize,
            self.options.hard,
        );
    }

    fn mention(&mut self) {
        if self.random.chance(self.options.hard) {
            styles::hard(self);
        } else {
            styles::easy(self);
        }
    }

    /// Chooses the next name: a new one, or one that was mentioned before.
    fn choose_name(&mut self) {
        let (mentions, names) = (self.totals.mentions, self.totals.names);
        let due = ((mentions + 1) as f64 * self.options.distinct).ceil() as u64;
        let number = if names == 0 || names < due {
            names
        } else {
            self.random.below(names)
        };
        self.totals.mentions += 1;
        self.totals.names = names.max(number + 1);
        self.name.clear();
        names::write(
            &mut self.name,
            self.options.seed,
            number,
            self.options.hard > 0.0,
        );
    }

    fn write(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.totals.bytes += self.text.len() as u64;
        out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}
