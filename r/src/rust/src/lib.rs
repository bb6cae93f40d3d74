//! The native part of the R package `doisift`, a thin layer over the crate.
//!
//! `exports` has what R calls. `names` reads cells that are one name each, `mentions` and `explanation` texts with names in them, and `reading` gives these
//! the cells of a vector; `tasks` scans and checks files, which `running` does on threads of their own, whose end R awaits. `options` sets options from R's
//! arguments. `cells` reads R's vectors, `frame` and `strings` make some.
//! The R files of the package have the functions that users see, and check their arguments.
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

/// What R makes an error of: the message.
type Answer<T> = std::result::Result<T, String>;

/// Panics become errors, as all else that goes wrong.
fn guarded<T>(work: impl FnOnce() -> Answer<T>) -> Answer<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(bug()))
}

/// A failure that no input should cause.
fn bug() -> String {
    "doisift failed by a mistake of its own; please report it".to_owned()
}
