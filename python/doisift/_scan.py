"""Scans of files, folders and streams, with the options of the command ``doisift scan``."""

from __future__ import annotations

from . import _doisift
from ._sources import items, must_exist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, Protocol

    from typing_extensions import Unpack

    from ._doisift import Progress, Report, RowStream
    from ._options import EdgeOptions, MentionOptions, RecordOptions, ScanOptions
    from ._sources import Source

    class Bar(Protocol):
        """A progress bar, such as ``tqdm(unit="B", unit_scale=True)``."""

        total: float | None

        def update(self, n: float = 1, /) -> object: ...


def scan(
    paths: Source | Iterable[Source] = (),
    *,
    progress: Callable[[Progress], object] | Bar | None = None,
    **options: Unpack[ScanOptions],
) -> Report:
    """Find the DOI names in `paths`, write a row for each name to the file `output`, and say what was done.

    >>> import io, doisift
    >>> report = doisift.scan([("notes", io.BytesIO(b"doi:10.5555/Birds.2024, or 10.5555/birds.2024"))])
    >>> report.mentions, report.records, report.error_count
    (2, 1, 0)

    `paths` is one source or several: the path of a file or folder (``-`` is standard input), a binary file object, or
    ``(name, file)`` for a file object under a name of one's own. What fsspec opens is a file object too; what
    `fsspec.open_files` gives is opened when it is its turn.

    Without an `output` no rows are written, and ``"-"`` is standard output. The options are those of the command; a size is a number of bytes or a text such
    as ``"512M"``. A source or document that cannot be read is counted in `Report.errors` and logged, unless `on_error` is
    ``"fail"``. A path that leads nowhere raises `FileNotFoundError` at once, unless `on_error` is given.

    `progress` is called about ten times a second with a `Progress`, or is a bar as tqdm makes them, which is moved. Ctrl-C ends
    the run, and nothing appears under the name of the output; with a `checkpoint` the same call resumes it.

    Raises `ValueError` for an option that cannot be, `OSError` if an output cannot be written or, with `on_error`
    ``"fail"``, if input is lost.
    """
    sources = items(paths)
    must_exist(sources, options)
    return _doisift.scan(sources, options, _callback(progress))


def iter_mentions(
    paths: Source | Iterable[Source] = (),
    *,
    batch_rows: int = 65536,
    **options: Unpack[MentionOptions],
) -> RowStream:
    """All mentions of DOI names in `paths`, in the order of sources, as a stream of Arrow record batches.

    >>> import io, doisift
    >>> notes = io.BytesIO(b"doi:10.5555/Birds.2024")
    >>> with doisift.iter_mentions([("notes", notes)], fields=["doi", "offset"]) as stream:
    ...     [len(batch) for batch in stream]
    [1]
    >>> stream.report.mentions
    1

    The stream is read once: by Polars, DuckDB, pyarrow or anything else that knows ``__arrow_c_stream__``, or batch by batch
    by ``for``. It takes the memory of a few batches, of at most `batch_rows` rows and some 2 MiB of text. The run starts when
    the first batch is asked for, and goes on while the consumer works; it ends if the stream is closed or dropped. Ctrl-C ends it too;
    `KeyboardInterrupt` is raised once the consumer returns to Python, so what that wrote itself, such as a table of DuckDB, may be a part.

    `fields` chooses the columns: ``doi``, ``form``, ``source``, ``document``, ``offset``, ``length``, ``text``, ``guessed``, ``check_digit``,
    and, if they are named, ``record_id`` and ``date`` of a WARC record, ``column``, the cell of a Parquet or Arrow file's row, and
    ``document_index`` and ``part_index``, which count the documents of a source and the texts of a document from 0. `context` adds ``before`` and ``after``. The sources and the other options are those of `scan`.

    With `known`, an index of names, there are ``known``, ``agency`` and ``retracted`` too.

    `range` is the start and end of the part of each plain text file that is scanned, in bytes, so that other processes can scan
    the rest: a name belongs to the range of its first byte. What cannot be divided, such as packed files, belongs as a whole to
    the range that starts at 0.
    """
    return _rows("iter_mentions", paths, options, batch_rows)


def iter_edges(
    paths: Source | Iterable[Source] = (),
    *,
    batch_rows: int = 65536,
    **options: Unpack[EdgeOptions],
) -> RowStream:
    """The DOI names in `paths` with the bibliographic records that hold them, in the order of sources, as a stream of Arrow record batches.

    >>> import io, doisift
    >>> works = io.BytesIO(b'{"DOI": "10.5555/a", "type": "book", "reference": [{"DOI": "10.5555/B"}, {"key": "2"}]}')
    >>> doisift.iter_edges([("works", works)], role="reference", record_fields=["type"]).to_pylist()
    [{'record': '10.5555/a', 'doi': '10.5555/b', 'ref_index': 0, 'role': 'reference', 'asserted': True, 'type': 'book'}]

    Like `iter_mentions`, with the rows of ``doisift scan --edges``: the columns ``record``, ``doi``, ``ref_index``, ``role`` and ``asserted``, and, if
    `fields` names them, ``path``, ``value``, ``asserted_by``, ``ref_key``, ``relation``, ``update_type``, ``doi_clean``, ``changed`` and those of mentions. A column for
    each of the `record_fields` follows: ``year:int=/issued/date-parts/0/0``. With `all_references` there is a row for each reference without a name
    too, with its ``text``.

    `nodes_to` also writes a row for each record, and `names_to` the distinct names, to a file, which is complete when the stream has ended.
    """
    return _rows("iter_edges", paths, options, batch_rows)


def iter_records(
    paths: Source | Iterable[Source] = (),
    *,
    batch_rows: int = 65536,
    **options: Unpack[RecordOptions],
) -> RowStream:
    """The distinct DOI names in `paths`, sorted, as a stream of Arrow record batches.

    Like `iter_mentions`, with a row for each name: the columns ``doi``, ``mentions``, ``documents``, ``sources``, ``forms``, ``first_source``,
    ``first_document``, ``first_offset``, ``first_text``, ``guessed`` and ``check_digit``. The first batch comes when all sources were read. Names
    take memory up to `memory` bytes, and go to sorted runs in `tmp_dir` beyond that.
    """
    return _rows("iter_records", paths, options, batch_rows)


def _rows(function: str, paths: Source | Iterable[Source], options: Mapping[str, object], batch_rows: int) -> RowStream:
    """The rows of a function."""
    sources = items(paths)
    must_exist(sources, options)
    return _doisift.iter_rows(sources, options, function, batch_rows)


def _callback(progress: Callable[[Progress], object] | Bar | None) -> Callable[[Progress], object] | None:
    """What to call with each `Progress`; a bar is moved."""
    if progress is None or not hasattr(progress, "update"):
        return progress
    bar: Any = progress
    shown = 0

    def move(now: Progress) -> None:
        nonlocal shown
        bar.total = now.total
        bar.update(now.bytes + now.passed - shown)
        shown = now.bytes + now.passed

    return move


def explain_options(*functions: Callable[..., object]) -> None:
    """Adds the options of each function to its documentation."""
    for function in functions:
        lines = [f"    - `{option}`: {meaning}." for option, _, _, meaning in _doisift.options(function.__name__)]
        function.__doc__ = "\n".join([f"{function.__doc__ or ''}", "    Options:", "", *lines, ""])


explain_options(scan, iter_mentions, iter_edges, iter_records)
