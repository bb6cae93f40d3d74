//! Options for asking a registry.

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
    /// Options for asking a registry.
    registry: RegistryOptions, registry_setters, "Registry";

    /// Ask the registry for the names that the index does not know; without --known, for all names
    ///
    /// Each distinct name is asked for once. The registry is not asked for names that the index knows.
    flag online [Check] { help: shown(OptionHelp::Short) }

    /// Mail or web address by which the service can reach you; it is sent in the User-Agent
    text contact [Resolve Check] { value: "ADDRESS", help: shown(OptionHelp::Short) }

    /// Keep answers in this file, and ask only for names that it lacks; an interrupted run continues from it
    ///
    /// The file is created if it does not exist. One process at a time can use it.
    path cache [Resolve Check] { value: "FILE", help: shown(OptionHelp::Short) }

    /// Ask again if the cached answer is older, such as 12h or 90d; for unknown names, after a day at the latest
    value max_age: crate::options::Age [Resolve Check] default "30d" { value: "AGE", help: shown(OptionHelp::Long) }

    /// Max requests per second, repeated attempts included
    number rate: usize [Resolve Check] default "5" { value: "N", min: 1, help: shown(OptionHelp::Long) }

    /// Max requests at the same time
    number concurrency: usize [Resolve Check] default "4" { value: "N", min: 1, help: shown(OptionHelp::Long) }

    /// Max attempts for a name before it counts as `could_not_ask`
    number attempts: usize [Resolve Check] default "6" { value: "N", min: 1, help: shown(OptionHelp::Long) }

    /// URL of the services
    text endpoint [Resolve Check] default "the DOI proxy, at doi.org" { value: "URL", help: shown(OptionHelp::Long) }
}
