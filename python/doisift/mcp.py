"""A server for agents: the tools of doisift over the Model Context Protocol, on standard input and output.

``python -m doisift.mcp FOLDER...``, or ``doisift-mcp FOLDER...``, starts it. Files are read in these folders alone, and nothing is
written. It needs the package ``mcp``: ``pip install 'doisift[mcp]'``.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import ToolAnnotations
    from pydantic import Field
    from typing_extensions import ParamSpec, TypedDict
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("doisift.mcp needs the package mcp 2.3 or later: pip install 'doisift[mcp]'") from error

from . import Progress, __version__, _doisift
from . import explain as explain_text
from . import extract as extract_mentions
from . import scan as scan_files

__all__ = ["Folders", "main", "server"]

#: Rows of an answer if none are asked for, and the most.
ROWS, MAX_ROWS = 100, 1000
#: Characters of the rows of an answer, as JSON.
MAX_ANSWER = 50_000
#: Characters of a text in a row.
MAX_CELL = 500
#: Characters of a text that is passed to a tool, and of texts of a list.
MAX_TEXT, MAX_TEXTS = 1_000_000, 10_000
#: Characters of a text that is explained, of which each position has a row with its steps.
MAX_EXPLAINED = 20_000
#: Seconds that a scan may take, unless the command line says otherwise.
MAX_SECONDS = 60.0
#: Memory of a check and a scan.
MEMORY = "64M"
#: Bytes of a file that is checked.
MAX_CHECKED = 64 << 20

INSTRUCTIONS = """\
Finds, cleans and checks DOI names (10.1000/182). No tool asks the network: a well-formed name may not exist.
Answers are bounded: left_out counts the rows that were left out, and note says what to ask to see them."""

Rows = Annotated[int, Field(ge=1, le=MAX_ROWS, description="How many rows to answer with at most")]
Text = Annotated[str, Field(max_length=MAX_TEXT)]
Explained = Annotated[str, Field(max_length=MAX_EXPLAINED)]
Texts = Annotated[list[Annotated[str, Field(max_length=MAX_TEXT)]], Field(max_length=MAX_TEXTS)]
Form = Literal["name", "key", "doi-uri", "url", "urn", "api"]
P = ParamSpec("P")
R = TypeVar("R")


class Answer(TypedDict):
    """The rows of an answer, and what it leaves out."""

    rows: list[dict[str, Any]]
    total: int
    left_out: int
    note: str


class ScanAnswer(Answer):
    """The names in files, and what was read."""

    mentions: int
    documents: int
    sources: int
    errors: int
    first_errors: list[str]


class Folders:
    """The folders in which files may be read."""

    def __init__(self, folders: Iterable[str | os.PathLike[str]]) -> None:
        self._folders = [Path(folder).resolve(strict=True) for folder in folders]
        for folder in self._folders:
            if not folder.is_dir():
                raise NotADirectoryError(f"{folder} is no folder")

    def __str__(self) -> str:
        return ", ".join(map(str, self._folders)) or "none"

    def find(self, path: str) -> Path:
        """The real path of a file or folder that may be read.

        Raises `ToolError` if it is not in an allowed folder, also because a symbolic link leads out of it, or is no file or folder.
        """
        if "://" in path:
            raise ToolError(f"{path!r} is an address; these tools read files in the allowed folders alone: {self}")
        # A path that is not absolute is below one of the folders.
        for folder in self._folders:
            found = Path(os.path.realpath(folder / path))
            if found.is_relative_to(folder) and os.path.exists(found):
                return self._readable(path, found)
        raise ToolError(f"{path!r} is no file or folder in the allowed folders, in which a relative path starts: {self}")

    def _readable(self, path: str, found: Path) -> Path:
        # A pipe would be waited for, and a device has no end.
        if found.is_file() or found.is_dir():
            return found
        raise ToolError(f"{path!r} is neither a file nor a folder")


def bounded(rows: Iterable[Mapping[str, Any]], total: int | None = None, limit: int = ROWS, remedy: str = "") -> Answer:
    """The first rows that fit into an answer. `total` counts all, if `rows` has not all of them."""
    kept: list[dict[str, Any]] = []
    size, seen, is_full = 0, 0, False
    for seen, row in enumerate(rows, 1):
        cut = {name: _cut(value) for name, value in row.items()}
        size += len(json.dumps(cut, ensure_ascii=False))
        is_full = is_full or len(kept) >= limit or size > MAX_ANSWER
        if not is_full:
            kept.append(cut)
    total = max(seen, total or 0)
    left_out = total - len(kept)
    note = "" if left_out == 0 else f"the first {len(kept)} of {total} rows; {remedy or 'ask for more by max_rows, or pass less'}"
    return Answer(rows=kept, total=total, left_out=left_out, note=note)


def _cut(value: Any) -> Any:
    """A value with long texts and lists cut, which says so at its end."""
    if isinstance(value, str) and len(value) > MAX_CELL:
        return f"{value[:MAX_CELL]}… ({len(value) - MAX_CELL} characters left out)"
    if isinstance(value, list):
        cut = [_cut(element) for element in value[:MAX_ROWS]]
        return cut if len(value) <= MAX_ROWS else [*cut, f"… ({len(value) - MAX_ROWS} left out)"]
    if isinstance(value, dict):
        return {name: _cut(element) for name, element in value.items()}
    return value


def for_agents(tool: Callable[P, R]) -> Callable[P, R]:
    """The tool, whose wrong inputs and unreadable files are errors that the agent reads."""

    @functools.wraps(tool)
    def told(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return tool(*args, **kwargs)
        except (OSError, TypeError, ValueError) as error:
            raise ToolError(str(error)) from error

    return told


def server(
    folders: Folders, known: str | None = None, max_seconds: float = MAX_SECONDS, retractions: str | None = None
) -> MCPServer[Any]:
    """The server, whose tools read files in `folders`, and ask the index `known` and the notices in `retractions`, if there are any."""
    made: MCPServer[Any] = MCPServer(
        "doisift", title="doisift", version=__version__, instructions=f"{INSTRUCTIONS}\nAllowed folders: {folders}", log_level="WARNING"
    )
    hints = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
    tool = made.tool(annotations=hints)

    @tool
    @for_agents
    def extract(text: Text, clean: bool = False, max_rows: Rows = ROWS) -> Answer:
        """Find all DOI names in a text: the name (doi), how it was written (form), where (start, end, in characters) and as what (text).

        guessed means that only a registry could say where the name ends. clean cuts what dirty data adds to names.
        """
        found = extract_mentions(text, clean=clean, input_kind="auto")
        fields = ("form", "start", "end", "text", "guessed")
        rows = ({"doi": mention.doi.key, **{name: getattr(mention, name) for name in fields}} for mention in found)
        return bounded(rows, limit=max_rows)

    @tool
    @for_agents
    def clean(texts: Texts, to: Form = "key", multiple: bool = False, max_rows: Rows = ROWS) -> Answer:
        """Clean texts that mean one DOI name each, such as cells of a table or fields of references.

        A row for each text: the name (doi, null if there is none), status (unchanged, normalized, cleaned, several, refused, empty)
        and reason: which rule cut what, or why the text is refused. multiple reads several names in a text.
        """
        options = {"clean": True, "to": to, "multiple": multiple, "known": known}
        cells = _doisift.clean_cells(texts, options, False).to_pylist()
        rows = ({"text": text, "doi": cell["clean"], "status": cell["status"], "reason": cell["reason"]} for text, cell in zip(texts, cells))
        return bounded(rows, limit=max_rows)

    @tool
    @for_agents
    def explain(text: Explained, clean: bool = False, max_rows: Rows = ROWS) -> Answer:
        """Show why a text gives DOI names or not: each position that holds "10.", its verdict, and the rules that decided it, step by step.

        With clean, what the rules for dirty data make of the text as one name.
        """
        rows: list[Any] = [explain_text(text, clean=True)] if clean else explain_text(text, known=known)
        return bounded(rows, limit=max_rows, remedy="pass the part of the text around the name")

    @tool
    @for_agents
    def check(path: str | None = None, text: Text | None = None, name: str = "references.txt", max_rows: Rows = ROWS) -> Answer:
        """Check the DOI names of a bibliography, manuscript, table or list of references.

        Give path, a file in an allowed folder, or text with a name whose ending says what it is (references.bib, .ris, .csv, .md,
        .tex, .txt). A row for each reference: line, key, doi, verdict (such as written_wrongly, wrong_check_digit, not_in_index,
        retracted, no_doi), repair and detail. Nothing is changed. Without an index of known names it cannot say that a name does not exist.
        """
        with _checked(folders, path, text, name) as file:
            if file.is_dir():
                raise ToolError(f"{path!r} is a folder; name a file in it, or scan the folder")
            if file.stat().st_size > MAX_CHECKED:
                raise ToolError(f"{path!r} is larger than {MAX_CHECKED >> 20} MiB")
            data = {"known": known, "retractions": retractions}
            options = {"memory": MEMORY, **{name: path for name, path in data.items() if path is not None}}
            rows, total = json.loads(_doisift.check_rows([os.fspath(file)], options, max_rows))
        return bounded(rows, total, max_rows)

    @tool
    @for_agents
    def scan(path: str, include: list[str] | None = None, mentions: bool = False, max_rows: Rows = ROWS) -> ScanAnswer:
        """Find the DOI names in a file or in all files below a folder: text, HTML, XML, JSON, PDF, office documents, mail, archives.

        The path is in an allowed folder; include has globs of file names, such as *.pdf. A row for each name (doi, mentions,
        documents, sources, first_source, first_document, first_offset, guessed), or with mentions, for each place where one is.
        Symbolic links are not followed out of the folder.
        """
        fields = MENTION if mentions else RECORD
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "rows.jsonl"
            report = scan_files(
                folders.find(path), output=output, include=include or None, mentions=mentions, fields=fields, known=known,
                tmp_dir=folder, memory=MEMORY, progress=_deadline(max_seconds),
            )
            total = report.mentions if mentions else report.records
            answer = bounded(_rows(output, max_rows), total, max_rows, "ask for more by max_rows, or scan less by path or include")
        return ScanAnswer(
            **answer, mentions=report.mentions, documents=report.documents, sources=report.sources, errors=report.error_count,
            first_errors=[_cut(f"{loss.source}: {loss.message}") for loss in report.errors[:10]],
        )

    return made


RECORD = ["doi", "mentions", "documents", "sources", "first_source", "first_document", "first_offset", "guessed"]
MENTION = ["doi", "form", "source", "document", "offset", "text", "guessed"]


@contextlib.contextmanager
def _checked(folders: Folders, path: str | None, text: str | None, name: str) -> Iterator[Path]:
    """The file to check: one in an allowed folder, or one that holds a text while the block runs."""
    if (path is None) == (text is None):
        raise ToolError("give either path or text")
    if path is not None:
        yield folders.find(path)
        return
    with tempfile.TemporaryDirectory() as folder:
        # The ending is the one thing of a name that is read.
        file = Path(folder) / f"text{Path(name).suffix}"
        file.write_text(text or "", encoding="utf-8")
        yield file


def _deadline(seconds: float) -> Callable[[Progress], None]:
    """Ends a run after some seconds."""
    end = time.monotonic() + seconds

    def watch(progress: Progress) -> None:
        if time.monotonic() > end:
            raise ToolError(f"not done after {seconds:g} seconds and {progress.bytes >> 20} MiB; scan less by path or include")

    return watch


def _rows(path: Path, count: int) -> Iterator[dict[str, Any]]:
    """The first rows of a file of JSON Lines."""
    with path.open(encoding="utf-8") as lines:
        for line, _ in zip(lines, range(count)):
            yield json.loads(line)


def main(arguments: list[str] | None = None) -> int:
    """Serves on standard input and output until that is closed."""
    parser = argparse.ArgumentParser(prog="doisift-mcp", description="Tools of doisift for agents, by the Model Context Protocol on standard input and output.")
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="a folder whose files the tools check and scan may read")
    parser.add_argument("--known", metavar="FILE", help="ask this index of known names, which `doisift index` makes")
    parser.add_argument("--retractions", metavar="FILE", help="check with the notices of this file: the CSV of Retraction Watch")
    parser.add_argument("--max-seconds", type=float, default=MAX_SECONDS, metavar="SECONDS", help="the longest scan (default: %(default)g)")
    parser.add_argument("--version", action="version", version=__version__)
    args = parser.parse_args(arguments)
    try:
        known = None if args.known is None else os.fspath(_doisift.Known.open(args.known).path.resolve())
        retractions = None if args.retractions is None else os.fspath(Path(args.retractions).resolve(strict=True))
        server(Folders(args.folders), known, args.max_seconds, retractions).run()
    except (OSError, ValueError) as error:
        print(f"doisift-mcp: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
