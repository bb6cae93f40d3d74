//! Paths of records, identifiers and references in JSON and YAML.

use super::{Detail, ItemPart, Meaning};

/// Paths of records in JSON, from the start of a value. `*` is any item of a list.
pub(crate) const JSON_RECORDS: [&str; 15] = [
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
pub(crate) const JSON_FIELDS: &[(&str, Meaning)] = &[
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

/// What references say of the works that they cite, for runs that want the texts of names.
pub(crate) const JSON_WORKS: &[(&str, Detail)] = &[
    // Crossref
    ("/reference/*/article-title", Detail::Part(ItemPart::Title)),
    (
        "/reference/*/volume-title",
        Detail::Part(ItemPart::Container),
    ),
    (
        "/reference/*/journal-title",
        Detail::Part(ItemPart::Container),
    ),
    ("/reference/*/author", Detail::Part(ItemPart::Author)),
    ("/reference/*/year", Detail::Part(ItemPart::Year)),
    // commonmeta
    ("/references/*/title", Detail::Part(ItemPart::Title)),
    (
        "/references/*/containerTitle",
        Detail::Part(ItemPart::Container),
    ),
    (
        "/references/*/publicationYear",
        Detail::Part(ItemPart::Year),
    ),
];

/// Details of items, by paths within a record in JSON. References and related items are in [`JSON_FIELDS`] and not repeated here.
pub(crate) const JSON_DETAILS: &[(&str, Detail)] = &[
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
