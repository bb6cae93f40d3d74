//! Looks up many sorted names.

use crate::{Index, IndexError, Known, Walk};

/// An iterator over names, each with the facts about it.
pub struct Join<'i, I> {
    walk: Walk<'i>,
    names: I,
}

impl Index {
    /// Looks up names that are sorted bytewise, as a [`Walk`] does.
    pub fn join<I: IntoIterator>(&self, names: I) -> Join<'_, I::IntoIter> {
        Join {
            walk: self.walk(),
            names: names.into_iter(),
        }
    }
}

impl<'i, I, N> Iterator for Join<'i, I>
where
    I: Iterator<Item = N>,
    N: AsRef<str>,
{
    type Item = Result<(N, Option<Known<'i>>), IndexError>;

    fn next(&mut self) -> Option<Self::Item> {
        let name = self.names.next()?;
        let known = self.walk.find(name.as_ref());
        Some(known.map(|known| (name, known)))
    }
}
