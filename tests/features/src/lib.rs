//! Nothing: this package is the features that its `Cargo.toml` names.
