//! Values of options as reports and manifests have them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use doisift_documents::display_name;

use super::spec::OptionSpec;
use super::value::OptionValue;

/// Options by their names.
pub(crate) type OptionValues = BTreeMap<&'static str, OptionValue>;

/// Returns the values of options for a report, without those that have a member of their own there.
pub(crate) fn reported(options: &[(&'static OptionSpec, OptionValue)]) -> OptionValues {
    const OWN: [&str; 5] = ["output", "format", "fields", "threads", "memory"];
    let others = options.iter().filter(|(spec, _)| !OWN.contains(&spec.name));
    others
        .map(|(spec, value)| (spec.name, value.clone()))
        .collect()
}

/// Returns the values of options that were given and affect the rows, for the manifest of parts.
pub(crate) fn stated(options: &[(&'static OptionSpec, OptionValue)]) -> OptionValues {
    let is_stated = |spec: &OptionSpec, value: &OptionValue| {
        !matches!(spec.heading, "Resources" | "Output") && value.is_given()
    };
    let stated = options
        .iter()
        .filter(|(spec, value)| is_stated(spec, value));
    stated
        .map(|(spec, value)| (spec.name, value.clone()))
        .collect()
}

/// Returns the names of paths for a report.
pub(crate) fn reported_paths<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<String> {
    let names = paths.into_iter().map(|path| display_name(path));
    names.map(Cow::into_owned).collect()
}
