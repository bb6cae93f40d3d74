"""DOI names in Polars: the namespace ``doi`` of expressions and Series, and files as a LazyFrame.

>>> import polars as pl, doisift.polars
>>> frame = pl.DataFrame({"text": ["See doi:10.5555/Birds.2024.", None]})
>>> frame.select(pl.col("text").doi.extract().list.eval(pl.element().struct.field("doi"))).to_series().to_list()
[['10.5555/birds.2024'], None]
>>> frame.select(pl.col("text").str.slice(4).doi.normalize(clean=True)).to_series().to_list()
['10.5555/birds.2024', None]
"""

from __future__ import annotations

import io

import polars as pl
from polars.io.plugins import register_io_source

from . import extract_batch, iter_mentions, normalize_batch
from ._doisift import clean_cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any, Union

    from ._doisift import _Encode, _Kind, _To
    from ._sources import Source

    Path = Union[str, os.PathLike[str]]

__all__ = ["CELL", "MENTION", "DoiExpr", "DoiSeries", "scan_doi"]

#: The type of a mention in a text.
MENTION = pl.Struct(
    {
        "doi": pl.String,
        "form": pl.String,
        "offset": pl.Int64,
        "length": pl.Int64,
        "text": pl.String,
        "guessed": pl.Boolean,
    }
)

#: The type of what is said of a cell.
CELL = pl.Struct({"clean": pl.String, "status": pl.String, "reason": pl.String})


@pl.api.register_series_namespace("doi")
class DoiSeries:
    """DOI names in a Series of strings or binaries."""

    def __init__(self, series: pl.Series) -> None:
        self._series = series

    def extract(self, *, clean: bool = False, input_kind: _Kind = "unknown") -> pl.Series:
        """The mentions in each text, as lists of `MENTION`. The options are those of `doisift.extract`."""
        found = extract_batch(self._series, clean=clean, input_kind=input_kind)
        return pl.Series(found, dtype=pl.List(MENTION)).alias(self._series.name)

    def normalize(
        self, *, to: _To = "key", clean: bool = False, strict: bool = False, encode: _Encode = "mandatory"
    ) -> pl.Series:
        """The name that each text is; null where it is none. The options are those of `doisift.normalize`."""
        names = normalize_batch(self._series, to=to, clean=clean, strict=strict, encode=encode)
        return pl.Series(names, dtype=pl.String).alias(self._series.name)

    def clean(self, *, to: _To = "key", strict: bool = False, encode: _Encode = "mandatory") -> pl.Series:
        """The name that each text was meant to be: `normalize` with ``clean=True``."""
        return self.normalize(to=to, clean=True, strict=strict, encode=encode)

    def is_valid(self, *, strict: bool = False) -> pl.Series:
        """Whether each text is a DOI name in a presentation form; null where it is null."""
        names = self.normalize(strict=strict)
        return pl.select(pl.when(self._series.is_not_null()).then(names.is_not_null())).to_series().alias(self._series.name)

    def explain(
        self,
        *,
        to: _To = "key",
        clean: bool = True,
        strict: bool = False,
        encode: _Encode = "mandatory",
        multiple: bool = False,
        arxiv: bool = False,
        known: Path | None = None,
    ) -> pl.Series:
        """What becomes of each text, and why, as structs of type `CELL`: what `doisift.clean_table` adds."""
        options = {"to": to, "clean": clean, "strict": strict, "encode": encode, "multiple": multiple, "arxiv": arxiv, "known": known}
        return pl.Series(clean_cells(self._series, options, False), dtype=CELL).alias(self._series.name)


@pl.api.register_expr_namespace("doi")
class DoiExpr:
    """DOI names in a column of strings or binaries."""

    def __init__(self, expr: pl.Expr) -> None:
        self._expr = expr

    def extract(self, *, clean: bool = False, input_kind: _Kind = "unknown") -> pl.Expr:
        """The mentions in each text, as lists of `MENTION`. The options are those of `doisift.extract`."""

        def extract(series: pl.Series) -> pl.Series:
            return DoiSeries(series).extract(clean=clean, input_kind=input_kind)

        return self._expr.map_batches(extract, return_dtype=pl.List(MENTION), is_elementwise=True)

    def normalize(
        self, *, to: _To = "key", clean: bool = False, strict: bool = False, encode: _Encode = "mandatory"
    ) -> pl.Expr:
        """The name that each text is; null where it is none. The options are those of `doisift.normalize`."""

        def normalize(series: pl.Series) -> pl.Series:
            return DoiSeries(series).normalize(to=to, clean=clean, strict=strict, encode=encode)

        return self._expr.map_batches(normalize, return_dtype=pl.String, is_elementwise=True)

    def clean(self, *, to: _To = "key", strict: bool = False, encode: _Encode = "mandatory") -> pl.Expr:
        """The name that each text was meant to be: `normalize` with ``clean=True``."""
        return self.normalize(to=to, clean=True, strict=strict, encode=encode)

    def is_valid(self, *, strict: bool = False) -> pl.Expr:
        """Whether each text is a DOI name in a presentation form; null where it is null."""
        return pl.when(self._expr.is_not_null()).then(self.normalize(strict=strict).is_not_null())

    def explain(
        self,
        *,
        to: _To = "key",
        clean: bool = True,
        strict: bool = False,
        encode: _Encode = "mandatory",
        multiple: bool = False,
        arxiv: bool = False,
        known: Path | None = None,
    ) -> pl.Expr:
        """What becomes of each text, and why, as structs of type `CELL`: what `doisift.clean_table` adds."""
        options = {"to": to, "clean": clean, "strict": strict, "encode": encode, "multiple": multiple, "arxiv": arxiv, "known": known}
        return cleaned_cells(self._expr, options)


def cleaned_cells(texts: pl.Expr, options: Mapping[str, Any]) -> pl.Expr:
    """What each cell is, as structs of type `CELL`."""

    def cleaned(series: pl.Series) -> pl.Series:
        return pl.Series(clean_cells(series, options, False), dtype=CELL).alias(series.name)

    return texts.map_batches(cleaned, return_dtype=CELL, is_elementwise=True)


def replaced_cells(texts: pl.Expr, options: Mapping[str, Any]) -> pl.Expr:
    """The cells with clean names in the place of those that are names; all others stay as they are."""

    def replaced(series: pl.Series) -> pl.Series:
        return pl.Series(clean_cells(series, options, True), dtype=pl.String).alias(series.name)

    return texts.map_batches(replaced, return_dtype=pl.String, is_elementwise=True)


def scan_doi(paths: Source | Iterable[Source], **options: Any) -> pl.LazyFrame:
    """The mentions in files, folders and streams as a LazyFrame, with the columns of `doisift.iter_mentions`.

    The options are those of `doisift.iter_mentions`. Columns that a query does not need are not made, and the run ends when a
    query with `head` has its rows. File objects can be read only once, so collect a query over them only once.
    """
    # Nothing is read of a stream that is not started, but the options are checked.
    schema = pl.Schema(iter_mentions([("nothing", io.BytesIO())], **options))
    options.pop("fields", None)

    def rows(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        names = schema.names() if with_columns is None else with_columns
        needed = dict(options)
        if not {"before", "after"}.intersection(names):
            needed.pop("context", None)
        with iter_mentions(paths, fields=names, **needed) as stream:
            for batch in stream:
                frame = pl.DataFrame(batch)
                if n_rows is not None:
                    frame = frame.head(n_rows)
                    n_rows -= len(frame)
                yield frame if predicate is None else frame.filter(predicate)
                if n_rows == 0:
                    return

    return register_io_source(rows, schema=schema, validate_schema=True)
