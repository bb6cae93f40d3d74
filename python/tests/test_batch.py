"""Columns: extract_batch and normalize_batch, for every Arrow type of texts."""

from __future__ import annotations

import io
import random
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest

import doisift
from doisift import extract_batch, normalize_batch

TEXTS = [
    "See doi:10.5555/Birds.2024, (https://doi.org/10.5555/a%28b%29).",
    None,
    "",
    "none",
    "10.5555/A, 10.5555/ä; a name that is longer than a view of twelve bytes: 10.5555/0123456789abcdef.",
]
STRINGS = ["string", "large_string", "string_view"]
BINARIES = ["binary", "large_binary", "binary_view"]


def mentions(text: str | None) -> list[dict[str, Any]] | None:
    """What extract finds, as the struct of a row."""
    if text is None:
        return None
    data = text.encode()
    return [
        {
            "doi": mention.doi.key,
            "form": mention.form,
            "offset": mention.start,
            "length": mention.end - mention.start,
            "text": mention.text,
            "guessed": mention.guessed,
        }
        for mention in doisift.extract(data)
    ]


@pytest.mark.parametrize("kind", STRINGS + BINARIES)
def test_rows_are_what_extract_finds(kind: str) -> None:
    array = pa.array(TEXTS).cast(kind)
    wanted = [mentions(text) for text in TEXTS]
    assert pa.array(extract_batch(array)).to_pylist() == wanted
    for start in range(len(TEXTS)):
        assert pa.array(extract_batch(array[start:])).to_pylist() == wanted[start:]
        assert pa.array(extract_batch(array[start : start + 1])).to_pylist() == wanted[start : start + 1]
    chunked = pa.chunked_array([array[:2], array[2:2], array[2:]])
    assert pa.chunked_array(extract_batch(chunked)).to_pylist() == wanted


def test_types_of_results_are_wide_where_those_of_texts_are() -> None:
    for kind, name in [("string", "string"), ("binary", "string"), ("large_string", "large_string"), ("binary_view", "large_string")]:
        empty = pa.array([], kind)
        assert str(pa.array(normalize_batch(empty)).type) == name
        found = pa.array(extract_batch(empty)).type
        assert str(found.value_field.type.field("text").type) == name
        assert isinstance(found, pa.LargeListType) == (name == "large_string")


@pytest.mark.parametrize("kind", STRINGS + BINARIES)
def test_names_or_null(kind: str) -> None:
    texts = ["doi:10.1000/ABC", None, "no", "10.1000/B%41", "https://example.org/10.1000/x/full"]
    found = pa.array(normalize_batch(pa.array(texts).cast(kind)))
    assert found.to_pylist() == ["10.1000/abc", None, None, "10.1000/ba", "10.1000/x"]
    assert found.null_count == 2


def test_options_are_those_of_single_texts() -> None:
    texts = pa.array(["10.1000/ab1/_pdf", "10.1000/a/b"])
    clean = pa.array(normalize_batch(texts, clean=True, strict=True, to="urn")).to_pylist()
    assert clean == ["urn:doi:10.1000:ab1", None]
    cut = pa.array(extract_batch(texts, clean=True)).to_pylist()
    assert cut[0][0]["doi"] == "10.1000/ab1"
    with pytest.raises(ValueError, match="not a form"):
        normalize_batch(texts, to="uri")  # type: ignore[arg-type]
    page = '<!doctype html><html><body><a id="10.5555/a"></a> 10.5555/b</body></html>'
    found = pa.array(extract_batch(pa.array([page]), input_kind="auto")).to_pylist()
    assert [mention["doi"] for mention in found[0]] == ["10.5555/b"]


def test_binaries_need_not_be_utf8() -> None:
    array = pa.array([b"\xff10.5555/a\xff", b"10.5555/\xffa"])
    found = pa.array(extract_batch(array)).to_pylist()
    assert [[mention["doi"] for mention in row] for row in found] == [["10.5555/a"], []]
    assert pa.array(normalize_batch(array)).to_pylist() == [None, None]


@pytest.mark.parametrize("index", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_dictionaries(index: str) -> None:
    indices = pa.array([1, None, 0, 2, 1], index)
    array = pa.DictionaryArray.from_arrays(indices, pa.array(["10.1000/A", "10.1000/B", None]))
    wanted = ["10.1000/b", None, "10.1000/a", None, "10.1000/b"]
    assert pa.array(normalize_batch(array)).to_pylist() == wanted
    assert pa.array(normalize_batch(array[2:])).to_pylist() == wanted[2:]


def test_nulls_alone() -> None:
    assert pa.array(normalize_batch(pa.nulls(3))).to_pylist() == [None] * 3
    assert pa.array(extract_batch(pa.array([None, None], "string"))).to_pylist() == [None, None]


def test_random_slices_of_random_texts() -> None:
    chance = random.Random(7)
    words = ["10.5555/a", "doi:10.1000/B(c)", "x", "", "ü", "10.", "\n"]
    for _ in range(50):
        texts = [
            None if chance.random() < 0.2 else " ".join(chance.choices(words, k=chance.randrange(6)))
            for _ in range(chance.randrange(40))
        ]
        start = chance.randrange(len(texts) + 1)
        end = chance.randrange(start, len(texts) + 1)
        kind = chance.choice(STRINGS + BINARIES)
        array = pa.array(texts, "string").cast(kind)[start:end]
        found = pa.array(extract_batch(array))
        found.validate(full=True)
        assert found.to_pylist() == [mentions(text) for text in texts[start:end]]


def test_other_types_are_refused_with_the_reason() -> None:
    wrong: Any
    for wrong, reason in [
        (pa.array([1]), 'not one of the Arrow type "l"'),
        (pa.table({"a": ["x"]}), "pass one column of it"),
        (pa.array([["x"]]), "strings or binaries"),
        ({"x"}, "__arrow_c_array__ or __arrow_c_stream__.*not set"),
        (["x", 1], "element 1: a text is str or bytes, not int"),
    ]:
        with pytest.raises(TypeError, match=reason):
            extract_batch(wrong)


def test_other_libraries_read_and_write_without_pyarrow() -> None:
    series = pl.Series(["10.1000/A", None])
    assert pl.Series(normalize_batch(series)).to_list() == ["10.1000/a", None]
    assert pl.Series(normalize_batch(series.cast(pl.Categorical))).to_list() == ["10.1000/a", None]
    found: Any = extract_batch(series)
    assert pl.Series(found).list.len().to_list() == [1, None]
    rows = doisift.iter_mentions([("a", io.BytesIO(b"10.1000/A"))])  # noqa: F841
    assert duckdb.execute("select doi, \"offset\" from rows").fetchall() == [("10.1000/a", 0)]


def test_an_array_may_be_read_often_and_a_stream_once() -> None:
    array: Any = normalize_batch(pa.array(["10.1000/A"]))
    assert len(array) == 1
    assert pa.array(array).to_pylist() == pa.array(array).to_pylist() == ["10.1000/a"]
    stream: Any = normalize_batch(pa.chunked_array([["10.1000/A"], ["10.1000/B"]]))
    assert [pa.array(of).to_pylist() for of in stream] == [["10.1000/a"], ["10.1000/b"]]
    with pytest.raises(ValueError, match="only once"):
        pa.chunked_array(stream)
