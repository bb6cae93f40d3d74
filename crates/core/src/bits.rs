//! A bit for each of 64 bytes.

/// The lowest bit stands for the first byte.
pub type Bits = u64;

/// The positions of bits, in order.
#[inline]
pub fn positions(mut bits: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        first
    })
}
