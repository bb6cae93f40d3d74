//! The values of a column in a row group.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::codec::PageCodec;
use super::levels::HybridNumbers;
use super::page::{PageError, PageHeader, PageKind, PageStream};
use super::plain;
use super::schema::{LeafKind, ParquetLeaf};
use crate::columnar::cells::{CellBatchBuilder, CellDictionary};
use crate::columnar::part::{CellColumn, ColumnFault};

/// Values and nulls that a row may have.
const MAX_ROW_VALUES: u32 = 1 << 24;

/// Reads the values of a column, row by row.
pub(super) struct ColumnReader {
    kind: LeafKind,
    /// The max repetition level and definition level.
    repetition: u32,
    definition: u32,
    pages: PageStream,
    /// Values and nulls of all pages so far, and as the metadata says.
    values: u64,
    stated: u64,
    codec: PageCodec,
    dictionary: Option<Arc<CellDictionary>>,
    page: DataPage,
    /// The bytes of the page.
    bytes: Vec<u8>,
    /// The value that was read last. Returning it would copy it through memory for each cell.
    value: LeafValue,
    /// The index in each list of the cell that was read last.
    indices: Vec<u32>,
    /// Whether no more pages come.
    ended: bool,
    memory: Rc<Cell<usize>>,
    /// The memory that this column takes.
    held: usize,
    /// Losses, with offsets in the file.
    faults: Vec<(u64, ColumnFault)>,
}

/// The buffers for packed and unpacked pages of a column, with old content.
pub(crate) type ColumnBuffers = [Vec<u8>; 2];

/// A page of values.
#[derive(Debug, Default)]
struct DataPage {
    /// Its offset in the file.
    offset: u64,
    /// Values and nulls that are not read.
    left: u64,
    repetitions: HybridNumbers,
    definitions: HybridNumbers,
    values: PageValues,
}

/// The values of a page.
#[derive(Debug, Default)]
enum PageValues {
    /// The page was lost.
    #[default]
    Lost,
    /// Texts after their lengths, or integers, from this index of the page on.
    Plain(usize),
    /// Numbers of entries in the dictionary.
    Entries(HybridNumbers),
    Flags(HybridNumbers),
}

/// A value.
#[derive(Clone, Copy)]
enum LeafValue {
    /// The start and end of its bytes in the page.
    Plain(usize, usize),
    /// The number of its entry in the dictionary.
    Entry(u32),
    Flag(bool),
}

impl ColumnReader {
    pub(super) fn new(
        pages: PageStream,
        leaf: &ParquetLeaf,
        values: u64,
        codec: PageCodec,
        memory: &Rc<Cell<usize>>,
        bytes: Vec<u8>,
    ) -> Self {
        ColumnReader {
            kind: leaf.kind,
            repetition: leaf.repetition,
            definition: leaf.definition,
            pages,
            values: 0,
            stated: values,
            codec,
            dictionary: None,
            page: DataPage::default(),
            bytes,
            value: LeafValue::Flag(false),
            indices: vec![0; leaf.repetition as usize],
            ended: false,
            memory: Rc::clone(memory),
            held: 0,
            faults: Vec::new(),
        }
    }

    pub(super) fn into_buffers(self) -> ColumnBuffers {
        [self.pages.into_buffer(), self.bytes]
    }

    fn flat_rows(&mut self, from: u32, to: u32, into: &mut CellBatchBuilder) -> u32 {
        let mut row = from;
        while row < to {
            if self.page.left == 0 && !self.load() {
                return to;
            }
            let nulls = self.nulls(u64::from(to - row));
            if nulls > 0 {
                row += nulls as u32;
                self.page.left -= nulls;
                continue;
            }
            if !into.row() && row > from {
                return row;
            }
            if self.flat_value() && !self.add(row, into) {
                self.report_rest("a row is too large");
            }
            row += 1;
        }
        row
    }

    /// Reads the value of the next row of a column without lists. Returns false if it is null or lost.
    pub(super) fn flat_row(&mut self) -> bool {
        if self.page.left == 0 && !self.load() {
            return false;
        }
        match self.nulls(1) {
            0 => self.flat_value(),
            nulls => {
                self.page.left -= nulls;
                false
            }
        }
    }

    /// How many of the next rows, at most `max`, are null or lost in this page. Passes over their levels.
    #[inline]
    fn nulls(&mut self, max: u64) -> u64 {
        let max = self.page.left.min(max);
        let page = &mut self.page;
        match page.values {
            PageValues::Lost => max,
            _ if self.definition == 0 => 0,
            _ => match page.definitions.peek(&self.bytes) {
                Some(level) if level < self.definition => {
                    let nulls = page.definitions.repeated(&self.bytes, max);
                    nulls.map_or(0, |(_, count)| count)
                }
                _ => 0,
            },
        }
    }

    /// Reads the value of a row that is not null. Returns false if the page is lost instead.
    #[inline]
    fn flat_value(&mut self) -> bool {
        self.page.left -= 1;
        let full = self.definition;
        if full > 0 && self.page.definitions.next_number(&self.bytes) != Some(full) {
            self.report_page_loss("a page has damaged levels");
            return false;
        }
        let is_read = self.next_value().is_some();
        if !is_read {
            self.report_page_loss("a page has damaged values");
        }
        is_read
    }

    fn nested_rows(&mut self, from: u32, to: u32, into: &mut CellBatchBuilder) -> u32 {
        for row in from..to {
            if self.page.left == 0 && !self.load() {
                return to;
            }
            if !into.row() && row > from {
                return row;
            }
            let read = self.nested_row(|column| column.add(row, into));
            if let Err(fault) = read {
                self.report_rest(fault);
            }
        }
        to
    }

    /// Passes the texts of the next row of a column of lists to `each`.
    pub(super) fn list_row(&mut self, mut each: impl FnMut(&[u8])) {
        if self.page.left == 0 && !self.load() {
            return;
        }
        let read = self.nested_row(|column| {
            each(column.value_bytes());
            true
        });
        if let Err(fault) = read {
            self.report_rest(fault);
        }
    }

    /// Passes the values of a row, which goes on until a repetition level is 0, to `add`, which returns whether there is room.
    fn nested_row(&mut self, mut add: impl FnMut(&Self) -> bool) -> Result<(), &'static str> {
        const LEVELS: &str = "a page has damaged levels";
        for number in 0..MAX_ROW_VALUES {
            // A row may go on in the next page. After its first value, it may also be the last of the column.
            if self.page.left == 0 && (self.ended || !self.next_page()) {
                return Ok(());
            }
            let (page, bytes) = (&mut self.page, &self.bytes);
            let repetition = page.repetitions.peek(bytes).ok_or(LEVELS)?;
            match (number, repetition) {
                (0, 0) | (1.., 1..) if repetition <= self.repetition => {}
                (1.., 0) => return Ok(()),
                _ => return Err(LEVELS),
            }
            page.repetitions.next_number(bytes);
            let definition = page.definitions.next_number(bytes).ok_or(LEVELS)?;
            page.left -= 1;
            self.next_level(repetition as usize);
            if definition > self.definition {
                return Err(LEVELS);
            }
            if definition == self.definition {
                self.next_value().ok_or("a page has damaged values")?;
                if !add(self) {
                    return Err("a row is too large");
                }
            }
        }
        Err("a row is too large")
    }

    /// Moves to the next item of the list at this level, or to the next row.
    fn next_level(&mut self, repetition: usize) {
        let inner = match repetition.checked_sub(1) {
            Some(list) => {
                self.indices[list] += 1;
                repetition
            }
            None => 0,
        };
        self.indices[inner..].fill(0);
    }

    /// Reads the next value that is not null. Returns `None` if the page is damaged.
    #[inline]
    fn next_value(&mut self) -> Option<()> {
        self.value = match &mut self.page.values {
            PageValues::Lost => return None,
            PageValues::Plain(at) => {
                let (start, end) = plain::value_at(self.kind, &self.bytes, *at)?;
                *at = end;
                LeafValue::Plain(start, end)
            }
            PageValues::Entries(numbers) => {
                let entry = numbers.next_number(&self.bytes)?;
                let count = self.dictionary.as_ref().map_or(0, |all| all.len());
                let entry = Some(entry).filter(|&entry| (entry as usize) < count)?;
                LeafValue::Entry(entry)
            }
            PageValues::Flags(numbers) => LeafValue::Flag(numbers.next_number(&self.bytes)? == 1),
        };
        Some(())
    }

    /// The bytes of the value that was read last: its text, or its integer.
    #[inline]
    pub(super) fn value_bytes(&self) -> &[u8] {
        let bytes = match (self.value, &self.dictionary) {
            (LeafValue::Plain(start, end), _) => self.bytes.get(start..end),
            (LeafValue::Entry(entry), Some(all)) => Some(all.entry(entry as usize)),
            (LeafValue::Entry(_), None) | (LeafValue::Flag(_), _) => None,
        };
        bytes.unwrap_or_default()
    }

    /// The value that was read last, if it is an integer.
    #[inline]
    pub(super) fn integer(&self) -> Option<i128> {
        plain::integer(self.kind, self.value_bytes())
    }

    /// The value that was read last, if it is a number with a binary point.
    #[inline]
    pub(super) fn float(&self) -> Option<f64> {
        let bytes = self.value_bytes().try_into().ok();
        let bytes = bytes.filter(|_| self.kind == LeafKind::Float);
        bytes.map(f64::from_le_bytes)
    }

    /// The value that was read last, if it is a boolean.
    #[inline]
    pub(super) fn flag(&self) -> Option<bool> {
        match self.value {
            LeafValue::Flag(flag) => Some(flag),
            LeafValue::Plain(..) | LeafValue::Entry(_) => None,
        }
    }

    fn add(&self, row: u32, into: &mut CellBatchBuilder) -> bool {
        match (self.value, &self.dictionary) {
            (LeafValue::Entry(entry), Some(all)) => into.entry(row, all, entry, &self.indices),
            _ => into.plain(row, self.value_bytes(), &self.indices),
        }
    }

    /// Reports that what is left of the page is lost.
    fn report_page_loss(&mut self, what: &'static str) {
        self.faults
            .push((self.page.offset, ColumnFault::Damaged(what)));
        self.page.values = PageValues::Lost;
        if self.repetition > 0 {
            self.close();
        }
    }

    /// Reports that what is left of the column is lost.
    fn report_rest(&mut self, what: &'static str) {
        self.faults
            .push((self.page.offset, ColumnFault::Damaged(what)));
        self.close();
    }

    fn close(&mut self) {
        self.page = DataPage::default();
        self.ended = true;
    }

    /// Reads the next page of values. Returns false at the end of the column, which is reported if it comes too early.
    fn load(&mut self) -> bool {
        let is_read = !self.ended && self.next_page();
        if !is_read && !self.ended {
            self.page.offset = self.pages.offset();
            self.report_rest("it has fewer rows than its row group");
        }
        is_read
    }

    /// Whether the page, whose values were all read, has more.
    fn has_more(&self) -> bool {
        let page = &self.page;
        match &page.values {
            PageValues::Lost => false,
            // fastparquet adds a length of 0 for each null, and texts without bytes lose nothing.
            PageValues::Plain(at) if !is_zero(self.bytes.get(*at..)) => true,
            PageValues::Entries(numbers) | PageValues::Flags(numbers) if numbers.has_more() => true,
            _ => page.definitions.has_more() || page.repetitions.has_more(),
        }
    }

    /// Reads the next page of values; after damage, one that is lost. Returns false at the end of the column, or if the rest is
    /// lost.
    fn next_page(&mut self) -> bool {
        if self.has_more() {
            let fault = ColumnFault::Damaged("a page has more values than its header says");
            self.faults.push((self.page.offset, fault));
        }
        self.page = DataPage::default();
        loop {
            let offset = self.pages.offset();
            let header = match self.pages.header() {
                Ok(Some(header)) => header,
                Ok(None) => return false,
                Err(error) => {
                    self.fail(offset, error.into());
                    return false;
                }
            };
            if header.kind.is_data() {
                self.values = self.values.saturating_add(header.values);
            }
            let goes_on = match self.read_page(offset, &header) {
                Ok(()) => true,
                Err(fault) => self.go_past(offset, &header, fault),
            };
            if !goes_on {
                return false;
            }
            if header.kind.is_data() && header.values > 0 {
                return true;
            }
        }
    }

    fn read_page(&mut self, offset: u64, header: &PageHeader) -> Result<(), ColumnFault> {
        match header.kind {
            PageKind::Data | PageKind::Data2 => self.data_page(offset, header),
            PageKind::Dictionary => self.dictionary_page(header),
            PageKind::Other => Ok(self.pages.body(header.packed).map(drop)?),
        }
    }

    /// Makes the page, which is damaged, one without values. Returns false if the rest of the column is lost too.
    fn go_past(&mut self, offset: u64, header: &PageHeader, fault: ColumnFault) -> bool {
        // The number of rows of the page is known, unless rows have several values.
        let is_damaged = matches!(fault, ColumnFault::Damaged(_));
        let is_known = header.kind.is_data() && is_damaged && self.repetition == 0;
        self.fail(offset, fault);
        if is_known {
            self.ended = false;
            self.page = DataPage {
                offset,
                left: header.values,
                ..DataPage::default()
            };
        }
        is_known
    }

    /// Takes the first loss, with its offset in the file.
    pub(super) fn first_fault(&mut self) -> Option<(u64, ColumnFault)> {
        (!self.faults.is_empty()).then(|| self.faults.swap_remove(0))
    }

    fn fail(&mut self, offset: u64, fault: ColumnFault) {
        self.faults.push((offset, fault));
        self.close();
    }

    /// Takes memory for a page, in addition to that of the dictionary.
    fn hold(&mut self, page: usize) -> Result<(), ColumnFault> {
        let dictionary = self.dictionary.as_ref().map_or(0, |all| all.held());
        let wanted = page.saturating_add(dictionary);
        let room = self.memory.get() + self.held;
        self.memory
            .set(room.checked_sub(wanted).ok_or(ColumnFault::Large)?);
        self.held = wanted;
        Ok(())
    }

    /// Unpacks the body of a page after `levels` bytes that are not packed into `bytes`.
    fn unpack(
        &mut self,
        header: &PageHeader,
        levels: usize,
        is_packed: bool,
    ) -> Result<(), ColumnFault> {
        const DAMAGED: ColumnFault = ColumnFault::Damaged("a page cannot be unpacked");
        self.hold(header.unpacked.saturating_add(header.packed))?;
        let packed = self.pages.body(header.packed)?;
        if header.crc.is_some_and(|crc| crc != crc32fast::hash(packed)) {
            return Err(ColumnFault::Damaged("a page does not match its checksum"));
        }
        let bytes = &mut self.bytes;
        if bytes.len() < header.unpacked {
            bytes.resize(header.unpacked, 0)
        } else {
            bytes.truncate(header.unpacked)
        }
        // Versions of parquet-cpp before 3.0 packed pages that they called unpacked.
        if !is_packed && packed.len() == bytes.len() {
            bytes.copy_from_slice(packed);
            return Ok(());
        }
        let (head, packed) = packed.split_at_checked(levels).ok_or(DAMAGED)?;
        let (unpacked, values) = bytes.split_at_mut_checked(levels).ok_or(DAMAGED)?;
        unpacked.copy_from_slice(head);
        // Without values, some writers leave out the packed bytes too.
        if values.is_empty() {
            return Ok(());
        }
        self.codec.unpack(packed, values).ok_or(DAMAGED)
    }

    fn dictionary_page(&mut self, header: &PageHeader) -> Result<(), ColumnFault> {
        const DAMAGED: ColumnFault = ColumnFault::Damaged("the dictionary is damaged");
        self.dictionary = None;
        self.unpack(header, 0, true)?;
        let values = header.values as usize;
        let (bytes, start) =
            plain::of_page(plain::PLAIN, self.kind, &self.bytes, 0, values).ok_or(DAMAGED)?;
        let bytes = bytes.unwrap_or_else(|| std::mem::take(&mut self.bytes));
        let entries = plain::entries(self.kind, &bytes[start..], values).ok_or(DAMAGED)?;
        self.dictionary = Some(Arc::new(CellDictionary::new(bytes, entries)));
        self.hold(0)
    }

    fn data_page(&mut self, offset: u64, header: &PageHeader) -> Result<(), ColumnFault> {
        const LEVELS: ColumnFault = ColumnFault::Damaged("a page has damaged levels");
        let is_second = header.kind == PageKind::Data2;
        let levels = header.levels[0].saturating_add(header.levels[1]);
        self.unpack(header, levels, header.is_packed)?;
        let greatest = [self.repetition, self.definition];
        if !is_second && !header.is_rle(greatest) {
            return Err(ColumnFault::Damaged(
                "levels are encoded in a way that is not supported",
            ));
        }
        let mut start = 0;
        let mut numbers = [HybridNumbers::default(), HybridNumbers::default()];
        for ((numbers, max), length) in numbers.iter_mut().zip(greatest).zip(header.levels) {
            let end = match (is_second, max) {
                (true, 0) if length > 0 => return Err(LEVELS),
                (true, _) => start + length,
                (false, 0) => continue,
                (false, _) => plain::text_at(&self.bytes, start)
                    .map(|(from, end)| {
                        start = from;
                        end
                    })
                    .ok_or(LEVELS)?,
            };
            *numbers =
                HybridNumbers::new(start..end, u32::BITS - max.leading_zeros()).ok_or(LEVELS)?;
            start = end;
        }
        let [repetitions, definitions] = numbers;
        self.page = DataPage {
            offset,
            left: header.values,
            repetitions,
            definitions,
            values: self.values(header, start)?,
        };
        Ok(())
    }

    /// The values of the page, which are the bytes from `start` on.
    fn values(&mut self, header: &PageHeader, start: usize) -> Result<PageValues, ColumnFault> {
        const DAMAGED: ColumnFault = ColumnFault::Damaged("a page has damaged values");
        if matches!(header.encoding, plain::DICTIONARY | plain::RLE_DICTIONARY) {
            if self.dictionary.is_none() {
                return Err(ColumnFault::Damaged("a page lacks its dictionary"));
            }
            // A page with nulls alone may lack the width.
            let width = self.bytes.get(start).copied().unwrap_or(0);
            let numbers = HybridNumbers::new(
                self.bytes.len().min(start + 1)..self.bytes.len(),
                width.into(),
            );
            return Ok(PageValues::Entries(numbers.ok_or(DAMAGED)?));
        }
        if self.kind == LeafKind::Flag {
            let flags = plain::flags(header.encoding, &self.bytes, start);
            return Ok(PageValues::Flags(flags.ok_or(DAMAGED)?));
        }
        if !plain::is_known(header.encoding) {
            return Err(ColumnFault::Damaged(
                "values are encoded in a way that is not supported",
            ));
        }
        let max = usize::try_from(header.values).map_err(|_| DAMAGED)?;
        let (bytes, start) =
            plain::of_page(header.encoding, self.kind, &self.bytes, start, max).ok_or(DAMAGED)?;
        if let Some(bytes) = bytes {
            self.hold(bytes.len())?;
            self.bytes = bytes;
        }
        Ok(PageValues::Plain(start))
    }
}

/// Whether there are no bytes but zeros.
fn is_zero(bytes: Option<&[u8]>) -> bool {
    bytes.unwrap_or_default().iter().all(|byte| *byte == 0)
}

impl CellColumn for ColumnReader {
    fn rows(&mut self, from: u32, to: u32, into: &mut CellBatchBuilder) -> u32 {
        match self.repetition {
            0 => self.flat_rows(from, to, into),
            _ => self.nested_rows(from, to, into),
        }
    }

    fn each_text(&mut self, rows: u32, mut each: impl FnMut(&[u8])) {
        for _ in 0..rows {
            match self.flat_row().then(|| self.integer()) {
                Some(Some(integer)) => each(itoa::Buffer::new().format(integer).as_bytes()),
                Some(None) => each(self.value_bytes()),
                None => each(&[]),
            }
        }
    }

    fn take_read(&mut self) -> u64 {
        self.pages.take_read()
    }

    fn take_faults(&mut self) -> Vec<(u64, ColumnFault)> {
        std::mem::take(&mut self.faults)
    }

    fn check_end(&mut self) {
        let is_whole = self.page.left == 0 && (self.ended || !self.next_page());
        if !is_whole {
            self.report_rest("it has more rows than its row group");
        } else if !self.ended && self.values != self.stated {
            self.report_rest("its pages do not have as many values as its metadata says");
        }
    }

    fn has_ended(&self) -> bool {
        self.ended
    }
}

impl From<PageError> for ColumnFault {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Io(error) => ColumnFault::Io(error),
            PageError::Header => ColumnFault::Damaged("the header of a page is damaged"),
            PageError::Cut => ColumnFault::Damaged("a page is cut"),
        }
    }
}
