//! The native part of the R package `doisift`, a thin layer over the crate.
//!
//! `exports` has the functions that R calls. `names` reads cells that are one name each, `mentions` and `explanation` read texts
//! with names in them, and `reading` passes the cells of a vector to them. `tasks` scans and checks files; `running` does this on
//! threads whose end R awaits. `options` sets options from R's arguments. `cells` reads R's vectors, `frame` and `strings` make
//! vectors. The R files of the package have the functions that users see, and check their arguments.
#![deny(missing_docs, unsafe_code)]
#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cells;
mod explanation;
mod exports;
mod frame;
mod mentions;
mod names;
mod options;
mod reading;
mod running;
mod strings;
mod tasks;

use std::panic::{AssertUnwindSafe, catch_unwind};

/// A result whose error is the message of an R condition.
type Answer<T> = std::result::Result<T, String>;

/// Runs `work` and turns a panic into an error.
fn guarded<T>(work: impl FnOnce() -> Answer<T>) -> Answer<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(bug()))
}

/// Returns the message for a failure that no input should cause.
fn bug() -> String {
    "doisift failed by an internal error; please report it".to_owned()
}
