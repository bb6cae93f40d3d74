"""What the Spark module gives is what a scan of the same files gives."""

from __future__ import annotations

import functools
import gzip
import http.server
import json
import os
import signal
import subprocess
import threading
from pathlib import Path
from typing import Any, Iterator

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import ENGINE, LARGE, ROOT, values
from pyspark.sql import DataFrame, SparkSession

import doisift
from doisift.spark import INDEXES, MENTIONS, MentionReader, MentionSource, Part, _files, _parts, add_known, dedup, extract_mentions

SPLIT = 64 << 10


def read(spark: SparkSession, *paths: Path | str, **options: Any) -> DataFrame:
    reader = spark.read.format("doisift").options(**{"splitSize": SPLIT, **options})
    if len(paths) == 1:
        return reader.load(str(paths[0]))
    return reader.option("paths", json.dumps([str(path) for path in paths])).load()


def table(stream: Any) -> list[tuple[Any, ...]]:
    found = pa.RecordBatchReader.from_stream(stream).read_all()
    return values(zip(*(column.to_pylist() for column in found.columns)))


def scanned(*paths: Path | str, **options: Any) -> list[tuple[Any, ...]]:
    return table(doisift.iter_mentions(list(paths), fields=list(MENTIONS), **options))


#: The columns of a record, but for the check digit, which follows from the name.
RECORDS = ["doi", "mentions", "documents", "sources", "forms", "first_source", "first_document", "first_offset", "first_text", "guessed"]


def records(*paths: Path | str) -> list[tuple[Any, ...]]:
    return table(doisift.iter_records(list(paths), fields=RECORDS))


def test_rows_are_those_of_a_scan(spark: SparkSession, corpus: Path) -> None:
    mentions = read(spark, corpus)
    assert mentions.columns == list(MENTIONS)
    found = values(mentions.collect())
    assert len(found) > 10_000
    assert found == scanned(corpus)


@pytest.mark.parametrize("split_size", [1000, 77_777, 1 << 30])
def test_split_size_changes_no_row(spark: SparkSession, corpus: Path, split_size: int) -> None:
    for name in ("large.txt", "table.csv", "pages.warc"):
        path = corpus / name
        if path.stat().st_size > 200 * split_size:
            continue
        assert values(read(spark, path, splitSize=split_size).collect()) == scanned(path)


def test_every_split_of_a_short_file(tmp_path: Path) -> None:
    """Also within names, and in files that are not divided."""
    plain = tmp_path / "plain"
    plain.write_bytes(b"doi:10.5555/a, 10.5555/b%2Fc and <10.5555/d>; https://doi.org/10.5555/10.5555/e\xff10.5555/f")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    for path in (plain, packed):
        whole = scanned(path)
        assert len(whole) >= 5
        size = path.stat().st_size
        for width in range(1, size + 1):
            starts = range(0, size, width)
            parts = [scanned(path, range=(start, min(start + width, size)), threads=1) for start in starts]
            assert values(row for part in parts for row in part) == whole


def test_globs_lists_and_several_paths(spark: SparkSession, corpus: Path, tmp_path: Path) -> None:
    below = sorted((corpus / "below").iterdir())
    assert values(read(spark, corpus / "below" / "0*.txt").collect()) == scanned(*below[:10])
    assert values(read(spark, below[3], below[5]).collect()) == scanned(below[3], below[5])
    if ENGINE == "spark":
        several = spark.read.format("doisift").load([str(below[3]), str(below[5])])
        assert values(several.collect()) == scanned(below[3], below[5])
    listed = tmp_path / "list"
    listed.write_text(f"{below[1]}\n{corpus / 'members.tar'}\n")
    found = spark.read.format("doisift").option("filesFrom", str(listed)).load()
    assert values(found.collect()) == scanned(below[1], corpus / "members.tar")


def test_options(spark: SparkSession, corpus: Path) -> None:
    found = read(spark, corpus / "table.csv", fields="doi,before", context="5", prefix="10.5001,10.5003")
    wanted = doisift.iter_mentions(corpus / "table.csv", fields=["doi", "before"], context=5, prefix=["10.5001", "10.5003"])
    assert values(found.collect()) == table(wanted)
    lines = read(spark, corpus / "table.csv", lines="true")
    assert values(lines.collect()) == scanned(corpus / "table.csv", lines=True)


@pytest.fixture
def index(corpus: Path, tmp_path: Path) -> Path:
    """Every other name of a table, known."""
    names = sorted({row[0] for row in scanned(corpus / "table.csv")})
    (tmp_path / "names.txt").write_text("\n".join(names[::2]))
    path = tmp_path / "known.doix"
    doisift.index(tmp_path / "names.txt", output=path, agency="crossref")
    return path


def test_names_are_asked_of_an_index(spark: SparkSession, corpus: Path, index: Path) -> None:
    table_file = corpus / "table.csv"
    mentions = read(spark, table_file, known=str(index))
    assert mentions.columns == [*MENTIONS, "known", "agency", "retracted"]
    wanted = table(doisift.iter_mentions(table_file, fields=mentions.columns, known=index))
    assert values(mentions.collect()) == wanted
    assert {row.known for row in mentions.select("known").collect()} == {True, False}


def test_a_column_is_asked_of_an_index(spark: SparkSession, index: Path) -> None:
    names = (index.parent / "names.txt").read_text().splitlines()
    texts = [names[0], f"https://doi.org/{names[1].upper()}", names[0] + "x", "no name", None]
    df = spark.createDataFrame([(number, text) for number, text in enumerate(texts)], "id bigint, doi string")
    rows = add_known(df, "doi", str(index), to="is_known").collect()
    assert [(row.doi, row.is_known) for row in sorted(rows)] == [*zip(texts, [True, True, False, None, None])]
    with pytest.raises(Exception, match="there is no index missing"):
        add_known(df, "doi", "missing").collect()


@pytest.mark.skipif(ENGINE != "spark", reason="only Spark sends files to its executors")
def test_an_index_is_sent_to_the_executors(spark: SparkSession, corpus: Path, index: Path) -> None:
    # The file stays: executors that are started later fetch it from there.
    spark.sparkContext.addFile(str(index))
    sent = read(spark, corpus / "table.csv", known=index.name)
    assert values(sent.collect()) == values(read(spark, corpus / "table.csv", known=str(index)).collect())
    df = spark.createDataFrame([((Path(index.parent) / "names.txt").read_text().split()[0],)], "doi string")
    assert [row.known for row in add_known(df, "doi", index.name).collect()] == [True]


@pytest.mark.parametrize("options", [{"fields": "doi,nothing"}, {"nothing": "1"}, {"splitSize": "0"}, {"lines": "perhaps"}])
def test_wrong_options_are_refused(spark: SparkSession, corpus: Path, options: dict[str, str]) -> None:
    with pytest.raises(Exception, match="nothing|splitSize|perhaps"):
        read(spark, corpus, **options).collect()


def test_missing_file_is_refused(spark: SparkSession, corpus: Path) -> None:
    with pytest.raises(Exception, match="there is no file"):
        read(spark, corpus / "missing").collect()


def test_records_are_those_of_a_scan(spark: SparkSession, corpus: Path) -> None:
    """Also those of an archive with two members of one name, and of a WARC with captures of one URI."""
    found = dedup(read(spark, corpus))
    assert found.columns == RECORDS
    assert values(found.collect()) == records(corpus)


def test_mentions_of_columns(spark: SparkSession, corpus: Path) -> None:
    texts = [(n, path.read_bytes()) for n, path in enumerate(sorted((corpus / "below").iterdir()))]
    texts += [(100, None), (101, b""), (102, b"none")]
    found = extract_mentions(spark.createDataFrame(texts, "id bigint, body binary"), "body", "id")
    wanted = [
        (m.doi.key, m.doi, str(n), m)
        for n, text in texts
        if text is not None
        for m in doisift.extract(text)
    ]
    expected = [(key, source, None, m.start, m.end - m.start, m.text, m.guessed) for key, _, source, m in wanted]
    assert values(found.drop("form").collect()) == values(expected)
    assert dedup(found).count() == len({row[0] for row in expected})
    strings = spark.createDataFrame([("a", "See doi:10.5555/É, 10.5555/b."), ("b", None)], "id string, body string")
    assert [row.doi for row in extract_mentions(strings, "body", "id").collect()] == ["10.5555/É", "10.5555/b"]


def test_no_partition_has_more_than_the_split_size(corpus: Path) -> None:
    parts = _parts(_files([str(corpus)]), SPLIT)
    large = [part for part in parts if part.files == (str(corpus / "large.txt"),)]
    assert sum(part.size for part in large) >= LARGE
    assert all(part.size <= SPLIT for part in parts if part.range is not None)
    assert [part.size for part in parts] == sorted((part.size for part in parts), reverse=True)
    assert any(len(part.files) > 1 for part in parts)


def test_damage_fails_the_job_or_is_reported(spark: SparkSession, corpus: Path, tmp_path: Path) -> None:
    whole = (corpus / "lines.jsonl.gz").read_bytes()
    cut = tmp_path / "cut.gz"
    cut.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(Exception, match="cut.gz"):
        read(spark, cut).collect()
    reports = tmp_path / "reports"
    found = read(spark, cut, onError="skip", reports=str(reports))
    assert values(found.collect()) == scanned(cut)
    assert "cut.gz" in (reports / "part-000000.json").read_text()


def failing(mark: Path) -> type[MentionSource]:
    """A source that ends its worker after the first batch of one partition, once. Classes of a function are sent to workers by value."""

    class FailingReader(MentionReader):
        def read(self, partition: Part) -> Iterator[pa.RecordBatch]:
            for batch in super().read(partition):
                yield batch
                if partition.index == 3 and not mark.exists():
                    mark.touch()
                    end_worker()

    class FailingSource(MentionSource):
        @classmethod
        def name(cls) -> str:
            return "failing"

        def reader(self, schema: object) -> MentionReader:
            reader = super().reader(schema)
            reader.__class__ = FailingReader
            return reader

    def end_worker() -> None:
        if ENGINE == "sail":
            # Its workers are threads of the server.
            raise RuntimeError("the worker is lost")
        # The parent of Python's worker is its daemon, and the parent of that the executor.
        stat = Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(stat.rpartition(")")[2].split()[1]), signal.SIGKILL)

    return FailingSource


def test_lost_worker_changes_no_row(spark: SparkSession, corpus: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    spark.dataSource.register(failing(mark))
    mentions = spark.read.format("failing").option("splitSize", str(SPLIT)).load(str(corpus))
    try:
        found = values(dedup(mentions).collect())
    except Exception as error:
        # Sail fails if a task is lost whose rows the client already has, which depends on time. The job is run again then.
        assert ENGINE == "sail" and "already produced job output" in str(error)
        found = values(dedup(mentions).collect())
    assert found == records(corpus)
    assert mark.exists()
    if ENGINE == "spark":
        mark.unlink()
        assert values(mentions.collect()) == scanned(corpus)
        assert mark.exists()


@pytest.mark.parametrize("kind", [[], ["--mentions"]])
def test_job_writes_the_rows_of_the_command(corpus: Path, tmp_path: Path, kind: list[str], job: list[str]) -> None:
    out = tmp_path / "rows"
    subprocess.run([*job, str(corpus), "-o", str(out), "--split-size", str(SPLIT), *kind], check=True)
    whole = tmp_path / "rows.parquet"
    fields = [name for name in MENTIONS if name not in INDEXES] if kind else RECORDS
    doisift.scan(corpus, output=whole, mentions=bool(kind), fields=fields)
    assert rows(out) == rows(whole)


def test_the_job_takes_a_table_of_addresses(corpus: Path, tmp_path: Path, job: list[str]) -> None:
    files = ["prose.txt", "page.html"]
    for name in files:
        (tmp_path / name).write_bytes((ROOT / "corpora" / name).read_bytes())
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        addresses = [f"http://127.0.0.1:{server.server_port}/{name}" for name in files]
        pq.write_table(pa.table({"address": [*addresses, None]}), tmp_path / "table.parquet")
        subprocess.run([*job, "--table", str(tmp_path / "table.parquet"), "-o", str(tmp_path / "rows")], check=True)
        doisift.scan(addresses, output=tmp_path / "rows.parquet", fields=RECORDS)
        server.shutdown()
    assert rows(tmp_path / "rows") == rows(tmp_path / "rows.parquet") != []


def rows(path: Path) -> list[Any]:
    """The rows of Parquet files in the order of their names and rows."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    return [row for file in files for row in pq.read_table(file).to_pylist()]


def test_code_of_the_book(spark: SparkSession, corpus: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs/src/engines/spark.md").read_text()
    code = page.split("```python\n")[1].split("```")[0]
    (tmp_path / "crawl").mkdir()
    crawl = tmp_path / "crawl" / "a.warc.gz"
    crawl.write_bytes(gzip.compress((corpus / "pages.warc").read_bytes()))
    pages = {"url": ["https://a.example/1", "https://a.example/2"], "html": ["<p>doi:10.5555/a</p>", None]}
    pq.write_table(pa.table(pages), tmp_path / "pages")
    names: dict[str, Any] = {"spark": spark}
    exec(code.replace("/data", str(tmp_path)), names)
    assert values(map(dict.values, rows(tmp_path / "records"))) == records(crawl)
    assert [(row.doi, row.source) for row in names["in_pages"].collect()] == [("10.5555/a", "https://a.example/1")]
