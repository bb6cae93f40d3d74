"""doisift.pandas: the accessor, and what pandas makes of arrays."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import doisift
import doisift.pandas

TEXTS = ["See doi:10.5555/Birds.2024, or 10.5555/a(b).", None, "10.1000/A", ""]
INDEX = pd.MultiIndex.from_tuples([("x", 1), ("x", 2), ("y", 1), ("y", 1)], names=["a", "b"])
DTYPES = ["str", object, "string[python]", pd.StringDtype("pyarrow"), pd.ArrowDtype(pa.string()), "category"]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_methods_keep_index_and_type(dtype: Any) -> None:
    series: Any = pd.Series(TEXTS, index=INDEX, name="text", dtype=dtype)
    same = dtype if dtype != "category" else object
    for made in (series.doi.normalize(), series.doi.clean(), series.doi.normalize(to="name")):
        assert made.index.equals(INDEX) and made.name == "text" and made.dtype == same
        assert made.isna().tolist() == [True, True, False, True]
    assert series.doi.normalize(to="url").iloc[2] == "https://doi.org/10.1000/A"
    valid = series.doi.is_valid()
    assert valid.tolist() == [False, False, True, False] and valid.dtype == bool and valid.index.equals(INDEX)
    assert series[valid].tolist() == ["10.1000/A"]
    found = series.doi.extract()
    assert found.doi.tolist() == ["10.5555/birds.2024", "10.5555/a(b)", "10.1000/a"]
    assert found.index.tolist() == [("x", 1), ("x", 1), ("y", 1)] and found.index.names == ["a", "b"]
    assert found.offset.dtype == "int64" and found.guessed.dtype == bool
    lists = series.doi.findall()
    assert lists.tolist() == [["10.5555/birds.2024", "10.5555/a(b)"], None, ["10.1000/a"], []] and lists.index.equals(INDEX)
    said = series.doi.explain()
    assert said.status.tolist() == ["several", "empty", "normalized", "empty"] and said.reason[2:3].tolist() == ["case"] and said.index.equals(INDEX)


def test_bytes_and_nothing() -> None:
    series: Any = pd.Series([b"10.5555/A \xff", float("nan"), pd.NA])
    assert series.doi.findall().tolist() == [["10.5555/a"], None, None]
    binary: Any = pd.Series([b"doi:10.5555/A", None], dtype=pd.ArrowDtype(pa.binary()))
    assert binary.doi.normalize().tolist()[0] == "10.5555/a" and binary.doi.normalize().dtype == pd.ArrowDtype(pa.string())
    empty: Any = pd.Series([], dtype="str")
    assert empty.doi.normalize().dtype == "str" and empty.doi.extract().columns.tolist()[0] == "doi"
    assert empty.doi.explain().empty


def test_other_series_have_no_accessor() -> None:
    numbers: Any = pd.Series([1, 2])
    with pytest.raises(AttributeError, match="for texts, not int64"):
        numbers.doi


@pytest.mark.parametrize("dtype", [*DTYPES, list], ids=str)
def test_arrays_are_their_values_for_pandas(dtype: Any) -> None:
    texts: Any = TEXTS if dtype is list else pd.Series(TEXTS, dtype=dtype)
    array = doisift.normalize_batch(list(texts))
    assert pd.Series(array).isna().tolist() == [True, True, False, True]
    assert pd.Series(array).tolist()[2] == array.to_pylist()[2] == "10.1000/a"
    assert [len(found) if found is not None else None for found in pd.Series(doisift.extract_batch(list(texts)))] == [2, None, 1, 0]
    frame = pd.DataFrame({"text": texts})
    frame["doi"] = array
    assert frame.doi.tolist()[2] == "10.1000/a"
    assert np.asarray(doisift.extract_batch(["10.1000/a", "10.1000/b"])).shape == (2,)


def test_streams_are_no_lists_of_arrays() -> None:
    stream: Any = doisift.normalize_batch(pa.chunked_array([["10.1000/A"], ["10.1000/B", None]]))
    with pytest.raises(TypeError, match="accessor of doisift.pandas"):
        pd.Series(stream)
    assert stream
    assert np.asarray(stream).tolist() == ["10.1000/a", "10.1000/b", None]
    again: Any = doisift.normalize_batch(pa.chunked_array([["10.1000/A"], ["10.1000/B"]]))
    assert again.to_pylist() == ["10.1000/a", "10.1000/b"]
    rows: Any = doisift.iter_mentions([("a", __import__("io").BytesIO(b"10.1000/A"))])
    with pytest.raises(TypeError, match="DataFrame.from_arrow"):
        pd.DataFrame(rows)


def test_arrays_are_sequences() -> None:
    array = doisift.extract_batch(["10.1000/A 10.1000/B", None])
    assert isinstance(array, doisift.Array)
    assert array[-1] is None and array[0][1] == {
        "doi": "10.1000/b", "form": "bare", "offset": 10, "length": 9, "text": "10.1000/B", "guessed": False,
    }
    assert list(array) == array.to_pylist()
    for row in (2, -3):
        with pytest.raises(IndexError):
            array[row]


def test_pandas_without_pyarrow() -> None:
    program = """
import sys
sys.modules["pyarrow"] = None
import pandas as pd, doisift, doisift.pandas
series = pd.Series(["doi:10.5555/A", None])
assert series.doi.normalize().tolist()[0] == "10.5555/a"
frame = doisift.clean_table(pd.DataFrame({"DOI": series}), column="DOI")
assert frame.doi_status.tolist() == ["normalized", "empty"], frame
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_mentions_come_as_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """No object is made for each mention: what is found can only be read as Arrow."""

    class Columns:
        def __init__(self, found: Any) -> None:
            self._found = pa.chunked_array([pa.array(found)])

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return self._found.__arrow_c_stream__(requested_schema)

    def extract(texts: Any, **options: Any) -> Columns:
        return Columns(doisift.extract_batch(texts, **options))

    monkeypatch.setattr(doisift.pandas, "extract_batch", extract)
    series: Any = pd.Series(TEXTS, dtype=object)
    assert series.doi.extract().text.tolist() == ["10.5555/Birds.2024", "10.5555/a(b)", "10.1000/A"]
    assert series.doi.findall().tolist() == [["10.5555/birds.2024", "10.5555/a(b)"], None, ["10.1000/a"], []]
