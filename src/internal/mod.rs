//! Items for the command and for the bindings to other languages. They are not part of the public interface, and may change in any
//! version.

#[cfg(feature = "pipeline")]
mod tasks;

pub use doisift_core::internal::{
    Example, ExampleReading, Explanation, ExplanationStep, NonCandidate, NotOneName, Rule, Verdict,
};

#[cfg(feature = "pipeline")]
pub use tasks::*;
