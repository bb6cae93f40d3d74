//! A counter of 48 bits.

/// A counter of 48 bits that saturates. Its maximum is more mentions than 2^48 bytes of sources have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C, packed)]
pub(super) struct Count48 {
    low: u32,
    high: u16,
}

impl Count48 {
    const MAX: u64 = (1 << 48) - 1;

    pub(super) fn get(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }

    pub(super) fn add(&mut self, more: u32) {
        let sum = (self.get() + u64::from(more)).min(Self::MAX);
        (self.low, self.high) = (sum as u32, (sum >> 32) as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_counts_past_32_bits_and_stops_at_its_greatest_value() {
        let mut count = Count48::default();
        for _ in 0..3 {
            count.add(u32::MAX);
        }
        assert_eq!(count.get(), 3 * u64::from(u32::MAX));
        let mut full = Count48 {
            low: u32::MAX - 1,
            high: u16::MAX,
        };
        full.add(1);
        full.add(1);
        assert_eq!(full.get(), Count48::MAX);
        assert_eq!(size_of::<Count48>(), 6);
    }
}
