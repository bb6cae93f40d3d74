"""Common Crawl's files on Spark, listed by their paths as in `warc.paths`: the command for each file, or the library for each stream.

    common_crawl.py command|library LIST OUTPUT

Both are what a job of cc-pyspark does in `process_file` and `process_record`. The paths here are local; to read from a bucket,
replace `open`. Parquet files of mentions are written to the folder OUTPUT.
"""
import subprocess
import sys
from collections.abc import Iterable, Iterator

import pyarrow as pa
from pyspark.sql import SparkSession

COLUMNS = "doi string, source string, document string, offset bigint, date string"
FIELDS = ["doi", "source", "document", "offset", "date"]


def by_command(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Runs the command for each file. It must be on the path of the executors."""
    from pyarrow import csv

    # Empty cells of the column `document` and `date` are nulls.
    texts = csv.ConvertOptions(column_types={"doi": pa.string(), "document": pa.string(), "date": pa.string()}, strings_can_be_null=True)
    for batch in batches:
        for path in batch.column(0).to_pylist():
            command = ["doisift", "scan", "-q", "-j1", "--mentions", "--fields", ",".join(FIELDS), "-f", "csv", path]
            # Exit code 1: some input was lost, and the rest of the rows are there.
            done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
            if done.returncode > 1:
                raise RuntimeError(f"doisift failed on {path}")
            yield from csv.read_csv(pa.BufferReader(done.stdout), convert_options=texts).to_batches()


def by_library(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Reads each file as a stream, in the memory of a few batches of rows."""
    import doisift

    for batch in batches:
        for path in batch.column(0).to_pylist():
            with open(path, "rb") as stream:
                rows = doisift.iter_mentions([(path, stream)], fields=FIELDS, threads=1)
                yield from pa.RecordBatchReader.from_stream(rows)


def main() -> None:
    way, listed, output = sys.argv[1:]
    spark = SparkSession.builder.getOrCreate()
    with open(listed, encoding="utf-8") as lines:
        paths = [(line.strip(),) for line in lines if line.strip()]
    # A task for each file, since files of a crawl are of like size.
    files = spark.createDataFrame(paths, "path string").repartition(len(paths))
    files.mapInArrow({"command": by_command, "library": by_library}[way], COLUMNS).write.parquet(output)


if __name__ == "__main__":
    main()
