"""Mentions in a column of texts with Dask: `extract_batch` on each block of a bag of Arrow batches.

    dask_texts.py INPUT.parquet OUTPUT

INPUT has the columns `id` and `text`. With Ray Data, the function `mentions` is the argument of
`ray.data.read_parquet(INPUT).map_batches(mentions, batch_format="pyarrow")`.
"""
import sys

import dask
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import doisift


def mentions(texts: pa.Table) -> pa.Table:
    """A row for each mention, with the id of its text."""
    found = pa.chunked_array(doisift.extract_batch(texts["text"])).combine_chunks()
    ids = texts["id"].take(pc.list_parent_indices(found))
    return pa.table({"id": ids, **dict(zip(("doi", "form", "offset"), map(found.flatten().field, ("doi", "form", "offset"))))})


@dask.delayed
def write(source: str, group: int, output: str) -> int:
    rows = mentions(pq.ParquetFile(source).read_row_group(group))
    pq.write_table(rows, f"{output}/part-{group:06}.parquet")
    return len(rows)


def main() -> None:
    source, output = sys.argv[1:]
    groups = range(pq.ParquetFile(source).num_row_groups)
    # Threads are enough: extract_batch releases the GIL.
    counts = dask.compute(*(write(source, group, output) for group in groups), scheduler="threads")
    print(sum(counts))


if __name__ == "__main__":
    main()
