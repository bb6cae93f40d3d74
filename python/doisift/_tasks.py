"""Tasks other than scans, with the options of the commands."""

from __future__ import annotations

import os

from . import _doisift
from ._scan import explain_options
from ._sources import must_exist
from ._tables import cleaner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, TypeVar, Union, overload

    from typing_extensions import Unpack

    from ._options import CheckOptions, DiffOptions, IndexOptions, MergeOptions, ResolveOptions, TableOptions

    from ._tables import Table

    Path = Union[str, os.PathLike[str]]
    AnyTable = TypeVar("AnyTable", bound=Table)
else:

    def overload(function):
        return function


@overload
def clean_table(tables: Path | Iterable[Path], /, **options: Unpack[TableOptions]) -> dict[str, Any]: ...


@overload
def clean_table(tables: AnyTable, /, **options: Unpack[TableOptions]) -> AnyTable: ...


def clean_table(tables: Any, /, **options: Unpack[TableOptions]) -> Any:
    """Clean the columns of DOI names in a table in memory, or in files.

    >>> import doisift
    >>> frame = doisift.clean_table(frame, column="DOI")  # doctest: +SKIP
    >>> report = doisift.clean_table("works.csv", output="clean.csv", column="DOI")  # doctest: +SKIP
    >>> report["statuses"]["cleaned"]  # doctest: +SKIP
    17

    A table in memory is a DataFrame of pandas or Polars, a LazyFrame, or a Table or RecordBatch of pyarrow. It is not changed;
    one of the same kind comes back, with the index that it had. Files are delimited text in any encoding, JSON Lines and
    workbooks; they are written to the file `output`, and a report of what was done is returned.

    Columns for the clean name, its status and the reason come after the others, or with `in_place`, the names are replaced. The
    options are those of ``doisift normalize``; for a table in memory, those of names and columns. `clean` is on here: without it,
    a text with more than the name is refused.
    """
    chosen: dict[str, Any] = {"clean": True, **options}
    clean = cleaner(tables)
    if clean is not None:
        return clean(tables, chosen)
    return _run("clean_table", tables, chosen)


def merge(paths: Path | Iterable[Path], **options: Unpack[MergeOptions]) -> dict[str, Any]:
    """Unite the records of several scans in the file `output`, as one scan would have written them, and say what was done.

    The options are those of ``doisift merge``, and so is the report.
    """
    return _run("merge", paths, options)


def diff(old: Path, new: Path, /, **options: Unpack[DiffOptions]) -> dict[str, Any]:
    """Write which names or edges appeared, vanished or were retracted between two outputs to the file `output`, and say what was done.

    >>> import doisift
    >>> report = doisift.diff("2025.parquet", "2026.parquet", output="changes.csv")  # doctest: +SKIP
    >>> report["appeared"], report["vanished"]  # doctest: +SKIP
    (17, 2)

    Both are files of records or names, folders of edges, or indexes. The options are those of ``doisift diff``, and so is the report.
    """
    return _run("diff", [old, new], options)


def index(paths: Path | Iterable[Path], **options: Unpack[IndexOptions]) -> dict[str, Any]:
    """Write the registered names of `paths` to the file `output`, an index that `Known.open` opens, and say what was done.

    Sources are lists of names, tables with their `column`, and the public files of Crossref, DataCite and Retraction Watch. The
    options are those of ``doisift index``, and so is the report.
    """
    return _run("index", paths, options)


def check(paths: Path | Iterable[Path], **options: Unpack[CheckOptions]) -> list[dict[str, Any]]:
    """Check the references of bibliographies, manuscripts, tables and lists, and return a row for each.

    >>> import doisift, pathlib
    >>> length = pathlib.Path("refs.bib").write_text("@misc{a, doi = {10.5555/a1.}}")  # doctest: +SKIP
    >>> [(row["line"], row["key"], row["verdict"]) for row in doisift.check("refs.bib")]  # doctest: +SKIP
    [(1, 'a', 'written_wrongly')]

    Paths are files, folders, or patterns such as ``"*.bib"``, which are expanded where there is no such file. With `known`, an index
    says which names exist and which works were retracted. `fix` writes certain repairs into the files.
    """
    import json

    rows: list[dict[str, Any]] = json.loads(_doisift.check_rows(_listed(paths), options, None))[0]
    return rows


def resolve(names: str | Iterable[str], **options: Unpack[ResolveOptions]) -> list[dict[str, Any]]:
    """Ask the registry for `names`, and return a row for each: ``known``, ``unknown_to_registry`` or ``could_not_ask``, and why.

    A name is a text in any presentation form. At most 5 requests a second are sent, so that a thousand names take 200 seconds.
    With `cache`, a later call asks only for names that are new, or whose answer is old.
    """
    import json
    import tempfile

    named = [names] if isinstance(names, str) else [str(name) for name in names]
    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.jsonl")
        _doisift.resolve_names(named, rows, options)
        with open(rows, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def _listed(paths: Path | Iterable[Path]) -> list[Path]:
    return [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)


def _run(task: str, paths: Path | Iterable[Path], options: Any) -> dict[str, Any]:
    if options.get("output") is None:
        raise ValueError("output: name the file to write, or - for standard output")
    import json

    listed = _listed(paths)
    must_exist(listed, options)
    report: dict[str, Any] = json.loads(_doisift.run_task(task, listed, options))
    return report


explain_options(clean_table, merge, diff, index, check, resolve)
