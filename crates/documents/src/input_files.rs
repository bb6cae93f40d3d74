//! The inputs that a task names: files and folders of this machine, and objects by their names.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use super::fault::InputError;
use super::file::SourceFile;
use super::open::{object_copy, object_file};
use super::remote::RemoteSources;

/// Opens inputs that are read at offsets, and lists folders and prefixes.
#[derive(Clone, Copy, Debug)]
pub struct InputFiles<'s> {
    /// The services of objects.
    pub remote: Option<&'s dyn RemoteSources>,
    /// The folder for objects that services give only in order.
    pub temp_folder: &'s Path,
}

/// The kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A folder, or a prefix of objects, whose name ends with `/`.
    Folder,
    /// A regular file or an object, with its size in bytes if that is known.
    File(Option<u64>),
    /// A FIFO or device.
    Stream,
}

impl<'s> InputFiles<'s> {
    /// Returns the kind of the input at `path`. An object must have been checked.
    ///
    /// # Errors
    /// If there is no such file.
    pub fn kind(&self, path: &Path) -> Result<InputKind, InputError> {
        if let Some((services, name)) = self.object(path) {
            return Ok(match name.ends_with('/') {
                true => InputKind::Folder,
                false => InputKind::File(services.listed_size(name)),
            });
        }
        let metadata = fs::metadata(path).map_err(|error| InputError::of_path(path, error))?;
        Ok(match metadata.is_dir() {
            true => InputKind::Folder,
            false if metadata.is_file() => InputKind::File(Some(metadata.len())),
            false => InputKind::Stream,
        })
    }

    /// Whether it is a folder, or a prefix of objects.
    pub fn is_folder(&self, path: &Path) -> bool {
        matches!(self.kind(path), Ok(InputKind::Folder))
    }

    /// Opens a file or an object. An object that its service gives only in order is copied to a file without a name.
    ///
    /// # Errors
    /// If it cannot be read or copied.
    pub fn open(&self, path: &Path) -> Result<SourceFile, InputError> {
        match self.object(path) {
            Some((services, name)) => object_file(services, name, self.temp_folder),
            None => self.open_local(path).map(SourceFile::from),
        }
    }

    /// Opens a file. An object is copied to a file without a name.
    ///
    /// # Errors
    /// If it cannot be read or copied.
    pub fn open_local(&self, path: &Path) -> Result<File, InputError> {
        match self.object(path) {
            Some((services, name)) => object_copy(services, name, self.temp_folder),
            None => File::open(path).map_err(|error| InputError::of_path(path, error)),
        }
    }

    /// Returns the names of the files in a folder, without those below it, with their sizes in bytes.
    ///
    /// # Errors
    /// If it cannot be listed.
    pub fn list(&self, folder: &Path) -> Result<BTreeMap<String, u64>, InputError> {
        let mut files = BTreeMap::new();
        if let Some((services, prefix)) = self.object(folder) {
            services.list(prefix, &mut |name| {
                let below = name.strip_prefix(prefix).filter(|name| !name.contains('/'));
                if let Some(below) = below {
                    let size = services.listed_size(name).unwrap_or(0);
                    files.insert(below.to_owned(), size);
                }
                true
            })?;
            return Ok(files);
        }
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            // A link counts as the file that it leads to.
            if let Ok(metadata) = fs::metadata(entry.path())
                && metadata.is_file()
            {
                let name = entry.file_name().to_string_lossy().into_owned();
                files.insert(name, metadata.len());
            }
        }
        Ok(files)
    }

    /// Returns the services and the name of an object, if `path` is one.
    fn object<'p>(&self, path: &'p Path) -> Option<(&'s dyn RemoteSources, &'p str)> {
        let name = path.to_str()?;
        let services = self.remote?;
        services.name(name).map(|_| (services, name))
    }
}
