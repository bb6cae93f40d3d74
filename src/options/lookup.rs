//! Selects the index of known names.

use super::spec::OptionHelp;

options! {
    /// Selects the index of known names.
    lookup: LookupOptions, "Known names";

    /// Ask this index whether names are registered; doisift index builds it
    ///
    /// Where the rules are not certain of the end of a name, the index decides.
    ///
    /// An interrupted run is resumed only with the same index. Parts of the index that were read may stay in memory, in addition
    /// to the budget of the run: at most the size of the file.
    path known [Scan CleanTable Check] { value: "FILE", help: OptionHelp::Short }
}
