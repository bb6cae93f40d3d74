"""The graph of a folder of works as libraries of Python make it: a row for each name in a reference, in one file.

usage: python jobs.py TOOL FOLDER OUT THREADS

TOOL: duckdb, polars or orjson, and `-asserted` for the names alone that fields state. Each takes the columns that it needs
and no others, and has the names in text by the expression that did best of six on the truth.
"""
import gzip, multiprocessing, os, pathlib, re, sys

#: A name in text in lower case: brackets only in pairs, and no mark at the end.
NAME = r'10\.[0-9]{4,9}/(?:\([^\s()"]*\)|[^\s()"&?“”（）])*(?:\([^\s()"]*\)|[^\s()".,;:\]}>&?“”（）。])'
#: What is not of the name in a field for names, in lower case.
AROUND = r"^(?:[\s\x{a0}]+|https?://(?:dx\.|www\.)?doi\.org/|doi:)+|[\s\x{a0}]+$"
#: The part of a name with which all begin.
START = re.compile(r"10\.[0-9]{4,9}/.")
COLUMNS = 'struct(DOI varchar, "doi-asserted-by" varchar, unstructured varchar)[]'


def with_duckdb(folder, out, threads, mined):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads = {threads}")
    works = f"read_ndjson('{folder}/*.jsonl.gz', columns = {{DOI: 'varchar', reference: '{COLUMNS}'}})"
    references = f"select lower(DOI) as record, unnest(range(len(reference))) as ref_index, unnest(reference) as ref from {works}"
    # Most values begin with the name, and an expression takes long.
    stated = f"if(ref.DOI like '10.%', lower(rtrim(ref.DOI, ' \n')), regexp_replace(lower(ref.DOI), '{AROUND}', '', 'g'))"
    rows = f"""select record, ref_index, {stated} as doi, ref."doi-asserted-by" as asserted_by from works where doi like '10.%/_%'"""
    if mined:
        text = f"list_distinct(regexp_extract_all(lower(ref.unstructured), '{NAME}'))"
        names = f"select record, ref_index, unnest({text}) as doi, {stated} as stated from works where contains(ref.unstructured, '10.')"
        rows += f" union all select record, ref_index, doi, null from ({names}) where doi is distinct from stated"
    connection.execute(f"copy (with works as ({references}) {rows}) to '{out}' (format parquet, compression zstd)")


def with_polars(folder, out, threads, mined):
    import polars as pl

    text = pl.String
    reference = pl.Struct({"DOI": text, "doi-asserted-by": text, "unstructured": text})
    works = pl.scan_ndjson(sorted(folder.iterdir()), schema={"DOI": text, "reference": pl.List(reference)})
    works = works.select(record=pl.col("DOI").str.to_lowercase(), ref_index=pl.int_ranges(pl.col("reference").list.len()), reference="reference")
    # An empty list would be a row of nulls.
    works = works.filter(pl.col("reference").list.len() > 0).explode("ref_index", "reference").unnest("reference")
    stated = pl.col("DOI").str.to_lowercase()
    begins = pl.col("DOI").str.starts_with("10.")
    works = works.with_columns(doi=pl.when(begins).then(stated.str.strip_chars_end()).otherwise(stated.str.replace_all(AROUND, "")))
    rows = works.filter(pl.col("doi").str.contains("^10[.].*/.")).select("record", "ref_index", "doi", asserted_by="doi-asserted-by")
    if mined:
        found = pl.col("unstructured").str.to_lowercase().str.extract_all(NAME).list.unique()
        names = works.filter(pl.col("unstructured").str.contains("10.", literal=True)).select("record", "ref_index", stated="doi", doi=found)
        names = names.explode("doi").filter(pl.col("doi").is_not_null() & pl.col("doi").ne_missing(pl.col("stated")))
        nothing = pl.lit(None, text).alias("asserted_by")
        rows = pl.concat([rows, names.select("record", "ref_index", "doi", nothing)])
    rows.sink_parquet(out, compression="zstd")


def with_orjson(folder, out, threads, mined):
    """Each process takes a file and writes a table of tabs; the answer is a folder of them."""
    out.mkdir(exist_ok=True)
    with multiprocessing.Pool(threads) as pool:
        for _ in pool.imap_unordered(one_file, [(file, out / f"{file.name}.tsv", mined) for file in sorted(folder.iterdir())]):
            pass


def one_file(task):
    import orjson

    file, out, mined = task
    find, around = re.compile(NAME).findall, re.compile(AROUND.replace(r"\x{a0}", "\u00a0"))
    with gzip.open(file, "rb") as works, open(out, "w", encoding="utf-8", newline="\n") as rows:
        for line in works:
            work = orjson.loads(line)
            record = work["DOI"].lower()
            for index, reference in enumerate(work.get("reference", ())):
                doi = around.sub("", reference.get("DOI", "").lower())
                if START.match(doi):
                    rows.write(f"{record}\t{index}\t{doi}\t{reference.get('doi-asserted-by', '')}\n")
                if mined and "10." in (text := reference.get("unstructured", "")):
                    for name in set(find(text.lower())) - {doi}:
                        rows.write(f"{record}\t{index}\t{name}\t\n")


if __name__ == "__main__":
    tool, folder, out, threads = sys.argv[1:]
    os.environ["POLARS_MAX_THREADS"] = threads
    name, _, asserted = tool.partition("-")
    globals()[f"with_{name}"](pathlib.Path(folder), pathlib.Path(out), int(threads), not asserted)
