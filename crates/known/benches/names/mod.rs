//! Names as dense as those that agencies register: journals with counters, books with chapters, repositories.
//!
//! The shapes are those of public lists of registered names. The number and the seed determine the names on every machine.
//! They come without repeats, in an order that mixes journals. Does not use the library.

mod shapes;

use shapes::{SHAPES, Shape};

/// Returns a number that looks random, for each number (the last step of splitmix64).
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A journal, or another unit that counts its names.
struct Journal {
    /// The number of names before its own.
    start: u64,
    shape: &'static Shape,
    /// Its number among the journals of its shape.
    number: u64,
}

/// A list of names that are made on demand.
pub struct Names {
    journals: Vec<Journal>,
    number: u64,
    seed: u64,
    /// Step from one name to the next, in the order of journals.
    step: u64,
}

/// Numbers of a counter that are registered, of each five.
const GROUP: u64 = 4;

impl Names {
    pub fn new(number: u64, seed: u64) -> Self {
        let weights: u64 = SHAPES.iter().map(|shape| shape.weight).sum();
        let mut journals = Vec::new();
        let mut start = 0;
        for (at, shape) in SHAPES.iter().enumerate() {
            let last = at + 1 == SHAPES.len();
            let share = if last {
                number - start
            } else {
                number * shape.weight / weights
            };
            push_journals(&mut journals, shape, start, share, seed);
            start += share;
        }
        let golden = (number as f64 * 0.618_034) as u64;
        let mut steps =
            (golden.max(1)..).filter(|&step| greatest_common_divisor(step, number) == 1);
        Names {
            journals,
            number,
            seed,
            step: steps.next().unwrap_or(1),
        }
    }

    /// Appends the name at `place`, which must be less than the number of names.
    pub fn write(&self, place: u64, out: &mut String) {
        let place = self.scrambled(place);
        let journal = self
            .journals
            .partition_point(|journal| journal.start <= place)
            - 1;
        let journal = &self.journals[journal];
        let counter = gapped(place - journal.start, journal.number ^ self.seed);
        (journal.shape.write)(journal.number, counter, out);
    }

    /// Maps each place to another one. The step has no divisor in common with the number of names, so all places occur.
    fn scrambled(&self, place: u64) -> u64 {
        let product = u128::from(place) * u128::from(self.step) + u128::from(self.seed);
        (product % u128::from(self.number)) as u64
    }
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

/// Divides the names of a shape among journals of many sizes.
fn push_journals(
    journals: &mut Vec<Journal>,
    shape: &'static Shape,
    start: u64,
    share: u64,
    seed: u64,
) {
    let (mut done, mut number) = (0, 0);
    while done < share {
        // From a 32nd to four times the usual size, small ones more often.
        let random = mix(number ^ seed << 20);
        let size = ((shape.usual * 4) >> (random % 8)) | 1;
        journals.push(Journal {
            start: start + done,
            shape,
            number,
        });
        done += size.min(share - done);
        number += 1;
    }
}

/// Returns the counter's number of the name at a place, if one of each five numbers is left out.
fn gapped(place: u64, seed: u64) -> u64 {
    let (group, within) = (place / GROUP, place % GROUP);
    let gap = mix(group ^ seed << 40) % (GROUP + 1);
    group * (GROUP + 1) + within + u64::from(within >= gap)
}
