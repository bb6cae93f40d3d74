//! Reads the references of records: of JATS, TEI, Crossref, DataCite and the other formats that `structure` knows.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use crate::check::reference::CitedWork;
use doisift_structure::{Event, ItemPart, Structure, StructureRequest, Syntax};

/// A reference of a record.
pub(in crate::check) struct CitedItem {
    /// Its bytes in the document.
    pub(in crate::check) place: Range<u64>,
    pub(in crate::check) key: Option<String>,
    pub(in crate::check) work: CitedWork,
    /// The texts of its fields for names.
    pub(in crate::check) names: Vec<CitedName>,
    /// The number of its record in the document, from 1.
    pub(in crate::check) record: u64,
}

/// The text of a field for a name.
pub(in crate::check) struct CitedName {
    pub(in crate::check) text: String,
    /// The bytes in the document that hold it.
    pub(in crate::check) place: Range<u64>,
    /// Whether the field may hold identifiers of other kinds too.
    pub(in crate::check) is_any: bool,
}

/// Finds the references of the records of a document.
pub(in crate::check) struct ItemReader {
    structure: Structure,
    /// The offset up to which the document was read.
    read: u64,
    items: OpenItems,
}

#[derive(Default)]
struct OpenItems {
    /// References that have ended, in their order.
    ended: VecDeque<CitedItem>,
    /// The item that is open, and whether it is a reference.
    open: Option<(CitedItem, bool)>,
    /// Number of open items inside it.
    inner: usize,
    record: u64,
}

static WANTED: LazyLock<Arc<StructureRequest>> = LazyLock::new(|| {
    Arc::new(StructureRequest {
        names: true,
        ..StructureRequest::default()
    })
});

impl ItemReader {
    pub(in crate::check) fn new(syntax: Syntax) -> Self {
        ItemReader {
            structure: Structure::new(syntax, &WANTED),
            read: 0,
            items: OpenItems::default(),
        }
    }

    /// Reads the bytes of `held` that were not read before. `held` starts at `offset` in the document.
    pub(in crate::check) fn read(&mut self, held: &[u8], offset: u64, is_last: bool) {
        let new = &held[(self.read - offset) as usize..];
        let items = &mut self.items;
        self.structure
            .read(new, new.len(), &mut |event| items.take(event));
        self.read = offset + held.len() as u64;
        if is_last {
            self.structure.end(&mut |event| items.take(event));
        }
    }

    /// Returns the offset of the open reference.
    pub(in crate::check) fn open(&self) -> Option<u64> {
        let open = self.items.open.as_ref();
        open.and_then(|(item, is_reference)| is_reference.then_some(item.place.start))
    }

    /// Drops the open reference, since it is too long.
    pub(in crate::check) fn give_up(&mut self) {
        if let Some((item, is_reference)) = &mut self.items.open {
            *is_reference = false;
            item.names.clear();
        }
    }

    /// The references that have ended, in their order.
    pub(in crate::check) fn ended(&mut self) -> &mut VecDeque<CitedItem> {
        &mut self.items.ended
    }
}

impl OpenItems {
    fn take(&mut self, event: Event<'_>) {
        match (event, &mut self.open) {
            (Event::Open | Event::Close, _) => self.record += 1,
            (Event::Item { .. }, Some(_)) => self.inner += 1,
            (
                Event::Item {
                    reference, offset, ..
                },
                None,
            ) => {
                let item = CitedItem {
                    place: offset..offset,
                    key: None,
                    work: CitedWork::default(),
                    names: Vec::new(),
                    record: self.record + 1,
                };
                self.open = Some((item, reference.is_some()));
            }
            (Event::Related { cites: false }, Some((_, is_reference))) => *is_reference = false,
            (Event::Part { part, text, place }, Some((item, true))) => {
                item.take(part, text, place.0..place.1);
            }
            (Event::EndItem(_), Some(_)) if self.inner > 0 => self.inner -= 1,
            (Event::EndItem(end), _) => self.end(end),
            _ => {}
        }
    }

    fn end(&mut self, end: u64) {
        if let Some((mut item, true)) = self.open.take() {
            item.place.end = end;
            self.ended.push_back(item);
        }
    }
}

impl CitedItem {
    fn take(&mut self, part: ItemPart, text: &str, place: Range<u64>) {
        match part {
            ItemPart::Key => {
                self.key.get_or_insert_with(|| text.to_owned());
            }
            ItemPart::Name | ItemPart::Identifier if !text.trim().is_empty() => {
                self.names.push(CitedName {
                    text: text.to_owned(),
                    place,
                    is_any: part == ItemPart::Identifier,
                });
            }
            part => self.work.add(part, text),
        }
    }
}
