"""scan: the options of the command, sources of every kind, errors, progress, signals and logging."""

from __future__ import annotations

import _thread
import gzip
import io
import json
import logging
import lzma
import os
import pathlib
import re
import threading
import time
import zipfile
from typing import Any

import fsspec
import pyarrow.parquet
import pytest

import doisift
from doisift import scan

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPORA = ROOT / "corpora"


def test_every_option_of_the_command_is_one_of_scan() -> None:
    page = (ROOT / "docs" / "src" / "reference" / "options.md").read_text()
    rows = re.findall(r"^\| `(?:-\w, )?--([\w-]+)", page.split("\n## ")[1], re.MULTILINE)
    options = {name.replace("-", "_") for name in rows} | {"nul"}
    # Those of a terminal.
    options -= {"all", "quiet", "verbose", "stats", "progress"}
    # The page is written by a build without object stores.
    options |= {"connections", "rate_limit", "timeout", "storage_options"}
    assert options == {name for name, *_ in doisift._doisift.options("scan")}
    for option in options:
        assert f"`{option}`" in (scan.__doc__ or "")


def test_functions_have_their_own_options() -> None:
    with pytest.raises(TypeError, match="output: there is no such option"):
        doisift.iter_mentions(CORPORA, output="rows.csv")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="range: there is no such option"):
        scan(CORPORA, range=(0, 10))  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="nothing to read"):
        scan([])


def test_options_reach_the_run(tmp_path: pathlib.Path) -> None:
    output, report = tmp_path / "rows.csv", tmp_path / "report.json"
    options: dict[str, Any] = {
        "output": output,
        "format": "tsv",
        "mentions": True,
        "fields": ["doi", "before"],
        "context": 7,
        "prefix": "10.5555",
        "exclude_prefix": ["10.1", "10.2"],
        "lines": True,
        "input_kind": "unknown",
        "include": ["*.txt"],
        "exclude": "big*",
        "follow": True,
        "shard": (0, 1),
        "threads": 1,
        "memory": 64 << 20,
        "tmp_dir": tmp_path,
        "on_error": "fail",
        "report": report,
    }
    done = scan(CORPORA, **options).to_dict()["options"]
    given = {
        "output": str(output),
        "format": "tsv",
        "rows": "mentions",
        "fields": ["doi", "before"],
        "context": 7,
        "prefix": ["10.5555"],
        "exclude_prefix": ["10.1", "10.2"],
        "lines": True,
        "input_kind": "unknown",
        "include": ["*.txt"],
        "exclude": ["big*"],
        "follow": True,
        "shard": "0/1",
        "on_error": "fail",
        "threads": 1,
        "memory": 64 << 20,
    }
    assert {name: done[name] for name in given} == given
    assert output.read_text().splitlines()[0] == "doi\tbefore"
    assert json.loads(report.read_text())["mentions"] > 0


def test_limits_and_lists_reach_the_run(tmp_path: pathlib.Path) -> None:
    nested, inner = tmp_path / "nested.zip", io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("a.txt", "10.5555/a")
    with zipfile.ZipFile(nested, "w") as archive:
        archive.writestr("inner.zip", inner.getvalue())
    assert scan(nested).mentions == 1
    (loss,) = scan(nested, max_depth=0).errors
    assert loss.source == str(nested)
    listed = tmp_path / "list"
    listed.write_bytes(os.fsencode(nested) + b"\0")
    assert scan(files_from=listed, nul=True).mentions == 1
    assert scan(nested, max_members=1).error_count == 1
    packed = tmp_path / "blank.gz"
    packed.write_bytes(gzip.compress(bytes(100 << 20)))
    assert scan(packed).error_count == 1
    assert scan(packed, max_expansion=10_000).error_count == 0
    window = tmp_path / "window.xz"
    window.write_bytes(lzma.compress(b"10.5555/a", preset=9))
    assert scan(window).mentions == 1
    assert scan(window, max_window=1 << 20).error_count == 1
    single = tmp_path / "works.json"
    single.write_text('{"id": "10.5555/own", "ref": "10.5555/other"}')
    assert scan(single, edges=True, record_id="/id").to_dict()["edges"]["self"] == 1
    assert scan(single, pre="cat", pre_glob="*.json").mentions == scan(single).mentions
    assert scan(single, pre="false").error_count == 1
    assert scan(single, pairs=True).records == 2
    assert scan(single, count=True).records == 2
    assert scan(single, top_prefixes=1).records == 2


def test_wrong_options_are_value_errors_with_the_reason(tmp_path: pathlib.Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"format": "xls"}, "format: .*xls"),
        ({"fields": ["title"]}, "no field .title."),
        ({"shard": "3/2"}, "shard: "),
        ({"on_error": "stop"}, "on_error: .*skip or fail"),
        ({"input_kind": "xls"}, "input_kind: "),
        ({"pairs": True, "count": True}, "pairs or counts"),
        ({"prefix": "x"}, "not a DOI prefix"),
        ({"threads": 0}, "threads: the minimum is 1"),
        ({"tmp_dir": tmp_path / "none"}, "tmp_dir: the folder"),
        ({"record_id": "id"}, "record_id: "),
        ({"output": "rows.xls"}, "rows.xls"),
    ]
    for options, reason in wrong:
        with pytest.raises(ValueError, match=reason):
            scan(CORPORA, **options)
    with pytest.raises(TypeError, match="context: "):
        scan(CORPORA, context="x")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        scan(CORPORA, contexts=1)  # type: ignore[call-arg]


def test_failures_of_the_system_are_their_os_error(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.txt"):
        scan(tmp_path / "none.txt", on_error="fail")
    with pytest.raises(FileNotFoundError, match="create it: mkdir"):
        scan(CORPORA, output=tmp_path / "none" / "rows.csv")
    with pytest.raises(OSError, match="is a folder"):
        scan(CORPORA, output=tmp_path, format="csv")


def test_lost_input_is_reported_and_logged(tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture) -> None:
    missing = tmp_path / "100% none.txt"
    report = scan([missing, CORPORA / "sample.txt"], on_error="skip")
    assert report.mentions > 0 and report.error_count == 1
    (loss,) = report.errors
    assert (loss.source, loss.document, loss.offset) == (str(missing), None, None)
    assert "No such file" in loss.message and str(missing) in str(loss)
    (message,) = [record.getMessage() for record in caplog.records if record.name == "doisift"]
    assert str(missing) in message
    caplog.clear()
    with caplog.at_level(logging.ERROR, "doisift"):
        scan(missing, on_error="skip")
    assert not caplog.records


def test_a_path_that_leads_nowhere_is_an_error_at_once(tmp_path: pathlib.Path) -> None:
    output = tmp_path / "rows.csv"
    with pytest.raises(FileNotFoundError) as raised:
        scan([CORPORA, tmp_path / "none"], output=output)
    assert raised.value.filename == str(tmp_path / "none") and not output.exists()


def test_a_size_may_be_a_text(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "a.txt"
    source.write_text("10.5555/a")
    for memory in ("64M", "64 MiB", 64 << 20):
        assert scan(source, memory=memory).records == 1
    with pytest.raises(ValueError, match="memory: not a size"):
        scan(source, memory="much")
    with pytest.raises(TypeError, match="memory: "):
        scan(source, memory=0.5)  # type: ignore[arg-type]


def test_messages_name_keywords(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="only mentions have text around them; add `mentions=True`"):
        scan(CORPORA, output=tmp_path / "a.csv", context=9)
    with pytest.raises(ValueError, match="such as `context=100`"):
        scan(CORPORA, output=tmp_path / "a.csv", mentions=True, fields=["before"])


def test_streams_are_sources(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("10.5555/b")
    packed = io.BytesIO(gzip.compress(b"10.5555/packed"))
    rows = tmp_path / "rows.csv"
    with open(path, "rb") as opened:
        scan([("a.gz", packed), opened, str(CORPORA / "sample.txt")], output=rows, mentions=True, fields=["source", "doi"])
    lines = rows.read_text().splitlines()
    assert "a.gz,10.5555/packed" in lines
    assert f"{path},10.5555/b" in lines


def test_files_of_fsspec_are_opened_in_turn(tmp_path: pathlib.Path) -> None:
    memory = fsspec.filesystem("memory")
    for name in "ab":
        memory.pipe(f"/files/{name}.txt", f"10.5555/{name}".encode())
    later = fsspec.open_files("memory://files/*.txt")
    rows = tmp_path / "rows.csv"
    scan(later, output=rows, mentions=True, fields=["source", "doi"])
    assert rows.read_text().splitlines()[1:] == ["memory:///files/a.txt,10.5555/a", "memory:///files/b.txt,10.5555/b"]
    with memory.open("/files/a.txt") as opened:
        assert scan(opened).mentions == 1


class Broken(io.RawIOBase):
    """A file that fails after some bytes."""

    name = "broken"

    def __init__(self, result: Any) -> None:
        self.left = [b"10.5555/a ", result]

    def read(self, size: int = -1) -> Any:
        result = self.left.pop(0)
        if isinstance(result, Exception):
            raise result
        return result


def test_a_file_that_fails_is_lost_or_ends_the_run() -> None:
    report = scan(Broken(RuntimeError("no more")))
    assert report.mentions == 1
    assert "no more" in report.errors[0].message
    with pytest.raises(OSError, match="broken.*no more") as raised:
        scan(Broken(RuntimeError("no more")), on_error="fail")
    assert isinstance(raised.value.__cause__, RuntimeError)
    assert "open the file in binary mode" in scan(Broken("text")).errors[0].message
    assert "more bytes" in scan(Broken(b"x" * (2 << 20))).errors[0].message


def test_sources_that_are_none() -> None:
    with pytest.raises(ValueError, match="has no name"):
        scan(io.BytesIO(b"10.5555/a"))
    with pytest.raises(TypeError, match="a source is a path"):
        scan([1])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="name of another source"):
        scan([("a", io.BytesIO()), ("a", io.BytesIO())])


def test_formats(tmp_path: pathlib.Path) -> None:
    for ending in ["csv", "jsonl.gz", "parquet", "tsv.zst"]:
        output = tmp_path / f"rows.{ending}"
        assert scan(CORPORA, output=output).records > 100
        assert output.stat().st_size > 100
    assert pyarrow.parquet.read_table(tmp_path / "rows.parquet").num_rows > 100


class Slow(io.RawIOBase):
    """Text that takes its time and never ends. Its fifth read interrupts the program if that is asked for."""

    name = "slow"

    def __init__(self, interrupts: bool = False) -> None:
        self.reads = 0
        self.interrupts = interrupts

    def read(self, size: int = -1) -> bytes:
        self.reads += 1
        if self.interrupts and self.reads == 5:
            _thread.interrupt_main()
        time.sleep(0.05)
        return b"10.5555/a%d " % self.reads


def test_progress_is_called_with_what_was_read() -> None:
    seen: list[doisift.Progress] = []
    total = sum(path.stat().st_size for path in CORPORA.iterdir())
    scan(CORPORA, progress=seen.append)
    assert (seen[-1].bytes + seen[-1].passed, seen[-1].total) == (total, total)
    assert seen[-1].mentions > 100 and seen[-1].resumed == 0


def test_progress_moves_a_bar() -> None:
    class Bar:
        total: float | None = None
        n = 0.0

        def update(self, n: float = 1, /) -> None:
            self.n += n

    bar = Bar()
    scan(CORPORA, progress=bar)
    assert bar.n == bar.total == sum(path.stat().st_size for path in CORPORA.iterdir())


def test_an_exception_of_progress_ends_the_run(tmp_path: pathlib.Path) -> None:
    slow = Slow()

    def enough(progress: doisift.Progress) -> None:
        if slow.reads > 3:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        scan(slow, output=tmp_path / "rows.csv", progress=enough)
    assert list(tmp_path.iterdir()) == []


def test_an_interruption_ends_the_run_and_leaves_nothing(tmp_path: pathlib.Path) -> None:
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        scan(Slow(interrupts=True), output=tmp_path / "rows.csv")
    assert time.monotonic() - started < 30
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_resumes_after_an_interruption(tmp_path: pathlib.Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    for number in range(2000):
        (sources / f"{number:04}").write_text(f"10.5555/{number} " * 2000)
    folder, rows = tmp_path / "checkpoint", tmp_path / "rows.csv"
    calls = 0

    def stop(progress: doisift.Progress) -> None:
        nonlocal calls
        calls += 1
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        scan(sources, output=rows, checkpoint=folder, progress=stop)
    assert calls == 1
    if rows.exists():
        pytest.skip("the run ended before it could be interrupted")
    report = scan(sources, output=rows, checkpoint=folder)
    assert report.records == 2000 and not folder.exists()
    assert report.resumed == report.to_dict().get("resumed")
    assert scan(sources).resumed is None


def test_the_gil_is_free_during_a_run() -> None:
    steps = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal steps
        while not stop.is_set():
            steps += 1

    counter = threading.Thread(target=count)
    counter.start()
    text = b"10.5555/a " * 3_000_000
    before = steps
    scan([("a", io.BytesIO(text))])
    stop.set()
    counter.join()
    assert steps - before > 100
