//! Generates the types of the keywords of Python's functions from the options: `python/doisift/_options.pyi`.

use std::io::{self, Write};

use doisift::internal::{OptionKind, OptionSpec, OptionTask};
use doisift::{BuildIndex, Check, CleanTable, Diff, Merge, Resolve, Scan};

/// A function of Python, the name of the type for its options, and the options of its task.
type Function = (&'static str, &'static str, fn() -> Vec<&'static OptionSpec>);

const FUNCTIONS: &[Function] = &[
    ("scan", "ScanOptions", Scan::options),
    ("iter_mentions", "MentionOptions", Scan::options),
    ("iter_edges", "EdgeOptions", Scan::options),
    ("iter_records", "RecordOptions", Scan::options),
    ("clean_table", "TableOptions", CleanTable::options),
    ("merge", "MergeOptions", Merge::options),
    ("diff", "DiffOptions", Diff::options),
    ("index", "IndexOptions", BuildIndex::options),
    ("check", "CheckOptions", Check::options),
    ("resolve", "ResolveOptions", Resolve::options),
];

const HEAD: &str = "\
# This file is the output of `doisift --generate python`.

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict, Union

Path = Union[str, os.PathLike[str]]
";

/// Writes a type for the keywords of each function.
pub(crate) fn page(out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(HEAD.as_bytes());
    for (function, class, options) in FUNCTIONS {
        writeln!(out, "\nclass {class}(TypedDict, total=False):")?;
        for spec in options().iter().filter(|spec| spec.is_of(function)) {
            writeln!(out, "    {}: {}", spec.name, annotation(spec))?;
        }
    }
    Ok(())
}

/// Returns the type of an option. `None` means that it is not given.
fn annotation(spec: &OptionSpec) -> String {
    let plain = match spec.kind {
        OptionKind::Flag => "bool",
        OptionKind::Number => "int",
        OptionKind::Size => "int | str",
        OptionKind::Texts | OptionKind::Items => "str | Iterable[str]",
        OptionKind::List => "Sequence[str]",
        OptionKind::Settings => "Mapping[str, str]",
        OptionKind::Path | OptionKind::Folder | OptionKind::Command => "Path",
        OptionKind::Pair => "tuple[int, int]",
        OptionKind::Part => "str | tuple[int, int]",
        OptionKind::Choice(words) => {
            let names = words().into_iter().map(|(name, _)| format!("\"{name}\""));
            return format!("Literal[{}] | None", names.collect::<Vec<_>>().join(", "));
        }
        _ => "str",
    };
    format!("{plain} | None")
}
