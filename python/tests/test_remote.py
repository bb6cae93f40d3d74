"""Sources at addresses: files of a web server and objects of S3, as moto stands in for it."""

from __future__ import annotations

import gzip
import http.server
import pathlib
import re
import threading
from collections.abc import Iterator
from typing import Any

import pyarrow
import pytest

import doisift

FILES = {
    "a.txt": b"See doi:10.5555/A, and 10.5555/b.",
    "refs.bib": b"@misc{a, doi = {10.5555/one.}}\n",
    "works.csv": b"id,DOI\n1,https://doi.org/10.5555/A\n",
    "list.gz": gzip.compress(b"a.txt\nworks.csv\n"),
    "paths": b"/etc/hostname\n",
}
SECRET = "planted-password"


class Ranges(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = FILES.get(self.path.partition("?")[0].strip("/"))
        if body is None:
            self.send_error(404)
            return
        asked = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        start, end = (int(asked[1]), min(int(asked[2]) + 1, len(body))) if asked else (0, len(body))
        self.send_response(206)
        self.send_header("Content-Range", f"bytes {start}-{end - 1}/{len(body)}")
        self.send_header("Content-Length", str(end - start))
        self.end_headers()
        self.wfile.write(body[start:end])

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Ranges) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def store() -> Iterator[tuple[str, dict[str, str]]]:
    """A bucket with the files, and the settings by which it is reached."""
    pytest.importorskip("moto.server")
    import boto3
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    settings = {
        "aws_endpoint_url": f"http://{host}:{port}", "aws_region": "us-east-1", "aws_access_key_id": "x", "aws_secret_access_key": SECRET,
    }
    client = boto3.client(
        "s3", endpoint_url=settings["aws_endpoint_url"], region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="x",
    )
    client.create_bucket(Bucket="dumps")
    for name, body in FILES.items():
        client.put_object(Bucket="dumps", Key=f"in/{name}", Body=body)
    yield "s3://dumps/in/", settings
    server.stop()


def names(stream: Any) -> list[tuple[str, str]]:
    return [(row["doi"], row["source"]) for row in pyarrow.RecordBatchReader.from_stream(stream).read_all().to_pylist()]


def run_all(root: str, folder: pathlib.Path, **more: Any) -> None:
    """Every function that reads files, over those at addresses."""
    mentions = [("10.5555/a", f"{root}a.txt"), ("10.5555/b", f"{root}a.txt")]
    assert doisift.scan(f"{root}a.txt", **more).mentions == 2
    assert names(doisift.iter_mentions(f"{root}a.txt", fields=["doi", "source"], **more)) == mentions
    assert len(doisift.iter_records([f"{root}a.txt", f"{root}works.csv"], **more).to_pylist()) == 2
    listed = doisift.scan(files_from=f"{root}list.gz", base=root, **more)
    assert (listed.sources, listed.mentions) == (2, 3)
    with pytest.raises(ValueError, match="/etc/hostname, which is no address"):
        doisift.scan(files_from=f"{root}paths", **more)
    report = doisift.clean_table(f"{root}works.csv", output=folder / "clean.csv", column="DOI", **more)
    assert report["rows"] == 1
    assert [row["verdict"] for row in doisift.check(f"{root}refs.bib", **more)] == ["written_wrongly"]
    assert doisift.index(f"{root}works.csv", output=folder / "known.doix", column="DOI", **more)["names"] == 1
    for name, body in (("one.jsonl", "a.txt"), ("two.jsonl", "works.csv")):
        doisift.scan(f"{root}{body}", output=folder / name, **more)
        FILES[name] = (folder / name).read_bytes()


def test_files_of_a_web_server(web: str, tmp_path: pathlib.Path) -> None:
    run_all(web, tmp_path)
    rows = [f"{web}one.jsonl", f"{web}two.jsonl"]
    assert doisift.merge(rows, output=tmp_path / "all.csv")["records"] == 2
    changes = doisift.diff(*rows, output=tmp_path / "changes.csv")
    assert (changes["appeared"], changes["vanished"]) == (0, 1)


def test_objects_of_s3(store: tuple[str, dict[str, str]], tmp_path: pathlib.Path) -> None:
    root, settings = store
    run_all(root, tmp_path, storage_options=settings)
    assert doisift.scan(root, include="*.txt", storage_options=settings).sources == 1
    with pytest.raises(FileNotFoundError, match="no such object"):
        doisift.scan(f"{root}missing", storage_options=settings)


def test_shards_become_one_object(store: tuple[str, dict[str, str]], tmp_path: pathlib.Path) -> None:
    root, settings = store
    shards = [f"{root}shards/{number}.parquet" for number in range(4)]
    for number, shard in enumerate(shards):
        doisift.scan(files_from=f"{root}list.gz", base=root, shard=(number, 4), output=shard, storage_options=settings)
    report = doisift.merge(shards, output=f"{root}names.parquet", storage_options=settings)
    assert report["records"] == 2
    doisift.scan(files_from=f"{root}list.gz", base=root, output=tmp_path / "names.csv", storage_options=settings)
    doisift.merge(f"{root}names.parquet", output=tmp_path / "merged.csv", storage_options=settings)
    assert (tmp_path / "merged.csv").read_bytes() == (tmp_path / "names.csv").read_bytes()


def test_what_is_secret_is_not_shown(web: str, tmp_path: pathlib.Path) -> None:
    address = web.replace("//", f"//user:{SECRET}@")
    report = tmp_path / "report.json"
    settings = {"aws_secret_access_key": SECRET}
    doisift.scan(f"{address}a.txt?sig={SECRET}", files_from=f"{address}list.gz", base=address, report=report, storage_options=settings)
    assert SECRET not in report.read_text() and "aws_secret_access_key" in report.read_text()
    with pytest.raises(ValueError, match="storage_options: no store has a setting \"secret\"") as refused:
        doisift.scan(f"{web}a.txt", storage_options={"secret": SECRET})
    assert SECRET not in str(refused.value)
    with pytest.raises(FileNotFoundError, match="no such object") as missing:
        doisift.scan(f"{address}missing")
    assert SECRET not in str(missing.value)


def test_a_list_leads_to_no_host_that_was_not_named(web: str) -> None:
    FILES["hosts"] = web.replace("127.0.0.1", "localhost").encode() + b"a.txt\n"
    report = doisift.scan(files_from=f"{web}hosts")
    assert (report.error_count, report.mentions) == (1, 0)
    assert "private address" in report.errors[0].message
