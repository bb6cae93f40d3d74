//! Selects the index of known names.

use std::time::Duration;

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

    /// Read notices of retraction from this file; the CSV of Retraction Watch, or works of Crossref, packed or not, in a folder or
    /// an archive, or at an address
    ///
    /// They are read at the start of the run, into a temporary file. Names without notices have the verdict that they have without
    /// this option. The notices of an index of [known](Self::known) names count too.
    path retractions [Check] { value: "FILE", help: OptionHelp::Short }

    /// Warn if the data of the index or the notices are older, such as 12h or 90d
    ///
    /// The date of an index is that of each of its sources, as it was built. The date of notices is the newest of their own, or
    /// without any, the time of the file. A date without a day counts as the last day of its month or year.
    value stale_after: Duration [Check] default "30d" { value: "AGE" }
}
