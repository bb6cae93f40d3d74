//! Streams that a caller of the library gives as sources.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::lock::lock;

/// A stream that any thread may read.
type SharedReader = Box<dyn Read + Send>;

/// The streams of a run by name, each of which is read once.
#[derive(Default)]
pub struct NamedReaders(Mutex<BTreeMap<PathBuf, SharedReader>>);

impl NamedReaders {
    /// Adds a stream. If another stream has this name, returns false and keeps that one.
    pub fn add(&self, name: &str, reader: SharedReader) -> bool {
        let mut readers = lock(&self.0);
        let name = PathBuf::from(name);
        let is_new = !readers.contains_key(&name);
        readers.entry(name).or_insert(reader);
        is_new
    }

    /// Whether all streams were taken.
    pub fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// Returns the names of the streams that were not taken.
    pub fn names(&self) -> Vec<PathBuf> {
        lock(&self.0).keys().cloned().collect()
    }

    /// Takes the stream of this name.
    pub(super) fn take_reader(&self, name: &Path) -> Option<SharedReader> {
        lock(&self.0).remove(name)
    }
}

/// Shows the names of the streams.
impl fmt::Debug for NamedReaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
