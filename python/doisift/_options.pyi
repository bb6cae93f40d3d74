# This file is the output of `doisift --generate python`.

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, TypedDict, Union

Path = Union[str, os.PathLike[str]]

class ScanOptions(TypedDict, total=False):
    files_from: Path | None
    base: str | None
    nul: bool | None
    include: str | Iterable[str] | None
    exclude: str | Iterable[str] | None
    follow: bool | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None
    shard: str | tuple[int, int] | None
    source_name: str | None
    pre: Path | None
    pre_glob: str | Iterable[str] | None
    lines: bool | None
    input_kind: Literal["unknown", "csv", "ssv", "tsv", "psv", "html", "printed"] | None
    columns: Sequence[str] | None
    id_column: str | None
    on_error: Literal["skip", "fail"] | None
    header_row: int | None
    mentions: bool | None
    pairs: bool | None
    count: bool | None
    top_prefixes: int | None
    edges: bool | None
    role: str | Iterable[str] | None
    record_id: str | None
    record_fields: Sequence[str] | None
    all_references: bool | None
    prefix: str | Iterable[str] | None
    exclude_prefix: str | Iterable[str] | None
    fields: Sequence[str] | None
    context: int | None
    arxiv: bool | None
    known: Path | None
    output: Path | None
    format: Literal["csv", "jsonl", "names", "parquet", "tsv"] | None
    part_size: str | None
    names_to: Path | None
    nodes_to: Path | None
    report: Path | None
    threads: int | None
    memory: int | str | None
    tmp_dir: Path | None
    checkpoint: Path | None
    max_expansion: int | None
    max_window: int | str | None
    max_depth: int | None
    max_members: int | None

class MentionOptions(TypedDict, total=False):
    files_from: Path | None
    base: str | None
    nul: bool | None
    include: str | Iterable[str] | None
    exclude: str | Iterable[str] | None
    follow: bool | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None
    shard: str | tuple[int, int] | None
    source_name: str | None
    pre: Path | None
    pre_glob: str | Iterable[str] | None
    range: tuple[int, int] | None
    lines: bool | None
    input_kind: Literal["unknown", "csv", "ssv", "tsv", "psv", "html", "printed"] | None
    columns: Sequence[str] | None
    id_column: str | None
    on_error: Literal["skip", "fail"] | None
    header_row: int | None
    prefix: str | Iterable[str] | None
    exclude_prefix: str | Iterable[str] | None
    fields: Sequence[str] | None
    context: int | None
    arxiv: bool | None
    known: Path | None
    threads: int | None
    memory: int | str | None
    tmp_dir: Path | None
    max_expansion: int | None
    max_window: int | str | None
    max_depth: int | None
    max_members: int | None

class EdgeOptions(TypedDict, total=False):
    files_from: Path | None
    base: str | None
    nul: bool | None
    include: str | Iterable[str] | None
    exclude: str | Iterable[str] | None
    follow: bool | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None
    shard: str | tuple[int, int] | None
    source_name: str | None
    pre: Path | None
    pre_glob: str | Iterable[str] | None
    lines: bool | None
    input_kind: Literal["unknown", "csv", "ssv", "tsv", "psv", "html", "printed"] | None
    columns: Sequence[str] | None
    id_column: str | None
    on_error: Literal["skip", "fail"] | None
    header_row: int | None
    role: str | Iterable[str] | None
    record_id: str | None
    record_fields: Sequence[str] | None
    all_references: bool | None
    prefix: str | Iterable[str] | None
    exclude_prefix: str | Iterable[str] | None
    fields: Sequence[str] | None
    context: int | None
    arxiv: bool | None
    known: Path | None
    names_to: Path | None
    nodes_to: Path | None
    threads: int | None
    memory: int | str | None
    tmp_dir: Path | None
    max_expansion: int | None
    max_window: int | str | None
    max_depth: int | None
    max_members: int | None

class RecordOptions(TypedDict, total=False):
    files_from: Path | None
    base: str | None
    nul: bool | None
    include: str | Iterable[str] | None
    exclude: str | Iterable[str] | None
    follow: bool | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None
    shard: str | tuple[int, int] | None
    source_name: str | None
    pre: Path | None
    pre_glob: str | Iterable[str] | None
    lines: bool | None
    input_kind: Literal["unknown", "csv", "ssv", "tsv", "psv", "html", "printed"] | None
    columns: Sequence[str] | None
    id_column: str | None
    on_error: Literal["skip", "fail"] | None
    header_row: int | None
    prefix: str | Iterable[str] | None
    exclude_prefix: str | Iterable[str] | None
    fields: Sequence[str] | None
    arxiv: bool | None
    known: Path | None
    threads: int | None
    memory: int | str | None
    tmp_dir: Path | None
    checkpoint: Path | None
    max_expansion: int | None
    max_window: int | str | None
    max_depth: int | None
    max_members: int | None

class TableOptions(TypedDict, total=False):
    column: str | Iterable[str] | None
    in_place: bool | None
    new_column: str | Iterable[str] | None
    multiple: bool | None
    input_format: str | None
    delimiter: str | None
    no_header: bool | None
    input_encoding: str | None
    output_encoding: str | None
    bom: bool | None
    max_row: int | str | None
    header_row: int | None
    sheet: str | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None
    to: Literal["name", "key", "doi-uri", "url", "urn", "api"] | None
    encode: Literal["mandatory", "recommended"] | None
    strict: bool | None
    clean: bool | None
    arxiv: bool | None
    known: Path | None
    output: Path | None
    report: Path | None
    threads: int | None
    max_expansion: int | None
    max_window: int | str | None
    max_depth: int | None
    max_members: int | None

class MergeOptions(TypedDict, total=False):
    pairs: bool | None
    fields: Sequence[str] | None
    output: Path | None
    format: Literal["csv", "jsonl", "names", "parquet", "tsv"] | None
    part_size: str | None
    report: Path | None
    memory: int | str | None
    tmp_dir: Path | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None

class DiffOptions(TypedDict, total=False):
    fields: Sequence[str] | None
    output: Path | None
    format: Literal["csv", "jsonl", "names", "parquet", "tsv"] | None
    report: Path | None
    memory: int | str | None
    tmp_dir: Path | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None

class IndexOptions(TypedDict, total=False):
    output: Path | None
    column: str | None
    agency: str | None
    date: str | None
    add: str | Iterable[str] | None
    prefixes: bool | None
    trust: bool | None
    memory: int | str | None
    include: str | Iterable[str] | None
    exclude: str | Iterable[str] | None
    follow: bool | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None
    on_error: Literal["skip", "fail"] | None
    header_row: int | None
    sheet: str | None
    report: Path | None
    max_expansion: int | None
    max_window: int | str | None
    max_depth: int | None
    max_members: int | None
    threads: int | None
    tmp_dir: Path | None
    checkpoint: Path | None

class CheckOptions(TypedDict, total=False):
    column: str | None
    fix: bool | None
    diff: bool | None
    fail_on: str | Iterable[str] | None
    baseline: Path | None
    write_baseline: Path | None
    shard: str | tuple[int, int] | None
    include: str | Iterable[str] | None
    exclude: str | Iterable[str] | None
    follow: bool | None
    connections: int | None
    rate_limit: int | str | None
    timeout: int | None
    storage_options: Mapping[str, str] | None
    header_row: int | None
    sheet: str | None
    known: Path | None
    retractions: Path | None
    stale_after: str | None
    online: bool | None
    contact: str | None
    cache: Path | None
    max_age: str | None
    rate: int | None
    concurrency: int | None
    attempts: int | None
    endpoint: str | None
    part_size: str | None
    report: Path | None
    max_expansion: int | None
    max_window: int | str | None
    max_depth: int | None
    max_members: int | None
    threads: int | None
    memory: int | str | None

class ResolveOptions(TypedDict, total=False):
    agency: bool | None
    header_row: int | None
    sheet: str | None
    contact: str | None
    cache: Path | None
    max_age: str | None
    rate: int | None
    concurrency: int | None
    attempts: int | None
    endpoint: str | None
    fields: Sequence[str] | None
    report: Path | None
