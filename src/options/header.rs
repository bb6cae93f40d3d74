//! Selects the header row of tables.

options! {
    /// Selects the header row of tables.
    header: HeaderOptions, "Tables";

    /// Header row of tables, from 1, blank rows included; the rows above it do not belong to the table
    ///
    /// It applies to delimited text, and to sheets of workbooks, of which a column is read. Without it, a row below the first one
    /// is the header if it is the only one with the column and has as many cells as the rows below it.
    value header_row: u64 [Scan CleanTable BuildIndex Check Resolve] default "the first that has a wanted column" {
        value: "N", min: 1, is_fixed: true,
    }
}
