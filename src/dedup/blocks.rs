//! A list that grows without moving its items.

/// Items in a block. It is small, so that a nearly empty list needs little memory.
const BLOCK_ITEMS: usize = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 11;

/// A list of items in blocks that are never reallocated.
pub(super) struct Blocks<T> {
    blocks: Vec<Vec<T>>,
    /// Number of blocks in use. The blocks after these are spare.
    used: usize,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks {
            blocks: Vec::new(),
            used: 0,
        }
    }
}

impl<T> Blocks<T> {
    pub(super) fn push(&mut self, item: T) {
        match self.blocks[..self.used].last_mut() {
            Some(last) if last.len() < BLOCK_ITEMS => last.push(item),
            _ => {
                self.next();
                self.blocks[self.used - 1].push(item);
            }
        }
    }

    /// Starts to use a spare block, or a new one.
    fn next(&mut self) {
        if self.used == self.blocks.len() {
            self.blocks.push(Vec::with_capacity(BLOCK_ITEMS));
        }
        self.used += 1;
    }

    /// Returns the bytes of memory that the list holds.
    pub(super) fn held_bytes(&self) -> usize {
        self.blocks.len() * BLOCK_ITEMS * size_of::<T>()
            + self.blocks.capacity() * size_of::<Vec<T>>()
    }

    /// Removes all items and keeps the blocks.
    pub(super) fn clear(&mut self) {
        self.blocks[..self.used].iter_mut().for_each(Vec::clear);
        self.used = 0;
    }

    /// Frees spare blocks, at most about `bytes` of them.
    pub(super) fn release(&mut self, bytes: usize) {
        let count = self.blocks.len();
        let max = bytes.div_ceil(BLOCK_ITEMS * size_of::<T>());
        self.blocks.truncate(self.used.max(count - count.min(max)));
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.blocks
            .get(number as usize >> BLOCK_BITS)?
            .get(number as usize & (BLOCK_ITEMS - 1))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.blocks.iter_mut().flatten()
    }
}

impl<T> std::ops::Index<u32> for Blocks<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        &self.blocks[number as usize >> BLOCK_BITS][number as usize & (BLOCK_ITEMS - 1)]
    }
}

impl<T> std::ops::IndexMut<u32> for Blocks<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.blocks[number as usize >> BLOCK_BITS][number as usize & (BLOCK_ITEMS - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_by_their_number() {
        let mut list = Blocks::default();
        for number in 0..2 * BLOCK_ITEMS as u32 + 1 {
            list.push(number);
        }
        list.iter_mut().for_each(|item| *item *= 3);
        list[BLOCK_ITEMS as u32] += 1;
        assert_eq!(list[0], 0);
        assert_eq!(list[BLOCK_ITEMS as u32 - 1], 3 * (BLOCK_ITEMS as u32 - 1));
        assert_eq!(
            list.get(BLOCK_ITEMS as u32),
            Some(&(3 * BLOCK_ITEMS as u32 + 1))
        );
        assert_eq!(list.get(2 * BLOCK_ITEMS as u32 + 1), None);
    }

    #[test]
    fn a_cleared_list_fills_its_blocks_again_and_gives_back_spare_ones() {
        let mut list = Blocks::default();
        (0..3 * BLOCK_ITEMS as u32).for_each(|number| list.push(number));
        let held = list.held_bytes();
        list.clear();
        assert_eq!((list.held_bytes(), list.get(0)), (held, None));
        (0..BLOCK_ITEMS as u32 + 1).for_each(|number| list.push(number + 1));
        assert_eq!(
            (list.held_bytes(), list[BLOCK_ITEMS as u32]),
            (held, BLOCK_ITEMS as u32 + 1)
        );
        list.release(usize::MAX);
        assert_eq!(list[BLOCK_ITEMS as u32], BLOCK_ITEMS as u32 + 1);
        assert!(list.held_bytes() < held);
    }
}
