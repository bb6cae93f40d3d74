//! Mentions in order: what a piece of work found waits until all before it was written.

use std::collections::BTreeMap;
use std::sync::mpsc::Receiver;

use super::rows::Rows;
use super::sink::Sink;
use super::state::Run;
use super::ticket::Ticket;
use crate::error::Error;

/// The place of a piece of work in the output: pieces of a slot come in turn, slots too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) slot: u64,
    pub(super) piece: u64,
}

/// What comes to a place.
pub(super) enum Arrival {
    /// A ticket with rows; it goes back when they are written.
    Rows(Ticket),
    /// The slot has no more pieces.
    End,
}

/// Writes what arrives in the order of places, until nothing more can arrive. After a failure it only gives tickets back.
pub(super) fn write_in_order(
    run: &Run<'_>,
    arrivals: &Receiver<(Place, Arrival)>,
    sink: &mut Sink,
) {
    let mut early = BTreeMap::new();
    let mut next = Place { slot: 0, piece: 0 };
    for (place, arrival) in arrivals {
        early.insert(place, arrival);
        while let Some(arrival) = early.remove(&next) {
            next = match arrival {
                Arrival::End => Place {
                    slot: next.slot + 1,
                    piece: 0,
                },
                Arrival::Rows(mut ticket) => {
                    write_rows(run, &mut ticket.load.rows, sink);
                    Place {
                        piece: next.piece + 1,
                        ..next
                    }
                }
            };
        }
    }
}

fn write_rows(run: &Run<'_>, rows: &mut Rows, sink: &mut Sink) {
    if run.is_halted() {
        rows.clear();
    } else if let Err(error) = rows.write(sink) {
        run.fail(Error::output(error));
    }
}
