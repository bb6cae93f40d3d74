"""A session on the engine that the environment variable DOISIFT_ENGINE names, and the files that tests read."""

from __future__ import annotations

import gzip
import io
import os
import random
import sys
import tarfile
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Iterator

import pytest
from pyspark.sql import SparkSession

from doisift.spark import MentionSource

ENGINE = os.environ.get("DOISIFT_ENGINE", "sail")
#: Bytes of the large plain file. Tests divide it into many ranges.
LARGE = 1_000_000
MASTER = "local-cluster[2,1,1024]"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with _sail() if ENGINE == "sail" else _spark() as session:
        session.dataSource.register(MentionSource)
        yield session
        session.stop()


@contextmanager
def _sail() -> Iterator[SparkSession]:
    """Sail with two workers, in a thread of this process."""
    os.environ.update(SAIL_MODE="local-cluster", SAIL_CLUSTER__WORKER_INITIAL_COUNT="2", SAIL_CLUSTER__WORKER_MAX_COUNT="2", SAIL_CLUSTER__WORKER_TASK_SLOTS="64", SAIL_CLUSTER__TASK_MAX_ATTEMPTS="4")
    from pysail.spark import SparkConnectServer

    server = SparkConnectServer()
    server.start(background=True)
    os.environ["DOISIFT_SAIL"] = "sc://{}:{}".format(*server.listening_address)
    yield SparkSession.builder.remote(os.environ["DOISIFT_SAIL"]).getOrCreate()
    server.stop()


@contextmanager
def _spark() -> Iterator[SparkSession]:
    builder = SparkSession.builder.master(MASTER).config("spark.ui.enabled", "false")
    yield builder.config("spark.sql.shuffle.partitions", "4").getOrCreate()


@pytest.fixture
def job(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command of scripts/spark-job: on Sail on the server of these tests, on Spark a cluster of its own."""
    if ENGINE == "sail":
        monkeypatch.setenv("SPARK_REMOTE", os.environ["DOISIFT_SAIL"])
    else:
        monkeypatch.setenv("SPARK_SUBMIT_OPTIONS", f"--master {MASTER} --conf spark.ui.enabled=false")
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
    return [str(ROOT / "scripts" / "spark-job")]


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with half of its bytes in one plain file, and other files of the kinds that are read in other ways."""
    folder = tmp_path_factory.mktemp("corpus")
    dice = random.Random(7)
    (folder / "large.txt").write_bytes(_prose(dice, LARGE))
    (folder / "table.csv").write_bytes(b"id,doi,title\n" + b"".join(_rows(dice, 4000)))
    (folder / ".hidden").write_bytes(b"hidden: 10.5555/hidden")
    (folder / "below").mkdir()
    for n in range(20):
        (folder / "below" / f"{n:02}.txt").write_bytes(_prose(dice, 20_000))
    (folder / "lines.jsonl.gz").write_bytes(gzip.compress(b"".join(b'{"DOI":"%s"}\n' % _name(dice) for _ in range(2000))))
    _archive(folder / "members.tar", dice)
    (folder / "pages.warc").write_bytes(b"".join(_capture(_prose(dice, 5000)) for _ in range(10)))
    return folder


def _name(dice: random.Random) -> bytes:
    number = dice.randrange(3000)
    suffix = dice.choice([b"Abc.%d", b"a(%d)b", b"x-%d", b"long." + b"y" * 200 + b".%d"]) % number
    return b"10.%d/%s" % (5000 + number % 7, suffix)


def _prose(dice: random.Random, size: int) -> bytes:
    """Text with names in several forms, and bytes that are not UTF-8."""
    out = bytearray()
    while len(out) < size:
        before = dice.choice([b" see doi:", b" (https://doi.org/", b" caf\xe9 ", b" u=https%3A%2F%2Fdoi.org%2F", b'<a href="https://doi.org/'])
        after = dice.choice([b", ", b") and ", b".\n", b'">', b"\xff", b"/"])
        out += b"word " * dice.randrange(20) + before + _name(dice) + after
    return bytes(out)


def _rows(dice: random.Random, count: int) -> Iterator[bytes]:
    return (b'%d,"%s",A title; of %d\n' % (n, _name(dice), n) for n in range(count))


def _archive(path: Path, dice: random.Random) -> None:
    """A tar whose members are out of order, two of them of one name."""
    with tarfile.open(path, "w") as archive:
        for name in ("z.txt", "same.txt", "a.txt", "same.txt"):
            text = _prose(dice, 30_000)
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))


def _capture(body: bytes) -> bytes:
    """A WARC record; all have the same URI."""
    head = b"WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: https://a.example/\r\nContent-Length: %d\r\n\r\n" % len(body)
    return head + body + b"\r\n\r\n"


def values(rows: Any) -> list[tuple[Any, ...]]:
    """Rows of Spark as tuples, sorted; nulls are first."""
    return sorted(map(tuple, rows), key=lambda row: [(value is not None, value) for value in row])
