//! The format in which a table is written, and endings of outputs that name another one.

use std::path::Path;

use doisift_tables::TableReading;

use crate::records::has_ending;

/// Endings of tables that are not text.
const BINARY: [&str; 9] = [
    "arrow", "feather", "fods", "ods", "parquet", "xls", "xlsb", "xlsm", "xlsx",
];

/// Returns the description of the output's format.
pub(super) fn written(reading: TableReading) -> &'static str {
    match reading {
        TableReading::Delimited(_) => "delimited text, such as CSV",
        TableReading::JsonLines => "JSON Lines",
        TableReading::JsonArray => "a JSON array",
        TableReading::Lines(_) => "lines",
    }
}

/// Whether the ending of an output names another format.
pub(super) fn is_named_otherwise(reading: TableReading, output: &Path) -> bool {
    let others: &[&str] = match reading {
        TableReading::Delimited(_) => &["json", "jsonl", "ndjson"],
        TableReading::JsonLines => &["csv", "tab", "tsv"],
        TableReading::JsonArray => &["csv", "jsonl", "ndjson", "tab", "tsv"],
        TableReading::Lines(_) => &[],
    };
    has_ending(output, &BINARY) || has_ending(output, others)
}
