"""Tables in memory: frames of pandas and Polars and tables of pyarrow, whose columns are cleaned as those of files."""

from __future__ import annotations

import sys

from . import _doisift

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Protocol

    class Table(Protocol):
        """A DataFrame or LazyFrame of Polars, a DataFrame of pandas, a Table or RecordBatch of pyarrow."""

        @property
        def columns(self) -> Any: ...


#: The options that say what becomes of a cell, and not how a file is read or written.
OF_CELLS = {"column", "in_place", "new_column", "multiple", "to", "encode", "strict", "clean", "arxiv", "known"}

#: What is said of a cell.
CELL = ["clean", "status", "reason"]


def cleaner(table: object) -> Callable[[Any, dict[str, Any]], Any] | None:
    """What cleans a table of this library; None for what is no table."""
    for module, names, function in (
        ("pandas", ("DataFrame",), _of_pandas),
        ("polars", ("DataFrame", "LazyFrame"), _of_polars),
        ("pyarrow", ("Table", "RecordBatch"), _of_pyarrow),
    ):
        loaded = sys.modules.get(module)
        if loaded is not None and isinstance(table, tuple(getattr(loaded, name) for name in names)):
            return function
    return None


def _of_pandas(frame: Any, options: dict[str, Any]) -> Any:
    from .pandas import cleaned_cells, replaced_cells

    result = frame.assign()
    for label, names in _columns(list(frame.columns), options):
        if options.get("in_place"):
            result[label] = replaced_cells(frame[label], options)
        else:
            result[names] = cleaned_cells(frame[label], options).set_axis(names, axis="columns")
    return result


def _of_polars(frame: Any, options: dict[str, Any]) -> Any:
    import polars as pl

    from .polars import cleaned_cells, replaced_cells

    columns = _columns(frame.collect_schema().names(), options)
    if options.get("in_place"):
        return frame.with_columns(replaced_cells(pl.col(label), options) for label, _ in columns)
    # A struct for each column, under the name of its first field, until its fields take its place.
    result = frame.with_columns(
        cleaned_cells(pl.col(label), options).struct.rename_fields(names).alias(names[0]) for label, names in columns
    )
    return result.unnest([names[0] for _, names in columns])


def _of_pyarrow(table: Any, options: dict[str, Any]) -> Any:
    in_place = bool(options.get("in_place"))
    result = table
    for label, names in _columns(table.schema.names, options):
        index = table.schema.names.index(label)
        made = arrow(_doisift.clean_cells(table.column(index), options, in_place))
        if in_place:
            result = result.set_column(index, label, made)
        else:
            for name, column in zip(names, made.flatten()):
                result = result.append_column(name, column)
    return result


def arrow(made: Any) -> Any:
    """The array or stream as pyarrow has it."""
    import pyarrow

    return pyarrow.array(made) if isinstance(made, _doisift.Array) else pyarrow.chunked_array(made)


def _columns(labels: Sequence[Any], options: dict[str, Any]) -> list[tuple[Any, list[str]]]:
    """The wanted columns, each with the names of its new ones."""
    for option, *_ in _doisift.options("clean_table"):
        if option not in OF_CELLS and options.get(option) is not None:
            raise ValueError(f"{option}: this is for files; a table in memory is given and returned as it is")
    # A LazyFrame would refuse wrong options only where it is collected.
    _doisift.clean_cells([], options, bool(options.get("in_place")))
    wanted = _list(options.get("column"))
    if not wanted:
        raise ValueError("column: name the column of DOI names, or several")
    found = [_label(labels, column) for column in wanted]
    stems = _list(options.get("new_column"))
    if not stems:
        own = ["doi"] if len(found) == 1 else [str(label).strip() for label in found]
        new = [[f"{stem}_clean", f"{stem}_status", f"{stem}_reason"] for stem in own]
    else:
        new = [[stem, f"{stem}_status", f"{stem}_reason"] for stem in stems]
    if not options.get("in_place"):
        _check_new(labels, [name for names in new for name in names])
    return list(zip(found, new))


def _list(columns: str | Iterable[str] | None) -> list[str]:
    if columns is None:
        return []
    return [columns] if isinstance(columns, str) else list(columns)


def _label(labels: Sequence[Any], column: str) -> Any:
    """The label that a column is named by: itself, or one that is equal but for case and white space around it."""
    plain = str(column).strip().casefold()
    exact = [label for label in labels if label == column]
    found = exact or [label for label in labels if isinstance(label, str) and label.strip().casefold() == plain]
    if len(found) > 1:
        raise ValueError(f"column: {len(found)} columns are called {column!r}; rename all but one")
    if not found:
        listed = ", ".join(map(repr, labels[:50])) + (", ..." if len(labels) > 50 else "")
        raise ValueError(f"column: {column!r} is missing; the columns are {listed}")
    return found[0]


def _check_new(labels: Sequence[Any], names: Sequence[str]) -> None:
    taken = list(labels)
    for name in names:
        if name in taken:
            raise ValueError(f"new_column: a column is called {name!r} already; name another")
        taken.append(name)
