//! The threads of a run. Each does jobs from one queue, and the run waits for all of them.
//!
//! They are plain threads, not those of a rayon pool. A pool's thread that waits for work of the pool does other work
//! meanwhile, which may need a lock that the thread holds: a deadlock. A plain thread may wait for anything, also for a pool.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, Scope};

use crate::error::{Cause, Error};
use crate::lock::lock;

/// A job that gets the worker `W` of its thread.
type Job<'s, W> = Box<dyn FnOnce(&mut W, &Panics<'_>) + Send + 's>;

/// Starts threads, which have ended when [`with_threads`] returns.
#[derive(Clone)]
pub(crate) struct Threads<'s, 'e> {
    scope: &'s Scope<'s, 'e>,
    panics: Arc<Panics<'e>>,
}

/// Panics of the threads. The first stops the run, and is resumed when all threads have ended.
pub(crate) struct Panics<'e> {
    first: Mutex<Option<Box<dyn Any + Send>>>,
    stop: &'e (dyn Fn() + Sync),
}

/// Threads that take jobs from one queue. They end when this and all its [`Jobs`] are dropped, and every job is done.
pub(crate) struct Crew<'s, 'e, W> {
    threads: Threads<'s, 'e>,
    name: &'static str,
    jobs: Jobs<'s, W>,
    queue: Arc<Mutex<Receiver<Job<'s, W>>>>,
}

/// Gives jobs to a crew.
pub(crate) struct Jobs<'s, W>(Sender<Job<'s, W>>);

/// Calls `with`, and waits for the threads that it starts. If one of them panics, `stop` is called, which makes the run end, and
/// the first panic is resumed here.
pub(crate) fn with_threads<'e, T>(
    stop: &'e (dyn Fn() + Sync),
    with: impl for<'s> FnOnce(&Threads<'s, 'e>) -> T,
) -> T {
    let first = Mutex::new(None);
    let panics = Arc::new(Panics { first, stop });
    let done = thread::scope(|scope| {
        let panics = Arc::clone(&panics);
        with(&Threads { scope, panics })
    });
    let panic = lock(&panics.first).take();
    panic.map_or(done, |panic| resume_unwind(panic))
}

impl Panics<'_> {
    /// Does `work`, and stops the run if it panics. Returns in either case, so that the caller's next steps are done and no other
    /// thread waits for them.
    pub(crate) fn guard(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            (self.stop)();
            lock(&self.first).get_or_insert(panic);
        }
    }
}

impl<'s> Threads<'s, '_> {
    /// Starts a thread.
    pub(crate) fn start(
        &self,
        name: &str,
        work: impl FnOnce(&Panics<'_>) + Send + 's,
    ) -> Result<(), Error>
    where
        Self: 's,
    {
        let (thread, panics) = (thread::Builder::new(), Arc::clone(&self.panics));
        let work = move || panics.guard(|| work(&panics));
        let started = thread.name(name.to_owned()).spawn_scoped(self.scope, work);
        let started = started.map(drop);
        started.map_err(|error| Error::new(Cause::Threads(error)))
    }
}

impl<'s, 'e, W: Send + 's> Crew<'s, 'e, W> {
    /// Creates a crew without threads.
    pub(crate) fn new(threads: &Threads<'s, 'e>, name: &'static str) -> Self {
        let (jobs, queue) = mpsc::channel();
        Crew {
            threads: threads.clone(),
            name,
            jobs: Jobs(jobs),
            queue: Arc::new(Mutex::new(queue)),
        }
    }

    /// Starts a thread that does jobs with `worker`.
    pub(crate) fn start(&self, mut worker: W) -> Result<(), Error> {
        let queue = Arc::clone(&self.queue);
        self.threads.start(self.name, move |panics| {
            loop {
                // The thread that holds the lock waits for the next job, the other threads for the lock.
                let job = lock(&queue).recv();
                let Ok(job) = job else { return };
                panics.guard(|| job(&mut worker, panics));
            }
        })
    }

    pub(crate) fn jobs(&self) -> &Jobs<'s, W> {
        &self.jobs
    }
}

impl<W> Clone for Jobs<'_, W> {
    fn clone(&self) -> Self {
        Jobs(self.0.clone())
    }
}

impl<'s, W> Jobs<'s, W> {
    /// Gives a job to the first thread that is free.
    pub(crate) fn give(&self, job: impl FnOnce(&mut W, &Panics<'_>) + Send + 's) {
        // This cannot fail: the threads take jobs until all senders are dropped.
        let _ = self.0.send(Box::new(job));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

    use super::*;

    /// Gives 9 jobs to two threads, one of which panics if `fails`.
    fn done(fails: bool, stopped: &AtomicBool) -> u32 {
        let sum = AtomicU32::new(0);
        let stop = || stopped.store(true, Ordering::Relaxed);
        with_threads(&stop, |threads| {
            let crew = Crew::new(threads, "test");
            for _ in 0..2 {
                crew.start(0).unwrap();
            }
            for number in 1..10 {
                let sum = &sum;
                crew.jobs().give(move |_: &mut u32, _| {
                    assert!(!fails || number != 3, "a job that panics");
                    sum.fetch_add(number, Ordering::Relaxed);
                });
            }
        });
        sum.into_inner()
    }

    #[test]
    fn all_jobs_are_done_before_it_returns() {
        let stopped = AtomicBool::new(false);
        assert_eq!((done(false, &stopped), stopped.into_inner()), (45, false));
    }

    #[test]
    fn a_panic_stops_the_run_and_is_resumed() {
        let stopped = AtomicBool::new(false);
        let panic = catch_unwind(AssertUnwindSafe(|| done(true, &stopped)));
        assert_eq!(
            panic.unwrap_err().downcast_ref(),
            Some(&"a job that panics")
        );
        assert!(stopped.into_inner());
    }
}
