//! Writes the format of compress(1).

/// Packs in the format of compress(1), with the codes of single bytes alone. The decoder's table grows, but no new code is
/// used.
pub fn compress(bytes: &[u8]) -> Vec<u8> {
    let (mut out, mut bits, mut held) = (vec![0x1f, 0x9d, 0x89], 0_u32, 0);
    for byte in bytes {
        bits |= u32::from(*byte) << held;
        held += 9;
        while held >= 8 {
            out.push(bits as u8);
            bits >>= 8;
            held -= 8;
        }
    }
    if held > 0 {
        out.push(bits as u8);
    }
    out
}
