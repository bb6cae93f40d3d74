"""DOI names in DuckDB: functions in SQL.

>>> import duckdb, doisift.duckdb
>>> connection = duckdb.connect()
>>> doisift.duckdb.register(connection)
>>> connection.sql("select doi_normalize('https://doi.org/10.1000/ABC')").fetchall()
[('10.1000/abc',)]
>>> connection.sql("select unnest(doi_extract('See doi:10.5555/a, 10.5555/b.')).doi").fetchall()
[('10.5555/a',), ('10.5555/b',)]

The streams of `doisift.iter_mentions` and `doisift.iter_records` need no function: DuckDB reads them by the name of their variable,
``select * from mentions``.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from duckdb.func import ARROW, SPECIAL

from . import extract_batch, normalize_batch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]

#: The type of what `doi_extract` gives.
MENTIONS = 'struct(doi varchar, form varchar, "offset" bigint, length bigint, "text" varchar, guessed boolean)[]'


def register(connection: DuckDBPyConnection) -> None:
    """Add the functions to a connection.

    - ``doi_extract(text)``: the mentions in a text, as a list of structs with the fields of `doisift.extract_batch`;
    - ``doi_normalize(text)``: the key of the name that a text is, or null;
    - ``doi_clean(text)``: the same for dirty data, as ``doisift.normalize(text, clean=True)``.

    Texts are VARCHAR. DuckDB needs pyarrow and numpy for such functions.
    """
    for name, function, returned in (
        ("doi_extract", _extract, MENTIONS),
        ("doi_normalize", _normalize, "varchar"),
        ("doi_clean", _clean, "varchar"),
    ):
        connection.create_function(name, function, ["varchar"], returned, type=ARROW, null_handling=SPECIAL)


def _extract(texts: Any) -> Any:
    return pa.chunked_array(extract_batch(texts))


def _normalize(texts: Any) -> Any:
    return pa.chunked_array(normalize_batch(texts))


def _clean(texts: Any) -> Any:
    return pa.chunked_array(normalize_batch(texts, clean=True))
