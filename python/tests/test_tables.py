"""Tables in memory: pandas, Polars and pyarrow, cleaned as files are."""

from __future__ import annotations

import csv
import pathlib
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import doisift
import doisift.pandas
import doisift.polars

clean_table: Any = doisift.clean_table

CELLS = ["https://doi.org/10.5555/A", None, "10.1111/x.12289/full", "n/a", "10.5555/b", " ", "10.5555/a; 10.5555/b", "10.5555/é1"]
IDS = list(range(10, 10 + len(CELLS)))


def kinds(columns: dict[str, list[Any]]) -> list[Any]:
    """The table in every kind."""
    table = pa.table(columns)
    frame = pd.DataFrame(columns, index=pd.Index(list("hgfedcba"), name="key"))
    return [
        table,
        pa.chunked_array([table["DOI"].chunk(0)[:3], table["DOI"].chunk(0)[3:]]) and table,
        table.to_batches()[0],
        pa.concat_tables([table[:3], table[3:]]),
        pl.DataFrame(table),
        pl.DataFrame(table).lazy(),
        frame,
        frame.astype({"DOI": object}),
        frame.astype({"DOI": "string[python]"}),
        frame.astype({"DOI": pd.StringDtype("pyarrow")}),
        frame.astype({"DOI": pd.ArrowDtype(pa.string())}),
        frame.astype({"DOI": pd.ArrowDtype(pa.large_string())}),
        frame.astype({"DOI": "category"}),
    ]


def rows(table: Any) -> list[dict[str, Any]]:
    """The rows of a table of any kind; what is missing is None."""
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pd.DataFrame):
        table = table.astype(object).where(table.notna(), None)
        listed: list[dict[str, Any]] = table.to_dict("records")
        return listed
    listed = table.to_dicts() if isinstance(table, pl.DataFrame) else table.to_pylist()
    return listed


def worded(text: str) -> str:
    """The text with the words of the command."""
    return text.replace("`multiple=True`", "--multiple").replace("`clean=True`", "--clean")


def of_file(folder: pathlib.Path, options: dict[str, Any]) -> list[dict[str, Any]]:
    """What `clean_table` makes of the same table in a file."""
    source, clean = folder / "in.csv", folder / "out.csv"
    with source.open("w", newline="") as file:
        csv.writer(file).writerows([["id", "DOI"], *zip(IDS, CELLS)])
    clean_table(source, output=clean, **options)
    with clean.open(newline="") as file:
        listed: list[dict[str, Any]] = list(csv.DictReader(file))
        return listed


@pytest.mark.parametrize(
    "options",
    [
        {"clean": True},
        {"to": "url", "encode": "recommended"},
        {"multiple": True, "clean": True, "new_column": "name"},
        {"in_place": True, "clean": True},
        {"in_place": True, "multiple": True},
    ],
    ids=str,
)
def test_every_kind_comes_back_as_a_file_does(options: dict[str, Any], tmp_path: pathlib.Path) -> None:
    options = {"column": "doi", **options}
    wanted = of_file(tmp_path, options)
    for table in kinds({"id": IDS, "DOI": CELLS}):
        result = clean_table(table, **options)
        assert type(result) is type(table)
        made = rows(result)
        assert list(made[0]) == list(wanted[0])
        shown = [{name: "" if cell is None else worded(str(cell)) for name, cell in row.items()} for row in made]
        assert shown == wanted, type(table)
        assert made[1]["DOI"] is None
        if isinstance(table, pd.DataFrame):
            assert result.index.equals(table.index) and result.index.name == "key"
            assert list(table.columns) == ["id", "DOI"]


def test_several_columns_and_none() -> None:
    frame = pd.DataFrame({"a": ["10.5555/x", None], "b": ["x", "10.5555/y"]})
    result = clean_table(frame, column=["b", "a"])
    assert list(result.columns) == ["a", "b", "b_clean", "b_status", "b_reason", "a_clean", "a_status", "a_reason"]
    assert result["b_clean"].tolist()[1] == "10.5555/y"
    for empty in kinds({"id": IDS, "DOI": CELLS}):
        none = empty.head(0) if hasattr(empty, "head") else empty.slice(0, 0)
        assert list(rows(clean_table(none, column="doi"))) == []


def test_types_stay(tmp_path: pathlib.Path) -> None:
    for dtype, new in [
        ("str", "str"), (object, object), ("string[python]", "string[python]"), (pd.StringDtype("pyarrow"), pd.StringDtype("pyarrow")),
        (pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.string())), ("category", object),
    ]:
        frame = pd.DataFrame({"DOI": pd.Series(CELLS, dtype=dtype)})
        result = clean_table(frame, column="DOI", clean=True)
        assert [result[f"doi_{name}"].dtype for name in ("clean", "status", "reason")] == [new] * 3
        assert result["doi_clean"].isna().tolist() == [False, True, False, True, False, True, True, False]
    mixed = pd.DataFrame({"DOI": [10.5, np.nan, pd.NA, "doi:10.5555/A", 7]}, dtype=object)
    result = clean_table(mixed, column="DOI", in_place=True)
    assert result["DOI"].tolist()[3:] == ["10.5555/a", 7] and result["DOI"][0] == 10.5
    assert result["DOI"].isna().tolist() == [False, True, True, False, False]


def test_what_cannot_be_is_refused() -> None:
    frame: Any
    for frame in kinds({"id": IDS, "DOI": CELLS}):
        cases: list[tuple[dict[str, Any], str]] = [
            ({}, "column: name the column"),
            ({"column": "title"}, "'title' is missing; the columns are 'id', 'DOI'"),
            ({"column": "doi", "new_column": "id"}, "called 'id' already"),
            ({"column": "doi", "output": "out.csv"}, "output: this is for files"),
            ({"column": "doi", "in_place": True, "new_column": "x"}, "not both"),
            ({"column": ["doi", "id"], "new_column": ["x"]}, "one for each column"),
        ]
        for options, reason in cases:
            with pytest.raises(ValueError, match=reason):
                clean_table(frame, **options)
        with pytest.raises(TypeError, match="colum: "):
            clean_table(frame, column="DOI", colum="DOI")
    twice = pd.DataFrame([["10.5555/a", "b"]], columns=["DOI", "doi "])
    with pytest.raises(ValueError, match="2 columns are called 'Doi'"):
        clean_table(twice, column="Doi")
    with pytest.raises(ValueError, match="not UTF-8"):
        clean_table(pa.table({"DOI": [b"n/a \xff"]}), column="DOI", in_place=True)


def test_known_names_decide(tmp_path: pathlib.Path) -> None:
    names, known = tmp_path / "names.txt", tmp_path / "known.doix"
    names.write_text("10.5555/a1/full\n")
    doisift.index(names, output=known)
    series: Any = pd.Series(["10.5555/a1/full", "10.5555/b1/full"])
    assert series.doi.explain().clean.tolist() == ["10.5555/a1", "10.5555/b1"]
    found = series.doi.explain(known=known)
    assert found.clean.tolist() == ["10.5555/a1/full", "10.5555/b1/full"]
