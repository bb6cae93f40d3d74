//! Finds the mentions of DOI names in bytes.
//!
//! `scanner` is the loop: `anchor` finds the positions at which a name may start, and `decider` decides about each from the bytes
//! around it, whose bounds are in `window`. `fast_path` recognises most names at a glance. For the others, `start` and `automaton`
//! read whether a name starts there; `candidate` reads where it may end: `context` reads the bytes before it, of which `glance`
//! recognises most, `extent` bounds it, `decode` undoes its escapes. `rules` decides what a name is; if it is in doubt, `known_ends` asks
//! a set of known names. `find`, `stream` and `parts` are other ways to call the scanner. `naive` is a slow engine over the same
//! rules, and `explain` shows the steps of a decision. Knows [`Doi`](crate::Doi) and bytes; knows nothing of files, containers or
//! records.

mod anchor;
pub mod around;
mod arxiv;
mod automaton;
mod candidate;
mod context;
mod decider;
mod decode;
mod escape;
mod explain;
mod extent;
mod fast_path;
mod find;
mod glance;
mod kind;
mod known_ends;
mod mention;
#[cfg(feature = "testing")]
pub mod naive;
mod name_buffers;
mod origin;
mod parts;
pub(crate) mod rules;
mod scanner;
mod start;
mod stream;
mod tally;
mod window;

pub(crate) use escape::markup;
pub use explain::{Explanation, ExplanationStep, NonCandidate, Verdict};
pub use kind::TextKind;
pub use known_ends::NameSet;
pub use mention::{Decision, Form, Match, Mention};
pub use rules::book::{Rule, RuleScope};
pub use rules::dirt::Change;
pub use rules::examples::{Example, ExampleReading};
pub use scanner::Scanner;
pub use stream::Stream;
pub use tally::{Rejection, Tally};
