//! Writes pieces of work in order, on a thread of its own. A piece waits until all earlier ones are written.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};

use super::crew::with_threads;
use crate::error::Error;

/// Position of a piece of work in the output: by slot, then by piece within the slot.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PiecePlace {
    pub(crate) slot: u64,
    pub(crate) piece: u64,
}

impl PiecePlace {
    /// Returns the first place of a slot.
    pub(crate) fn of(slot: u64) -> Self {
        PiecePlace { slot, piece: 0 }
    }

    /// Returns the place after this one. If this one `ends` its slot, that is the first place of the next slot.
    pub(crate) fn after(self, ends: bool) -> Self {
        match ends {
            true => PiecePlace::of(self.slot + 1),
            false => PiecePlace {
                piece: self.piece + 1,
                ..self
            },
        }
    }

    /// Moves to the next piece. Returns the place before.
    pub(crate) fn step(&mut self) -> PiecePlace {
        let after = self.after(false);
        std::mem::replace(self, after)
    }
}

/// Delivers pieces to the thread that writes them.
pub(crate) struct Delivery<T>(Sender<(PiecePlace, Option<T>)>);

impl<T> Delivery<T> {
    /// Delivers a piece. `None` ends the slot, whose last piece is the one before `place`.
    pub(crate) fn send(&self, place: PiecePlace, piece: Option<T>) {
        // If the writer has panicked, the run ends.
        let _ = self.0.send((place, piece));
    }
}

/// Calls `with`, and passes the pieces that it delivers to `write` in order of their places, on another thread. `None` is the end
/// of a slot. If that thread panics, `stop` is called.
pub(crate) fn write_in_order<T: Send, R>(
    write: impl FnMut(PiecePlace, Option<T>) + Send,
    stop: &(dyn Fn() + Sync),
    with: impl FnOnce(Delivery<T>) -> Result<R, Error>,
) -> Result<R, Error> {
    let (sender, delivered) = mpsc::channel();
    with_threads(stop, |threads| {
        threads.start("write", move |_| receive(write, &delivered))?;
        with(Delivery(sender))
    })
}

fn receive<T>(
    mut write: impl FnMut(PiecePlace, Option<T>),
    delivered: &Receiver<(PiecePlace, Option<T>)>,
) {
    let mut early = BTreeMap::new();
    let mut next = PiecePlace::default();
    for (place, piece) in delivered {
        early.insert(place, piece);
        while let Some(piece) = early.remove(&next) {
            let after = next.after(piece.is_none());
            write(std::mem::replace(&mut next, after), piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::crew::Crew;
    use super::super::ticket::{Ticket, Tickets};
    use super::*;

    /// Writes the places of 3 slots with 40 pieces in all, which two threads deliver. The job with the number `fails` panics.
    fn written(fails: u64) -> (Vec<(u64, u64)>, bool) {
        let (mut written, stopped) = (Vec::new(), AtomicBool::new(false));
        let write = |place: PiecePlace, piece: Option<Ticket<()>>| {
            assert_eq!(piece.is_none(), place.slot == 2 || place.piece == 20);
            written.push((place.slot, place.piece));
        };
        let stop = || stopped.store(true, Ordering::Relaxed);
        let run = || {
            write_in_order(write, &stop, |delivery| {
                let (delivery, tickets) = (&delivery, Tickets::<()>::new(3));
                with_threads(&stop, |threads| {
                    let crew = Crew::new(threads, "test");
                    (0..2).try_for_each(|_| crew.start(()))?;
                    for (slot, piece) in [(2, 0), (1, 20), (0, 20)] {
                        delivery.send(PiecePlace { slot, piece }, None);
                    }
                    for number in 0..40 {
                        let ticket = tickets.take();
                        crew.jobs().give(move |(), panics| {
                            panics.guard(|| assert!(number != fails, "a job that panics"));
                            let slot = number / 20;
                            let piece = number % 20;
                            delivery.send(PiecePlace { slot, piece }, Some(ticket));
                        });
                    }
                    Ok(())
                })
            })
        };
        let run = catch_unwind(AssertUnwindSafe(run));
        assert_eq!(run.is_err(), stopped.load(Ordering::Relaxed));
        (written, run.is_err())
    }

    #[test]
    fn pieces_are_written_in_order() {
        let (written, has_panicked) = written(40);
        assert!(!has_panicked && written.is_sorted() && written.len() == 43);
    }

    #[test]
    fn no_thread_waits_for_a_piece_whose_job_panicked() {
        let (written, has_panicked) = written(7);
        assert!(has_panicked && written.is_sorted() && written.len() == 43);
    }
}
