//! Selects the sheet and the header row of tables.

options! {
    /// Selects the sheet and the header row of tables.
    header: HeaderOptions, "Tables";

    /// Header row of tables, from 1, blank rows included; the rows above it do not belong to the table
    ///
    /// It applies to delimited text, and to sheets of workbooks, of which a column is read. Without it, a row below the first one
    /// is the header if it is the only one with the column and has as many cells as the rows below it.
    value header_row: u64 [Scan CleanTable BuildIndex Check Resolve] default "the first that has a wanted column" {
        value: "N", min: 1, is_fixed: true,
    }

    /// Sheet of workbooks (xlsx, xlsb, xls, ods) whose column is read; its name, or its number from 1
    ///
    /// `normalize` writes it as CSV.
    text sheet [CleanTable BuildIndex Check Resolve] default "the first" {
        value: "NAME|NUMBER", requires: "column", is_fixed: true,
    }
}
