//! Limits the unpacked size of a source in relation to its size, against decompression bombs.
//!
//! All unpacked bytes of the source count, at every depth and on every thread. The output repeats the names of documents at
//! every mention, so the bytes that long names may take there have a limit of their own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::fault::InputError;
use super::read::{ReadBytes, UnpackedAhead};

/// Bytes that every source may unpack to.
const FREE: u64 = 64 << 20;

/// Maximum length of a document's name that costs nothing. Nearly all names are shorter.
const SHORT: usize = 256;
/// Bytes of a document per mention, to estimate how many it has. Hardly any mention is shorter.
const MENTION: usize = 16;

/// The unpacked bytes of one source so far, and their limit.
#[derive(Debug)]
pub(super) struct Expansion {
    ratio: u64,
    /// Bytes that every source may unpack to.
    free: u64,
    /// Size of the source, if it is known before reading. Then the limit is reached at the same byte in every run.
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
        Expansion::with_free(ratio, size, FREE)
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

    /// Reads bytes of `inner`, and returns how many of them `add` allows when it counts them. Past the limit the source
    /// ends, once with the error `over`.
    fn read(
        &self,
        inner: &mut (impl ReadBytes + ?Sized),
        into: &mut [u8],
        is_due: &mut bool,
        add: impl Fn(usize) -> usize,
        over: fn(u64) -> InputError,
    ) -> Result<usize, InputError> {
        loop {
            if std::mem::take(is_due) {
                return Err(over(self.ratio));
            }
            if self.is_over() {
                return Ok(0);
            }
            let read = inner.read(into)?;
            let allowed = add(read);
            if allowed < read {
                *is_due = !self.is_over.swap(true, Ordering::Relaxed);
            }
            if allowed > 0 || read == 0 {
                return Ok(allowed);
            }
        }
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
    pub(super) fn take(&self, bytes: u64, name: usize) -> Result<(), Option<InputError>> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let each = long_name(name);
        let fault = match () {
            () if self.add_unpacked(bytes) < bytes => InputError::Expansion(self.ratio),
            () if each > 0 && self.add_named(bytes, each) < bytes => InputError::Names(self.ratio),
            () => return Ok(()),
        };
        let is_first = !self.is_over.swap(true, Ordering::Relaxed);
        Err(is_first.then_some(fault))
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

/// Counts the unpacked bytes of a reader. At the limit they end, with one [`InputError::Expansion`] for the whole source.
pub(super) struct Watched<R> {
    inner: R,
    expansion: Arc<Expansion>,
    /// Whether the next read returns the error.
    is_due: bool,
}

impl<R: ReadBytes> Watched<R> {
    /// Counts the bytes of `inner` for the source of `expansion`.
    pub(super) fn new(inner: R, expansion: &Arc<Expansion>) -> Self {
        Watched {
            inner,
            expansion: Arc::clone(expansion),
            is_due: false,
        }
    }
}

impl<R: ReadBytes> ReadBytes for Watched<R> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let expansion = &*self.expansion;
        let add = |read| expansion.add_unpacked(read);
        let (inner, is_due) = (&mut self.inner, &mut self.is_due);
        expansion.read(inner, into, is_due, add, InputError::Expansion)
    }

    /// Counts the packed bytes at once.
    fn unpacked_ahead(&mut self) -> Option<UnpackedAhead> {
        let unpacked = self.inner.unpacked_ahead()?;
        let packed = usize::try_from(unpacked.packed()).unwrap_or(usize::MAX);
        self.expansion.add_unpacked(packed);
        Some(unpacked)
    }
}

/// Returns the cost per byte of a document whose name has `length` bytes; 0 for a short one.
fn long_name(length: usize) -> u64 {
    length.saturating_sub(SHORT).div_ceil(MENTION) as u64
}

/// Counts the bytes of a document with a long name. If the names may take too many bytes in the output, the document ends,
/// with one [`InputError::Names`] for the whole source.
pub(super) struct Named<'r> {
    inner: &'r mut dyn ReadBytes,
    expansion: Arc<Expansion>,
    /// The cost of a byte.
    each: u64,
    /// Whether the next read returns the error.
    is_due: bool,
}

impl<'r> Named<'r> {
    /// Returns `inner` itself as the error if the name is short.
    pub(super) fn new(
        name: Option<&str>,
        expansion: &Arc<Expansion>,
        inner: &'r mut dyn ReadBytes,
    ) -> Result<Self, &'r mut dyn ReadBytes> {
        match name.map_or(0, |name| long_name(name.len())) {
            0 => Err(inner),
            each => Ok(Named {
                inner,
                expansion: Arc::clone(expansion),
                each,
                is_due: false,
            }),
        }
    }
}

impl ReadBytes for Named<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize, InputError> {
        let (expansion, each) = (&*self.expansion, self.each);
        let add = |read| expansion.add_named(read, each);
        let is_due = &mut self.is_due;
        expansion.read(self.inner, into, is_due, add, InputError::Names)
    }
}

#[cfg(test)]
mod bombs;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::container::Level;
    use crate::documents::Documents;
    use crate::opening::Opening;
    use crate::read::FromRead;
    use crate::walk::Walk;

    const LIMIT: u64 = 1000;

    /// The bytes of all documents, and errors with their offsets.
    #[derive(Default)]
    pub(super) struct Seen {
        pub(super) bytes: u64,
        pub(super) errors: Vec<(u64, String)>,
    }

    impl Documents for Seen {
        fn document(&mut self, name: Option<Arc<str>>, bytes: &mut dyn ReadBytes) {
            let mut buffer = vec![0; 100_000];
            loop {
                match bytes.read(&mut buffer) {
                    Ok(0) => return,
                    Ok(read) => self.bytes += read as u64,
                    Err(error) => self.lose(name.clone(), self.bytes, error),
                }
            }
        }

        fn lose(&mut self, _: Option<Arc<str>>, offset: u64, error: InputError) {
            self.errors.push((offset, error.to_string()));
        }

        fn skip(&mut self, _: Option<Arc<str>>, _: &'static str) {}

        fn is_halted(&self) -> bool {
            false
        }
    }

    fn walk(mut packed: &[u8], expansion: &Arc<Expansion>) -> Seen {
        let counter = AtomicU64::new(0);
        let opening = Opening::for_tests(&counter);
        let mut seen = Seen::default();
        Walk::new(&opening, expansion, &mut seen).stream(&Level::source(None), &mut packed);
        seen
    }

    /// Returns zeros, packed to about a ten thousandth.
    fn zeros(count: u64) -> Vec<u8> {
        let zeros = std::io::Read::take(std::io::repeat(0), count);
        zstd::encode_all(zeros, 1).unwrap_or_default()
    }

    #[test]
    fn what_stays_below_the_limit_is_read_whole() {
        let packed = zeros(FREE + 1);
        let large = FREE / LIMIT + 1;
        for (ratio, size) in [(LIMIT, large), (FREE, packed.len() as u64)] {
            let seen = walk(&packed, &Expansion::new(ratio, size));
            assert_eq!((seen.bytes, seen.errors.len()), (FREE + 1, 0));
        }
        let packed = zeros(FREE);
        let seen = walk(&packed, &Expansion::new(1, packed.len() as u64));
        assert_eq!((seen.bytes, seen.errors.len()), (FREE, 0));
    }

    #[test]
    fn a_bomb_in_a_packing_is_held_against_the_source() {
        let inner = zeros(FREE * 2);
        let outer = zstd::encode_all(&inner[..], 19).unwrap_or_default();
        let seen = walk(&outer, &Expansion::new(LIMIT, outer.len() as u64));
        assert!((FREE / 2..=FREE).contains(&seen.bytes), "{}", seen.bytes);
        assert_eq!(seen.errors.len(), 1, "{:?}", seen.errors);
    }

    #[test]
    fn what_was_read_counts_where_the_size_is_not_known() -> Result<(), InputError> {
        let expansion = Expansion::new(LIMIT, 0);
        expansion.add_read(FREE / LIMIT + 1);
        let mut watched = Watched::new(FromRead(std::io::repeat(0)), &expansion);
        let read = watched.skip(FREE * 2);
        assert!(read.is_err());
        let unpacked = expansion.unpacked.load(Ordering::Relaxed);
        assert!(unpacked > (FREE / LIMIT + 1) * LIMIT, "{unpacked}");
        assert_eq!(watched.read(&mut [0])?, 0);
        Ok(())
    }
}
