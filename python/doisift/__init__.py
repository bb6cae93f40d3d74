"""Sifts DOI names (``10.1000/182``) out of text, columns and dumps far larger than memory.

>>> import doisift
>>> doisift.normalize("https://doi.org/10.1000/ABC")
'10.1000/abc'
>>> [str(mention.doi) for mention in doisift.extract("See doi:10.5555/Birds.2024, and (10.5555/a(b)).")]
['10.5555/Birds.2024', '10.5555/a(b)']

One text: `normalize`, `Doi`, `extract`, and `explain` says why. A column of texts, as an Arrow array or stream of any library: `extract_batch`,
`normalize_batch`. Files, folders and streams of any size: `scan`, `iter_mentions`, `iter_edges`, `iter_records`. The modules
`doisift.pandas`, `doisift.polars` and `doisift.duckdb` add the functions to these libraries. Tables of names, in memory or in files:
`clean_table`; records of
several scans: `merge`, and what changed between two: `diff`; whether a name is registered, offline: `Known`, and `index`, which makes its file;
online: `resolve`. The references of a bibliography: `check`.

All of them release the GIL (single texts from 2 KiB on). Warnings go to the logger ``doisift`` of `logging`.
"""

from ._doisift import (
    Array,
    ArrayStream,
    Doi,
    IndexSource,
    Known,
    Loss,
    Mention,
    Notice,
    Progress,
    Report,
    RowStream,
    __version__,
    explain,
    extract,
    extract_batch,
    normalize,
    normalize_batch,
)
from ._scan import iter_edges, iter_mentions, iter_records, scan
from ._tasks import check, clean_table, diff, index, merge, resolve

__all__ = [
    "Array",
    "ArrayStream",
    "Doi",
    "IndexSource",
    "Known",
    "Loss",
    "Mention",
    "Notice",
    "Progress",
    "Report",
    "RowStream",
    "__version__",
    "check",
    "clean_table",
    "diff",
    "explain",
    "extract",
    "extract_batch",
    "index",
    "iter_edges",
    "iter_mentions",
    "iter_records",
    "merge",
    "normalize",
    "normalize_batch",
    "resolve",
    "scan",
]
