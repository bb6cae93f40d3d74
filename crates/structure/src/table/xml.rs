//! Elements and attributes of records, identifiers and references in XML.

use super::{Detail, ItemPart, Meaning};

/// Fields of items for names in XML, for runs that want their texts. In JSON these are the paths with [`Meaning::Cited`].
pub(crate) const XML_NAMES: &[(&str, Detail)] = &[
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

/// What references say of the works that they cite, for runs that want the texts of names.
pub(crate) const XML_WORKS: &[(&str, Detail)] = &[
    // JATS
    ("article-title", Detail::Part(ItemPart::Title)),
    ("chapter-title", Detail::Part(ItemPart::Title)),
    ("part-title", Detail::Part(ItemPart::Title)),
    ("data-title", Detail::Part(ItemPart::Title)),
    ("source", Detail::Part(ItemPart::Container)),
    ("name", Detail::Part(ItemPart::Author)),
    ("string-name", Detail::Part(ItemPart::Author)),
    ("collab", Detail::Part(ItemPart::Author)),
    ("year", Detail::Part(ItemPart::Year)),
    // Crossref
    ("citation/article_title", Detail::Part(ItemPart::Title)),
    ("citation/volume_title", Detail::Part(ItemPart::Container)),
    ("citation/journal_title", Detail::Part(ItemPart::Container)),
    ("citation/author", Detail::Part(ItemPart::Author)),
    ("citation/cYear", Detail::Part(ItemPart::Year)),
    // TEI
    ("analytic/title", Detail::Part(ItemPart::Title)),
    ("monogr/title", Detail::Part(ItemPart::Container)),
    ("author/persName", Detail::Part(ItemPart::Author)),
    ("imprint/date/@when", Detail::Part(ItemPart::Year)),
];

/// Values of entries: of the records that EndNote and Zotero write.
pub(crate) const XML_VALUES: &[(&str, Detail)] = &[
    ("titles/title", Detail::Part(ItemPart::Value)),
    ("authors/author", Detail::Part(ItemPart::Value)),
    ("dates/year", Detail::Part(ItemPart::Value)),
    ("label", Detail::Part(ItemPart::Value)),
    ("rec-number", Detail::Part(ItemPart::Value)),
    ("electronic-resource-num", Detail::Part(ItemPart::Value)),
    ("url", Detail::Part(ItemPart::Value)),
    ("notes", Detail::Part(ItemPart::Value)),
    ("research-notes", Detail::Part(ItemPart::Value)),
    ("accession-num", Detail::Part(ItemPart::Value)),
];

/// Meanings of elements and attributes, by their last names, without prefix. `^` is the start of the document, `[a=b]` a
/// condition on an attribute. The first row that fits counts.
pub(crate) const XML: &[(&str, Meaning)] = &[
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
pub(crate) const XML_DETAILS: &[(&str, Detail)] = &[
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
