//! Selects the rows that are written, and their names.

use super::spec::{EDGES, OptionHelp, OptionKind, Subject};
use super::types::parsed;
use doisift_structure::{RecordId, Role};

const WRITTEN: &[&str] = &["scan"];

options! {
    /// Selects the kind of the rows.
    rows: RowOptions, "Selection";

    /// Write every mention in source order instead of records
    flag mentions [Scan] { help: OptionHelp::Short, python: WRITTEN }

    /// Write each pair of a document and a name in it instead of records; with the number of mentions, sorted by source, document
    /// and name. A merge with this option takes the outputs of such scans
    ///
    /// Pairs are the edges of a citation graph: the fields `source`, `document`, `doi` and `mentions`, sorted by the first three,
    /// bytewise. Documents with one name in a source count as one.
    flag pairs [Scan Merge] { python: WRITTEN }

    /// Write one row of counts instead of records; it counts distinct names, mentions, and the documents and sources that were
    /// read
    flag count [Scan] { help: OptionHelp::Short, python: WRITTEN }

    /// Write the N prefixes with most names instead of records, and their numbers of names and mentions
    ///
    /// Rows have the fields `prefix`, `names` and `mentions`, in descending order of names, then in the order of prefixes.
    value top_prefixes: usize [Scan] { value: "N", min: 1, python: WRITTEN }

    /// Write names with the record that holds them (JSON, XML, BibTeX, RIS); rows have the reference and the role, see below
    ///
    /// Rows have these fields unless [fields](Self::fields) are chosen:
    /// - `record`: the identifier of the record that holds the name: a DOI name as a key, or otherwise a PMID, a page title, the key of a
    ///   BibTeX entry;
    /// - `doi`: the name's key;
    /// - `ref_index`: the index of the reference that holds it, within the record;
    /// - `role`: `self`, `reference` or `other`;
    /// - `asserted`: whether it is in a field for identifiers, and not in running text.
    ///
    /// The whole value of a field for identifiers is read as one name, in any presentation form. In running text, names are found
    /// as for [mentions](Self::mentions). Of a name that a reference states in a field and repeats in its text, one row is
    /// written. Further fields are those of mentions, and
    /// - `path`: a JSON pointer, a path of elements and attributes, or the name of a field;
    /// - `value`: the whole value of the field for identifiers;
    /// - `asserted_by`: who says so of a reference, as Crossref has it: `publisher` or `crossref`; null for names in running text;
    /// - `ref_key`: the key of the reference: `key` in JSON, the `id` of a `ref` in JATS, the `key` of a `citation`;
    /// - `relation`: the relation of the record to the name: the key in Crossref's `relation`, the `relationType` of DataCite;
    /// - `update_type`: what an update of the record is, as Crossref's `update-to` and `updated-by` have it;
    /// - `doi_clean` and `changed`: the name that the rules for dirty data make of that value, and these rules; null if nothing is dirty.
    ///
    /// A table lists the paths of records, references and identifiers in the usual formats of bibliographic data. In documents
    /// without structure, `record` and `path` are null and all names are `other`. One thread reads the structure of a document.
    with edges: Edges [Scan] { help: OptionHelp::Short, python: WRITTEN }
}

options! {
    /// Which edges are written, and which fields of their records.
    ///
    /// ```
    /// use doisift::{Edges, Role, Scan};
    ///
    /// let references = Edges { role: vec![Role::Reference], ..Edges::default() };
    /// let scan = Scan::new().input("works.jsonl").edges(references).output("edges.parquet");
    /// ```
    value Edges, "Selection", [Scan];

    /// Write only edges of these roles: self, reference, other (with --edges; repeatable)
    role: Vec<Role>, default "all", { kind: OptionKind::Items, value: "ROLE,...", is_fixed: true, python: EDGES }

    /// Path of the identifier in a record, such as /DOI (with --edges)
    record_id: Option<String>, default "as the usual formats have it", {
        kind: OptionKind::Parsed, check: |path| parsed::<RecordId>(path).map(drop), value: "PATH", concerns: Subject::Texts, python: EDGES,
    }

    /// Add fields of the citing record to each edge, as JSON pointers or paths: type,year:int=/issued/date-parts/0/0 (with --edges)
    ///
    /// Each field is a column after all other fields. Its name is the one before `=`, or the path if there is none. Its value is
    /// a text or a number of JSON as text; null if the record has no value there, or an object or a list. A type may follow the
    /// name after `:`: `text`, `int` (64 bits), `float` (64 bits) or `bool`. Values of another type are null, and reported as
    /// errors. A path that has `=` must start with a slash. In JSON `*` is any item; the first one with a value counts. In XML
    /// the path is one of elements from the record, which may end in an attribute, as in
    /// `front/article-meta/article-id[pub-id-type=pmid]` and `@id`; the value is the text of the first such element. In BibTeX
    /// and RIS the path is the name of a field or a tag. Rows wait until their record has all fields, or ends.
    record_fields: Option<Vec<String>>, { value: "[NAME[:TYPE]=]PATH,...", concerns: Subject::Texts, is_fixed: true, python: EDGES }

    /// Also write a row for each reference without a name, with its text (with --edges)
    ///
    /// Its `doi` is null. Its `text` is that of the reference: `unstructured`, or without it all values in their order, with
    /// blanks between them; in XML the text of all elements in it. Rows have the field `text` after the usual ones. `offset` and
    /// `length` are those of the reference.
    all_references: bool, { concerns: Subject::Texts, is_fixed: true, python: EDGES }
}

options! {
    /// Selects names, and the fields of rows.
    selection: SelectionOptions, "Selection";

    /// Keep only names with one of these prefixes; 10.1038 does not match 10.1038.5 (repeatable)
    ///
    /// Other names are left out, and counted in [`ScanReport::filtered`](crate::ScanReport::filtered).
    texts prefix [Scan] { kind: OptionKind::Items, value: "PREFIX,...", is_fixed: true, help: OptionHelp::Short }

    /// Leave out names with one of these prefixes (repeatable)
    ///
    /// Such names are left out even if [`prefix`](Self::prefix) would keep them.
    texts exclude_prefix [Scan] { kind: OptionKind::Items, value: "PREFIX,...", is_fixed: true }

    /// Fields of each row, in this order, such as doi,mentions; the inputs of a merge must have all of them
    ///
    /// Mentions can have five further fields:
    /// - `record_id` and `date`: the WARC-Record-ID without its angle brackets and the WARC-Date of the record that holds the
    ///   document; null outside of WARC files;
    /// - `column`: the cell of a table's row in which the offset counts; null elsewhere;
    /// - `document_index`: the number of the document in its source, from 0;
    /// - `part_index`: the number of the text in its document, from 0: an office document has several.
    ///
    /// Only records with all fields can be [merged](crate::Merge).
    list fields [Scan Merge Diff Resolve] default "all; see doisift scan --help" { value: "FIELD,...", help: OptionHelp::Short }

    /// Add up to N bytes of text around each mention, as the fields before and after; N is at most 1024 (with --mentions)
    ///
    /// The text is taken from each side of the name, within its document. White space becomes single blanks, control characters
    /// are left out, and invalid UTF-8 is replaced; a character that the limit cuts is left out. Markup is kept as written.
    value context: usize [Scan] { value: "N", python: &["scan", "iter_mentions", "iter_edges"] }
}
