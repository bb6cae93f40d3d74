//! Threads that work for one reader: they are leased, take jobs from one queue, and end when the reader is dropped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::lock::lock;
use crate::unpackers::{ThreadLease, UnpackThreads};

/// Threads that take jobs of a kind `J`, each with any number of answers `A`.
pub(crate) struct WorkerThreads<'u, J, A> {
    /// `None` when no more jobs come.
    jobs: Option<Sender<QueuedJob<J, A>>>,
    threads: Vec<JoinHandle<()>>,
    stopped: Arc<AtomicBool>,
    /// Given back when the threads have ended.
    _lease: ThreadLease<'u>,
}

/// A job that waits for a thread.
struct QueuedJob<J, A> {
    job: J,
    to: SyncSender<A>,
    if_panicked: A,
}

/// Sends the answers of a job.
pub(crate) struct ResultSender<'j, A>(&'j SyncSender<A>);

impl<A> ResultSender<'_, A> {
    /// Passes an answer on; waits for room. Returns false if the receiver of the answers was dropped.
    pub(crate) fn send(&self, answer: A) -> bool {
        self.0.send(answer).is_ok()
    }
}

impl<'u, J: Send + 'static, A: Send + 'static> WorkerThreads<'u, J, A> {
    /// Starts the free threads of `unpackers`, up to `max`. Returns `None` if no thread is free or can be started.
    ///
    /// `worker` makes the function with which a thread does its jobs. If it returns `None`, the thread ends.
    pub(crate) fn start<W: FnMut(J, &ResultSender<'_, A>)>(
        unpackers: &'u UnpackThreads,
        max: usize,
        name: &str,
        worker: impl Fn() -> Option<W> + Send + Sync + 'static,
    ) -> Option<Self> {
        let lease = unpackers.lease()?;
        let (sender, jobs) = mpsc::channel();
        let (jobs, worker) = (Arc::new(Mutex::new(jobs)), Arc::new(worker));
        let stopped = Arc::new(AtomicBool::new(false));
        let start = |_| {
            let (jobs, worker) = (Arc::clone(&jobs), Arc::clone(&worker));
            let stopped = Arc::clone(&stopped);
            let thread = thread::Builder::new().name(name.to_owned());
            thread.spawn(move || work(&*worker, &jobs, &stopped)).ok()
        };
        let count = lease.threads.min(max);
        let threads: Vec<_> = (0..count).map_while(start).collect();
        (!threads.is_empty()).then_some(WorkerThreads {
            jobs: Some(sender),
            threads,
            stopped,
            _lease: lease,
        })
    }

    pub(crate) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Gives a job to the threads. At most `ahead` of its answers wait in the receiver, which ends after the last one. If the job
    /// panics, its last answer is `if_panicked`.
    pub(crate) fn start_job(&self, job: J, ahead: usize, if_panicked: A) -> Receiver<A> {
        let (to, from) = mpsc::sync_channel(ahead);
        let job = QueuedJob {
            job,
            to,
            if_panicked,
        };
        if let Some(jobs) = &self.jobs {
            // If all threads have ended, the receiver ends at once.
            let _ = jobs.send(job);
        }
        from
    }
}

impl<J, A> Drop for WorkerThreads<'_, J, A> {
    /// Ends the threads; each finishes its job first. The receivers must have been dropped, since a thread may wait for room.
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // The answer `if_panicked` has reported a panic.
            let _ = thread.join();
        }
    }
}

/// Does jobs until there are no more.
fn work<J, A, W: FnMut(J, &ResultSender<'_, A>)>(
    worker: impl Fn() -> Option<W>,
    jobs: &Mutex<Receiver<QueuedJob<J, A>>>,
    stopped: &AtomicBool,
) {
    let Some(mut work) = worker() else { return };
    loop {
        // The thread that holds the lock waits for the next job, the other threads for the lock.
        let next = lock(jobs).recv();
        let Ok(next) = next else { return };
        if stopped.load(Ordering::Relaxed) {
            return;
        }
        let done = catch_unwind(AssertUnwindSafe(|| work(next.job, &ResultSender(&next.to))));
        if done.is_err() {
            let _ = next.to.send(next.if_panicked);
            let Some(another) = worker() else { return };
            work = another;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workers(unpackers: &UnpackThreads) -> WorkerThreads<'_, u32, u32> {
        let worker = || {
            Some(|job: u32, answers: &ResultSender<'_, u32>| {
                (0..job).take_while(|n| answers.send(*n)).for_each(drop);
                assert!(job != 3, "a job that panics");
            })
        };
        WorkerThreads::start(unpackers, 2, "test", worker).unwrap()
    }

    #[test]
    fn answers_come_in_order_and_a_panic_is_the_last_one() {
        let unpackers = UnpackThreads::new(4, 0);
        let workers = workers(&unpackers);
        assert_eq!(workers.threads(), 2);
        let jobs = [5, 3, 0, 3, 4];
        let answers: Vec<_> = jobs
            .iter()
            .map(|job| workers.start_job(*job, 8, 99))
            .collect();
        let answers: Vec<Vec<_>> = answers.iter().map(|from| from.iter().collect()).collect();
        let expected: [&[u32]; 5] = [
            &[0, 1, 2, 3, 4],
            &[0, 1, 2, 99],
            &[],
            &[0, 1, 2, 99],
            &[0, 1, 2, 3],
        ];
        assert_eq!(answers, expected);
    }

    #[test]
    fn a_crew_that_is_dropped_ends_its_threads_and_returns_its_lease() {
        let unpackers = UnpackThreads::new(4, 0);
        let workers = workers(&unpackers);
        assert!(unpackers.lease().is_none());
        let answers: Vec<_> = (0..9).map(|_| workers.start_job(100, 1, 0)).collect();
        assert_eq!(answers[0].recv(), Ok(0));
        drop(answers);
        drop(workers);
        assert!(unpackers.lease().is_some());
    }

    #[test]
    fn a_crew_without_workers_answers_nothing() {
        let unpackers = UnpackThreads::new(4, 0);
        let worker = || None::<fn(u32, &ResultSender<'_, u32>)>;
        let workers = WorkerThreads::start(&unpackers, 2, "test", worker).unwrap();
        assert!(workers.start_job(1, 1, 7).recv().is_err());
    }
}
