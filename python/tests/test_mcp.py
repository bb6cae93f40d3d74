"""doisift.mcp: the tools, called by the SDK's client."""

from __future__ import annotations

import asyncio
import gzip
import os
import pathlib
import subprocess
import sys
from typing import Any

import pytest

import doisift

pytest.importorskip("mcp")

from mcp import Client, StdioServerParameters  # noqa: E402

from doisift.mcp import MAX_ANSWER, Folders, server  # noqa: E402


def calls(target: Any, *asked: tuple[str, dict[str, Any]]) -> list[Any]:
    """The answer to each call: the structure of a good one, and the text of an error."""

    async def ask() -> list[Any]:
        async with Client(target) as client:
            answers = [await client.call_tool(name, arguments) for name, arguments in asked]
        return [answer.content[0].text if answer.is_error else answer.structured_content for answer in answers]  # type: ignore[union-attr]

    return asyncio.run(ask())


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "secret.txt").write_text("10.5555/secret")
    allowed = tmp_path / "allowed"
    (allowed / "below").mkdir(parents=True)
    (allowed / "a.txt").write_text("doi:10.5555/a, 10.5555/b, 10.5555/a")
    (allowed / "below" / "c.md").write_text("10.5555/c")
    (allowed / "refs.bib").write_text("@misc{one, doi = {10.5555/one.}}\n@misc{two, title = {None}}\n")
    (allowed / "out").symlink_to(tmp_path)
    (allowed / "file").symlink_to(tmp_path / "secret.txt")
    (allowed / "in").symlink_to("below")
    return allowed


def test_texts() -> None:
    made = server(Folders([]))
    found, cleaned, explained, one = calls(
        made,
        ("extract", {"text": "Käse (doi:10.5555/Birds.2024), 10.5555/(nest)7."}),
        ("clean", {"texts": ["10.1111/x.12289/full", "n/a", "10.5555/a; 10.5555/b"]}),
        ("explain", {"text": "10.0.0.0/8"}),
        ("explain", {"text": "10.5555/a1/full", "clean": True}),
    )
    assert found["total"] == 2 and found["left_out"] == 0 and found["note"] == ""
    assert found["rows"][0] == {
        "doi": "10.5555/birds.2024", "form": "doi", "start": 10, "end": 28, "text": "10.5555/Birds.2024", "guessed": False,
    }
    assert [row["doi"] for row in cleaned["rows"]] == ["10.1111/x.12289", None, None]
    assert [row["status"] for row in cleaned["rows"]] == ["cleaned", "refused", "several"]
    assert explained["rows"][0]["reason"] == "registrant_code"
    assert one["rows"][0]["changes"][0]["rule"] == "tail.page-word"


def test_files_of_allowed_folders(folder: pathlib.Path) -> None:
    scanned, some, places, checked, text = calls(
        server(Folders([folder])),
        ("scan", {"path": "."}),
        ("scan", {"path": str(folder), "include": ["*.md"]}),
        ("scan", {"path": "in/c.md", "mentions": True}),
        ("check", {"path": "refs.bib"}),
        ("check", {"text": "@misc{a, doi = {10.5555/x.}}", "name": "x.bib"}),
    )
    assert [(row["doi"], row["mentions"]) for row in scanned["rows"]] == [
        ("10.5555/a", 2), ("10.5555/b", 1), ("10.5555/c", 1), ("10.5555/one", 1),
    ]
    assert (scanned["total"], scanned["mentions"], scanned["errors"]) == (4, 5, 0)
    assert [row["doi"] for row in some["rows"]] == ["10.5555/c"]
    assert places["rows"][0]["offset"] == 0
    assert [(row["key"], row["verdict"]) for row in checked["rows"]] == [("one", "written_wrongly"), ("two", "no_doi")]
    assert text["rows"][0]["repair"] == "10.5555/x"
    assert (folder / "refs.bib").read_text().startswith("@misc{one, doi = {10.5555/one.}}")


@pytest.mark.parametrize("path", ["../secret.txt", "file", "out", "out/secret.txt", "/", "/etc/passwd", "below/../../secret.txt", "missing", "", "\0"])
def test_no_other_file_is_read(folder: pathlib.Path, path: str) -> None:
    made = server(Folders([folder / "below", folder]))
    for answer in calls(made, ("scan", {"path": path}), ("check", {"path": path})):
        if path == "":
            # The first folder itself.
            assert not isinstance(answer, str) or "is a folder" in answer, answer
        else:
            assert isinstance(answer, str) and "10.5555/secret" not in answer, answer
    nothing = calls(server(Folders([])), ("scan", {"path": path}))
    assert isinstance(nothing[0], str)


def test_addresses_are_refused(folder: pathlib.Path) -> None:
    made = server(Folders([folder]))
    for path in ("https://example.org/a.txt", "s3://bucket/key"):
        for answer in calls(made, ("scan", {"path": path}), ("check", {"path": path})):
            assert "is an address; these tools read files in the allowed folders alone" in answer


def test_pipes_are_not_waited_for(folder: pathlib.Path) -> None:
    os.mkfifo(folder / "pipe")
    assert "neither a file nor a folder" in calls(server(Folders([folder])), ("scan", {"path": "pipe"}))[0]


def test_answers_are_bounded(folder: pathlib.Path) -> None:
    (folder / "many.txt").write_text("\n".join(f"10.5555/{number:05}" for number in range(5000)))
    text = " ".join(f"10.5555/{number:05}" for number in range(5000))
    made = server(Folders([folder]))
    scanned, most, found, long = calls(
        made,
        ("scan", {"path": "many.txt"}),
        ("scan", {"path": "many.txt", "max_rows": 1000}),
        ("extract", {"text": text, "max_rows": 3}),
        ("clean", {"texts": ["10.5555/" + "x" * 100_000] * 2}),
    )
    assert (len(scanned["rows"]), scanned["total"], scanned["left_out"]) == (100, 5000, 4900)
    assert scanned["note"].startswith("the first 100 of 5000 rows; ask for more by max_rows")
    assert most["left_out"] == 5000 - len(most["rows"]) and len(str(most["rows"])) < MAX_ANSWER * 1.2
    assert (len(found["rows"]), found["left_out"]) == (3, 4997)
    assert long["rows"][0]["text"].endswith("… (99508 characters left out)")


def test_wrong_inputs_are_errors_of_the_tool(folder: pathlib.Path) -> None:
    answers = calls(
        server(Folders([folder])),
        ("extract", {}),
        ("extract", {"text": "x" * 1_000_001}),
        ("extract", {"text": "x", "max_rows": 0}),
        ("clean", {"texts": ["x"], "to": "html"}),
        ("check", {}),
        ("check", {"path": "refs.bib", "text": "x"}),
        ("scan", {"path": ".", "include": ["[a"]}),
    )
    answers = [*answers, *calls(server(Folders([folder]), max_seconds=-1), ("scan", {"path": "."}))]
    assert all(isinstance(answer, str) for answer in answers), answers
    for answer, reason in zip(answers[4:], ["either path or text", "either path or text", "[a", "not done after -1 seconds"]):
        assert reason in answer


def test_an_index_decides(folder: pathlib.Path) -> None:
    names, known = folder / "names.txt", folder / "known.doix"
    names.write_text("10.5555/one\n")
    doisift.index(names, output=known)
    made = server(Folders([folder]), os.fspath(known))
    assert calls(made, ("check", {"text": "10.7777/two", "name": "a.txt"}))[0]["rows"][0]["verdict"] == "not_in_index"


def test_notices_decide_without_an_index(folder: pathlib.Path) -> None:
    watch = folder / "watch.csv"
    watch.write_text("Record ID,RetractionDate,RetractionDOI,OriginalPaperDOI,RetractionNature\n1,5/31/2021 0:00,,10.7777/two,Retraction\n")
    made = server(Folders([folder]), retractions=os.fspath(watch))
    rows = calls(made, ("check", {"text": "10.7777/two\n10.7777/one", "name": "a.txt"}))[0]["rows"]
    assert [row["verdict"] for row in rows] == ["retracted", "well_formed"]


def test_the_server_is_a_program(folder: pathlib.Path) -> None:
    env = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    program = StdioServerParameters(command=sys.executable, args=["-m", "doisift.mcp", str(folder)], env=env)

    async def ask() -> Any:
        async with Client(program) as client:
            tools = (await client.list_tools()).tools
            answer = await client.call_tool("scan", {"path": "a.txt"})
        return tools, answer

    tools, answer = asyncio.run(ask())
    assert sorted(tool.name for tool in tools) == ["check", "clean", "explain", "extract", "scan"]
    assert all(tool.description and tool.output_schema and tool.annotations.read_only_hint for tool in tools)
    assert answer.structured_content["total"] == 2
    wrong = subprocess.run([sys.executable, "-m", "doisift.mcp", str(folder / "missing")], capture_output=True, text=True)
    assert wrong.returncode == 2 and "missing" in wrong.stderr and wrong.stdout == ""


PEAK = """
import asyncio, pathlib, re, resource, sys
from mcp import Client
from doisift.mcp import Folders, server

async def ask():
    async with Client(server(Folders([sys.argv[1]]))) as client:
        for tool in "check", "scan":
            answer = await client.call_tool(tool, {"path": "list.txt.gz"})
            assert not answer.is_error, answer
            print(tool, answer.structured_content["total"])

asyncio.run(ask())
# A process that was just started may count the peak of its parent, so the status comes first.
status = re.search(r"VmHWM:\\s*([0-9]+)", pathlib.Path("/proc/self/status").read_text())
print("MiB", (int(status[1]) if status else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss) >> 10)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak of memory is read from /proc")
def test_a_small_file_of_many_names_takes_little_memory(folder: pathlib.Path) -> None:
    names = b"10.5555/a\n" * 1_800_000
    (folder / "list.txt.gz").write_bytes(gzip.compress(names, 9))
    assert (folder / "list.txt.gz").stat().st_size < 40_000
    asked = subprocess.run([sys.executable, "-c", PEAK, os.fspath(folder)], capture_output=True, text=True)
    assert asked.returncode == 0, asked.stderr
    checked, scanned, peak = (int(line.split()[1]) for line in asked.stdout.splitlines())
    assert (checked, scanned) == (1_800_000, 1)
    assert peak <= 160, peak


def test_long_texts_are_not_explained_and_folders_not_checked(folder: pathlib.Path) -> None:
    long, below = calls(server(Folders([folder])), ("explain", {"text": "10.5555/a " * 3000}), ("check", {"path": "below"}))
    assert isinstance(long, str) and "is a folder; name a file in it" in below
