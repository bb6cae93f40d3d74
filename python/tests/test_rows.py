"""iter_mentions, iter_edges and iter_records: rows, memory, and what ends a stream."""

from __future__ import annotations

import _thread
import gc
import io
import json
import pathlib
import subprocess
import sys
import time
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from doisift import RowStream, iter_edges, iter_mentions, iter_records, scan

CORPORA = pathlib.Path(__file__).resolve().parents[2] / "corpora"


def table(stream: Any) -> pa.Table:
    read = pa.RecordBatchReader.from_stream(stream).read_all()
    read.validate(full=True)
    return read


@pytest.mark.parametrize(("iterate", "mentions"), [(iter_mentions, True), (iter_records, False)])
@pytest.mark.parametrize("batch_rows", [1, 7, 65536])
def test_rows_are_those_of_the_command(iterate: Any, mentions: bool, batch_rows: int, tmp_path: pathlib.Path) -> None:
    rows, parquet = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    scan(CORPORA, output=rows, mentions=mentions)
    wanted = [json.loads(line) for line in rows.read_text().splitlines()]
    stream = iterate(CORPORA, batch_rows=batch_rows)
    found = table(stream)
    assert found.to_pylist() == wanted
    assert max(map(len, found.to_batches())) <= batch_rows
    assert stream.report.records == len(wanted)
    scan(CORPORA, output=parquet, mentions=mentions)
    same = [str(field.type).replace("element", "item") for field in pa.parquet.read_schema(parquet)]
    assert [str(field.type) for field in found.schema] == same
    nullable = [field.name for field in found.schema if field.nullable]
    assert nullable == [("document" if mentions else "first_document"), "check_digit"]


WORKS: list[dict[str, Any]] = [
    {
        "DOI": f"10.5555/work.{number}",
        "type": "journal-article" if number % 3 else None,
        "score": number / 4,
        "open": number % 2 == 0,
        "issued": {"date-parts": [[2000 + number]]},
        "reference": [
            {"key": "a", "DOI": f"10.5555/Cited.{number}", "doi-asserted-by": "crossref"},
            {"key": "b", "DOI": None, "unstructured": f"Ä. Author, no {number}, doi:10.5555/text.{number}"},
            {"key": "c", "DOI": None, "unstructured": "without a name"},
        ],
    }
    for number in range(40)
]
FIELDS = ["path", "record", "doi", "ref_key", "asserted_by", "value", "source", "document", "offset", "length", "text"]
RECORD_FIELDS = ["type", "year:int=/issued/date-parts/0/0", "score:float=score", "open:bool=open"]
EDGES: list[dict[str, Any]] = [
    {},
    {"role": ["reference"], "prefix": "10.5555", "context": 9},
    {"fields": FIELDS, "record_fields": RECORD_FIELDS, "all_references": True},
]


@pytest.fixture(scope="module")
def works(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A folder of records as JSON Lines, JSON, XML, BibTeX and Parquet."""
    folder = tmp_path_factory.mktemp("works")
    (folder / "made.jsonl").write_text("".join(f"{json.dumps(work)}\n" for work in WORKS), encoding="utf-8")
    pyarrow.parquet.write_table(pa.Table.from_pylist(WORKS), folder / "made.parquet")
    for name in ("works.jsonl", "works.json", "article.xml", "library.bib"):
        (folder / name).write_bytes((CORPORA / name).read_bytes())
    return folder


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("options", EDGES)
def test_edges_are_those_of_the_command(works: pathlib.Path, options: Any, threads: int, tmp_path: pathlib.Path) -> None:
    rows, parquet = tmp_path / "rows.jsonl", tmp_path / "rows.parquet"
    scan(works, output=rows, edges=True, **options)
    scan(works, output=parquet, edges=True, **options)
    wanted = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    stream: Any = iter_edges(works, batch_rows=7, threads=threads, **options)
    found = table(stream)
    assert found.to_pylist() == wanted
    assert len(wanted) > 150 and stream.report.records == len(wanted)
    same = [(field.name, str(field.type), field.nullable) for field in pa.parquet.read_schema(parquet)]
    assert [(field.name, str(field.type), field.nullable) for field in found.schema] == same


def test_edges_of_parquet_are_those_of_json_lines(works: pathlib.Path) -> None:
    fields = ["record", "doi", "ref_index", "role", "asserted", "path", "text"]
    options: Any = {"fields": fields, "record_fields": RECORD_FIELDS, "all_references": True}
    rows = [table(iter_edges(works / name, **options)).to_pylist() for name in ("made.jsonl", "made.parquet")]
    assert rows[0] == rows[1] and len(rows[0]) == 4 * len(WORKS)


def test_edges_with_outputs_besides_them(works: pathlib.Path, tmp_path: pathlib.Path) -> None:
    outputs: list[dict[str, Any]] = [{"nodes_to": tmp_path / f"{by}-nodes.csv", "names_to": tmp_path / f"{by}-names.csv"} for by in ("scan", "stream")]
    scan(works, edges=True, output=tmp_path / "rows.csv", record_fields=["type"], **outputs[0])
    with iter_edges(works, record_fields=["type"], **outputs[1]) as stream:
        assert sum(map(len, stream)) > 0
    for name, path in outputs[0].items():
        assert outputs[1][name].read_text() == path.read_text() != ""


def test_edges_refuse_what_they_cannot_have(works: pathlib.Path) -> None:
    for wrong in ({"mentions": True}, {"checkpoint": "folder"}, {"output": "rows.csv"}, {"range": (0, 1)}):
        with pytest.raises(TypeError, match=next(iter(wrong))):
            iter_edges(works, **wrong)
    with pytest.raises(TypeError, match="role"):
        iter_mentions(works, role="self")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="lines"):
        iter_edges(works, lines=True)
    with pytest.raises(ValueError, match="two columns would be named doi"):
        iter_edges(works, record_fields=["doi"])


def test_fields_in_the_order_asked_for() -> None:
    fields = ["length", "doi", "date", "record_id", "after"]
    found = table(iter_mentions(CORPORA, fields=fields, context=5, include="prose.txt"))
    assert found.column_names == fields
    assert found["date"].null_count == len(found) > 0
    assert table(iter_mentions(CORPORA, context=3)).column_names[-2:] == ["before", "after"]
    with pytest.raises(ValueError, match='no field "forms"'):
        iter_mentions(CORPORA, fields=["forms"])
    with pytest.raises(TypeError):
        iter_records(CORPORA, context=1)  # type: ignore[call-arg]


def test_no_rows_have_a_schema() -> None:
    stream = iter_mentions([("a", io.BytesIO(b"nothing"))])
    assert pl.DataFrame(stream).shape == (0, 9)
    assert list(iter_records([("a", io.BytesIO(b""))])) == []


class Endless(io.RawIOBase):
    """Names without end, and how many were read."""

    name = "endless"

    def __init__(self) -> None:
        self.pieces = 0

    def read(self, size: int = -1) -> bytes:
        self.pieces += 1
        return b"".join(b"10.5555/%07d-%05d " % (self.pieces, row) for row in range(20_000))


def ends(source: Endless) -> bool:
    """Whether the run stops reading."""
    until = time.monotonic() + 30
    while time.monotonic() < until:
        before = source.pieces
        time.sleep(0.5)
        if source.pieces == before:
            return True
    return False


def test_a_consumer_that_waits_stops_the_run_and_goes_on() -> None:
    source = Endless()
    with iter_mentions(source, threads=1) as stream:
        next(stream)
        assert ends(source)
        waited = source.pieces
        for _ in range(50):
            next(stream)
        assert source.pieces > waited
    assert ends(source)
    assert list(stream) == [] and stream.report is None


def test_a_stream_that_is_dropped_ends_the_run() -> None:
    source = Endless()
    stream = iter_mentions(source)
    next(stream)
    del stream
    gc.collect()
    assert ends(source)


def test_a_capsule_that_is_dropped_ends_the_run() -> None:
    source = Endless()
    reader = pa.RecordBatchReader.from_stream(iter_mentions(source))
    assert reader.read_next_batch().num_rows > 0
    reader.close()
    del reader
    gc.collect()
    assert ends(source)


def test_a_stream_that_nobody_reads_starts_nothing() -> None:
    source = Endless()
    stream = iter_mentions(source)
    capsule = stream.__arrow_c_stream__()
    del stream, capsule
    assert source.pieces == 0


def test_a_stream_is_read_by_one_reader() -> None:
    stream = iter_mentions(CORPORA)
    first, second = pa.RecordBatchReader.from_stream(stream), pa.RecordBatchReader.from_stream(stream)
    assert first.read_next_batch().num_rows > 0
    with pytest.raises(ValueError, match="only once"):
        second.read_next_batch()
    with pytest.raises(ValueError, match="only once"):
        next(stream)


def test_failures_are_those_of_scan(tmp_path: pathlib.Path) -> None:
    missing = tmp_path / "none"
    with pytest.raises(FileNotFoundError):
        list(iter_mentions(missing, on_error="fail"))
    with pytest.raises(OSError, match="none"):
        table(iter_records(missing, on_error="fail"))
    with pytest.raises(FileNotFoundError, match="none"):
        iter_mentions([missing])
    stream = iter_records([missing], on_error="skip")
    assert list(stream) == []
    assert stream.report is not None and stream.report.error_count == 1


class Interrupting(io.RawIOBase):
    """Text that takes its time, and interrupts the program when a read finds it armed."""

    name = "slow"
    is_armed = False

    def read(self, size: int = -1) -> bytes:
        time.sleep(0.05)
        if self.is_armed:
            self.is_armed = False
            _thread.interrupt_main()
        return b"10.5555/a "


@pytest.mark.parametrize("read", [next, table])
def test_an_interruption_is_honoured_while_a_stream_waits(read: Any) -> None:
    source = Interrupting()
    stream = iter_records(source)
    with pytest.raises(KeyboardInterrupt):
        source.is_armed = True
        read(stream)


def test_an_unread_stream_does_not_hold_up_the_end_of_python() -> None:
    program = """
import io, doisift
class Endless(io.RawIOBase):
    name = "endless"
    def read(self, size=-1):
        return b"10.5555/a " * 100000
stream = doisift.iter_mentions(Endless())
print(len(next(stream)) > 0)
dropped = doisift.iter_mentions(Endless())
next(dropped)
del dropped
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_progress_of_a_stream() -> None:
    stream: RowStream = iter_records(CORPORA)
    assert stream.progress.bytes == 0
    assert len(list(stream)) > 0
    assert stream.progress.mentions > 100
