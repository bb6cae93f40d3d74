//! Limits the unpacked size of a source in relation to its size, against decompression bombs.
//!
//! All unpacked bytes of the source count, at every depth and on every thread. The output repeats the names of documents at
//! every mention, so the bytes that long names may take there have a limit of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::fault::InputError;
use super::read::{ReadBytes, UnpackedAhead};

/// Bytes that every source may unpack to.
const FREE_BYTES: u64 = 64 << 20;

/// Maximum length of a document's name that costs nothing. Nearly all names are shorter.
const MAX_FREE_NAME_BYTES: usize = 256;
/// Bytes of a document per mention, to estimate how many it has. Hardly any mention is shorter.
const MENTION_BYTES: usize = 16;

/// The unpacked bytes of one source so far, and their limit.
#[derive(Debug)]
pub(super) struct Expansion {
    ratio: u64,
    /// Bytes that every source may unpack to.
    free: u64,
    /// Size of the source, if it is known before reading. Then the limit is reached at the same byte in every task.
    size: u64,
    read: AtomicU64,
    unpacked: AtomicU64,
    /// Bytes that names of documents may take in the output, estimated so far.
    named: AtomicU64,
    is_over: AtomicBool,
}

impl Expansion {
    /// Allows a source of `size` bytes to unpack to `ratio` times this size, or to 64 MiB if that is more. If the size is
    /// not known, `size` is 0, and the bytes read so far count instead.
    pub(super) fn new(ratio: u64, size: u64) -> Arc<Self> {
        Expansion::with_free(ratio, size, FREE_BYTES)
    }

    fn with_free(ratio: u64, size: u64, free: u64) -> Arc<Self> {
        Arc::new(Expansion {
            ratio,
            free,
            size,
            read: AtomicU64::new(0),
            unpacked: AtomicU64::new(0),
            named: AtomicU64::new(0),
            is_over: AtomicBool::new(false),
        })
    }

    /// Counts bytes of the source itself.
    pub(super) fn add_read(&self, bytes: u64) {
        self.read.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Returns the number of bytes of the source itself that were counted.
    pub(super) fn source_read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Whether the limit was reached and reported.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Ends the source at the limit. Returns true the first time, when the error is due.
    fn ends_now(&self) -> bool {
        !self.is_over.swap(true, Ordering::Relaxed)
    }

    /// Counts unpacked bytes. Returns how many of them are allowed.
    fn add_unpacked(&self, bytes: usize) -> usize {
        let before = self.unpacked.fetch_add(bytes as u64, Ordering::Relaxed);
        let left = self.max().saturating_sub(before);
        bytes.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    /// Counts unpacked bytes that are passed on together. Names of their documents have at most `name` bytes.
    ///
    /// # Errors
    /// If they are not allowed: [`InputError`] once for the whole source, then `None`.
    pub(super) fn add_rows(&self, bytes: u64, name: usize) -> Result<(), Option<InputError>> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let each = name_cost(name);
        let fault = match () {
            () if self.add_unpacked(bytes) < bytes => InputError::Expansion(self.ratio),
            () if each > 0 && self.add_named(bytes, each) < bytes => InputError::Names(self.ratio),
            () => return Ok(()),
        };
        Err(self.ends_now().then_some(fault))
    }

    /// Counts bytes of a document whose name costs `each` per byte. Returns how many of them are allowed.
    fn add_named(&self, bytes: usize, each: u64) -> usize {
        let cost = each.saturating_mul(bytes as u64);
        let before = self.named.fetch_add(cost, Ordering::Relaxed);
        let left = self.max().saturating_sub(before) / each;
        bytes.min(usize::try_from(left).unwrap_or(usize::MAX))
    }

    fn max(&self) -> u64 {
        let size = self.size.max(self.source_read());
        self.free.max(self.ratio.saturating_mul(size))
    }
}

/// Returns the cost per byte of a document whose name has `length` bytes; 0 for a short one.
pub(super) fn name_cost(length: usize) -> u64 {
    length
        .saturating_sub(MAX_FREE_NAME_BYTES)
        .div_ceil(MENTION_BYTES) as u64
}

/// Counts bytes of a source towards its limit. At the limit they end, with one error for the whole source.
pub(super) struct ExpansionReader<R> {
    inner: R,
    expansion: Arc<Expansion>,
    /// The cost per byte of a document with a long name, whose bytes are not counted as unpacked.
    name_cost: Option<u64>,
    /// Whether the next read returns the error.
    is_due: bool,
}

impl<R: ReadBytes> ExpansionReader<R> {
    /// Counts the unpacked bytes of `inner`. The error is an [`InputError::Expansion`].
    pub(super) fn of_unpacked(inner: R, expansion: &Arc<Expansion>) -> Self {
        ExpansionReader {
            inner,
            expansion: Arc::clone(expansion),
            name_cost: None,
            is_due: false,
        }
    }

    /// Counts the bytes of a document whose name costs `cost` per byte: the names may take too many bytes in the output. The
    /// error is an [`InputError::Names`].
    pub(super) fn of_long_name(inner: R, cost: u64, expansion: &Arc<Expansion>) -> Self {
        ExpansionReader {
            name_cost: Some(cost),
            ..ExpansionReader::of_unpacked(inner, expansion)
        }
    }

    /// Counts bytes. Returns how many of them are allowed.
    fn count(&self, bytes: usize) -> usize {
        match self.name_cost {
            None => self.expansion.add_unpacked(bytes),
            Some(cost) => self.expansion.add_named(bytes, cost),
        }
    }

    fn error(&self) -> InputError {
        match self.name_cost {
            None => InputError::Expansion(self.expansion.ratio),
            Some(_) => InputError::Names(self.expansion.ratio),
        }
    }
}

impl<R: ReadBytes> ReadBytes for ExpansionReader<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        loop {
            if std::mem::take(&mut self.is_due) {
                return Err(self.error());
            }
            if self.expansion.is_over() {
                return Ok(0);
            }
            let read = self.inner.read(into)?;
            let allowed = self.count(read);
            if allowed < read {
                self.is_due = self.expansion.ends_now();
            }
            if allowed > 0 || read == 0 {
                return Ok(allowed);
            }
        }
    }

    /// Counts the packed bytes at once.
    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        if self.name_cost.is_some() {
            return None;
        }
        let unpacked = self.inner.unpacked_ahead()?;
        let packed = usize::try_from(unpacked.packed()).unwrap_or(usize::MAX);
        self.expansion.add_unpacked(packed);
        Some(unpacked)
    }
}

#[cfg(test)]
mod bombs;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::container::StreamLevel;
    use crate::documents::{DocumentHead, DocumentSink};
    use crate::read::FromRead;
    use crate::read_options::ReadOptions;
    use crate::source_reader::SourceReader;

    const LIMIT: u64 = 1000;

    /// The bytes of all documents, and errors with their offsets.
    #[derive(Default)]
    pub(super) struct Seen {
        pub(super) bytes: u64,
        pub(super) errors: Vec<(u64, String)>,
    }

    impl DocumentSink for Seen {
        fn document(&mut self, head: DocumentHead, bytes: &mut dyn ReadBytes) {
            let mut buffer = vec![0; 100_000];
            loop {
                match bytes.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(read) => self.bytes += read as u64,
                    Err(error) => self.report_loss(head.name.clone(), self.bytes, error),
                }
            }
        }

        fn report_loss(&mut self, _: Option<Arc<str>>, offset: u64, error: InputError) {
            self.errors.push((offset, error.to_string()));
        }

        fn skip(&mut self, _: Option<Arc<str>>, _: &'static str) {}

        fn is_halted(&self) -> bool {
            false
        }
    }

    fn read_packed(mut packed: &[u8], expansion: &Arc<Expansion>) -> Seen {
        let counter = AtomicU64::new(0);
        let options = ReadOptions::for_tests(&counter);
        let mut seen = Seen::default();
        SourceReader::new(&options, expansion, &mut seen)
            .stream(&StreamLevel::source(None), &mut packed);
        seen
    }

    /// Returns zeros, packed to about a ten thousandth.
    fn zeros(count: u64) -> Vec<u8> {
        let zeros = std::io::Read::take(std::io::repeat(0), count);
        zstd::encode_all(zeros, 1).unwrap_or_default()
    }

    #[test]
    fn what_stays_below_the_limit_is_read_whole() {
        let packed = zeros(FREE_BYTES + 1);
        let large = FREE_BYTES / LIMIT + 1;
        for (ratio, size) in [(LIMIT, large), (FREE_BYTES, packed.len() as u64)] {
            let seen = read_packed(&packed, &Expansion::new(ratio, size));
            assert_eq!((seen.bytes, seen.errors.len()), (FREE_BYTES + 1, 0));
        }
        let packed = zeros(FREE_BYTES);
        let seen = read_packed(&packed, &Expansion::new(1, packed.len() as u64));
        assert_eq!((seen.bytes, seen.errors.len()), (FREE_BYTES, 0));
    }

    #[test]
    fn a_bomb_in_a_packing_is_held_against_the_source() {
        let inner = zeros(FREE_BYTES * 2);
        let outer = zstd::encode_all(&inner[..], 19).unwrap_or_default();
        let seen = read_packed(&outer, &Expansion::new(LIMIT, outer.len() as u64));
        assert!(
            (FREE_BYTES / 2..=FREE_BYTES).contains(&seen.bytes),
            "{}",
            seen.bytes
        );
        assert_eq!(seen.errors.len(), 1, "{:?}", seen.errors);
    }

    #[test]
    fn what_was_read_counts_where_the_size_is_not_known() -> Result<(), InputError> {
        let expansion = Expansion::new(LIMIT, 0);
        expansion.add_read(FREE_BYTES / LIMIT + 1);
        let mut counted = ExpansionReader::of_unpacked(FromRead(std::io::repeat(0)), &expansion);
        let read = counted.skip(FREE_BYTES * 2);
        assert!(read.is_err());
        let unpacked = expansion.unpacked.load(Ordering::Relaxed);
        assert!(unpacked > (FREE_BYTES / LIMIT + 1) * LIMIT, "{unpacked}");
        assert_eq!(counted.read(&mut [0])?, 0);
        Ok(())
    }
}
