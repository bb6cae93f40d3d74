"""DOI names in Apache Spark, and in engines with its Python interface such as Sail.

Files of any size, in all formats that doisift reads:

    from doisift.spark import MentionSource, dedup, extract_mentions

    spark.dataSource.register(MentionSource)
    mentions = spark.read.format("doisift").load("/data/crawl/*.warc.gz")
    records = dedup(mentions)

A column of texts:

    mentions = extract_mentions(pages, "html", "url")

The package and pyarrow must be installed where the executors run Python.
"""

from __future__ import annotations

import glob
import json
import os
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.types import BooleanType, StructField, StructType

from . import Known, extract_batch, iter_mentions
from ._doisift import options
from ._sources import is_address

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from pyspark.sql import Column, DataFrame

    from ._doisift import _Kind

__all__ = ["MentionSource", "add_known", "dedup", "extract_mentions"]

#: The columns that `MentionSource` has unless others are chosen, with their types in Spark.
MENTIONS = {
    "doi": "string",
    "form": "string",
    "source": "string",
    "document": "string",
    "offset": "bigint",
    "length": "bigint",
    "text": "string",
    "guessed": "boolean",
    "document_index": "bigint",
    "part_index": "bigint",
}
#: The columns of them that number documents and their texts.
INDEXES = ("document_index", "part_index")
#: The columns that it has only if they are chosen.
FURTHER = {
    **dict.fromkeys(("before", "after", "record_id", "date", "column", "check_digit", "agency"), "string"),
    **dict.fromkeys(("known", "retracted"), "boolean"),
}

#: The forms of mentions, sorted.
FORMS = ("arxiv", "bare", "doi", "hdl", "info", "label", "url", "urn")

#: The default of the option `splitSize`: as Spark's own for its file formats.
SPLIT_SIZE = 128 << 20
#: Small files share a partition of so many bytes, so that scanning them takes longer than starting a task.
GROUP_SIZE = 4 << 20
#: What a file counts at least in a group, since opening it takes time too.
OPENING = 16 << 10
#: Endings of files that are not divided. A wrong ending costs an idle partition or a long one, and changes no row.
WHOLE = (".gz", ".tgz", ".bgz", ".zst", ".bz2", ".xz", ".lzma", ".lz4", ".z", ".7z", ".zip", ".tar", ".warc", ".epub", ".docx", ".pdf", ".parquet", ".arrow", ".arrows", ".feather")

#: What reads the text of an option of Spark, by the form of its values.
READ: Mapping[str, Callable[[str], Any]] = {
    "flag": lambda text: _flag(text),
    "number": int,
    "list": lambda text: _items(text),
    "settings": json.loads,
    "text": str,
}
#: The options that the source reads itself.
OWN = {"path", "paths", "filesfrom", "fields", "splitsize", "reports"}
#: The options of `iter_mentions` that the source passes on, by their names in Spark, and what reads their text.
PASSED = {
    name.replace("_", ""): (name, READ[form])
    for name, group, form, _ in options("iter_mentions")
    if (group in ("Reading", "Selection", "Limits", "Known names", "Object stores") or name == "threads") and name not in OWN
}


class MentionSource(DataSource):
    """The mentions in files, a row each: ``spark.read.format("doisift").load(path)``.

    A path is a file, a folder with all below it, or a glob (``*``, ``?``, ``[]``, ``**``), and the driver and all executors must
    see the file under it. Sources are named by their absolute paths. The address of an object (``s3://bucket/key``, ``https://…``) is read by an
    executor, with the credentials of its environment or of ``storageOptions``; a table has a column of them, which ``paths`` takes as a list.

    Columns are those of a mention, ``document_index``, which counts the documents of a source from 0, and ``part_index``, which counts
    the texts of a document, of which office documents have several. The rows of all
    partitions together are those of ``doisift scan --mentions`` over the same absolute paths, in another order.

    A plain text file is divided into ranges of ``splitSize`` bytes, 128 MiB by default. Every other file is one partition, but small files
    share one. The partitions with the most bytes come first, so that a large file does not run alone at the end.

    Options, besides those of `doisift.iter_mentions` for reading, selection and limits, such as ``prefix`` and ``idColumn``, and
    ``threads``:

    - ``known``: an index of known names, which `doisift.index` builds: its path on all executors, or the name of a file that
      ``SparkContext.addFile`` sent to them. It adds the columns ``known``, ``agency`` and ``retracted``;
    - ``fields``: the columns, with commas between; also ``before``, ``after``, ``record_id``, ``date``, ``column`` and ``check_digit``;
    - ``paths``: more paths, as a JSON array; ``load`` takes a list too, which not every engine passes on;
    - ``filesFrom``: a file with one path a line;
    - ``splitSize``: bytes;
    - ``storageOptions``: settings of object stores, as a JSON object; the environment of the executors shows them to fewer;
    - ``onError``: ``fail``, the default, ends the job at the first damaged source or document; ``skip`` writes it to the executor's log;
    - ``reports``: a folder for the report of each partition, a JSON file each, with all that was skipped.

    ``threads`` is 1 by default, since Spark runs a task for each core.
    """

    @classmethod
    def name(cls) -> str:
        return "doisift"

    def schema(self) -> str:
        return ", ".join(f"`{name}` {_type(name)}" for name in self._fields())

    def reader(self, schema: object) -> MentionReader:
        given = {name.lower(): value for name, value in self.options.items()}
        unknown = sorted(given.keys() - PASSED.keys() - OWN)
        if unknown:
            raise ValueError(f"doisift has no option {', '.join(unknown)}")
        options = {name: read(given[key]) for key, (name, read) in PASSED.items() if key in given}
        options = {"threads": 1, "on_error": "fail", **options, "fields": self._fields()}
        split_size = int(given.get("splitsize", SPLIT_SIZE))
        if split_size < 1:
            raise ValueError("splitSize: at least 1 byte is needed")
        if options.get("lines"):
            # The number of a line is not known in the middle of a file.
            split_size = 1 << 62
        return MentionReader(_paths(given), options, split_size, given.get("reports"))

    def _fields(self) -> list[str]:
        chosen = _items(self.options.get("fields", ""))
        around = ["before", "after"] if "context" in self.options else []
        standing = ["known", "agency", "retracted"] if "known" in self.options else []
        return chosen or [*MENTIONS, *around, *standing]


@dataclass(frozen=True)
class Part(InputPartition):
    """What one task reads: whole files, or a range of one plain file."""

    index: int
    files: tuple[str, ...]
    range: tuple[int, int] | None
    size: int


class MentionReader(DataSourceReader):
    """Reads the partitions of a `MentionSource`."""

    def __init__(self, paths: list[str], options: dict[str, Any], split_size: int, reports: str | None) -> None:
        self._paths = paths
        self._options = options
        self._split_size = split_size
        self._reports = reports

    def partitions(self) -> list[Part]:
        if self._reports is not None:
            os.makedirs(self._reports, exist_ok=True)
        return _parts(_files(self._paths), self._split_size)

    def read(self, partition: Part) -> Iterator[pa.RecordBatch]:
        options = self._options if partition.range is None else {**self._options, "range": partition.range}
        if "known" in options:
            options = {**options, "known": _on_executor(options["known"])}
        with iter_mentions(partition.files, **options) as stream:
            for batch in pa.RecordBatchReader.from_stream(stream):
                # Spark's columns are nullable, and it takes no batch of another schema.
                yield pa.RecordBatch.from_arrays(batch.columns, batch.schema.names)
            if self._reports is not None and stream.report is not None:
                _write_report(self._reports, partition.index, stream.report.to_dict())


def add_known(df: DataFrame, doi_col: str, index: str, *, to: str = "known") -> DataFrame:
    """The rows with one more column, `to`: whether the name in `doi_col` is known, in any presentation form and case.

    It is null where the text is null or no DOI name. `index` is an index of known names, which `doisift.index` builds: its path on all
    executors, or the name of a file that ``SparkContext.addFile`` sent to them. Each task opens it, which takes milliseconds, and reads
    the parts that are asked.
    """
    place = df.columns.index(doi_col)

    def ask(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        known = Known.open(_on_executor(index))
        for batch in batches:
            answers = pa.array(known.contains_batch(batch.column(place)))
            yield pa.RecordBatch.from_arrays([*batch.columns, answers], [*batch.schema.names, to])

    return df.mapInArrow(ask, StructType([*df.schema.fields, StructField(to, BooleanType())]))


def extract_mentions(
    df: DataFrame, text_col: str, id_col: str, *, clean: bool = False, input_kind: _Kind = "unknown"
) -> DataFrame:
    """The mentions in a column of texts, a row each, with the columns of a mention.

    ``source`` is the row's `id_col` as text, which should be unique, and ``document`` is null; a row is one document. Texts are strings or
    binaries and may hold bytes that are not UTF-8. The options are those of `doisift.extract`.
    """

    def extract(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield _mentions(batch, extract_batch(batch.column(1), clean=clean, input_kind=input_kind))

    # Spark passes bytes that are not UTF-8 on in strings, which Arrow forbids; in binaries they are allowed.
    rows = df.select(F.col(id_col).cast("string").alias("source"), F.col(text_col).cast("binary").alias("text"))
    columns = [name for name in MENTIONS if name not in INDEXES]
    return rows.mapInArrow(extract, ", ".join(f"`{name}` {MENTIONS[name]}" for name in columns))


def dedup(mentions: DataFrame) -> DataFrame:
    """The records of mentions: a row for each distinct name, in no order, with the columns of `doisift.iter_records` but
    ``check_digit``, which follows from the name.

    It needs the columns ``doi``, ``form``, ``source``, ``document``, ``offset``, ``text`` and ``guessed``. If there are ``document_index``
    and ``part_index`` too, documents of one name in a source are counted separately and are in the order of the source, as in a scan, and
    the texts of an office document are one; otherwise texts of one name are a document, in the order of their names.
    """
    document = "document_index" if "document_index" in mentions.columns else "document"
    part = F.col("part_index") if "part_index" in mentions.columns else F.lit(0)
    bits = F.lit(0)
    for bit, form in enumerate(FORMS):
        bits = F.when(F.col("form") == form, 1 << bit).otherwise(bits)
    # Only simple aggregates: some engines take minutes for lists and structs of a hundred thousand names. In steps, so that a
    # name has one row for each text, and then for each source, before rows are counted.
    by_text = mentions.groupBy("doi", "source", F.col(document).alias("place"), part.alias("part")).agg(
        F.count("*").alias("mentions"),
        F.bit_or(bits).alias("bits"),
        F.min("document").alias("document"),
        F.min("offset").alias("offset"),
        F.min_by("text", "offset").alias("text"),
        F.bool_and("guessed").alias("guessed"),
    )
    by_text = by_text.withColumn("place", _digits("place") if document == "document_index" else F.coalesce("place", F.lit("")))
    # As text in the order of sources, documents, texts and offsets: no path has a NUL.
    by_text = by_text.withColumn("order", F.concat_ws("\0", "source", "place", _digits("part"), _digits("offset")))
    united = [F.sum("mentions").alias("mentions"), F.bit_or("bits").alias("bits"), F.bool_and("guessed").alias("guessed")]
    first = [F.min_by(name, "order").alias(name) for name in ("document", "offset", "text")]
    documents = F.count_distinct("place").alias("documents")
    by_source = by_text.groupBy("doi", "source").agg(documents, *united, *first, F.min("order").alias("order"))
    of_name = {f"first_{name}": F.min_by(name, "order") for name in ("source", "document", "offset", "text")}
    by_name = by_source.groupBy("doi").agg(
        F.sum("documents").alias("documents"),
        F.count("*").alias("sources"),
        *united,
        *(of.alias(name) for name, of in of_name.items()),
    )
    forms = [F.when(F.col("bits").bitwiseAND(1 << bit) != 0, F.lit(form)) for bit, form in enumerate(FORMS)]
    named = F.array_compact(F.array(*forms)).alias("forms")
    return by_name.select("doi", "mentions", "documents", "sources", named, *of_name, "guessed")


def _digits(column: str) -> Column:
    """A number as text that sorts as the number does."""
    return F.lpad(F.col(column).cast("string"), 20, "0")


def _mentions(batch: pa.RecordBatch, found: object) -> pa.RecordBatch:
    """The rows of the mentions that were found in a batch of ids and texts."""
    lists = pa.array(found)
    rows = lists.flatten()
    columns = {name: rows.field(name) for name in ("doi", "form", "offset", "length", "text", "guessed")}
    columns["source"] = batch.column(0).take(pc.list_parent_indices(lists))
    columns["document"] = pa.nulls(len(rows), pa.string())
    names = [name for name in MENTIONS if name in columns]
    return pa.RecordBatch.from_arrays([columns[name] for name in names], names)


def _type(name: str) -> str:
    """The type of a column in Spark."""
    types = {**MENTIONS, **FURTHER}
    if name not in types:
        raise ValueError(f"mentions have no field {name!r}; they have {', '.join(types)}")
    return types[name]


def _on_executor(index: str) -> str:
    """The path of an index where a task runs."""
    if os.path.lexists(index):
        return index
    try:
        from pyspark import SparkFiles

        sent: str = SparkFiles.get(index)
    except Exception as error:  # Other engines have no such files.
        raise FileNotFoundError(f"there is no index {index}, and this engine has no SparkFiles") from error
    if not os.path.lexists(sent):
        raise FileNotFoundError(f"there is no index {index}, and SparkContext.addFile sent no file of this name")
    return sent


def _items(text: str) -> list[str]:
    return [item.strip() for item in text.split(",") if item.strip()]


def _flag(text: str) -> bool:
    if text.lower() not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text.lower() == "true"


def _paths(options: Mapping[str, str]) -> list[str]:
    """The paths that were given, absolute."""
    paths = json.loads(options.get("paths", "[]"))
    if "path" in options:
        paths.append(options["path"])
    if "filesfrom" in options:
        with open(options["filesfrom"], encoding="utf-8", errors="surrogateescape") as lines:
            paths.extend(path for path in lines.read().splitlines() if path)
    if not paths:
        raise ValueError("no path; pass one to load(), or several in the option paths")
    return [path if is_address(path) else os.path.abspath(path.removeprefix("file://")) for path in paths]


def _files(paths: Iterable[str]) -> list[tuple[str, int]]:
    """The files of paths and their sizes, in the order of their names, each once. Objects count as of the size that makes a partition."""
    found: dict[str, int] = {}
    for path in paths:
        if is_address(path):
            if path.endswith("/"):
                raise ValueError(f"{path} is a prefix; name the objects below it")
            found[path] = GROUP_SIZE
            continue
        named = [path] if os.path.lexists(path) else sorted(glob.glob(path, recursive=True))
        if not named:
            raise FileNotFoundError(f"there is no file {path}")
        for name in named:
            below = _below(name) if os.path.isdir(name) else [name]
            found.update((file, os.path.getsize(file)) for file in below)
    return sorted(found.items(), key=lambda file: os.fsencode(file[0]))


def _below(folder: str) -> Iterator[str]:
    """The plain files below a folder, hidden ones too, as a scan finds them."""

    def fail(error: OSError) -> None:
        raise error

    for parent, _, names in os.walk(folder, onerror=fail):
        for name in names:
            path = os.path.join(parent, name)
            is_ours = name.startswith((".doisift-output.", ".doisift-runs.")) and name.endswith(".tmp")
            if os.path.isfile(path) and not os.path.islink(path) and not is_ours:
                yield path


def _parts(files: Iterable[tuple[str, int]], split_size: int) -> list[Part]:
    """The partitions of files with their sizes, those with the most bytes first."""
    found: list[tuple[int, tuple[str, ...], tuple[int, int] | None]] = []
    group: list[str] = []
    weight = 0
    for path, size in files:
        if size > split_size and not path.lower().endswith(WHOLE) and not is_address(path):
            for start in range(0, size, split_size):
                end = min(start + split_size, size)
                found.append((end - start, (path,), (start, end)))
            continue
        if group and weight + size > min(GROUP_SIZE, split_size):
            found.append((weight, tuple(group), None))
            group, weight = [], 0
        group.append(path)
        weight += max(size, OPENING)
    if group:
        found.append((weight, tuple(group), None))
    found.sort(key=lambda part: -part[0])
    return [Part(index, paths, within, size) for index, (size, paths, within) in enumerate(found)]


def _write_report(folder: str, index: int, report: dict[str, Any]) -> None:
    """Writes the report of a partition. A repeated task replaces that of the first."""
    path = os.path.join(folder, f"part-{index:06}.json")
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(temporary, "w", encoding="utf-8") as out:
        json.dump(report, out)
    os.replace(temporary, path)
