//! Selects the index of known names.

use super::spec::OptionHelp;

/// A build without indexes refuses the option with the reason, and does not show it.
const SHOWN: OptionHelp = match cfg!(feature = "known") {
    true => OptionHelp::Short,
    false => OptionHelp::Hidden,
};

options! {
    /// Selects the index of known names.
    lookup: LookupOptions, lookup_setters, "Known names";

    /// Ask this index, which doisift index has built, whether names are registered
    ///
    /// Where the rules doubt, names end where the index knows an end.
    ///
    /// An interrupted run is resumed only with the same index. Parts of the index that were asked may stay in memory, beside the
    /// budget of the run: at most the size of the file.
    path known [Scan Normalize Check] { value: "FILE", help: SHOWN }
}
