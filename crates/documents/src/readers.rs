//! Streams that a caller of the library gives as sources.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::lock::lock;

/// The streams of a task by name, each of which is read once.
#[derive(Default)]
pub struct NamedReaders(Mutex<BTreeMap<PathBuf, Box<dyn Read + Send>>>);

impl NamedReaders {
    /// Adds a stream. If another stream has this name, returns false and keeps that one.
    pub fn add(&self, name: &str, reader: Box<dyn Read + Send>) -> bool {
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
    pub(super) fn take_reader(&self, name: &Path) -> Option<Box<dyn Read + Send>> {
        lock(&self.0).remove(name)
    }
}

/// Shows the names of the streams.
impl fmt::Debug for NamedReaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.names()).finish()
    }
}
