"""The job of the comparison by libraries of Python: names of a text to a file, in lower case, distinct, sorted bytewise.

usage: python jobs.py TOOL KIND INPUT OUT THREADS

Run by the Python that has the tool. KIND: text, folder, wiki or warc.
"""
import gzip, pathlib, re, sys

#: The short expression that Crossref recommends, for ASCII.
EXPRESSION = r"10\.[0-9]{4,9}/[-._;()/:A-Za-z0-9]+"
FIND = re.compile(EXPRESSION.encode()).findall
BLOCK = 16 << 20


def write(names, out):
    with open(out, "wb") as file:
        file.writelines(name + b"\n" for name in sorted(names))


def blocks(kind, path):
    """Blocks of the text that end with a line."""
    for file in sorted(path.iterdir()) if kind == "folder" else [path]:
        with (gzip.open if file.suffix == ".gz" else open)(file, "rb") as text:
            while block := text.read(BLOCK):
                yield block + text.readline()


def with_re(kind, path, out, threads):
    names = set()
    for block in blocks(kind, path):
        names.update(map(bytes.lower, FIND(block)))
    write(names, out)


def with_duckdb(kind, path, out, threads):
    import duckdb

    connection = duckdb.connect()
    connection.execute(f"set threads = {threads}")
    # No byte of the texts is the delimiter, and nothing quotes.
    options = "delim = chr(1), quote = '', escape = '', header = false, strict_mode = false, auto_detect = false"
    lines = f"read_csv($path, columns = {{'content': 'VARCHAR'}}, {options})"
    # Small files are faster as one value each.
    source, path = ("read_text($path)", path / "*") if kind == "folder" else (lines, path)
    found = f"lower(unnest(regexp_extract_all(content, '{EXPRESSION}')))"
    names = f"select distinct {found} as name from {source} where contains(content, '10.') order by name"
    connection.execute(f"copy ({names}) to '{out}' (format csv, header false)", {"path": str(path)})


def with_polars(kind, path, out, threads):
    import polars as pl

    if kind == "folder":
        texts = pl.LazyFrame({"text": [file.read_text() for file in path.iterdir()]})
    else:
        texts = pl.scan_lines(path, name="text")
    found = pl.col("text").str.extract_all(EXPRESSION).explode().drop_nulls().str.to_lowercase()
    names = texts.filter(pl.col("text").str.contains("10.", literal=True)).select(found.unique().sort())
    names.sink_csv(out, include_header=False, quote_style="never")


def with_chdb(kind, path, out, threads):
    import chdb

    pattern = EXPRESSION.replace("\\", "\\\\")
    source = f"file('{path / '*'}', RawBLOB, 'text String')" if kind == "folder" else f"file('{path}', LineAsString, 'text String')"
    found = f"lower(arrayJoin(extractAll(text, '{pattern}')))"
    names = f"select distinct {found} as name from {source} where text like '%10.%' order by name"
    chdb.query(f"{names} into outfile '{out}' truncate format TSVRaw settings max_threads = {threads}")


def with_mwcites(kind, path, out, threads):
    from mwcites.extractors import doi
    from mwcites.utilities.extract import extract

    if kind == "wiki":
        found = (cite[-1] for cite in extract([str(path)], extractors=[doi]))
    else:
        found = (name.id for block in blocks(kind, path) for name in doi.extract(block.decode()))
    write({name.lower().encode() for name in found}, out)


def with_warcio(kind, path, out, threads):
    from warcio.archiveiterator import ArchiveIterator

    names = set()
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            names.update(map(bytes.lower, FIND(record.content_stream().read())))
    write(names, out)


def with_fastwarc(kind, path, out, threads):
    from fastwarc.warc import ArchiveIterator

    names = set()
    with open(path, "rb") as stream:
        for record in ArchiveIterator(stream):
            names.update(map(bytes.lower, FIND(record.reader.read())))
    write(names, out)


if __name__ == "__main__":
    tool, kind, path, out, threads = sys.argv[1:]
    globals()[f"with_{tool}"](kind, pathlib.Path(path), out, int(threads))
