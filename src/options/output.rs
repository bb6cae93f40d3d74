//! The outputs besides messages.

use super::spec::{EDGES, OptionHelp};

const WRITTEN: &[&str] = &["scan"];

options! {
    /// The outputs besides messages.
    output: OutputOptions, "Output";

    /// File to write to, or with / at the end a folder of parts; without it, or for -, standard output. The endings .gz and .zst
    /// compress
    ///
    /// A path that ends with / is a folder of parts: see the option `part_size`. The endings compress all formats but Parquet,
    /// which is compressed inside. The file is complete when it appears, and only appears if the run succeeds. A run must not
    /// read the files that it writes, except an input of a merge, which the output replaces: if a source is a file that an output
    /// would overwrite, the run fails before anything is read.
    path output [Scan Merge CleanTable Check Diff Resolve] {
        short: Some('o'), value: "FILE", help: OptionHelp::Short, python: WRITTEN,
    }

    /// Format of the rows
    value format: crate::records::Format [Scan Merge Diff Resolve] default "by the output's ending; on standard output jsonl, or a table if scan writes to a terminal" {
        short: Some('f'), value: "FORMAT", help: OptionHelp::Short, python: WRITTEN,
    }

    /// Size of the parts if the output is a folder (-o edges/), or `source` for one part per source
    ///
    /// Parts are named `part-00000.parquet` and so on. The format is Parquet unless another is chosen, or the folder has the
    /// ending of one; the endings .gz and .zst compress the parts. A part ends after the row with which it reaches this number of
    /// bytes: of text before compression, or of all values in Parquet before encoding, whose files are several times smaller. A
    /// part of mentions or edges also ends after the document with which eight times as many bytes of text were read, so that a
    /// resumed run does not read much again. A part gets its name when it is complete. At the end the run writes
    /// `_manifest.json`, with the rows, the size, the xxh3-64 and the sources of each part, and an empty `_SUCCESS`. The folder
    /// must be new or empty.
    value part_size: crate::records::PartSize [Scan Merge Check] default "256M" {
        value: "SIZE", is_fixed: true, python: WRITTEN,
    }

    /// Also write the records of all names to this file or folder of parts, in the same pass (with --mentions or --edges)
    ///
    /// The records are those that a scan of the same sources writes without [mentions](Self::mentions). The ending determines the
    /// format.
    path names_to [Scan] { value: "FILE", python: EDGES }

    /// Also write a row for each record of the documents to this file or folder of parts, in the same pass (with --edges)
    ///
    /// Rows are in the order in which records end. They have `record`, the identifier as in edges, `value`, the identifier as it
    /// is written, the number of references, `reference_count`, of those with a name, `named`, and of those without one,
    /// `unnamed`, and the [record_fields](crate::Edges::record_fields). An object that only holds records is left out. The ending
    /// determines the format.
    path nodes_to [Scan] { value: "FILE", python: EDGES }

    /// Write what the run did to a file, as JSON; - is standard output, if the rows go elsewhere
    ///
    /// If the run fails after its outputs were created, the report is written too and gives the reason.
    path report [Scan Merge CleanTable BuildIndex Check Diff Resolve] { value: "FILE", help: OptionHelp::Short, python: WRITTEN }
}
