//! Options for asking a registry.

use std::path::PathBuf;
use std::time::Duration;

use super::spec::OptionHelp;

/// Returns the help that shows an option. A build that asks no registry does not show these options, and refuses them with the
/// reason.
const fn shown(help: OptionHelp) -> OptionHelp {
    match cfg!(feature = "resolve") {
        true => help,
        false => OptionHelp::Hidden,
    }
}

options! {
    /// Whether a check asks the registry.
    asking: AskingOptions, "Registry";

    /// Ask the registry for the names that the index does not know; without --known, for all names
    ///
    /// Each distinct name is asked for once. The registry is not asked for names that the index knows.
    with online: Registry [Check] { help: shown(OptionHelp::Short) }
}

options! {
    /// How the registry is asked: the service, the speed, and the file that keeps the answers.
    ///
    /// ```
    /// use doisift::{Check, Registry};
    ///
    /// let contact = Some("mailto:ann@example.org".to_owned());
    /// let check = Check::new().input("refs.bib").online(Registry { contact, ..Registry::default() });
    /// ```
    value Registry, "Registry", [Resolve Check];

    /// Mail or web address by which the service can reach you; it is sent in the User-Agent
    contact: Option<String>, { value: "ADDRESS", help: shown(OptionHelp::Short) }

    /// Keep answers in this file, and ask only for names that it lacks; an interrupted run continues from it
    ///
    /// The file is created if it does not exist. One process at a time can use it.
    cache: Option<PathBuf>, { value: "FILE", help: shown(OptionHelp::Short) }

    /// Ask again if the cached answer is older, such as 12h or 90d; for unknown names, after a day at the latest
    max_age: Option<Duration>, default "30d", { value: "AGE", help: shown(OptionHelp::Long) }

    /// Max requests per second, repeated attempts included
    rate: Option<usize>, default "5", { value: "N", min: 1, help: shown(OptionHelp::Long) }

    /// Max requests at the same time
    concurrency: Option<usize>, default "4", { value: "N", min: 1, help: shown(OptionHelp::Long) }

    /// Max attempts for a name before it counts as `could_not_ask`
    attempts: Option<usize>, default "6", { value: "N", min: 1, help: shown(OptionHelp::Long) }

    /// URL of the services
    endpoint: Option<String>, default "the DOI proxy, at doi.org", { value: "URL", help: shown(OptionHelp::Long) }
}
