//! Sources and outputs that are objects of S3, Google and Azure, and sources that are files of web servers. Without the feature `remote` an address is a path that does not exist.

use std::path::{Path, PathBuf};

use doisift_documents::{InputError, InputFiles, display_name};

use crate::error::{Cause, Error};
use crate::objects::{Services, remote_sources};
use crate::options::{OBJECTS, OptionHelp, OptionKind, StorageOptions};
use crate::task::Monitor;

/// The help that shows the options.
const HELP: OptionHelp = match cfg!(feature = "remote") {
    true => OptionHelp::Long,
    false => OptionHelp::Hidden,
};

options! {
    /// How objects of stores and files of web servers are read.
    remote: ObjectOptions, "Object stores";

    /// Ranges of objects that are fetched at the same time
    ///
    /// A thread that waits for bytes has one more. At least 1.
    value connections: u64 [Scan Merge CleanTable BuildIndex Check Diff Resolve] default "16" {
        value: "N", min: 1, help: HELP, python: OBJECTS,
    }

    /// Bytes that may arrive from services in a second, e.g. 20M
    value rate_limit: u64 [Scan Merge CleanTable BuildIndex Check Diff Resolve] default "no limit" {
        kind: OptionKind::Size, value: "SIZE", min: 1, help: HELP, python: OBJECTS,
    }

    /// Seconds in which an object must give 64 KiB, or it is an error
    ///
    /// At least 1. A request that fails is repeated within this time, after growing delays. What arrived is not asked for again.
    value timeout: u64 [Scan Merge CleanTable BuildIndex Check Diff Resolve] default "120" {
        value: "SECONDS", min: 1, help: HELP, python: OBJECTS,
    }

    /// Settings of object stores by their names, such as `aws_region`, before those of the environment
    ///
    /// The names are those of Polars and of the crate object_store, in capitals or not. No message, report or checkpoint has their values.
    value storage_options: StorageOptions [Scan Merge CleanTable BuildIndex Check Diff Resolve] {
        help: OptionHelp::Library, python: OBJECTS,
    }
}

/// Returns the inputs by their names, which have no secrets. Others stay as they are. If `checks`, those that do not exist are an error, and `/` is
/// added to prefixes.
///
/// # Errors
/// If an address is not valid, or its object cannot be read.
pub(crate) fn named(
    services: &Services,
    inputs: &[PathBuf],
    checks: bool,
) -> Result<Vec<PathBuf>, Error> {
    let named = |input: &PathBuf| named_one(services, input, checks);
    inputs.iter().map(named).collect()
}

/// As [`named`], for one input.
pub(crate) fn named_one(services: &Services, input: &Path, checks: bool) -> Result<PathBuf, Error> {
    let address = services.as_ref().zip(input.to_str());
    let Some((services, name)) =
        address.and_then(|(services, text)| Some((services, services.name(text)?)))
    else {
        return Ok(input.to_owned());
    };
    let name = name.map_err(|error| Error::new(Cause::Input(error)))?;
    let lost = |error: InputError| {
        Error::new(Cause::Input(error)).in_source(display_name(name.as_ref()).into())
    };
    match checks {
        true => services.check(&name).map_err(lost).map(PathBuf::from),
        false => Ok(name.into()),
    }
}

/// Returns the inputs of a task that reads them at offsets.
pub(crate) fn input_files<'s>(services: &'s Services, tmp: &'s Path) -> InputFiles<'s> {
    InputFiles {
        remote: remote_sources(services),
        temp_folder: tmp,
    }
}

/// Returns none: this build has none.
#[cfg(not(feature = "remote"))]
pub(crate) fn services(_: &ObjectOptions, _: usize, _: &Monitor) -> Services {
    None
}

#[cfg(feature = "remote")]
pub(crate) use self::connected::services;

#[cfg(feature = "remote")]
mod connected {
    use std::io::{self, Read, Write};
    use std::ops::Range;
    use std::sync::Arc;
    use std::time::Duration;

    use doisift_documents::{ReadAt, RemoteBytes, RemoteSource, RemoteSources};
    use doisift_remote::{
        Remote, RemoteAddress, RemoteError, RemoteFile, RemoteOptions, RemoteSection, RemoteWriter,
    };

    use super::*;
    use crate::objects::{ObjectServices, ObjectWriter};

    /// Part of a task's memory for bytes that are held ahead of their readers.
    const HELD_MEMORY_PART: usize = 8;
    const MAX_HELD_BYTES: usize = 128 << 20;

    /// Returns the services of a task with this many bytes of memory. They connect when they are first asked.
    pub(crate) fn services(options: &ObjectOptions, memory: usize, monitor: &Monitor) -> Services {
        let usual = RemoteOptions::default();
        let number = |given: Option<u64>, usual| {
            given.map_or(usual, |given| usize::try_from(given).unwrap_or(usize::MAX))
        };
        let given = options.storage_options.as_ref();
        Some(Arc::new(ConnectedServices {
            options: RemoteOptions {
                connections: number(options.connections, usual.connections),
                rate: options.rate_limit,
                timeout: options.timeout.map_or(usual.timeout, Duration::from_secs),
                traffic: monitor.traffic().clone(),
                held_bytes: (memory / HELD_MEMORY_PART).min(MAX_HELD_BYTES),
                settings: given.map_or_else(Vec::new, |given| given.settings().to_vec()),
            },
            monitor: monitor.clone(),
        }))
    }

    #[derive(Debug)]
    struct ConnectedServices {
        options: RemoteOptions,
        monitor: Monitor,
    }

    fn input_error(error: RemoteError) -> InputError {
        let kind = match error {
            RemoteError::NotFound => io::ErrorKind::NotFound,
            _ => io::ErrorKind::Other,
        };
        InputError::Io(io::Error::new(kind, error))
    }

    impl ConnectedServices {
        fn connected(&self) -> io::Result<&Remote> {
            let remote = self.monitor.remote(|| Remote::new(self.options.clone()));
            let failed = |error: &RemoteError| io::Error::other(error.clone());
            remote.as_ref().map_err(failed)
        }

        fn remote(&self) -> Result<&Remote, InputError> {
            self.connected().map_err(InputError::Io)
        }
    }

    impl RemoteSources for ConnectedServices {
        fn name(&self, text: &str) -> Option<Result<String, InputError>> {
            RemoteAddress::is_address(text).then(|| {
                let remote = self.remote()?;
                remote.add(text).map_err(input_error)
            })
        }

        fn listed_name(&self, text: &str) -> Option<Result<String, InputError>> {
            RemoteAddress::is_address(text).then(|| {
                let remote = self.remote()?;
                remote.add_listed(text).map_err(input_error)
            })
        }

        fn check(&self, name: &str) -> Result<String, InputError> {
            self.remote()?.check(name).map_err(input_error)
        }

        fn list(&self, prefix: &str, each: &mut dyn FnMut(&str) -> bool) -> Result<(), InputError> {
            let listed = self.remote()?.list(prefix, each);
            listed.map_err(input_error)
        }

        fn open(&self, name: &str) -> Result<RemoteSource, InputError> {
            let file = self.remote()?.open(name).map_err(input_error)?;
            Ok(match file.take_stream() {
                Some(stream) => {
                    RemoteSource::Stream(Box::new(SectionReader(stream)), file.length())
                }
                None => RemoteSource::Object(Arc::new(ObjectBytes(file))),
            })
        }

        fn expect(&self, name: &str) {
            if let Ok(remote) = self.remote() {
                remote.expect(name);
            }
        }

        fn listed_size(&self, name: &str) -> Option<u64> {
            self.remote().ok()?.listed_size(name)
        }

        fn stamp(&self, name: &str) -> Result<u64, InputError> {
            self.remote()?.stamp(name).map_err(input_error)
        }
    }

    impl ObjectServices for ConnectedServices {
        fn create(&self, name: &str) -> io::Result<Box<dyn ObjectWriter>> {
            let written = self.connected()?.create(name);
            Ok(Box::new(WrittenObject(written.map_err(io::Error::other)?)))
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            let removed = self.connected()?.remove(name);
            removed.map_err(io::Error::other)
        }
    }

    /// Adapts an object that is written.
    struct WrittenObject(RemoteWriter);

    impl Write for WrittenObject {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.flush()
        }
    }

    impl ObjectWriter for WrittenObject {
        fn finish(&mut self) -> io::Result<()> {
            self.0.finish().map_err(io::Error::other)
        }

        fn commit(self: Box<Self>) -> io::Result<()> {
            self.0.commit().map_err(io::Error::other)
        }
    }

    /// Adapts an object of the services to sources.
    struct ObjectBytes(RemoteFile);

    impl ReadAt for ObjectBytes {
        fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
            self.0.read_at(into, at)
        }

        fn expect(&self, range: Range<u64>) {
            self.0.expect(range);
        }
    }

    impl RemoteBytes for ObjectBytes {
        fn length(&self) -> u64 {
            self.0.length().unwrap_or(0)
        }

        fn section(&self, range: Range<u64>) -> Box<dyn Read + Send> {
            Box::new(SectionReader(self.0.section(range)))
        }
    }

    struct SectionReader(RemoteSection);

    impl Read for SectionReader {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.0.read(into).map_err(io::Error::other)
        }
    }
}
