//! The lines between the parts of a body.

use super::coding::lines;

/// Minimum length of a boundary that is recognised with one damaged byte.
const MIN_DAMAGED_BOUNDARY_BYTES: usize = 8;

/// A line before, between or after the parts of a body.
pub(super) struct BoundaryLine {
    /// The number of its boundary, from the outermost one.
    pub(super) of: usize,
    /// Its first offset.
    pub(super) start: usize,
    /// The offset after it.
    pub(super) end: usize,
    /// Whether no part follows.
    pub(super) is_last: bool,
    /// Whether one byte of it is wrong.
    pub(super) is_damaged: bool,
}

impl BoundaryLine {
    /// Returns the first line of `text` after offset `from` that has one of these boundaries, the innermost if several fit.
    pub(super) fn find(text: &[u8], from: usize, boundaries: &[Vec<u8>]) -> Option<BoundaryLine> {
        let mut end = from;
        for line in lines(&text[from..]) {
            let start = end;
            end += line.len();
            if boundaries.is_empty() || !line[..line.len().min(2)].contains(&b'-') {
                continue;
            }
            // Boundaries of parts in parts may differ in one byte.
            for wrong in 0..=1 {
                if let Some((of, is_last)) = matching(line.trim_ascii_end(), boundaries, wrong) {
                    return Some(BoundaryLine {
                        of,
                        start,
                        end,
                        is_last,
                        is_damaged: wrong > 0,
                    });
                }
            }
        }
        None
    }
}

/// Returns the number of the boundary from which `line` differs in `wrong` bytes, and whether it is the last line.
fn matching(line: &[u8], boundaries: &[Vec<u8>], wrong: usize) -> Option<(usize, bool)> {
    let numbered = boundaries.iter().enumerate().rev();
    let is_long = |boundary: &[u8]| wrong == 0 || boundary.len() >= MIN_DAMAGED_BOUNDARY_BYTES;
    let mut usable = numbered.filter(|(_, boundary)| is_long(boundary));
    usable.find_map(|(of, boundary)| {
        let is = |ending| wrong_bytes(line, [b"--", boundary, ending]) == Some(wrong);
        let is_last = is(&b"--"[..]);
        (is_last || is(b"")).then_some((of, is_last))
    })
}

/// Returns the number of bytes in which `line` differs from the joined `parts`; `None` if its length does.
fn wrong_bytes(line: &[u8], parts: [&[u8]; 3]) -> Option<usize> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let wanted = parts.iter().copied().flatten();
    let differing = line.iter().zip(wanted).filter(|(own, other)| own != other);
    (line.len() == length).then(|| differing.count())
}
