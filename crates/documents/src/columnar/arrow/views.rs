//! The buffers of texts that an array of views leads to, in any order.

use std::collections::VecDeque;
use std::rc::Rc;

use super::buffer::{BatchBody, BufferStream};
use crate::columnar::part::ColumnFault;

/// Longest text within a view.
const MAX_INLINE_BYTES: u32 = 12;

/// Buffers of texts. Those that were used last are held as a whole, as far as memory allows. Of a buffer that does not fit, a
/// window is held.
pub(super) struct ViewBuffers {
    body: Rc<BatchBody>,
    /// The offset of each buffer in the body, and its length.
    ranges: Vec<(u64, u64)>,
    open: Vec<Option<BufferStream>>,
    /// The numbers of open buffers, the one that was opened last at the end.
    order: VecDeque<usize>,
}

impl ViewBuffers {
    pub(super) fn new(body: &Rc<BatchBody>, ranges: Vec<(u64, u64)>) -> Self {
        ViewBuffers {
            body: Rc::clone(body),
            open: ranges.iter().map(|_| None).collect(),
            ranges,
            order: VecDeque::new(),
        }
    }

    /// The text of a view.
    pub(super) fn text<'v>(&'v mut self, view: &'v [u8; 16]) -> Result<&'v [u8], ColumnFault> {
        const OUTSIDE: ColumnFault = ColumnFault::Damaged("a view leads to no buffer");
        let word =
            |at: usize| u32::from_le_bytes([view[at], view[at + 1], view[at + 2], view[at + 3]]);
        let length = word(0);
        if length <= MAX_INLINE_BYTES {
            return Ok(&view[4..][..length as usize]);
        }
        let (number, start) = (word(8) as usize, u64::from(word(12)));
        if self.open.get(number).ok_or(OUTSIDE)?.is_none() {
            self.open(number)?;
        }
        let buffer = self.open[number].as_mut().ok_or(OUTSIDE)?;
        buffer.at(start, length as usize)
    }

    #[cold]
    fn open(&mut self, number: usize) -> Result<(), ColumnFault> {
        loop {
            let (start, length) = self.ranges[number];
            let mut buffer = BufferStream::new(&self.body, start, length)?;
            let is_held = buffer.hold_all();
            let oldest = match is_held {
                Ok(false) | Err(ColumnFault::Large) => self.order.pop_front(),
                _ => None,
            };
            match oldest {
                Some(oldest) => self.open[oldest] = None,
                None => {
                    is_held?;
                    self.open[number] = Some(buffer);
                    self.order.push_back(number);
                    return Ok(());
                }
            }
        }
    }
}
