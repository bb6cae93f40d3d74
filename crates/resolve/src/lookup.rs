//! Asks questions about many names, and delivers the answers in the order of the names, each once.
//!
//! The caller's thread reads names and delivers answers; threads of the client ask. An answer is in the cache before it is
//! delivered. A name is not asked if the cache has its answer, or another row already asks it.

use std::ops::ControlFlow;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use doisift_core::Doi;

use crate::answer::CachedAnswer;
use crate::cache::whole_seconds;
use crate::window::AnswerQueue;
use crate::{Agency, Cache, CacheError, Client, HandleAnswer, agency};

/// Counts of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookupCounts {
    /// Names whose answers were delivered.
    pub delivered: u64,
    /// Names that the cache answered.
    pub cached: u64,
    /// Names for which a service was asked.
    pub asked: u64,
    /// Whether the task came to the end of the names.
    pub is_complete: bool,
}

/// An answer, and when and how it was obtained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DatedAnswer<A> {
    /// The answer of the service.
    pub answer: A,
    /// When it was asked, to the second.
    pub asked: SystemTime,
    /// Whether the answer comes from the cache.
    pub is_cached: bool,
}

/// A question that a task asks of many names.
trait RegistryQuestion: Sync {
    type Answer: CachedAnswer;
    /// Its name in the cache.
    const NAME: &'static str;

    /// Maximum number of names in a batch.
    const MAX_BATCH_NAMES: usize;

    /// Whether the request for `batch` has room for `next`.
    fn fits(batch: &[Doi], next: &Doi) -> bool;

    /// Asks about a batch. Returns the answers in its order; `None` if the client is cancelled.
    fn ask(client: &Client, batch: &[Doi]) -> Option<Vec<Self::Answer>>;
}

struct HandleQuestion;

impl RegistryQuestion for HandleQuestion {
    type Answer = HandleAnswer;
    const NAME: &'static str = "handle";
    const MAX_BATCH_NAMES: usize = 1;

    fn fits(batch: &[Doi], _: &Doi) -> bool {
        batch.is_empty()
    }

    fn ask(client: &Client, batch: &[Doi]) -> Option<Vec<HandleAnswer>> {
        batch.iter().map(|doi| client.ask(doi)).collect()
    }
}

struct AgencyQuestion;

impl RegistryQuestion for AgencyQuestion {
    type Answer = Agency;
    const NAME: &'static str = "agency";
    const MAX_BATCH_NAMES: usize = agency::MAX_REQUEST_NAMES;

    fn fits(batch: &[Doi], next: &Doi) -> bool {
        agency::fits(batch, next)
    }

    fn ask(client: &Client, batch: &[Doi]) -> Option<Vec<Agency>> {
        client.ask_agencies(batch)
    }
}

impl Client {
    /// Asks the registry about many names, and delivers each with its answer, in the order of `names`.
    ///
    /// Equal names are asked once, and names with an answer in `cache` not at all. The target of an alias is asked together
    /// with it, even if it is one of the names. The task ends early if the client is cancelled, if `deliver` breaks, or if
    /// the cache fails. The last two cancel the client.
    ///
    /// # Errors
    ///
    /// [`CacheError`] if the cache cannot be read or written. A failure for a name is its answer.
    pub fn resolve(
        &self,
        names: impl IntoIterator<Item = Doi>,
        cache: &mut Cache,
        deliver: impl FnMut(Doi, DatedAnswer<HandleAnswer>) -> ControlFlow<()>,
    ) -> Result<LookupCounts, CacheError> {
        look_up::<HandleQuestion>(self, names, cache, deliver)
    }

    /// Asks for the agencies of many names, many in one request, and delivers them as [`Client::resolve`] does.
    ///
    /// # Errors
    ///
    /// Same as [`Client::resolve`].
    pub fn agencies(
        &self,
        names: impl IntoIterator<Item = Doi>,
        cache: &mut Cache,
        deliver: impl FnMut(Doi, DatedAnswer<Agency>) -> ControlFlow<()>,
    ) -> Result<LookupCounts, CacheError> {
        look_up::<AgencyQuestion>(self, names, cache, deliver)
    }
}

/// Why a task ends before its names do.
enum LookupEnd {
    Cancelled,
    Cache(CacheError),
}

impl From<CacheError> for LookupEnd {
    fn from(error: CacheError) -> Self {
        LookupEnd::Cache(error)
    }
}

/// Names of a batch with their answers.
type AnsweredBatch<A> = Result<Vec<(Doi, DatedAnswer<A>)>, LookupEnd>;

fn look_up<Q: RegistryQuestion>(
    client: &Client,
    names: impl IntoIterator<Item = Doi>,
    cache: &mut Cache,
    deliver: impl FnMut(Doi, DatedAnswer<Q::Answer>) -> ControlFlow<()>,
) -> Result<LookupCounts, CacheError> {
    let cache = &Mutex::new(cache);
    let (jobs, waiting) = mpsc::channel();
    let waiting = &Mutex::new(waiting);
    let (send, settled) = mpsc::channel();
    let lookup = NameLookup::<Q, _> {
        client,
        cache,
        window: AnswerQueue::new(),
        batch: Vec::new(),
        jobs,
        settled,
        deliver,
        summary: LookupCounts::default(),
    };
    let ended = thread::scope(|scope| {
        for _ in 0..client.concurrency() {
            let send = send.clone();
            scope.spawn(move || work::<Q>(client, waiting, cache, send));
        }
        drop(send);
        lookup.all(names.into_iter())
    });
    lock(cache).sync()?;
    match ended {
        (summary, None | Some(LookupEnd::Cancelled)) => Ok(summary),
        (_, Some(LookupEnd::Cache(error))) => Err(error),
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks batches until no more come.
fn work<Q: RegistryQuestion>(
    client: &Client,
    waiting: &Mutex<Receiver<Vec<Doi>>>,
    cache: &Mutex<&mut Cache>,
    settled: Sender<AnsweredBatch<Q::Answer>>,
) {
    loop {
        let received = lock(waiting).recv();
        let Ok(batch) = received else { return };
        let answers = match Q::ask(client, &batch) {
            Some(answers) => keep::<Q>(cache, batch, answers),
            None => Err(LookupEnd::Cancelled),
        };
        let is_last = answers.is_err();
        if settled.send(answers).is_err() || is_last {
            return;
        }
    }
}

/// Puts answers into the cache and joins them with their names.
fn keep<Q: RegistryQuestion>(
    cache: &Mutex<&mut Cache>,
    batch: Vec<Doi>,
    answers: Vec<Q::Answer>,
) -> AnsweredBatch<Q::Answer> {
    let mut cache = lock(cache);
    let asked = whole_seconds(SystemTime::now());
    for (doi, answer) in batch.iter().zip(&answers) {
        cache.put(Q::NAME, &doi.key(), answer, asked)?;
    }
    let dated = answers.into_iter().map(|answer| DatedAnswer {
        answer,
        asked,
        is_cached: false,
    });
    Ok(batch.into_iter().zip(dated).collect())
}

/// The part of a task on the caller's thread.
struct NameLookup<'a, 'c, Q: RegistryQuestion, D> {
    client: &'a Client,
    cache: &'a Mutex<&'c mut Cache>,
    window: AnswerQueue<DatedAnswer<Q::Answer>>,
    /// Names of the next request, which is not sent yet.
    batch: Vec<Doi>,
    jobs: Sender<Vec<Doi>>,
    settled: Receiver<AnsweredBatch<Q::Answer>>,
    deliver: D,
    summary: LookupCounts,
}

impl<Q: RegistryQuestion, D> Drop for NameLookup<'_, '_, Q, D> {
    /// Cancels an incomplete look-up. The threads end after their current request, whatever is in their queue.
    fn drop(&mut self) {
        if !self.summary.is_complete {
            self.client.cancel_handle().cancel();
        }
    }
}

impl<Q: RegistryQuestion, D: FnMut(Doi, DatedAnswer<Q::Answer>) -> ControlFlow<()>>
    NameLookup<'_, '_, Q, D>
{
    fn all(mut self, names: impl Iterator<Item = Doi>) -> (LookupCounts, Option<LookupEnd>) {
        let stop = self.rows(names.fuse()).err();
        self.summary.is_complete = stop.is_none();
        (self.summary, stop)
    }

    fn rows(&mut self, mut names: impl Iterator<Item = Doi>) -> Result<(), LookupEnd> {
        loop {
            while let Ok(settled) = self.settled.try_recv() {
                self.settle(settled?);
            }
            self.deliver()?;
            if !self.window.is_full()
                && let Some(doi) = names.next()
            {
                self.take(doi)?;
                continue;
            }
            self.send();
            if self.window.is_empty() {
                return Ok(());
            }
            let settled = self.settled.recv().map_err(|_| LookupEnd::Cancelled)?;
            self.settle(settled?);
        }
    }

    /// Answers a name from the cache, or sends it if it is not in progress.
    fn take(&mut self, doi: Doi) -> Result<(), LookupEnd> {
        let key = doi.key();
        if self.window.awaits(&key) {
            self.window.push_open(doi);
            return Ok(());
        }
        let answer = lock(self.cache).find(Q::NAME, &key, SystemTime::now())?;
        if let Some((answer, asked)) = answer {
            self.summary.cached += 1;
            let is_cached = true;
            let answer = DatedAnswer {
                answer,
                asked,
                is_cached,
            };
            self.window.push_answered(doi, answer);
            return Ok(());
        }
        if !Q::fits(&self.batch, &doi) {
            self.send();
        }
        self.summary.asked += 1;
        self.batch.push(doi.clone());
        self.window.push_open(doi);
        if self.batch.len() >= Q::MAX_BATCH_NAMES {
            self.send();
        }
        Ok(())
    }

    /// Sends the names of the batch to the threads.
    fn send(&mut self) {
        let batch = std::mem::take(&mut self.batch);
        if !batch.is_empty() {
            // Fails only if all threads have ended, which they report.
            let _ = self.jobs.send(batch);
        }
    }

    fn settle(&mut self, settled: Vec<(Doi, DatedAnswer<Q::Answer>)>) {
        for (doi, answer) in &settled {
            self.window.answer_rows(&doi.key(), answer);
        }
    }

    /// Delivers the first rows that have their answers.
    fn deliver(&mut self) -> Result<(), LookupEnd> {
        while let Some((doi, answer)) = self.window.pop() {
            self.summary.delivered += 1;
            if (self.deliver)(doi, answer).is_break() {
                return Err(LookupEnd::Cancelled);
            }
        }
        Ok(())
    }
}
