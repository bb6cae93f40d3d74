//! The services whose objects are sources and outputs, as tasks use them.

use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use doisift_documents::RemoteSources;

/// The services of a task, if it can have any.
pub(crate) type Services = Option<Arc<dyn ObjectServices>>;

/// Services whose objects are sources and outputs.
pub(crate) trait ObjectServices: RemoteSources {
    /// Begins to write an object, by its name.
    ///
    /// # Errors
    /// If the service takes no objects, or cannot be asked.
    fn create(&self, name: &str) -> io::Result<Box<dyn ObjectWriter>>;

    /// Removes an object, if it exists.
    ///
    /// # Errors
    /// If the service does not remove it.
    fn remove(&self, name: &str) -> io::Result<()>;
}

/// An object that is written, and appears when it is committed. Dropping it before that removes what was sent.
pub(crate) trait ObjectWriter: Write + Send {
    /// Waits until all bytes have arrived.
    ///
    /// # Errors
    /// If they have not.
    fn finish(&mut self) -> io::Result<()>;

    /// Lets the object appear.
    ///
    /// # Errors
    /// If the service does not take it. Then an earlier object stays.
    fn commit(self: Box<Self>) -> io::Result<()>;
}

/// An object at the path of an output.
pub(crate) struct OutputObject {
    pub(crate) services: Arc<dyn ObjectServices>,
    /// Its address without secrets.
    pub(crate) name: String,
}

impl OutputObject {
    /// Returns the object at a path, or `None` if it is a file of this machine.
    ///
    /// # Errors
    /// If the address is not valid.
    pub(crate) fn at(path: &Path, services: &Services) -> io::Result<Option<Self>> {
        let Some(services) = services else {
            return Ok(None);
        };
        let name = path.to_str().and_then(|text| services.name(text));
        let name = name.transpose().map_err(io::Error::other)?;
        Ok(name.map(|name| OutputObject {
            services: Arc::clone(services),
            name,
        }))
    }
}

/// Returns the sources of the services.
pub(crate) fn remote_sources(services: &Services) -> Option<&dyn RemoteSources> {
    services
        .as_deref()
        .map(|services| services as &dyn RemoteSources)
}

/// Whether a path is the address of an object.
pub(crate) fn is_address(path: &Path) -> bool {
    #[cfg(feature = "remote")]
    return path
        .to_str()
        .is_some_and(doisift_remote::RemoteAddress::is_address);
    // This build knows none.
    #[cfg(not(feature = "remote"))]
    return {
        let _ = path;
        false
    };
}
