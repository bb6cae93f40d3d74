//! Finds the objects of a file by their numbers, within limits on time and memory.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Deref;
use std::rc::Rc;

use super::crypt::Decryption;
use super::filter::{Filter, FilterOutput, StreamFlaw, listed, unpack};
use super::lexer::{Lexer, MAX_OBJECTS, Token, is_blank};
use super::object::{ObjectRef, PdfDict, PdfObject, PdfStream};
use super::table::{ObjectPlace, ObjectTable, data_start, header_at, stated_end};

/// Maximum length of a chain of references, and maximum depth of objects that are needed to read others.
const MAX_DEPTH: usize = 16;
/// Maximum number of unpacked object streams that are kept.
const MAX_KEPT_STREAMS: usize = 8;

/// Limits on the cost of one file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PdfLimits {
    /// Maximum bytes of the file, and maximum bytes unpacked of it at the same time.
    pub(crate) memory: usize,
    /// Maximum bytes unpacked of it in total. Repeated ones count each time.
    pub(crate) total: u64,
    /// Whether the file is not read again with higher limits.
    pub(crate) is_last: bool,
}

/// The limits, and the used part of them.
#[derive(Debug)]
struct PdfBudget {
    memory: usize,
    held: Cell<usize>,
    left: Cell<u64>,
}

/// Unpacked bytes, which count as held until they are dropped.
#[derive(Debug)]
pub(super) struct BudgetedBytes<'b> {
    bytes: Vec<u8>,
    budget: &'b PdfBudget,
    pub(super) flaw: Option<StreamFlaw>,
}

impl Deref for BudgetedBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for BudgetedBytes<'_> {
    fn drop(&mut self) {
        self.budget
            .held
            .set(self.budget.held.get() - self.bytes.capacity());
    }
}

/// An object stream (7.5.7) that was unpacked.
struct ObjectStream {
    number: u32,
    bytes: Vec<u8>,
    /// The number and the offset of each object.
    index: Vec<(u32, usize)>,
}

/// A file whose objects can be read.
pub(super) struct PdfFile<'d> {
    data: &'d [u8],
    table: ObjectTable,
    crypt: Option<Decryption>,
    budget: PdfBudget,
    /// Number of objects that are being read, one within another.
    depth: Cell<usize>,
    /// The first flaw of unpacked streams that was not taken yet.
    damage: Cell<Option<DamagedStream>>,
    /// Whether something was cut because of the limit on memory.
    is_short: Cell<bool>,
    streams: RefCell<Vec<Rc<ObjectStream>>>,
}

/// A flaw of a stream that pages, fonts or other objects need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DamagedStream {
    pub(super) flaw: StreamFlaw,
    /// The number of the stream, and the offset of its data in the file.
    pub(super) object: u32,
    pub(super) offset: usize,
}

/// A file that needs a password, or is encrypted by an unknown method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PasswordNeeded;

impl<'d> PdfFile<'d> {
    /// Finds the objects of `data`, which starts with the header.
    pub(super) fn open(data: &'d [u8], limits: PdfLimits) -> Result<Self, PasswordNeeded> {
        let mut file = PdfFile {
            data,
            table: ObjectTable::search(data),
            crypt: None,
            budget: PdfBudget {
                memory: limits.memory,
                held: Cell::new(0),
                left: Cell::new(limits.total),
            },
            depth: Cell::new(0),
            damage: Cell::new(None),
            is_short: Cell::new(false),
            streams: RefCell::default(),
        };
        file.crypt = file.decryption();
        if file.crypt.as_ref().is_some_and(Decryption::is_locked) {
            return Err(PasswordNeeded);
        }
        file.index_streams();
        if !file.catalog().dict().has(b"Pages") {
            file.find_catalog();
        }
        Ok(file)
    }

    /// Returns the encryption that the trailer describes; `None` if the file is not encrypted.
    fn decryption(&self) -> Option<Decryption> {
        let dict = self.get(self.trailer(), b"Encrypt");
        let ids = self.items(self.trailer().get(b"ID"));
        let id = ids.first().and_then(PdfObject::text).unwrap_or_default();
        let get = |dict: &PdfDict, key: &[u8]| self.get(dict, key);
        (dict != PdfObject::Null).then(|| Decryption::of(dict.dict(), id, &get))
    }

    /// Adds the objects in object streams to the table, except those that come again after their stream.
    fn index_streams(&mut self) {
        for (number, offset) in std::mem::take(&mut self.table.streams) {
            if self.table.get(number) != Some(ObjectPlace::At(offset)) {
                continue;
            }
            let Some(objects) = self.object_stream(number) else {
                continue;
            };
            for (index, (own, _)) in objects.index.iter().enumerate() {
                let stream = number;
                let place = ObjectPlace::In { stream, index };
                if !self.table.is_after(*own, offset) && !self.table.add(*own, place) {
                    return self.budget.left.set(0);
                }
            }
        }
    }

    /// Makes the last catalog the root, as no trailer leads to one.
    fn find_catalog(&mut self) {
        let is_catalog = |number: &u32| {
            let object = self.load(*number);
            object.dict().get(b"Type").name() == b"Catalog" && object.dict().has(b"Pages")
        };
        if let Some(number) = self.numbers().into_iter().rfind(is_catalog) {
            let root = ObjectRef {
                number,
                generation: 0,
            };
            let entry = (b"Root".to_vec(), PdfObject::Ref(root));
            self.table.trailer.0.push(entry);
        }
    }

    /// Whether the file ends with a table of its objects. A file that was cut short does not.
    pub(super) fn has_end(&self) -> bool {
        self.table.has_end
    }

    pub(super) fn trailer(&self) -> &PdfDict {
        &self.table.trailer
    }

    pub(super) fn catalog(&self) -> PdfObject {
        self.get(self.trailer(), b"Root")
    }

    /// Returns the value of `key`, following references.
    pub(super) fn get(&self, dict: &PdfDict, key: &[u8]) -> PdfObject {
        self.resolve(dict.get(key))
    }

    /// Returns `object`, following references.
    pub(super) fn resolve(&self, object: &PdfObject) -> PdfObject {
        let mut object = object.clone();
        for _ in 0..MAX_DEPTH {
            match object {
                PdfObject::Ref(reference) => object = self.load(reference.number),
                other => return other,
            }
        }
        PdfObject::Null
    }

    /// Returns the elements of an array, following references.
    pub(super) fn items(&self, array: &PdfObject) -> Vec<PdfObject> {
        let items = self.resolve(array);
        items
            .array()
            .iter()
            .map(|item| self.resolve(item))
            .collect()
    }

    /// Returns the numbers of all objects, in the order of the file.
    pub(super) fn numbers(&self) -> Vec<u32> {
        self.table.in_file_order()
    }

    /// Returns the object with this number; null if it does not exist, or a limit is reached.
    pub(super) fn load(&self, number: u32) -> PdfObject {
        if self.depth.get() >= MAX_DEPTH || self.is_spent() {
            return PdfObject::Null;
        }
        self.depth.set(self.depth.get() + 1);
        let object = match self.table.get(number) {
            Some(ObjectPlace::At(at)) => self.at(at),
            Some(ObjectPlace::In { stream, index }) => self.within(stream, index),
            None => None,
        };
        self.depth.set(self.depth.get() - 1);
        object.unwrap_or_default()
    }

    fn at(&self, at: usize) -> Option<PdfObject> {
        let (id, start) = header_at(self.data, at)?;
        let mut lexer = Lexer::new(self.data, start);
        let mut object = self.object(&mut lexer)?;
        if let Some(crypt) = &self.crypt {
            crypt.decrypt_texts(&mut object, id);
        }
        let PdfObject::Dict(dict) = object else {
            return Some(object);
        };
        let Some(start) = data_start(self.data, lexer) else {
            return Some(PdfObject::Dict(dict));
        };
        let end = stated_end(self.data, start, self.get(&dict, b"Length").count());
        Some(PdfObject::Stream(PdfStream {
            dict,
            data: start..end.unwrap_or_else(|| self.searched_end(start)),
            id,
        }))
    }

    /// Searches for the end of the data at `start`.
    fn searched_end(&self, start: usize) -> usize {
        let found = memchr::memmem::find(&self.data[start..], b"endstream");
        let end = found.map_or(self.data.len(), |length| start + length);
        self.spend(end - start);
        end
    }

    fn within(&self, stream: u32, index: usize) -> Option<PdfObject> {
        let objects = self.object_stream(stream)?;
        let (_, at) = objects.index.get(index)?;
        self.object(&mut Lexer::new(&objects.bytes, *at))
    }

    /// Reads an object. One that has too many objects ends the reading of the file.
    fn object(&self, lexer: &mut Lexer<'_>) -> Option<PdfObject> {
        let start = lexer.at;
        let object = lexer.object();
        self.spend(lexer.at - start);
        if lexer.objects == MAX_OBJECTS {
            self.budget.left.set(0);
        }
        object
    }

    fn object_stream(&self, number: u32) -> Option<Rc<ObjectStream>> {
        let kept = self.streams.borrow();
        if let Some(found) = kept.iter().find(|stream| stream.number == number) {
            return Some(Rc::clone(found));
        }
        drop(kept);
        let Some(ObjectPlace::At(at)) = self.table.get(number) else {
            return None;
        };
        let Some(PdfObject::Stream(stream)) = self.at(at) else {
            return None;
        };
        let unpacked = self.unpack(&stream, self.budget.memory / (2 * MAX_KEPT_STREAMS));
        let first = self.get(&stream.dict, b"First").count()?;
        let count = self.get(&stream.dict, b"N").count()?;
        let bytes = unpacked.bytes;
        let mut lexer = Lexer::new(&bytes, 0);
        let index = stream_index(&mut lexer, first, count);
        // The objects follow the index directly. Otherwise a number or offset is wrong.
        let between = bytes.get(lexer.at.min(first)..first);
        let is_whole = index.len() == count
            && between.is_some_and(|bytes| bytes.iter().all(|byte| is_blank(*byte)));
        let flaw = unpacked.flaw.or((!is_whole).then_some(StreamFlaw::Damaged));
        self.note(flaw, &stream);
        let objects = Rc::new(ObjectStream {
            number,
            bytes,
            index,
        });
        let mut kept = self.streams.borrow_mut();
        if kept.len() == MAX_KEPT_STREAMS {
            kept.remove(0);
        }
        kept.push(Rc::clone(&objects));
        Some(objects)
    }

    /// Undoes the filters of a stream.
    pub(super) fn decode(&self, stream: &PdfStream) -> BudgetedBytes<'_> {
        let budget = &self.budget;
        let max = (budget.memory / 2).saturating_sub(budget.held.get());
        let unpacked = self.unpack(stream, max);
        budget
            .held
            .set(budget.held.get() + unpacked.bytes.capacity());
        BudgetedBytes {
            bytes: unpacked.bytes,
            budget,
            flaw: unpacked.flaw,
        }
    }

    fn unpack(&self, stream: &PdfStream, max: usize) -> FilterOutput {
        let left = usize::try_from(self.budget.left.get()).unwrap_or(usize::MAX);
        let value = |long: &[u8], short: &[u8]| match self.get(&stream.dict, long) {
            PdfObject::Null => self.get(&stream.dict, short),
            value => value,
        };
        let each = |value: PdfObject| match value {
            PdfObject::Array(items) => {
                PdfObject::Array(items.iter().map(|item| self.resolve(item)).collect())
            }
            other => other,
        };
        let filters = listed(
            each(value(b"Filter", b"F")),
            each(value(b"DecodeParms", b"DP")),
        );
        let packed = &self.data[stream.data.clone()];
        let max = max.min(left);
        let unpacked = match self.decrypted(packed, stream, &filters) {
            Some(bytes) => unpack(&bytes, &filters, max),
            None => FilterOutput {
                flaw: Some(StreamFlaw::Unreadable),
                ..FilterOutput::default()
            },
        };
        self.spend(unpacked.bytes.len() + packed.len());
        if unpacked.flaw == Some(StreamFlaw::Damaged) {
            self.note(unpacked.flaw, stream);
        }
        if unpacked.flaw == Some(StreamFlaw::Large) {
            self.shorten();
        }
        unpacked
    }

    /// Returns the decrypted bytes of a stream; `None` if it is encrypted by an unknown filter.
    fn decrypted<'b>(
        &self,
        bytes: &'b [u8],
        stream: &PdfStream,
        filters: &[Filter],
    ) -> Option<Cow<'b, [u8]>> {
        let own = filters.iter().find_map(Filter::crypt_name);
        match (&self.crypt, own) {
            (Some(crypt), None) => Some(crypt.decrypted(bytes, stream)),
            (Some(crypt), Some(name)) => {
                let dict = self.get(self.trailer(), b"Encrypt");
                let get = |dict: &PdfDict, key: &[u8]| self.get(dict, key);
                crypt.decrypted_by((dict.dict(), name), &get, bytes, stream)
            }
            (None, None | Some(b"" | b"Identity")) => Some(bytes.into()),
            (None, Some(_)) => None,
        }
    }

    /// Records a flaw of a stream, unless an earlier one was not taken yet.
    pub(super) fn note(&self, flaw: Option<StreamFlaw>, stream: &PdfStream) {
        let Some(flaw) = flaw.filter(|_| self.damage.get().is_none()) else {
            return;
        };
        self.damage.set(Some(DamagedStream {
            flaw,
            object: stream.id.number,
            offset: stream.data.start,
        }));
    }

    /// Takes the first flaw since the last call.
    pub(super) fn take_damage(&self) -> Option<DamagedStream> {
        self.damage.take()
    }

    /// Records that something was cut because of the limit on memory.
    pub(super) fn shorten(&self) {
        self.is_short.set(true);
    }

    pub(super) fn is_short(&self) -> bool {
        self.is_short.get()
    }

    /// Returns the maximum bytes that may be held.
    pub(super) fn memory(&self) -> usize {
        self.budget.memory
    }

    /// Counts work in bytes.
    pub(super) fn spend(&self, bytes: usize) {
        /// The minimum cost of any work, in bytes.
        const MIN_COST_BYTES: u64 = 64;
        let left = self.budget.left.get();
        self.budget
            .left
            .set(left.saturating_sub(bytes as u64 + MIN_COST_BYTES));
    }

    /// Whether the limit on the total is reached.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.left.get() == 0
    }
}

/// Reads the numbers of the `count` objects of a stream, and their offsets. The first object is at `first`.
fn stream_index(lexer: &mut Lexer<'_>, first: usize, count: usize) -> Vec<(u32, usize)> {
    let mut index = Vec::new();
    while index.len() < count && lexer.at < first {
        let (Some(Token::Number(own)), Some(Token::Number(offset))) =
            (lexer.token(), lexer.token())
        else {
            break;
        };
        index.push((own as u32, first.saturating_add(offset as usize)));
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(data: &[u8]) -> PdfFile<'_> {
        let limits = PdfLimits {
            memory: 1 << 20,
            total: 1 << 20,
            is_last: true,
        };
        PdfFile::open(data, limits).ok().unwrap()
    }

    #[test]
    fn the_later_of_two_objects_counts_in_object_streams_too() {
        let data = b"%PDF-1.5\n1 0 obj(old)endobj\n\
            5 0 obj<</Type/ObjStm/N 2/First 8/Length 18>>stream\n1 0 2 5 (new)(old)\nendstream endobj\n\
            2 0 obj(new)endobj";
        let file = open(data);
        for number in [1, 2] {
            assert_eq!(file.load(number), PdfObject::Text(b"new".to_vec()));
        }
    }

    #[test]
    fn a_search_for_the_end_of_a_stream_is_work() {
        let objects = (1..1000).map(|n| format!("{n} 0 obj<</Length 9>>stream\nx\nendobj\n"));
        let data = format!("%PDF-1.4\n{}", objects.collect::<String>());
        let file = open(data.as_bytes());
        for number in file.numbers() {
            file.load(number);
        }
        assert!(file.is_spent());
    }
}
