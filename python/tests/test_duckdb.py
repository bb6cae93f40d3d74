"""doisift.duckdb: functions in SQL, and streams as tables."""

from __future__ import annotations

import pathlib

import duckdb
import pytest

import doisift
from doisift.duckdb import register

CORPORA = pathlib.Path(__file__).resolve().parents[2] / "corpora"


@pytest.fixture
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    register(connection)
    return connection


def test_functions(connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(
        """select doi_normalize(text), doi_clean(text), [mention.doi for mention in doi_extract(text)]
        from (values ('doi:10.1000/A'), (null), ('10.1000/ab1 (2006)'), ('none')) as texts(text)"""
    ).fetchall()
    assert rows == [
        ("10.1000/a", "10.1000/a", ["10.1000/a"]),
        (None, None, None),
        (None, "10.1000/ab1", ["10.1000/ab1"]),
        (None, None, []),
    ]


def test_many_rows_in_parallel(connection: duckdb.DuckDBPyConnection) -> None:
    query = "select count(*), count(distinct name) from (select doi_normalize('10.1000/A' || i) as name from range(300000) as of(i))"
    assert connection.execute(query).fetchone() == (300_000, 300_000)


def test_streams_are_tables() -> None:
    records = doisift.iter_records(CORPORA)
    found = duckdb.execute("select count(*), sum(mentions), any_value(forms)[1] is not null from records").fetchall()
    report = records.report
    assert report is not None
    assert found == [(report.records, report.mentions, True)]
    # It was read, and a second query says so instead of finding nothing.
    with pytest.raises(duckdb.Error, match="only once"):
        duckdb.execute("select count(*) from records").fetchall()
