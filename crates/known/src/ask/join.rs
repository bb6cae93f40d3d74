//! Looks up many sorted names.

use crate::{Index, IndexEntry, IndexError, SortedLookup};

/// An iterator over names, each with the facts about it.
pub struct JoinedNames<'i, I> {
    walk: SortedLookup<'i>,
    names: I,
}

impl Index {
    /// Looks up names that are sorted bytewise, as a [`SortedLookup`] does.
    #[doc(hidden)]
    pub fn join<I: IntoIterator>(&self, names: I) -> JoinedNames<'_, I::IntoIter> {
        JoinedNames {
            walk: self.sorted_lookup(),
            names: names.into_iter(),
        }
    }
}

impl<'i, I, N> Iterator for JoinedNames<'i, I>
where
    I: Iterator<Item = N>,
    N: AsRef<str>,
{
    type Item = Result<(N, Option<IndexEntry<'i>>), IndexError>;

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.names.next()?;
        let known = self.walk.find(name.as_ref());
        Some(known.map(|known| (name, known)))
    }
}
