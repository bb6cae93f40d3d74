//! Fetches ranges of objects: resumes broken answers at their byte, and keeps the rate.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::list::{PaginatedListOptions, PaginatedListResult};
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{Sender, UnboundedSender};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::error::RemoteError;
use crate::listing::Store;
use crate::location::{Answer, Identity, Location};
use crate::store::{DELAYS, MAX_RETRIES};
use crate::traffic::{Ask, SourceTraffic};

/// Bytes that must arrive within the time limit. Fewer are no progress.
const MIN_PROGRESS_BYTES: u64 = 64 << 10;

pub(crate) const NO_ANSWER: &str = "the service did not answer in time";
const TOO_SLOW: &str = "the service gives too few bytes in too long a time";

/// What all requests of a task share.
pub(crate) struct Fetcher {
    /// Bounds the ranges that are fetched at the same time.
    pub(crate) connections: Semaphore,
    /// The longest time without progress.
    pub(crate) timeout: Duration,
    /// Becomes true when the task ends.
    pub(crate) over: watch::Sender<bool>,
    pub(crate) rate: Option<Rate>,
    /// Bounds what is held ahead of readers, in KiB.
    pub(crate) held: Arc<Semaphore>,
    /// Has the thread for requests. Dropped without waiting for those under way.
    pub(crate) runtime: Option<Runtime>,
}

impl Drop for Fetcher {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// An object and what is known of it.
#[derive(Clone)]
pub(crate) struct Object {
    pub(crate) location: Location,
    pub(crate) identity: Identity,
    pub(crate) traffic: SourceTraffic,
}

/// Where the bytes of a range go.
pub(crate) enum Receiver {
    /// They wait in memory; the range bounds them.
    Held(UnboundedSender<Frame>),
    /// The request waits for its reader.
    Waiting(Sender<Frame>),
}

/// Bytes in order, or the error at their end.
pub(crate) type Frame = Result<Bytes, RemoteError>;

/// A bound on the bytes that arrive in a second.
pub(crate) struct Rate {
    bytes_per_second: u64,
    /// The time at which the bytes so far were due.
    due: Mutex<Instant>,
}

/// The state of a range.
struct Progress {
    at: u64,
    end: u64,
    /// Failures since the last progress.
    failures: u32,
    /// When the last progress was made, and the offset then.
    last: (Instant, u64),
}

impl Rate {
    pub(crate) fn new(bytes_per_second: u64) -> Self {
        Rate {
            bytes_per_second: bytes_per_second.max(1),
            due: Mutex::new(Instant::now()),
        }
    }

    /// Waits until `bytes` more may have arrived.
    async fn wait(&self, bytes: usize) {
        let share = Duration::from_secs_f64(bytes as f64 / self.bytes_per_second as f64);
        let due = {
            let mut due = self.due.lock().await;
            *due = (*due).max(Instant::now()) + share;
            *due
        };
        sleep_until(due).await;
    }
}

impl Receiver {
    /// Passes bytes on. Returns false if nobody wants them.
    async fn send(&self, frame: Frame) -> bool {
        match self {
            Receiver::Held(to) => to.send(frame).is_ok(),
            Receiver::Waiting(to) => to.send(frame).await.is_ok(),
        }
    }

    async fn closed(&self) {
        match self {
            Receiver::Held(to) => to.closed().await,
            Receiver::Waiting(to) => to.closed().await,
        }
    }
}

impl Fetcher {
    /// Runs on the thread for requests.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(runtime) = &self.runtime {
            runtime.spawn(work);
        }
    }

    /// Runs on the thread for requests, and waits for the result.
    pub(crate) fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
    ) -> Result<T, RemoteError> {
        pollster::block_on(self.start(work)).unwrap_or(Err(RemoteError::Cancelled))
    }

    /// Runs on the thread for requests until nobody waits for the result.
    pub(crate) fn start<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
    ) -> oneshot::Receiver<Result<T, RemoteError>> {
        let (mut to, result) = oneshot::channel();
        let mut over = self.over.subscribe();
        self.spawn(async move {
            let result = tokio::select! {
                result = work => result,
                () = is_over(&mut over) => Err(RemoteError::Cancelled),
                () = to.closed() => return,
            };
            let _ = to.send(result);
        });
        result
    }

    /// Runs on the thread for requests what leaves something at the service, and waits for the result, also after a cancellation, but then at most
    /// for [`GRACE`].
    pub(crate) fn run_to_end<T: Send + 'static>(
        &self,
        work: impl Future<Output = Result<T, RemoteError>> + Send + 'static,
    ) -> Result<T, RemoteError> {
        let (to, result) = oneshot::channel();
        let mut over = self.over.subscribe();
        self.spawn(async move {
            let late = async {
                is_over(&mut over).await;
                tokio::time::sleep(GRACE).await;
            };
            let result = tokio::select! {
                result = work => result,
                () = late => Err(RemoteError::Cancelled),
            };
            let _ = to.send(result);
        });
        pollster::block_on(result).unwrap_or(Err(RemoteError::Cancelled))
    }

    /// Takes room for bytes that are held ahead of their reader, if there is some.
    pub(crate) fn hold(&self, bytes: u64) -> Option<OwnedSemaphorePermit> {
        let kibibytes = u32::try_from(bytes.div_ceil(1 << 10)).ok()?;
        let held = Arc::clone(&self.held);
        held.try_acquire_many_owned(kibibytes).ok()
    }

    /// Fetches a range, and gives its bytes or an error to `to`. `first` is an answer that was begun. Ends early if nobody wants the bytes.
    pub(crate) async fn fetch(
        &self,
        object: &Object,
        range: Range<u64>,
        first: Option<Answer>,
        to: Receiver,
    ) {
        let mut over = self.over.subscribe();
        let work = async {
            let permit = match to {
                Receiver::Held(_) => self.connections.acquire().await.ok(),
                // It may wait for its reader, and must not hold up others.
                Receiver::Waiting(_) => None,
            };
            let fetched = self.attempts(object, range, first, &to).await;
            drop(permit);
            if let Err(error) = fetched {
                to.send(Err(error)).await;
            }
        };
        tokio::select! {
            () = work => {}
            () = to.closed() => {}
            () = is_over(&mut over) => {
                to.send(Err(RemoteError::Cancelled)).await;
            }
        }
    }

    /// Asks for the first `bytes` of an object of which nothing is known, until there is an answer.
    pub(crate) async fn begin(
        &self,
        location: &Location,
        bytes: u64,
        traffic: &SourceTraffic,
    ) -> Result<Answer, RemoteError> {
        let (unknown, ask) = (Identity::default(), traffic.ask());
        self.until_answered(|| self.ask(location, 0..bytes, &unknown, &ask))
            .await
    }

    /// Asks for a page of the list of what is below a prefix, until there is an answer. `token` is that of the page before.
    pub(crate) async fn page(
        &self,
        store: &dyn Store,
        prefix: &str,
        token: Option<&str>,
        traffic: &SourceTraffic,
    ) -> Result<PaginatedListResult, RemoteError> {
        let ask = traffic.ask();
        let attempt = async || {
            let options = PaginatedListOptions {
                extensions: ask.extensions(),
                page_token: token.map(str::to_owned),
                ..PaginatedListOptions::default()
            };
            let prefix = (!prefix.is_empty()).then_some(prefix);
            let page = timeout(self.timeout, store.list_paginated(prefix, options)).await;
            let page = page.map_err(|_| RemoteError::failed(NO_ANSWER.to_owned()))?;
            let page = page.map_err(|error| RemoteError::of_store(&error))?;
            match token.is_some() && page.page_token.as_deref() == token {
                true => Err(RemoteError::OtherBytes(
                    "a page of the list again".to_owned(),
                )),
                false => Ok(page),
            }
        };
        self.until_answered(attempt).await
    }

    /// Asks until there is an answer, or an error that is final.
    async fn until_answered<T, A: Future<Output = Result<T, RemoteError>>>(
        &self,
        attempt: impl Fn() -> A,
    ) -> Result<T, RemoteError> {
        let mut progress = Progress::new(0..0);
        loop {
            match attempt().await {
                Err(error) if error.is_passing() => self.wait_after(&mut progress, error).await?,
                answer => return answer,
            }
        }
    }

    /// Asks for the object until the range is complete, an error is final, or there was no progress for too long.
    async fn attempts(
        &self,
        object: &Object,
        range: Range<u64>,
        first: Option<Answer>,
        to: &Receiver,
    ) -> Result<(), RemoteError> {
        let mut progress = Progress::new(range);
        let ask = first
            .as_ref()
            .map_or_else(|| object.traffic.ask(), |first| first.ask.clone());
        let mut first = first;
        loop {
            match self
                .attempt(object, &mut progress, first.take(), &ask, to)
                .await
            {
                Err(error) if error.is_passing() => self.wait_after(&mut progress, error).await?,
                ended => return ended,
            }
        }
    }

    /// Waits for an answer, not for its bytes.
    async fn ask(
        &self,
        location: &Location,
        range: Range<u64>,
        known: &Identity,
        ask: &Ask,
    ) -> Result<Answer, RemoteError> {
        let asked = timeout(self.timeout, location.get(range, known, ask)).await;
        asked.unwrap_or_else(|_| Err(RemoteError::failed(NO_ANSWER.to_owned())))
    }

    /// Waits before the next attempt.
    ///
    /// # Errors
    /// The failure, if there were too many.
    async fn wait_after(
        &self,
        progress: &mut Progress,
        failed: RemoteError,
    ) -> Result<(), RemoteError> {
        progress.failures += 1;
        let attempts = progress.failures;
        if attempts > MAX_RETRIES || progress.last.0.elapsed() >= self.timeout {
            return Err(match failed {
                RemoteError::Attempts { why, .. } => RemoteError::Attempts { why, attempts },
                error => error,
            });
        }
        let longest = DELAYS[0]
            .saturating_mul(1 << attempts.min(10))
            .min(DELAYS[1]);
        sleep(longest.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
        Ok(())
    }

    /// Asks once, and passes on the bytes that come.
    async fn attempt(
        &self,
        object: &Object,
        progress: &mut Progress,
        first: Option<Answer>,
        ask: &Ask,
        to: &Receiver,
    ) -> Result<(), RemoteError> {
        let answer = match first {
            Some(answer) => answer,
            None => {
                self.ask(
                    &object.location,
                    progress.at..progress.end,
                    &object.identity,
                    ask,
                )
                .await?
            }
        };
        if !answer.identity.agrees(&object.identity) {
            return Err(RemoteError::Changed);
        }
        let mut skipped = progress.at.saturating_sub(answer.start);
        let mut body = answer.body;
        while let Some(frame) = body.next().await {
            let (mut bytes, arrived) = (frame?, Instant::now());
            object.traffic.add_bytes(bytes.len());
            if let Some(rate) = &self.rate {
                rate.wait(bytes.len()).await;
            }
            let cut = skipped.min(bytes.len() as u64);
            skipped -= cut;
            bytes = bytes.slice(cut as usize..);
            progress.add(bytes.len() as u64);
            let over = progress.at.saturating_sub(progress.end);
            bytes.truncate(bytes.len() - over as usize);
            if !bytes.is_empty() && !to.send(Ok(bytes)).await || progress.at >= progress.end {
                return Ok(());
            }
            // A slow reader and the rate are no failures of the service.
            progress.last.0 += arrived.elapsed();
            if progress.last.0.elapsed() >= self.timeout {
                return Err(RemoteError::failed(TOO_SLOW.to_owned()));
            }
        }
        // An object of unknown size ends where its bytes end.
        match object.identity.size {
            None if progress.end == u64::MAX => Ok(()),
            _ => Err(RemoteError::OtherBytes(format!(
                "they end at byte {} instead of {}",
                progress.at, progress.end
            ))),
        }
    }
}

/// The time after a cancellation in which a request that leaves something at the service can end.
const GRACE: Duration = Duration::from_secs(10);

/// Waits until the task ends.
pub(crate) async fn is_over(over: &mut watch::Receiver<bool>) {
    let _ = over.wait_for(|over| *over).await;
}

impl Progress {
    fn new(range: Range<u64>) -> Self {
        Progress {
            at: range.start,
            end: range.end,
            failures: 0,
            last: (Instant::now(), range.start),
        }
    }

    fn add(&mut self, bytes: u64) {
        self.at += bytes;
        if self.at - self.last.1 >= MIN_PROGRESS_BYTES {
            self.last = (Instant::now(), self.at);
            self.failures = 0;
        }
    }
}
