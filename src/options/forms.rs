//! Selects other spellings of names that are read.

options! {
    /// Selects other spellings of names that are read.
    forms: FormOptions, "Names";

    /// Also read arXiv identifiers, and addresses at arxiv.org, as DOI names; arXiv:2101.00001v2 is 10.48550/arxiv.2101.00001
    ///
    /// The version is not part of the name. Old identifiers, such as `arXiv:hep-th/9901001`, have DOI names too. The form of
    /// these mentions is `arxiv`.
    flag arxiv [Scan CleanTable] { is_fixed: true }
}
