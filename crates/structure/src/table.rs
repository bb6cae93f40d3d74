//! The paths of records, their identifiers and references in the known formats. Data only; `pointers` and `elements` read it.

use std::str::FromStr;

use doisift_core::ParseError;

/// The meaning of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Meaning {
    #[default]
    Plain,
    /// A record.
    Record,
    /// An identifier of the record. The lowest rank is the best.
    Id(u8),
    /// An identifier of the record, but only if a mention is found there.
    Found(u8),
    /// Names the record too, but is not used as its identifier.
    Own,
    /// An item of the list of references.
    Reference,
    /// A field that holds the identifier of the reference around it. In an item that is not a reference, another identifier.
    Cited,
    /// A field that holds an identifier which the record cites, outside any list of references.
    Cites,
    /// An item that is a reference if its relation is one of [`RELATIONS`].
    Related,
    /// The relation of a related item.
    Relation,
    /// A field that holds the identifier of something else.
    Linked,
    /// The wikitext of a page.
    Wikitext,
    /// Never in a reference, although it may be inside one: a key, a label.
    Aside,
}

/// The detail that a path gives of the names in an item of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
    /// An item: its parts apply to all names in it. References and related items are items too.
    Item,
    /// An item whose own name is the relation.
    Relation,
    /// A part of the item that it is in.
    Part(ItemPart),
}

/// The kind of a part of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemPart {
    /// The key of the reference.
    Key,
    /// The party that assigned the name to the reference.
    AssertedBy,
    /// The relation of the record to the names.
    Relation,
    /// The type of an update of the record.
    UpdateType,
    /// A field for the DOI name of the reference.
    Name,
    /// A field for an identifier of any kind.
    Identifier,
    /// The whole text of the reference.
    Text,
    /// A part of its text.
    Piece,
}

/// Relations (DataCite's `relationType`, and as Zenodo writes them) by which the record cites an item.
pub(super) const RELATIONS: [&[u8]; 4] = [b"Cites", b"References", b"cites", b"references"];

/// Paths of records in JSON, from the start of a value. `*` is any item of a list.
pub(super) const JSON_RECORDS: [&str; 15] = [
    "",         // JSON Lines, and a file with one record
    "/*",       // CSL, and other lists
    "/items/*", // Crossref's public data file
    "/message", // Crossref's REST API
    "/message/items/*",
    "/data", // DataCite's REST API
    "/data/*",
    "/results/*",           // OpenAlex's API
    "/hits/hits/*",         // Zenodo's and INSPIRE's APIs
    "/hits/hits/*/_source", // Elasticsearch
    "/response/docs/*",     // Solr: ADS, PLOS
    "/resultList/result/*", // Europe PMC
    "/result",
    "/recommendedPapers/*", // Semantic Scholar
    "/entities/?",          // Wikidata
];

/// Meanings of paths within a record in JSON. `*` is any item of a list, `?` any member.
pub(super) const JSON_FIELDS: &[(&str, Meaning)] = &[
    // Crossref, CSL
    ("/DOI", Meaning::Id(0)),
    ("/URL", Meaning::Own),
    ("/resource/primary/URL", Meaning::Own),
    ("/reference/*", Meaning::Reference),
    ("/reference/*/DOI", Meaning::Cited),
    ("/reference/*/doi", Meaning::Cited),
    ("/reference/*/key", Meaning::Aside),
    ("/relation/?/*/id", Meaning::Linked),
    ("/relation/cites/*/id", Meaning::Cites),
    ("/relation/references/*/id", Meaning::Cites),
    ("/funder/*/DOI", Meaning::Linked),
    ("/funder/*/id/*/id", Meaning::Linked),
    ("/update-to/*/DOI", Meaning::Linked),
    ("/updated-by/*/DOI", Meaning::Linked),
    ("/update-policy", Meaning::Linked),
    // OpenAlex
    ("/doi", Meaning::Id(0)),
    ("/ids/doi", Meaning::Own),
    ("/primary_location/landing_page_url", Meaning::Own),
    ("/best_oa_location/landing_page_url", Meaning::Own),
    ("/locations/*/landing_page_url", Meaning::Own),
    ("/open_access/oa_url", Meaning::Own),
    // Semantic Scholar: its API, its files, and the references that it reads from PDF
    ("/externalIds/DOI", Meaning::Id(0)),
    ("/externalids/DOI", Meaning::Id(0)),
    ("/references/*/externalIds/DOI", Meaning::Cited),
    ("/citations/*/externalIds/DOI", Meaning::Linked),
    ("/citations/*/doi", Meaning::Linked),
    ("/citedPaper/externalIds/DOI", Meaning::Cites),
    ("/citingPaper/externalIds/DOI", Meaning::Linked),
    ("/bib_entries/?/other_ids/DOI/*", Meaning::Cites),
    ("/paperId", Meaning::Id(4)),
    ("/paper_id", Meaning::Id(4)),
    // OpenCitations
    ("/citing", Meaning::Id(0)),
    ("/cited", Meaning::Cites),
    // Europe PMC
    ("/fullTextUrlList/fullTextUrl/*/url", Meaning::Own),
    ("/referenceList/reference/*", Meaning::Reference),
    ("/referenceList/reference/*/doi", Meaning::Cited),
    ("/citationList/citation/*/doi", Meaning::Linked),
    ("/request/id", Meaning::Id(4)),
    // ADS
    ("/doi/*", Meaning::Id(0)),
    ("/identifier/*", Meaning::Own),
    ("/bibcode", Meaning::Id(4)),
    // INSPIRE, from its API and as files
    ("/metadata/dois/*/value", Meaning::Id(0)),
    ("/metadata/references/*/reference/dois/*", Meaning::Cited),
    ("/dois/*/value", Meaning::Id(0)),
    ("/references/*/reference/dois/*", Meaning::Cited),
    ("/control_number", Meaning::Id(5)),
    // Wikidata: the DOI name of an item, and those of the sources of its statements
    ("/claims/P356/*/mainsnak/datavalue/value", Meaning::Id(0)),
    (
        "/claims/?/*/references/*/snaks/P356/*/datavalue/value",
        Meaning::Linked,
    ),
    (
        "/claims/?/*/qualifiers/P356/*/datavalue/value",
        Meaning::Linked,
    ),
    // CITATION.cff
    ("/identifiers/*/value", Meaning::Found(3)),
    ("/preferred-citation/doi", Meaning::Linked),
    ("/preferred-citation/identifiers/*/value", Meaning::Linked),
    ("/references/*/identifiers/*/value", Meaning::Cited),
    ("/repository-code", Meaning::Id(5)),
    // fatcat
    ("/ext_ids/doi", Meaning::Id(0)),
    ("/refs/*", Meaning::Reference),
    ("/refs/*/extra/doi", Meaning::Cited),
    ("/refs/*/extra/DOI", Meaning::Cited),
    ("/refs/*/extra/crossref/doi", Meaning::Cited),
    ("/refs/*/key", Meaning::Aside),
    ("/extra/crossref/funder/*/DOI", Meaning::Linked),
    ("/extra/datacite/relations/*", Meaning::Related),
    (
        "/extra/datacite/relations/*/relatedIdentifier",
        Meaning::Cited,
    ),
    (
        "/extra/datacite/relations/*/relationType",
        Meaning::Relation,
    ),
    // DataCite, as files and from its API
    ("/identifiers/*/identifier", Meaning::Found(3)),
    ("/identifier/identifier", Meaning::Found(3)),
    ("/url", Meaning::Own),
    ("/relatedIdentifiers/*", Meaning::Related),
    ("/relatedIdentifiers/*/relatedIdentifier", Meaning::Cited),
    ("/relatedIdentifiers/*/relationType", Meaning::Relation),
    ("/relatedItems/*", Meaning::Related),
    ("/relatedItems/*/relatedItemIdentifier", Meaning::Cited),
    (
        "/relatedItems/*/relatedItemIdentifier/relatedItemIdentifier",
        Meaning::Cited,
    ),
    ("/relatedItems/*/relationType", Meaning::Relation),
    ("/fundingReferences/*/funderIdentifier", Meaning::Linked),
    (
        "/fundingReferences/*/funderIdentifier/funderIdentifier",
        Meaning::Linked,
    ),
    ("/attributes/doi", Meaning::Id(0)),
    ("/attributes/url", Meaning::Own),
    ("/attributes/relatedIdentifiers/*", Meaning::Related),
    (
        "/attributes/relatedIdentifiers/*/relatedIdentifier",
        Meaning::Cited,
    ),
    (
        "/attributes/relatedIdentifiers/*/relationType",
        Meaning::Relation,
    ),
    ("/attributes/relatedItems/*", Meaning::Related),
    (
        "/attributes/relatedItems/*/relatedItemIdentifier/relatedItemIdentifier",
        Meaning::Cited,
    ),
    ("/attributes/relatedItems/*/relationType", Meaning::Relation),
    (
        "/attributes/fundingReferences/*/funderIdentifier",
        Meaning::Linked,
    ),
    // Zenodo and other repositories of InvenioRDM
    ("/pids/doi/identifier", Meaning::Id(0)),
    ("/parent/pids/doi/identifier", Meaning::Linked),
    ("/conceptdoi", Meaning::Linked),
    ("/doi_url", Meaning::Own),
    ("/links/doi", Meaning::Own),
    ("/links/self_doi", Meaning::Own),
    ("/metadata/doi", Meaning::Own),
    ("/metadata/references/*", Meaning::Reference),
    ("/metadata/references/*/identifier", Meaning::Cited),
    ("/metadata/related_identifiers/*", Meaning::Related),
    ("/metadata/related_identifiers/*/identifier", Meaning::Cited),
    (
        "/metadata/related_identifiers/*/relation",
        Meaning::Relation,
    ),
    (
        "/metadata/related_identifiers/*/relation_type/id",
        Meaning::Relation,
    ),
    // commonmeta, and others
    ("/references/*", Meaning::Reference),
    ("/references/*/doi", Meaning::Cited),
    ("/references/*/DOI", Meaning::Cited),
    ("/references/*/key", Meaning::Aside),
    ("/references/*/id", Meaning::Cited),
    ("/relations/*", Meaning::Related),
    ("/relations/*/id", Meaning::Cited),
    ("/relations/*/type", Meaning::Relation),
    ("/id", Meaning::Id(4)),
    ("/ident", Meaning::Id(4)),
    ("/pmid", Meaning::Id(5)),
];

/// Details of items, by paths within a record in JSON. References and related items are in [`JSON_FIELDS`] and not repeated here.
pub(super) const JSON_DETAILS: &[(&str, Detail)] = &[
    ("/reference/*/key", Detail::Part(ItemPart::Key)),
    (
        "/reference/*/doi-asserted-by",
        Detail::Part(ItemPart::AssertedBy),
    ),
    ("/reference/*/unstructured", Detail::Part(ItemPart::Text)),
    ("/refs/*/key", Detail::Part(ItemPart::Key)),
    ("/refs/*/extra/unstructured", Detail::Part(ItemPart::Text)),
    (
        "/refs/*/extra/crossref/unstructured",
        Detail::Part(ItemPart::Text),
    ),
    ("/references/*/key", Detail::Part(ItemPart::Key)),
    ("/references/*/id", Detail::Part(ItemPart::Key)),
    ("/references/*/unstructured", Detail::Part(ItemPart::Text)),
    (
        "/metadata/references/*/reference",
        Detail::Part(ItemPart::Text),
    ),
    (
        "/metadata/references/*/reference/label",
        Detail::Part(ItemPart::Key),
    ),
    ("/references/*/reference/label", Detail::Part(ItemPart::Key)),
    ("/relation/?", Detail::Relation),
    ("/relation/cites", Detail::Relation),
    ("/relation/references", Detail::Relation),
    ("/update-to/*", Detail::Item),
    ("/update-to/*/type", Detail::Part(ItemPart::UpdateType)),
    ("/updated-by/*", Detail::Item),
    ("/updated-by/*/type", Detail::Part(ItemPart::UpdateType)),
];

/// Fields of items for names in XML, for runs that want their texts. In JSON these are the paths with [`Meaning::Cited`].
pub(super) const XML_NAMES: &[(&str, Detail)] = &[
    ("citation/doi", Detail::Part(ItemPart::Name)),
    ("pub-id[pub-id-type=doi]", Detail::Part(ItemPart::Name)),
    (
        "Reference/ArticleIdList/ArticleId[IdType=doi]",
        Detail::Part(ItemPart::Name),
    ),
    ("idno[type=doi]", Detail::Part(ItemPart::Name)),
    ("reference/doi", Detail::Part(ItemPart::Name)),
    (
        "relatedItem/identifier[type=doi]",
        Detail::Part(ItemPart::Name),
    ),
    (
        "relatedIdentifier[relatedIdentifierType=doi]",
        Detail::Part(ItemPart::Name),
    ),
    (
        "relatedItemIdentifier[relatedItemIdentifierType=doi]",
        Detail::Part(ItemPart::Name),
    ),
];

/// Meanings of elements and attributes, by their last names, without prefix. `^` is the start of the document, `[a=b]` a
/// condition on an attribute. The first row that fits counts.
pub(super) const XML: &[(&str, Meaning)] = &[
    // OAI-PMH
    ("record", Meaning::Record),
    ("record/header/identifier", Meaning::Id(0)),
    ("dc/identifier", Meaning::Own),
    ("dc/relation", Meaning::Linked),
    ("dc/source", Meaning::Linked),
    // Crossref: each element that can have `doi_data` is a record
    ("query", Meaning::Record),
    ("query/doi", Meaning::Id(0)),
    ("crossref_metadata/doi", Meaning::Own),
    ("journal_metadata", Meaning::Record),
    ("journal_issue", Meaning::Record),
    ("journal_volume", Meaning::Record),
    ("journal_article", Meaning::Record),
    ("book_metadata", Meaning::Record),
    ("book_series_metadata", Meaning::Record),
    ("book_set_metadata", Meaning::Record),
    ("series_metadata", Meaning::Record),
    ("set_metadata", Meaning::Record),
    ("content_item", Meaning::Record),
    ("conference_paper", Meaning::Record),
    ("proceedings_metadata", Meaning::Record),
    ("proceedings_series_metadata", Meaning::Record),
    ("dissertation", Meaning::Record),
    ("report-paper_metadata", Meaning::Record),
    ("report-paper_series_metadata", Meaning::Record),
    ("standard_metadata", Meaning::Record),
    ("database_metadata", Meaning::Record),
    ("dataset", Meaning::Record),
    ("component", Meaning::Record),
    ("peer_review", Meaning::Record),
    ("posted_content", Meaning::Record),
    ("pending_publication", Meaning::Record),
    ("grant", Meaning::Record),
    ("doi_data/doi", Meaning::Id(0)),
    ("doi_data/resource", Meaning::Own),
    ("sa_component/@parent_doi", Meaning::Linked),
    ("citation_list/citation", Meaning::Reference),
    ("citation/doi", Meaning::Cited),
    ("citation/@key", Meaning::Aside),
    ("inter_work_relation", Meaning::Linked),
    ("intra_work_relation", Meaning::Linked),
    ("updates/update", Meaning::Linked),
    // JATS
    ("article", Meaning::Record),
    ("sub-article", Meaning::Record),
    ("response", Meaning::Record),
    ("article-meta/article-id[pub-id-type=doi]", Meaning::Id(0)),
    ("article-meta/article-id[pub-id-type=pmid]", Meaning::Id(1)),
    ("article-meta/article-id[pub-id-type=pmc]", Meaning::Id(2)),
    ("article-meta/article-id[pub-id-type=pmcid]", Meaning::Id(2)),
    ("article-meta/article-id", Meaning::Id(4)),
    ("front-stub/article-id[pub-id-type=doi]", Meaning::Id(0)),
    ("front-stub/article-id", Meaning::Id(4)),
    ("sub-article/@id", Meaning::Id(5)),
    ("response/@id", Meaning::Id(5)),
    ("object-id[pub-id-type=doi]", Meaning::Linked),
    ("related-article", Meaning::Linked),
    ("related-article/@href", Meaning::Linked),
    ("related-object", Meaning::Linked),
    ("related-object/@href", Meaning::Linked),
    ("institution-id", Meaning::Linked),
    ("ref-list/ref", Meaning::Reference),
    ("ref/@id", Meaning::Aside),
    ("pub-id[pub-id-type=doi]", Meaning::Cited),
    ("issue-id[pub-id-type=doi]", Meaning::Cited),
    ("ext-link[ext-link-type=doi]", Meaning::Cited),
    ("ext-link/@href", Meaning::Cited),
    // Counts by PubMed Central
    ("article/@id", Meaning::Id(5)),
    ("article/meta-data/@doi", Meaning::Id(0)),
    // TEI: GROBID, HAL
    ("TEI", Meaning::Record),
    ("listBibl/biblFull", Meaning::Record),
    ("sourceDesc/biblStruct/idno[type=doi]", Meaning::Id(0)),
    (
        "sourceDesc/biblStruct/analytic/idno[type=doi]",
        Meaning::Id(0),
    ),
    ("publicationStmt/idno[type=doi]", Meaning::Id(0)),
    ("publicationStmt/idno[type=halid]", Meaning::Id(4)),
    ("listBibl/biblStruct", Meaning::Reference),
    ("listBibl/bibl", Meaning::Reference),
    ("biblStruct/@id", Meaning::Aside),
    ("bibl/@id", Meaning::Aside),
    ("idno[type=doi]", Meaning::Cited),
    ("ptr/@target", Meaning::Cited),
    // MODS
    ("mods", Meaning::Record),
    ("mods/identifier[type=doi]", Meaning::Id(0)),
    ("mods/identifier", Meaning::Id(4)),
    ("mods/recordInfo/recordIdentifier", Meaning::Id(3)),
    ("mods/location/url", Meaning::Own),
    ("relatedItem/identifier[type=doi]", Meaning::Cited),
    // Europe PMC
    ("responseWrapper", Meaning::Record),
    ("responseWrapper/request/id", Meaning::Id(4)),
    ("resultList/result", Meaning::Record),
    ("result/doi", Meaning::Id(0)),
    ("result/id", Meaning::Id(4)),
    ("referenceList/reference", Meaning::Reference),
    ("reference/doi", Meaning::Cited),
    // PubMed
    ("PubmedArticle", Meaning::Record),
    ("PubmedBookArticle", Meaning::Record),
    ("MedlineCitation/PMID", Meaning::Id(0)),
    ("BookDocument/PMID", Meaning::Id(0)),
    ("Article/ELocationID[EIdType=doi]", Meaning::Own),
    (
        "PubmedData/ArticleIdList/ArticleId[IdType=doi]",
        Meaning::Own,
    ),
    (
        "PubmedBookData/ArticleIdList/ArticleId[IdType=doi]",
        Meaning::Own,
    ),
    (
        "BookDocument/ArticleIdList/ArticleId[IdType=doi]",
        Meaning::Own,
    ),
    ("ReferenceList/Reference", Meaning::Reference),
    (
        "Reference/ArticleIdList/ArticleId[IdType=doi]",
        Meaning::Cited,
    ),
    // DataCite
    ("^/resource", Meaning::Record),
    ("metadata/resource", Meaning::Record),
    ("payload/resource", Meaning::Record),
    ("resources/resource", Meaning::Record),
    ("resource/identifier[identifierType=DOI]", Meaning::Id(0)),
    ("resource/identifier", Meaning::Id(1)),
    ("relatedIdentifier", Meaning::Related),
    ("relatedItem", Meaning::Related),
    ("relatedItem/relatedItemIdentifier", Meaning::Cited),
    ("funderIdentifier", Meaning::Linked),
    // MediaWiki
    ("page", Meaning::Record),
    ("page/title", Meaning::Id(0)),
    ("page/revision/text", Meaning::Wikitext),
];

/// Details of items, by elements and attributes.
pub(super) const XML_DETAILS: &[(&str, Detail)] = &[
    ("ref/@id", Detail::Part(ItemPart::Key)),
    ("biblStruct/@id", Detail::Part(ItemPart::Key)),
    ("bibl/@id", Detail::Part(ItemPart::Key)),
    ("citation/@key", Detail::Part(ItemPart::Key)),
    ("citation/doi/@provider", Detail::Part(ItemPart::AssertedBy)),
    ("inter_work_relation", Detail::Item),
    (
        "inter_work_relation/@relationship-type",
        Detail::Part(ItemPart::Relation),
    ),
    ("intra_work_relation", Detail::Item),
    (
        "intra_work_relation/@relationship-type",
        Detail::Part(ItemPart::Relation),
    ),
    (
        "relatedIdentifier/@relationType",
        Detail::Part(ItemPart::Relation),
    ),
    (
        "relatedItem/@relationType",
        Detail::Part(ItemPart::Relation),
    ),
    ("mods/relatedItem/@type", Detail::Part(ItemPart::Relation)),
    ("updates/update", Detail::Item),
    ("updates/update/@type", Detail::Part(ItemPart::UpdateType)),
];

/// Fields of BibTeX entries, besides the key, which is the record's identifier.
pub(super) const BIBTEX: &[(&str, Meaning)] = &[
    ("doi", Meaning::Own),
    ("url", Meaning::Own),
    // Scopus: a list with semicolons
    ("references", Meaning::Reference),
    // Web of Science: a line each
    ("cited-references", Meaning::Reference),
];

/// Tags of RIS records.
pub(super) const RIS: &[(&str, Meaning)] = &[
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
pub(super) const PUBMED: &[(&str, Meaning)] = &[
    ("PMID", Meaning::Id(0)),
    ("LID", Meaning::Own),
    ("AID", Meaning::Own),
];

/// Tags of EndNote's records, without the `%`.
pub(super) const ENDNOTE: &[(&str, Meaning)] = &[
    ("R", Meaning::Id(0)),
    ("F", Meaning::Id(1)),
    ("M", Meaning::Id(2)),
    ("U", Meaning::Own),
];

/// Tags of Web of Science's records. Each line of `CR` is a reference.
pub(super) const WEB_OF_SCIENCE: &[(&str, Meaning)] = &[
    ("DI", Meaning::Id(0)),
    ("UT", Meaning::Id(1)),
    ("D2", Meaning::Linked),
    ("CR", Meaning::Reference),
];

/// The path of a record's identifier, from the record: `/DOI`, `/front/article-meta/article-id`, `/header/@key`.
///
/// In JSON it is a JSON pointer, with `*` for any item of a list; the first item with an identifier counts. In XML it is a path
/// of elements that may end in an attribute. In BibTeX and RIS it is the name of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordId {
    path: Box<str>,
}

impl FromStr for RecordId {
    type Err = ParseError;

    fn from_str(path: &str) -> Result<RecordId, ParseError> {
        let mut steps = path.split('/');
        let is_path = steps.next() == Some("")
            && steps.clone().count() > 0
            && steps.all(|step| !step.is_empty());
        if is_path {
            Ok(RecordId { path: path.into() })
        } else {
            Err(ParseError::new(
                "path from a record to its identifier",
                path,
                "one such as /DOI or /header/identifier",
            ))
        }
    }
}

impl RecordId {
    /// Returns the names on the path.
    pub(super) fn steps(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.path[1..].split('/')
    }
}

impl Meaning {
    /// Whether it is an item whose parts apply to the names in it.
    pub(super) fn is_item(self) -> bool {
        matches!(self, Meaning::Reference | Meaning::Related)
    }

    /// Returns the meaning of a path if an option sets the path of the identifier instead of the table.
    pub(super) fn without_id(self) -> Meaning {
        match self {
            Meaning::Id(_) | Meaning::Found(_) => Meaning::Own,
            other => other,
        }
    }
}
