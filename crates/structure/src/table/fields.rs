//! Fields of BibTeX, tags of formats with a tag at the start of each line, and columns of delimited tables.

use super::Meaning;

/// Fields of BibTeX entries, besides the key, which is the record's identifier.
pub(crate) const BIBTEX: &[(&str, Meaning)] = &[
    ("doi", Meaning::Own),
    ("url", Meaning::Own),
    // Scopus: a list with semicolons
    ("references", Meaning::Reference),
    // Web of Science: a line each
    ("cited-references", Meaning::Reference),
];

/// Tags of RIS records.
pub(crate) const RIS: &[(&str, Meaning)] = &[
    ("DO", Meaning::Id(0)),
    ("DI", Meaning::Id(0)),
    ("ID", Meaning::Id(1)),
    ("AN", Meaning::Id(2)),
    ("UR", Meaning::Own),
    ("L1", Meaning::Own),
    ("L2", Meaning::Own),
    ("LK", Meaning::Own),
];

/// Tags of PubMed's records.
pub(crate) const PUBMED: &[(&str, Meaning)] = &[
    ("PMID", Meaning::Id(0)),
    ("LID", Meaning::Own),
    ("AID", Meaning::Own),
];

/// Tags of EndNote's records, without the `%`.
pub(crate) const ENDNOTE: &[(&str, Meaning)] = &[
    ("R", Meaning::Id(0)),
    ("F", Meaning::Id(1)),
    ("M", Meaning::Id(2)),
    ("U", Meaning::Own),
];

/// Tags of Web of Science's records. Each line of `CR` is a reference.
pub(crate) const WEB_OF_SCIENCE: &[(&str, Meaning)] = &[
    ("DI", Meaning::Id(0)),
    ("UT", Meaning::Id(1)),
    ("D2", Meaning::Linked),
    ("CR", Meaning::Reference),
];

/// Columns of the tables that Scopus and Web of Science write. A list of references is in one cell, with semicolons.
pub(crate) const TABLE: &[(&str, Meaning)] = &[
    // Scopus
    ("DOI", Meaning::Id(0)),
    ("EID", Meaning::Id(1)),
    ("Link", Meaning::Own),
    ("References", Meaning::Reference),
    // The same in Chinese, simplified and traditional, and in Russian. `DOI` and `EID` have these names in every language.
    ("链接", Meaning::Own),
    ("参考文献", Meaning::Reference),
    ("連結", Meaning::Own),
    ("參考文獻", Meaning::Reference),
    ("Ссылка", Meaning::Own),
    ("Пристатейные ссылки", Meaning::Reference),
    // Web of Science: tab-delimited, with the tags of its plain text
    ("DI", Meaning::Id(0)),
    ("UT", Meaning::Id(1)),
    ("DL", Meaning::Own),
    ("D2", Meaning::Linked),
    ("CR", Meaning::Reference),
    // The same from a workbook, with the names of columns; the second identifier is that of a search in all of its databases
    ("UT (Unique WOS ID)", Meaning::Id(1)),
    ("UT (Unique ID)", Meaning::Id(1)),
    ("DOI Link", Meaning::Own),
    ("Book DOI", Meaning::Linked),
    ("Cited References", Meaning::Reference),
];
