"""Tables. A cell bounds the name in it: the delimiter ends an unquoted one, the quote a quoted one."""
import csv, io, pathlib, tempfile

from accuracy.rows import Class, all_records, order, records

HEADS = {"number": "id", "title": "title", "doi": "doi", "note": "notes", "year": "year"}
DELIMITERS = [",", ",", ";", "\t", "|"]


def heads(columns):
    return [HEADS[column] for column in columns]


def with_csv(draw, rows):
    out, columns = io.StringIO(newline=""), order(draw)
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
    writer = csv.writer(out, delimiter=draw.choice(DELIMITERS), quoting=quoting, lineterminator=draw.choice(["\n", "\r\n"]))
    writer.writerow(heads(columns))
    writer.writerows(list(row.fields(columns).values()) for row in rows)
    return out.getvalue()


def without_head(draw, rows):
    out, columns = io.StringIO(newline=""), order(draw)
    writer = csv.writer(out, delimiter=draw.choice(DELIMITERS), lineterminator="\n")
    writer.writerows(list(row.fields(columns).values()) for row in rows)
    return out.getvalue()


def frame(draw, rows):
    import pandas

    columns = order(draw)
    return pandas.DataFrame([row.fields(columns) for row in rows]).rename(columns=HEADS)


def with_pandas(draw, rows):
    return frame(draw, rows).to_csv(index=draw.choice([True, False]), sep=draw.choice(DELIMITERS))


def with_duckdb(draw, documents):
    import duckdb

    connection, contents = duckdb.connect(), []
    for rows in documents:
        columns = order(draw)
        connection.execute(f"create or replace table t ({', '.join(f'{head} varchar' for head in heads(columns))})")
        connection.executemany(f"insert into t values ({', '.join('?' * len(columns))})", [list(map(str, row.fields(columns).values())) for row in rows])
        # DuckDB writes another file and gives it this name.
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "out.csv"
            connection.execute(f"copy t to '{path}' (header, delimiter '{draw.choice(DELIMITERS)}')")
            contents.append(path.read_bytes().decode())
    return contents


def with_tabulate(style):
    def write(draw, rows):
        import tabulate

        columns = order(draw)
        return tabulate.tabulate([list(row.fields(columns).values()) for row in rows], heads(columns), tablefmt=style, disable_numparse=True) + "\n"

    return records(write, fits=lambda text: "\n" not in text and "|" not in text)


CLASSES = [
    Class("csv of Python", "csv.writer, with every delimiter and way of quoting", "csv", records(with_csv)),
    Class("csv without a head", "csv.writer; no row names the columns", "csv", records(without_head)),
    Class("csv of pandas", "DataFrame.to_csv", "csv", records(with_pandas)),
    Class("csv of DuckDB", "COPY ... TO", "csv", all_records(with_duckdb)),
    Class("table in Markdown", "tabulate, pipes: blanks surround a cell", "md", with_tabulate("github")),
    Class("table in reStructuredText", "tabulate, a grid: blanks surround a cell", "rst", with_tabulate("grid")),
    Class("table in LaTeX", "tabulate; it escapes the marks of LaTeX", "tex", with_tabulate("latex")),
]
