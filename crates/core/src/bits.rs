//! Sets of positions in 64 bytes.

/// Set of positions among 64 bytes. The lowest bit is the first byte.
pub type Bits = u64;

/// Returns the positions of set bits, in ascending order.
#[inline]
pub fn positions(mut bits: Bits) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        first
    })
}
