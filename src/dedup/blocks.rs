//! A list that grows without moving what it holds.

/// Items of a block: small enough that a nearly empty list costs little.
const BLOCK: usize = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 9;

/// Items by number, in blocks that are allocated once.
pub(super) struct Blocks<T> {
    blocks: Vec<Vec<T>>,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks { blocks: Vec::new() }
    }
}

impl<T> Blocks<T> {
    pub(super) fn push(&mut self, item: T) {
        match self.blocks.last_mut() {
            Some(last) if last.len() < BLOCK => last.push(item),
            _ => {
                let mut block = Vec::with_capacity(BLOCK);
                block.push(item);
                self.blocks.push(block);
            }
        }
    }

    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<&T> {
        self.blocks
            .get(number as usize >> BLOCK_BITS)?
            .get(number as usize & (BLOCK - 1))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.blocks.iter_mut().flatten()
    }
}

impl<T> std::ops::Index<u32> for Blocks<T> {
    type Output = T;

    #[inline]
    fn index(&self, number: u32) -> &T {
        &self.blocks[number as usize >> BLOCK_BITS][number as usize & (BLOCK - 1)]
    }
}

impl<T> std::ops::IndexMut<u32> for Blocks<T> {
    #[inline]
    fn index_mut(&mut self, number: u32) -> &mut T {
        &mut self.blocks[number as usize >> BLOCK_BITS][number as usize & (BLOCK - 1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_back_by_their_number() {
        let mut list = Blocks::default();
        for number in 0..2 * BLOCK as u32 + 1 {
            list.push(number);
        }
        list.iter_mut().for_each(|item| *item *= 3);
        list[BLOCK as u32] += 1;
        assert_eq!(list[0], 0);
        assert_eq!(list[BLOCK as u32 - 1], 3 * (BLOCK as u32 - 1));
        assert_eq!(list.get(BLOCK as u32), Some(&(3 * BLOCK as u32 + 1)));
        assert_eq!(list.get(2 * BLOCK as u32 + 1), None);
    }
}
