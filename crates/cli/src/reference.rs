//! The meanings of the words in outputs, for help and man page: fields of rows, forms, and reasons of rejections.

use doisift::{Form, Rejection};

/// A word and its meaning.
pub(crate) type Definition = (&'static str, &'static str);

/// The fields of a record, in order.
pub(crate) const RECORD: [Definition; 11] = [
    (
        "doi",
        "the name, decoded, ASCII letters in lower case: one for all equivalent spellings",
    ),
    ("mentions", "how often it was found"),
    ("documents", "in how many documents"),
    ("sources", "in how many sources: files or streams"),
    (
        "forms",
        "the forms in which it was written; in CSV they are joined with |",
    ),
    (
        "first_source",
        "the source of its first mention, by name of source, then place of the document, then offset",
    ),
    (
        "first_document",
        "the member or record of that source; a plain file has none",
    ),
    (
        "first_offset",
        "where in the document it starts, in bytes after decompression",
    ),
    ("first_text", "the name as it is written there"),
    (
        "guessed",
        "true if the end of every mention is a guess that only a registry could settle, as where a line is broken",
    ),
    (
        "check_digit",
        "good or bad, for names whose last character checks the others, or that hold an ISBN; else null",
    ),
];

/// The fields of a mention that a record does not have.
pub(crate) const MENTION: [Definition; 13] = [
    ("form", "the form in which it is written"),
    (
        "source",
        "the file or stream, as named or as found below a folder",
    ),
    (
        "document",
        "the member or record of it; a plain file has none",
    ),
    (
        "offset",
        "where in the document the name starts, in bytes after decompression",
    ),
    ("length", "its bytes as written"),
    ("text", "the name as it is written, without scheme or proxy"),
    (
        "before",
        "the text before it, only with --context: white space as single blanks, markup as it is written",
    ),
    ("after", "the text after it, only with --context"),
    (
        "record_id",
        "the WARC-Record-ID of the record that holds the document, only if named in --fields",
    ),
    (
        "date",
        "the WARC-Date of that record, only if named in --fields",
    ),
    (
        "column",
        "the cell of a table's row in which the offset counts, such as refs[3].doi, only if named in --fields",
    ),
    (
        "document_index",
        "the number of the document in its source, from 0, only if named in --fields",
    ),
    (
        "part_index",
        "the number of the text in its document, from 0: office documents have several; only if named in --fields",
    ),
];

/// The fields that an index of known names gives.
pub(crate) const KNOWN: [Definition; 3] = [
    (
        "known",
        "true if the index knows the name; false if it knows others of the prefix only; null if it knows none of the prefix, so that it cannot tell",
    ),
    (
        "agency",
        "the agency that registered the name, if the sources of the index say so",
    ),
    (
        "retracted",
        "true if a notice retracts, withdraws or removes the work, and no later one reinstates it; corrections and concerns do not count",
    ),
];

/// The fields of a pair.
pub(crate) const PAIR: [Definition; 2] = [
    (
        "document",
        "the member or record of the source that mentions the name; documents of one name are one",
    ),
    ("mentions", "how often that document mentions the name"),
];

/// The fields of an edge that a mention does not have.
pub(crate) const EDGE: [Definition; 12] = [
    (
        "record",
        "the identifier of the record that holds the name: its DOI name if it has one, else its id; in BibTeX the key of the entry, in PubMed the PMID, in MediaWiki the title of the page",
    ),
    (
        "path",
        "its place in the document: a JSON pointer, a path of XML elements and an attribute, or the name of a field",
    ),
    (
        "ref_index",
        "the number of the reference that holds it, from 0; null outside of references",
    ),
    (
        "role",
        "self if it names the record, reference if it is in a reference, or other",
    ),
    (
        "asserted",
        "true in a field that holds identifiers, such as reference/DOI; false in text, such as reference/unstructured",
    ),
    (
        "value",
        "the whole value of the field that holds identifiers, without its escapes; null in text",
    ),
    (
        "doi_clean",
        "the value as cleaned by the rules for dirty data; null if they change nothing",
    ),
    (
        "changed",
        "the rules that changed something, each with the text it changed",
    ),
    (
        "asserted_by",
        "who asserted the name of the reference, if the record says so: publisher or crossref",
    ),
    (
        "ref_key",
        "the key of the reference: key in JSON, the id of a ref in JATS, the key of a citation in Crossref's XML",
    ),
    (
        "relation",
        "the relation of the record to the name: a key of Crossref's relation, or DataCite's relationType",
    ),
    (
        "update_type",
        "the kind of an update in Crossref's update-to and updated-by, such as retraction",
    ),
];

/// The fields of a record of a document.
pub(crate) const NODE: [Definition; 5] = [
    ("record", "the identifier, as in edges"),
    (
        "value",
        "the identifier as it is written, without its escapes",
    ),
    ("reference_count", "the number of references"),
    ("named", "references with a name, stated or in their text"),
    ("unnamed", "references without a name"),
];

/// The fields of counts.
pub(crate) const COUNTS: [Definition; 4] = [
    (
        "prefix",
        "the part of the names before the first /, with --top-prefixes",
    ),
    ("names", "the number of distinct names"),
    (
        "documents",
        "the number of documents that were read, with --count",
    ),
    (
        "sources",
        "the number of sources that were read, with --count",
    ),
];

/// The fields of an answer.
pub(crate) const ANSWER: [Definition; 8] = [
    (
        "doi",
        "the key of the name; null for a text that is not a name",
    ),
    (
        "status",
        "known, unknown_to_registry, could_not_ask (which says nothing about the name), or not_a_doi",
    ),
    (
        "url",
        "the address that the name leads to, or that of the name it is an alias of",
    ),
    ("alias", "the name that this one is an alias of"),
    (
        "agency",
        "the agency that registered the name, with --agency",
    ),
    ("asked", "when the registry was asked, in UTC"),
    (
        "answered_by",
        "registry, or cache for an answer that was there before",
    ),
    (
        "reason",
        "why there is no answer, or which part of it could not be asked for",
    ),
];

/// The fields of a checked reference.
pub(crate) const CHECK: [Definition; 16] = [
    (
        "source",
        "the file or stream, as named or as found below a folder",
    ),
    (
        "document",
        "the page or member of it; null for the source itself",
    ),
    (
        "line",
        "the line of the text, from 1; null in a table without lines",
    ),
    (
        "column",
        "the column of its first character in the line, from 1",
    ),
    ("row", "the row of a table, from 1, without the header"),
    ("key", "the key by which documents cite the reference"),
    ("text", "the text as written"),
    ("doi", "the key of the name; null if there is none"),
    ("verdict", "the verdict on the reference"),
    ("detail", "why, for people; null if the verdict says enough"),
    ("repair", "the name to write instead"),
    ("fixed", "true if the repair was written into the file"),
    (
        "accepted",
        "true if it would be a finding, but a baseline or a comment accepts it",
    ),
    (
        "title",
        "the title of the cited work as written, or else of what holds it",
    ),
    ("authors", "its authors as written; several joined by `; `"),
    ("year", "its year or date as written"),
];

/// The fields of a change, without the name.
pub(crate) const CHANGE: [Definition; 2] = [
    ("change", "appeared, vanished or retracted"),
    (
        "detail",
        "of a retraction in an index the kind, date and name of the notice",
    ),
];

/// Returns the forms of a mention, with their descriptions.
pub(crate) fn forms() -> Vec<Definition> {
    Form::ALL
        .iter()
        .map(|form| (form.name(), form.description()))
        .collect()
}

/// Returns the reasons of rejections, with their descriptions.
pub(crate) fn rejections() -> Vec<Definition> {
    Rejection::ALL
        .iter()
        .map(|reason| (reason.name(), reason.description()))
        .collect()
}

/// Returns all definitions, in parts with headings.
pub(crate) fn parts() -> [(&'static str, Vec<Definition>); 11] {
    [
        ("Record fields", RECORD.into()),
        (
            "Mention fields (--mentions), beside doi, guessed and check_digit",
            MENTION.into(),
        ),
        (
            "Edge fields (--edges), beside those of mentions",
            EDGE.into(),
        ),
        (
            "Fields of records of documents (--nodes-to), before those of --record-fields",
            NODE.into(),
        ),
        (
            "Fields of records, mentions and edges with --known",
            KNOWN.into(),
        ),
        ("Pair fields (--pairs), beside source and doi", PAIR.into()),
        (
            "Fields of counts (--count, --top-prefixes), beside mentions",
            COUNTS.into(),
        ),
        (ANSWERS, ANSWER.into()),
        (CHANGES, CHANGE.into()),
        ("Forms", forms()),
        ("Rejections (counted by --report and -v)", rejections()),
    ]
}

/// The heading of the fields of answers.
const ANSWERS: &str = "Fields of answers (doisift resolve)";

/// The heading of the fields of changes.
const CHANGES: &str = "Fields of changes (doisift diff), beside doi";

/// Returns all definitions of a scan as text for its `--help`.
pub(crate) fn text() -> String {
    let parts = parts();
    let of_scan = parts
        .iter()
        .filter(|(heading, _)| ![ANSWERS, CHANGES].contains(heading));
    of_scan.map(listed).collect::<Vec<_>>().join("\n")
}

/// Returns the definitions of answers, for the `--help` of resolve.
pub(crate) fn answers() -> String {
    listed(&(ANSWERS, ANSWER.into()))
}

fn listed((heading, entries): &(&str, Vec<Definition>)) -> String {
    let line = |(word, meaning): &Definition| format!("  {word:16} {meaning}\n");
    let lines: String = entries.iter().map(line).collect();
    format!("{heading}:\n{lines}")
}

/// Parses the exit codes and their meanings from the sentence at the end of the help.
pub(crate) fn exits<'h>(help: &'h str) -> Vec<(&'h str, &'h str)> {
    let codes = help
        .trim_start_matches("Exit codes: ")
        .trim_end_matches('.');
    let meaning = |code: &'h str| code.split_at_checked(code.find(char::is_alphabetic)?);
    let codes = codes.split("; ").filter_map(meaning);
    codes
        .map(|(codes, meaning)| (codes.trim_end(), meaning))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_has_a_sentence_of_its_own() {
        for (_, entries) in parts() {
            for (word, meaning) in &entries {
                assert!(!word.is_empty() && meaning.len() > 10, "{word}: {meaning}");
                let same = entries.iter().filter(|(_, other)| other == meaning);
                assert_eq!(same.count(), 1, "{word}");
            }
        }
        assert_eq!(rejections().len(), Rejection::ALL.len());
    }
}
