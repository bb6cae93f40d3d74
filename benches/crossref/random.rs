//! Pseudo-random choices.

/// A generator of pseudo-random numbers (splitmix64).
#[derive(Clone)]
pub struct Random(u64);

/// Scrambles all bits. It is a bijection, so different numbers give different results.
pub fn mix(mut number: u64) -> u64 {
    number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

impl Random {
    /// Makes a generator for each stream of a seed.
    pub fn new(seed: u64, stream: u64) -> Random {
        Random(mix(mix(seed ^ 0x5eed) ^ stream))
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    /// Returns a number below `end`, or 0.
    pub fn below(&mut self, end: u64) -> u64 {
        share(self.next(), end)
    }

    /// Returns a number below `end`, or 0. Half of the numbers are in the first quarter, a tenth in the first hundredth.
    pub fn small(&mut self, end: u64) -> u64 {
        let bits = self.next();
        share(share(bits, bits), end)
    }

    pub fn chance(&mut self, share: f64) -> bool {
        ((self.next() >> 11) as f64) < share * (1u64 << 53) as f64
    }

    pub fn choose<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }

    /// Returns an item, chosen by weights.
    pub fn weighted<T: Copy>(&mut self, items: &[(u64, T)]) -> T {
        let mut left = self.below(items.iter().map(|item| item.0).sum());
        for &(weight, item) in items {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        items[0].1
    }
}

/// Returns the part `bits` / 2^64 of `end`.
fn share(bits: u64, end: u64) -> u64 {
    ((u128::from(bits) * u128::from(end)) >> 64) as u64
}
