//! Writes an object in order, in parts that are sent while more are written. It appears when all of it has arrived.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use object_store::path::Path;
use object_store::{MultipartUpload, PutPayload};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::error::RemoteError;
use crate::fetch::{Fetcher, NO_ANSWER};
use crate::listing::Store;

/// Bytes of the first parts. Services take at most 10,000 parts, so later ones are larger.
const PART_BYTES: usize = 8 << 20;
/// Parts of one size. The next ones are twice as large.
const PARTS_OF_A_SIZE: usize = 2000;
/// Parts that a service takes.
const MAX_PARTS: usize = 10_000;
/// Parts that are sent at the same time. With the one that is filled they take 32 MiB of the first 16 GiB.
const SENT_AT_ONCE: usize = 3;
/// The longest time in which parts that were sent are removed.
const ABORT_TIMEOUT: Duration = Duration::from_secs(10);

/// An object that is written in order. Until it is [committed](Self::commit) an object of the same name stays as it is. Dropping it before that
/// removes the parts that were sent.
pub struct RemoteWriter {
    fetcher: Arc<Fetcher>,
    name: String,
    /// `None` when it has ended.
    upload: Option<Box<dyn MultipartUpload>>,
    part: Vec<u8>,
    /// Parts under way, the oldest first.
    sent: VecDeque<oneshot::Receiver<Result<(), RemoteError>>>,
    /// Number of parts so far.
    parts: usize,
}

impl RemoteWriter {
    /// Begins to write. S3 and Google are asked, so that a missing bucket or right is noticed.
    pub(crate) fn begin(
        fetcher: &Arc<Fetcher>,
        name: &str,
        store: Arc<dyn Store>,
        path: Path,
    ) -> Result<Self, RemoteError> {
        let upload = fetcher.run_to_end(async move {
            let begun = store.put_multipart_opts(&path, Default::default()).await;
            begun.map_err(|error| write_error(&error))
        })?;
        Ok(RemoteWriter {
            fetcher: Arc::clone(fetcher),
            name: name.to_owned(),
            upload: Some(upload),
            part: Vec::new(),
            sent: VecDeque::new(),
            parts: 0,
        })
    }

    /// Sends what is written so far, and waits until all of it has arrived.
    ///
    /// # Errors
    /// If a part did not arrive, or the task was cancelled.
    pub fn finish(&mut self) -> Result<(), RemoteError> {
        if !self.part.is_empty() {
            self.send()?;
        }
        while !self.sent.is_empty() {
            self.wait()?;
        }
        Ok(())
    }

    /// Lets the object appear, after [`finish`](Self::finish).
    ///
    /// # Errors
    /// If the service does not take it. Then an earlier object of the same name stays.
    pub fn commit(mut self) -> Result<(), RemoteError> {
        self.finish()?;
        let Some(mut upload) = self.upload.take() else {
            return Ok(());
        };
        self.fetcher.run_to_end(async move {
            let ended = upload.complete().await;
            if ended.is_err() {
                let _ = upload.abort().await;
            }
            ended.map(drop).map_err(|error| write_error(&error))
        })
    }

    /// Returns the bytes of the next part.
    fn part_bytes(&self) -> usize {
        PART_BYTES << (self.parts / PARTS_OF_A_SIZE)
    }

    /// Sends the part that was filled, after one of those under way has arrived if they are many.
    fn send(&mut self) -> Result<(), RemoteError> {
        if self.parts == MAX_PARTS {
            return Err(RemoteError::TooLarge);
        }
        if self.sent.len() >= SENT_AT_ONCE {
            self.wait()?;
        }
        let Some(upload) = &mut self.upload else {
            return Err(RemoteError::Cancelled);
        };
        let part = upload.put_part(PutPayload::from(std::mem::take(&mut self.part)));
        self.parts += 1;
        self.sent.push_back(
            self.fetcher
                .start(async { part.await.map_err(|error| write_error(&error)) }),
        );
        Ok(())
    }

    /// Waits for the oldest part under way.
    fn wait(&mut self) -> Result<(), RemoteError> {
        let sent = self.sent.pop_front();
        sent.map_or(Ok(()), |sent| {
            pollster::block_on(sent).unwrap_or(Err(RemoteError::Cancelled))
        })
    }
}

impl io::Write for RemoteWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.part_bytes() - self.part.len();
        let taken = bytes.len().min(room);
        self.part.extend_from_slice(&bytes[..taken]);
        if taken == room {
            self.send().map_err(io::Error::other)?;
        }
        Ok(taken)
    }

    /// Does nothing: a flush would change the parts.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for RemoteWriter {
    fn drop(&mut self) {
        let Some(mut upload) = self.upload.take() else {
            return;
        };
        // Ends the parts under way, which could arrive after the end of the upload.
        self.sent.clear();
        let name = self.name.clone();
        let aborted = self.fetcher.run_to_end(async move {
            let aborted = timeout(ABORT_TIMEOUT, upload.abort()).await;
            let aborted = aborted.map_err(|_| RemoteError::failed(NO_ANSWER.to_owned()))?;
            aborted.map_err(|error| RemoteError::of_store(&error))
        });
        if let Err(error) = aborted {
            log::warn!("{name}: an unfinished upload stays at the service: {error}");
        }
    }
}

impl fmt::Debug for RemoteWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteWriter")
            .field("name", &self.name)
            .field("parts", &self.parts)
            .finish_non_exhaustive()
    }
}

/// Returns the error of a request that writes. What does not exist is then the place of the object.
fn write_error(error: &object_store::Error) -> RemoteError {
    match RemoteError::of_store(error) {
        RemoteError::NotFound => RemoteError::NoBucket,
        error => error,
    }
}
