//! A part of the sorted records of a table, which one thread passes on.

use std::convert::Infallible;

use super::order::{self, Item};
use super::page::EntryPage;
use super::rows::{SourceNames, record};
use super::shard::TableShard;
use crate::records::Record;

/// Consecutive records of a table, sorted by key bytewise.
pub(crate) struct TablePart<'t> {
    entries: PartEntries<'t>,
    sources: &'t SourceNames,
}

/// The storage of a part's keys and facts.
enum PartEntries<'t> {
    Table(&'t [&'t TableShard], &'t [Item]),
    Page(&'t EntryPage),
}

impl<'t> TablePart<'t> {
    /// Creates a part of the keys of `items`, which are in `shards`.
    pub(super) fn of_items(
        shards: &'t [&'t TableShard],
        items: &'t [Item],
        sources: &'t SourceNames,
    ) -> Self {
        let entries = PartEntries::Table(shards, items);
        TablePart { entries, sources }
    }

    pub(super) fn of_page(page: &'t EntryPage, sources: &'t SourceNames) -> Self {
        let entries = PartEntries::Page(page);
        TablePart { entries, sources }
    }

    /// Calls `each` with the key of each record, which takes a fifth of the time of [`records`](Self::records).
    pub(crate) fn each_key(&self, mut each: impl FnMut(&[u8])) {
        match self.entries {
            PartEntries::Table(shards, items) => {
                let each = |shard: &TableShard, at| {
                    each(shard.key(at));
                    Ok::<_, Infallible>(())
                };
                let Ok(()) = order::each(shards, items, each);
            }
            PartEntries::Page(page) => page.keys().for_each(each),
        }
    }

    /// Returns the records. If only keys are kept, all other fields are empty.
    pub(crate) fn records(&self) -> Box<dyn Iterator<Item = Record<'t>> + 't> {
        let sources = self.sources;
        match self.entries {
            PartEntries::Table(shards, items) => Box::new(of_items(shards, items, sources)),
            PartEntries::Page(page) => {
                let entries = page.entries();
                Box::new(entries.map(|entry| record(entry.key, entry.known, sources)))
            }
        }
    }
}

fn of_items<'t>(
    shards: &'t [&'t TableShard],
    items: &'t [Item],
    sources: &'t SourceNames,
) -> impl Iterator<Item = Record<'t>> {
    items.chunks(order::LOADED_ITEMS).flat_map(move |some| {
        order::touch(shards, some);
        let known = some.iter().map(|item| {
            let (shard, at) = item.place();
            (shards[shard].key(at), shards[shard].known(at))
        });
        let known: Vec<_> = known.collect();
        known
            .into_iter()
            .map(move |(key, known)| record(key, known, sources))
    })
}
