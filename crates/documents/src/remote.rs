//! Sources that are not files of this machine, as the caller reads them.

use std::fmt::Debug;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

use super::fault::InputError;
use super::read::ReadAt;

/// The services that have sources. A source is known by its name, an address without secrets.
pub trait RemoteSources: Debug + Send + Sync {
    /// Returns the name of an address, or `None` for what is a path.
    ///
    /// # Errors
    /// If it has the scheme of an address but is not valid.
    fn name(&self, text: &str) -> Option<Result<String, InputError>>;

    /// As [`name`](Self::name), for an address from a list that came from a service. It may not lead into the user's own network.
    ///
    /// # Errors
    /// As [`name`](Self::name).
    fn listed_name(&self, text: &str) -> Option<Result<String, InputError>>;

    /// Checks that an object exists, or that objects are below a prefix. Returns the name, with `/` after that of a prefix.
    ///
    /// # Errors
    /// If there is no such object, or the service cannot be asked.
    fn check(&self, name: &str) -> Result<String, InputError>;

    /// Gives the names of the objects below a prefix to `each`, until it returns false.
    ///
    /// # Errors
    /// If they cannot be listed. Some may have been given.
    fn list(&self, prefix: &str, each: &mut dyn FnMut(&str) -> bool) -> Result<(), InputError>;

    /// Opens an object.
    ///
    /// # Errors
    /// If it cannot be read.
    fn open(&self, name: &str) -> Result<RemoteSource, InputError>;

    /// Says that an object will be opened soon, so that its first bytes can be fetched.
    fn expect(&self, name: &str);

    /// Returns the size of an object in bytes, if a listing has shown it.
    fn listed_size(&self, name: &str) -> Option<u64>;

    /// Returns a number that changes when the object does.
    ///
    /// # Errors
    /// If the service cannot be asked.
    fn stamp(&self, name: &str) -> Result<u64, InputError>;
}

/// An object that was opened.
pub enum RemoteSource {
    /// It can be read at offsets.
    Object(Arc<dyn RemoteBytes>),
    /// It can be read in order only. Its size in bytes, if that is known.
    Stream(Box<dyn Read + Send>, Option<u64>),
}

/// An object that is read at offsets.
pub trait RemoteBytes: ReadAt {
    /// Returns its size in bytes.
    fn length(&self) -> u64;

    /// Returns a reader of the bytes in `range`, which are fetched ahead.
    fn section(&self, range: Range<u64>) -> Box<dyn Read + Send>;
}
