//! Looks up many sorted names one after the other.

use crate::blocks::{BlockMap, IndexBlock};
use crate::notice::is_retracted;
use crate::trie::KeyPath;
use crate::{Index, IndexEntry, IndexError};

/// Looks up names that are sorted bytewise. Other orders give the same answers, but more slowly.
pub struct SortedLookup<'i> {
    index: &'i Index,
    /// Whether the index keeps the blocks that are read.
    keeps: bool,
    names: BlockCursor<'i>,
    notices: BlockCursor<'i>,
    /// The last prefix that was looked up, and whether the index has names with it.
    prefix: Option<(String, bool)>,
}

/// The block of the last key.
#[derive(Default)]
struct BlockCursor<'i>(Option<Box<CurrentBlock<'i>>>);

/// A block in memory, its number, and the path of the last key in it.
struct CurrentBlock<'i> {
    at: usize,
    block: WalkBlock<'i>,
    path: KeyPath,
}

enum WalkBlock<'i> {
    Own(IndexBlock),
    Kept(&'i IndexBlock),
}

impl Index {
    /// Starts to look up sorted names, with one block of names and one of notices in memory at a time.
    #[doc(hidden)]
    pub fn sorted_lookup(&self) -> SortedLookup<'_> {
        self.walk_with(false)
    }

    /// Like [`sorted_lookup`](Self::sorted_lookup) for names that are sorted in batches: the blocks that are read stay in memory.
    #[doc(hidden)]
    pub fn walk_kept(&self) -> SortedLookup<'_> {
        self.walk_with(true)
    }

    fn walk_with(&self, keeps: bool) -> SortedLookup<'_> {
        SortedLookup {
            index: self,
            keeps,
            names: BlockCursor::default(),
            notices: BlockCursor::default(),
            prefix: None,
        }
    }

    /// Whether the name has a retraction, withdrawal or removal that no reinstatement undid. The name need not be known.
    ///
    /// # Errors
    ///
    /// Same as [`Index::contains`].
    pub fn is_retracted(&self, key: &str) -> Result<bool, IndexError> {
        Ok(is_retracted(&self.notices(key)?))
    }

    /// Whether a name with this prefix, such as `10.5555`, is known.
    ///
    /// # Errors
    ///
    /// Same as [`Index::contains`].
    #[doc(hidden)]
    pub fn holds_prefix(&self, prefix: &str) -> Result<bool, IndexError> {
        let start = format!("{prefix}/");
        match self.blocks().shows_start(start.as_bytes()) {
            Ok(is_held) => Ok(is_held),
            Err(at) => Ok(self.block(at)?.holds_start(start.as_bytes())),
        }
    }
}

impl<'i> SortedLookup<'i> {
    /// Looks up a name as [`Index::find`] does.
    ///
    /// # Errors
    ///
    /// If the block of the name cannot be read or is damaged.
    pub fn find(&mut self, key: &str) -> Result<Option<IndexEntry<'i>>, IndexError> {
        let (index, key) = (self.index, key.as_bytes());
        let kept = self.names.of(index, index.blocks(), key, self.keeps)?;
        let number = kept.and_then(|kept| kept.get(key));
        number.map(|number| index.known(number)).transpose()
    }

    /// Answers as [`Index::is_retracted`] does.
    ///
    /// # Errors
    ///
    /// Same as [`SortedLookup::find`].
    pub fn is_retracted(&mut self, key: &str) -> Result<bool, IndexError> {
        let index = self.index;
        let kept = self
            .notices
            .of(index, index.notice_blocks(), key.as_bytes(), self.keeps)?;
        let Some(kept) = kept else { return Ok(false) };
        match kept.get(key.as_bytes()) {
            Some(offset) => Ok(is_retracted(&index.notices_at(kept.block.get(), offset)?)),
            None => Ok(false),
        }
    }

    /// Answers as [`Index::holds_prefix`] does.
    ///
    /// # Errors
    ///
    /// Same as [`SortedLookup::find`].
    #[doc(hidden)]
    pub fn holds_prefix(&mut self, prefix: &str) -> Result<bool, IndexError> {
        if let Some((last, is_held)) = &self.prefix
            && last == prefix
        {
            return Ok(*is_held);
        }
        let start = format!("{prefix}/");
        let is_held = self.names.shows_start(start.as_bytes()) || self.holds_start(&start)?;
        self.prefix = Some((prefix.to_owned(), is_held));
        Ok(is_held)
    }

    fn holds_start(&mut self, start: &str) -> Result<bool, IndexError> {
        let (index, start) = (self.index, start.as_bytes());
        match index.blocks().shows_start(start) {
            Ok(is_held) => Ok(is_held),
            Err(at) => {
                let current = self.names.at(index, index.blocks(), at, self.keeps)?;
                Ok(current.block.get().holds_start(start))
            }
        }
    }
}

impl<'i> BlockCursor<'i> {
    /// Whether the path of the last key shows that keys start with `start`.
    fn shows_start(&self, start: &[u8]) -> bool {
        self.0.as_ref().is_some_and(|last| {
            let shared = last.block.get().shared();
            let rest = start.strip_prefix(shared);
            rest.map_or(shared.starts_with(start), |rest| {
                last.path.reached().starts_with(rest)
            })
        })
    }

    /// Returns the block that may hold a key.
    fn of(
        &mut self,
        index: &'i Index,
        blocks: &'i BlockMap,
        key: &[u8],
        keeps: bool,
    ) -> Result<Option<&mut CurrentBlock<'i>>, IndexError> {
        // The next of sorted keys is mostly in the block of the last one.
        let at = match &self.0 {
            Some(last) => blocks.block_near(last.at, key),
            None => blocks.block_of(key),
        };
        at.map(|at| self.at(index, blocks, at, keeps)).transpose()
    }

    fn at(
        &mut self,
        index: &'i Index,
        blocks: &'i BlockMap,
        at: usize,
        keeps: bool,
    ) -> Result<&mut CurrentBlock<'i>, IndexError> {
        // Another block is dropped before this one is read.
        let current = match self.0.take().filter(|current| current.at == at) {
            Some(current) => current,
            None => Box::new(CurrentBlock {
                at,
                block: match keeps {
                    true => WalkBlock::Kept(index.kept_block(blocks, at)?),
                    false => WalkBlock::Own(index.read_block(blocks, at)?),
                },
                path: KeyPath::default(),
            }),
        };
        Ok(self.0.insert(current))
    }
}

impl CurrentBlock<'_> {
    fn get(&mut self, key: &[u8]) -> Option<u64> {
        self.block.get().get_after(&mut self.path, key)
    }
}

impl WalkBlock<'_> {
    fn get(&self) -> &IndexBlock {
        match self {
            WalkBlock::Own(block) => block,
            WalkBlock::Kept(block) => block,
        }
    }
}
