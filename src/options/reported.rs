//! Values of options as reports and manifests have them.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use doisift_documents::display_name;
use serde::ser::{Serialize, Serializer};

use super::spec::OptionSpec;
use super::types::OptionField;
use super::value::OptionValue;

/// All options of a task with their values, in the order of the help.
pub(crate) type GivenOptions = Vec<(&'static OptionSpec, OptionValue)>;

/// The options of a run as its report has them: first those with their defaults filled in, then all others by name.
#[derive(Clone, Debug)]
pub struct ReportedOptions {
    own: Vec<(&'static str, OptionValue)>,
    others: BTreeMap<&'static str, OptionValue>,
}

impl ReportedOptions {
    /// Creates the options of a task. The report has `output`, `format`, `fields`, `threads` and `memory` only [with](Self::with)
    /// their defaults.
    pub(crate) fn new(given: &GivenOptions) -> Self {
        const OWN: [&str; 5] = ["output", "format", "fields", "threads", "memory"];
        let others = given.iter().filter(|(spec, _)| !OWN.contains(&spec.name));
        ReportedOptions {
            own: Vec::new(),
            others: by_name(others),
        }
    }

    /// Adds or replaces a value with its default filled in.
    pub(crate) fn with(mut self, name: &'static str, value: &impl OptionField) -> Self {
        let value = public(value.shown());
        match self.own.iter_mut().find(|(own, _)| *own == name) {
            Some((_, replaced)) => *replaced = value,
            None => self.own.push((name, value)),
        }
        self
    }

    /// Returns the value of an option, by its name.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        let own = self.own.iter().find(|(own, _)| *own == name);
        own.map(|(_, value)| value)
            .or_else(|| self.others.get(name))
    }
}

impl Serialize for ReportedOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let own = self.own.iter().map(|(name, value)| (name, value));
        serializer.collect_map(own.chain(&self.others))
    }
}

fn by_name<'o>(
    options: impl Iterator<Item = &'o (&'static OptionSpec, OptionValue)>,
) -> BTreeMap<&'static str, OptionValue> {
    options
        .map(|(spec, value)| (spec.name, public(value.clone())))
        .collect()
}

/// Returns the values of options that were given and affect the rows, for the manifest of parts.
pub(crate) fn stated(options: &GivenOptions) -> BTreeMap<&'static str, OptionValue> {
    let is_stated = |spec: &OptionSpec, value: &OptionValue| {
        !matches!(spec.heading, "Resources" | "Output") && value.is_given()
    };
    by_name(
        options
            .iter()
            .filter(|(spec, value)| is_stated(spec, value)),
    )
}

/// Returns the names of paths for a report.
pub(crate) fn reported_paths<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<String> {
    let names = paths.into_iter().map(|path| display_name(path));
    names.map(|name| without_secrets(&name)).collect()
}

/// Returns a value without the secrets of addresses.
fn public(value: OptionValue) -> OptionValue {
    let cleaned = |text: OsString| match text.to_str() {
        Some(known) => without_secrets(known).into(),
        None => text,
    };
    match value {
        OptionValue::Text(text) => OptionValue::Text(cleaned(text)),
        OptionValue::List(list) => OptionValue::List(list.into_iter().map(cleaned).collect()),
        value => value,
    }
}

/// Returns an address without credentials and signatures, and any other text as it is.
fn without_secrets(text: &str) -> String {
    #[cfg(feature = "remote")]
    if let Some(name) = doisift_remote::RemoteAddress::name_of(text) {
        return name;
    }
    text.to_owned()
}
