//! The registered names. Each is a function of seed and number, and no two have the same key.
//!
//! Each name has nine digits of the number. The text around the digits distinguishes the shapes. Shapes and weights are
//! those of names that Crossref's works cite.

use std::fmt::Write;

use super::random::mix;

/// Forms a name of its digits.
type Shape = fn(&mut String, Parts);

/// The variable parts of a name.
#[derive(Clone, Copy)]
struct Parts {
    /// Nine digits.
    unique: u64,
    bits: u64,
}

const JOURNALS: [&str; 16] = [
    "cell",
    "physletb",
    "jbiomech",
    "nuclphysb",
    "tetlet",
    "ijpara",
    "icarus",
    "cortex",
    "ecolmodel",
    "jasms",
    "vaccine",
    "geomorph",
    "talanta",
    "appet",
    "jmaa",
    "neuroimage",
];

/// Weights, out of 1,000, and shapes.
const SHAPES: [(u64, Shape); 18] = [
    (190, |out, p| {
        put(
            out,
            format_args!(
                "10.1016/j.{}.{}.{:02}.{:09}",
                p.journal(),
                p.year(),
                p.month(),
                p.unique
            ),
        )
    }),
    (90, |out, p| {
        put(
            out,
            format_args!(
                "10.1016/S{:04}-{:04}({:02}){:02}{:03}-{}",
                p.high(),
                p.low(),
                p.year() % 100,
                p.vol() % 100,
                p.last() * 7 % 1000,
                p.check()
            ),
        )
    }),
    (140, |out, p| {
        put(
            out,
            format_args!(
                "10.1007/s{:05}-0{:02}-{:04}-{}",
                p.unique / 10_000,
                p.year() % 100,
                p.unique % 10_000,
                p.check()
            ),
        )
    }),
    (70, |out, p| {
        put(
            out,
            format_args!(
                "10.1007/978-3-{:03}-{:05}-{}_{}",
                p.unique / 1_000_000,
                p.unique / 10 % 100_000,
                p.check(),
                p.last()
            ),
        )
    }),
    (110, |out, p| {
        put(
            out,
            format_args!(
                "10.1111/j.1365-{:04}.{}.{:05}.x",
                p.unique / 100_000,
                p.year(),
                p.unique % 100_000
            ),
        )
    }),
    (70, |out, p| {
        put(out, format_args!("10.1002/{}.{:09}", p.journal(), p.unique))
    }),
    (60, |out, p| {
        put(
            out,
            format_args!(
                "10.1080/{:04}{:04}.{}.1{:02}000{}",
                p.high(),
                p.low(),
                p.year(),
                p.vol() % 100,
                p.last()
            ),
        )
    }),
    (50, |out, p| {
        put(out, format_args!("10.1038/nature{:09}", p.unique))
    }),
    (50, |out, p| {
        put(out, format_args!("10.1371/journal.pone.{:09}", p.unique))
    }),
    (40, |out, p| {
        put(out, format_args!("10.1021/ja{:09}", p.unique))
    }),
    (30, |out, p| {
        put(
            out,
            format_args!("10.1103/PhysRevB.{:02}.{:09}", p.vol() % 100, p.unique),
        )
    }),
    (30, |out, p| {
        put(
            out,
            format_args!(
                "10.1097/01.CCM.0000{:05}.{:04}.A{}",
                p.unique / 10_000,
                p.unique % 10_000,
                p.check()
            ),
        )
    }),
    (20, |out, p| {
        put(
            out,
            format_args!("10.1093/bioinformatics/bt{:09}", p.unique),
        )
    }),
    (15, |out, p| {
        put(
            out,
            format_args!(
                "10.1101/{}.{:02}.{:02}.{:09}",
                p.year(),
                p.month(),
                p.month() + 9,
                p.unique
            ),
        )
    }),
    (15, |out, p| {
        put(
            out,
            format_args!(
                "10.1061/(ASCE)0733-{:04}({}){}:{}({:04})",
                p.high(),
                p.year(),
                100 + p.vol(),
                p.last(),
                p.low()
            ),
        )
    }),
    (10, |out, p| {
        put(
            out,
            format_args!(
                "10.1002/(SICI)1097-{:04}({}0915){}:{}<{:04}::AID-{}>3.0.CO;2-{}",
                p.high(),
                p.year(),
                p.vol(),
                p.last(),
                p.low(),
                p.letters(),
                p.letter()
            ),
        )
    }),
    (6, |out, p| {
        put(
            out,
            format_args!(
                "10.1175/1520-{:04}({}){:03}<{:04}{}:{}>2.0.CO;2",
                p.high(),
                p.year(),
                p.vol(),
                p.low(),
                p.last(),
                p.letters()
            ),
        )
    }),
    (4, |out, p| {
        put(
            out,
            format_args!(
                "10.1890/0012-{:04}({}){:03}[{:04}{}:{}]2.0.CO;2",
                p.high(),
                p.year(),
                p.vol(),
                p.low(),
                p.last(),
                p.letters()
            ),
        )
    }),
];

/// Shapes of registered names that look as if they were damaged. Only a field can hold such a name.
const ODD: [Shape; 5] = [
    |out, p| put(out, format_args!("10.2976/1.{:09}/10.2976/1", p.unique)),
    |out, p| {
        put(
            out,
            format_args!(
                "10.1016/0{:04}-{:04}(50){:05}L-",
                p.high(),
                p.low(),
                p.last()
            ),
        )
    },
    |out, p| {
        put(
            out,
            format_args!(
                "10.1649/0010-{:04}(2007)61[{:05}",
                p.high(),
                p.unique % 100_000
            ),
        )
    },
    |out, p| put(out, format_args!("10.1242/?bio.{:09}", p.unique)),
    |out, p| put(out, format_args!("10.1097/10.1097/01.naj.{:09}.", p.unique)),
];

/// One of this many names is odd.
const ODD_SHARE: u64 = 2_000;

/// Whether name `number` looks as if it were damaged.
pub fn is_odd(seed: u64, number: u64) -> bool {
    bits(seed, number).is_multiple_of(ODD_SHARE)
}

/// Appends name `number`, with capitals as its registrant uses them.
pub fn write(out: &mut String, seed: u64, number: u64) {
    let bits = bits(seed, number);
    // Scrambled, so that new names are not in order. They stay distinct, since the multiplier is coprime to 10^9.
    let unique = number.wrapping_mul(723_684_383) % 1_000_000_000;
    let parts = Parts { unique, bits };
    let shape = if is_odd(seed, number) {
        ODD[(bits >> 20) as usize % ODD.len()]
    } else {
        shape((bits >> 20) % 1_000)
    };
    shape(out, parts);
}

fn bits(seed: u64, number: u64) -> u64 {
    mix(number ^ seed.rotate_left(32))
}

fn shape(mut left: u64) -> Shape {
    for (weight, shape) in SHAPES {
        if left < weight {
            return shape;
        }
        left -= weight;
    }
    SHAPES[0].1
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

impl Parts {
    fn journal(self) -> &'static str {
        JOURNALS[(self.bits >> 36) as usize % JOURNALS.len()]
    }

    fn year(self) -> u64 {
        1970 + (self.bits >> 40) % 55
    }

    fn month(self) -> u64 {
        1 + (self.bits >> 46) % 12
    }

    fn vol(self) -> u64 {
        1 + (self.bits >> 50) % 300
    }

    /// Returns the first four of the nine digits.
    fn high(self) -> u64 {
        self.unique / 100_000
    }

    /// Returns the next four digits.
    fn low(self) -> u64 {
        self.unique / 10 % 10_000
    }

    /// Returns the last digit.
    fn last(self) -> u64 {
        self.unique % 10
    }

    fn check(self) -> char {
        char::from(b"0123456789X"[(self.bits >> 58) as usize % 11])
    }

    fn letter(self) -> char {
        char::from(b'A' + ((self.bits >> 54) % 26) as u8)
    }

    fn letters(self) -> String {
        let letter = |at: u32| char::from(b'A' + ((self.bits >> at) % 26) as u8);
        [22, 27, 32, 37, 42].map(letter).iter().collect()
    }
}
