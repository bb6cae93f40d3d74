"""The command in the package: the same bytes, exit codes and endings as the one that is built by itself.

`DOISIFT` names that one; without it, only this one is run.
"""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import time
from typing import Any

import pytest

import doisift

ROOT = pathlib.Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "doisift"]
BUILT = os.environ.get("DOISIFT")
OUTPUTS = ["output", "names_to", "nodes_to"]
unix = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors of Unix")


def run(command: list[str], *args: str, **options: Any) -> tuple[int, bytes, bytes]:
    done = subprocess.run([*command, *args], capture_output=True, cwd=ROOT, **options)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.skipif(BUILT is None, reason="DOISIFT names no built command")
@pytest.mark.parametrize(
    "args",
    [
        ["scan", "corpora", "-f", "csv"],
        ["scan", "corpora", "--mentions", "-j2"],
        ["scan", "corpora/works.json", "--edges"],
        ["scan", "corpora", "-f", "parquet", "-o", "-"],
        ["scan", "missing", "corpora/prose.txt", "--count", "--on-error", "skip"],
        ["normalize", "corpora/table.csv", "--column", "doi", "--clean"],
        ["normalize", "--to", "url", "10.5555/a", "none"],
        ["explain", "10.5555/a1 (2006)."],
        ["check", "corpora/prose.txt"],
        ["scan", "--nothing"],
        ["--help"],
        # That of other commands has the options of object stores, which the built command may lack.
        ["explain", "--help"],
        ["--generate", "bash"],
        ["corpora/prose.txt", "-f", "names"],
        [],
    ],
    ids=" ".join,
)
def test_it_does_as_the_built_one(args: list[str]) -> None:
    assert run(COMMAND, *args) == run([str(BUILT)], *args)


def test_standard_input_and_exit_codes() -> None:
    assert run(COMMAND, "normalize", input=b"doi:10.5555/A\nnone\n")[:2] == (1, b"10.5555/a\n\n")
    assert run(COMMAND, "scan", "-", "-f", "names", input=b"10.5555/A")[:2] == (0, b"10.5555/a\n")
    code, out, err = run(COMMAND, "scan", "--nothing")
    assert (code, out) == (2, b"") and b"--nothing" in err and b"Traceback" not in err
    assert run(COMMAND, "--version")[1].startswith(f"doisift {doisift.__version__}".encode())


@unix
def test_arguments_need_not_be_utf8(tmp_path: pathlib.Path) -> None:
    name = os.fsencode(tmp_path) + b"/n\xff.txt"
    with open(name, "wb") as file:
        file.write(b"10.5555/a")
    done = subprocess.run([*map(os.fsencode, COMMAND), b"scan", name, b"-f", b"tsv", b"--fields", b"first_source"], capture_output=True)
    assert done.stdout.splitlines()[1].endswith(rb"/n\xFF.txt")


@unix
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_leaves_nothing(sent: signal.Signals, code: int, tmp_path: pathlib.Path) -> None:
    run_of = subprocess.Popen([*COMMAND, "scan", "-", "-o", "out.csv"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path)
    while not list(tmp_path.iterdir()):
        assert run_of.poll() is None
        time.sleep(0.01)
    run_of.send_signal(sent)
    assert run_of.wait() == code
    assert run_of.stderr is not None and run_of.stderr.read() == b"doisift: interrupted; out.csv was not written\n"
    assert list(tmp_path.iterdir()) == []


@unix
def test_what_watches_no_signal_ends_by_it() -> None:
    run_of = subprocess.Popen([*COMMAND, "explain"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    # More than a pipe holds: when all is written, the command has begun to read.
    assert run_of.stdin is not None
    run_of.stdin.write(b"10.5555/a\n" * 20_000)
    run_of.stdin.flush()
    run_of.send_signal(signal.SIGINT)
    assert (run_of.wait(), run_of.stderr and run_of.stderr.read()) == (-signal.SIGINT, b"")


@unix
def test_a_closed_pipe_is_no_failure() -> None:
    read, write = os.pipe()
    os.close(read)
    for args in (["scan", "corpora", "--mentions"], ["explain", "10.5555/a"], ["--help"], ["normalize", "10.5555/a"]):
        done = subprocess.run([*COMMAND, *args], stdout=write, stderr=subprocess.PIPE, cwd=ROOT)
        assert (done.returncode, done.stderr) == (0, b""), args
    os.close(write)


@unix
def test_closed_standard_output_is_said() -> None:
    line = 'exec "$0" -m doisift scan corpora/prose.txt >&-'
    done = subprocess.run(["sh", "-c", line, sys.executable], stderr=subprocess.PIPE, cwd=ROOT)
    assert done.returncode == 2 and b"standard output is closed" in done.stderr


@pytest.mark.parametrize(
    "options",
    [
        {"edges": True},
        {"edges": True, "fields": ["record", "doi", "role"], "role": "reference"},
        {"edges": True, "names_to": "names.jsonl", "nodes_to": "nodes.jsonl"},
        {"edges": True, "part_size": "source", "format": "parquet", "output": "out/"},
        {"mentions": True, "part_size": "1M", "output": "out/"},
        {"pairs": True},
        {"count": True},
    ],
    ids=str,
)
def test_scan_writes_what_the_command_writes(options: dict[str, Any], tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    written = []
    for name in ("function", "command"):
        folder = tmp_path / name
        folder.mkdir()
        placed = {option: f"{folder}/{file}" for option, file in {"output": "out.jsonl", **options}.items() if option in OUTPUTS}
        if name == "function":
            doisift.scan("corpora", **{**options, **placed})
        else:
            args = [argument for option, value in {**options, **placed}.items() for argument in as_arguments(option, value)]
            subprocess.run([*COMMAND, "scan", "-q", "corpora", *args], check=True)
        files = [path for path in folder.rglob("*") if path.is_file()]
        written.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert written[0] == written[1] and any(written[0].values())


def as_arguments(option: str, value: Any) -> list[str]:
    name = "--" + option.replace("_", "-")
    if value is True:
        return [name]
    return [name, ",".join(value) if isinstance(value, list) else value]
