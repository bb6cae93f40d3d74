"""Data and dumps: values are strings of a language, with its escapes, which a reader undoes."""
import contextlib, csv, io, json, plistlib, pprint, shutil, sqlite3, subprocess

from accuracy.rows import Class, all_records, order, records


def with_json(draw, rows):
    data = [row.fields() for row in rows]
    return json.dumps(data, ensure_ascii=draw.choice([True, False]), indent=draw.choice([None, 2]))


def json_lines(draw, rows):
    return "".join(json.dumps(row.fields(), ensure_ascii=draw.choice([True, False])) + "\n" for row in rows)


def json_in_json(draw, rows):
    """A string that holds JSON is a value of JSON, up to three times."""
    text = json.dumps([row.fields() for row in rows])
    for _ in range(1 + draw.below(2)):
        text = json.dumps({"status": 200, "payload": text})
    return text


def json_in_csv(draw, rows):
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["id", "record", "year"])
    writer.writerows((row.number, json.dumps(row.fields(("title", "doi", "note"))), row.year) for row in rows)
    return out.getvalue()


def with_yaml(draw, rows):
    import yaml

    return yaml.safe_dump([row.fields() for row in rows], allow_unicode=draw.choice([True, False]), default_flow_style=draw.choice([True, False]))


def with_plist(draw, rows):
    return plistlib.dumps([row.fields() for row in rows]).decode()


def with_pprint(draw, rows):
    return pprint.pformat([row.fields() for row in rows]) + "\n"


def with_sqlite(draw, rows):
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        columns = order(draw)
        connection.execute(f"create table works ({', '.join(columns)})")
        connection.executemany(f"insert into works values ({', '.join('?' * len(columns))})", [list(row.fields(columns).values()) for row in rows])
        return "\n".join(connection.iterdump()) + "\n"


def with_mysql(draw, rows):
    """As dumps of MySQL are: many rows in one statement, escaped by backslashes."""
    from pymysql import converters

    columns = order(draw)
    values = (",".join(converters.escape_item(value, "utf8mb4") for value in row.fields(columns).values()) for row in rows)
    return f"INSERT INTO `works` VALUES {','.join(f'({row})' for row in values)};\n"


def with_postgres(draw, rows):
    from psycopg import sql

    columns = order(draw)
    insert = sql.SQL("INSERT INTO works ({}) VALUES ({});\n")
    names = sql.SQL(", ").join(map(sql.Identifier, columns))
    return "".join(insert.format(names, sql.SQL(", ").join(map(sql.Literal, row.fields(columns).values()))).as_string(None) for row in rows)


def by_program(*command):
    """From a program that reads lines of JSON, each a document, and writes lines of JSON, each a string."""

    def write(draw, documents):
        lines = "".join(json.dumps([row.fields() for row in rows]) + "\n" for rows in documents)
        out = subprocess.run(command, input=lines, stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
        return list(map(json.loads, out.splitlines()))

    return all_records(write)


def php(expression):
    program = f'while (($line = fgets(STDIN)) !== false) {{ $d = json_decode($line, true); echo json_encode({expression}, JSON_UNESCAPED_UNICODE), "\\n"; }}'
    return by_program("php", "-r", program)


PHP_RUNS = ("php", "-r", "json_encode(0);")
PERL = """use JSON::PP; use Data::Dumper; $Data::Dumper::Sortkeys = 1; my $j = JSON::PP->new->allow_nonref->utf8;
while (<STDIN>) { print $j->encode(Dumper($j->decode($_))), "\\n" }"""
NODE = """require('fs').readFileSync(0, 'utf8').trimEnd().split('\\n').forEach(line =>
  console.log(JSON.stringify(require('util').inspect(JSON.parse(line), {depth: 9}))))"""
R = """for (line in readLines(file("stdin"), encoding = "UTF-8")) { rows <- jsonlite::fromJSON(line)
  cat(jsonlite::toJSON(paste(capture.output(dput(rows)), collapse = "\\n"), auto_unbox = TRUE), "\\n", sep = "") }"""

CLASSES = [
    Class("JSON", "json.dumps", "json", records(with_json)),
    Class("JSON Lines", "json.dumps, a record a line", "jsonl", records(json_lines)),
    Class("JSON of PHP", "json_encode, which escapes each slash and all beyond ASCII", "json", php("json_encode($d)"), PHP_RUNS),
    Class("JSON in JSON", "json.dumps of strings that json.dumps made; each level escapes the one within", "json", records(json_in_json)),
    Class("JSON in CSV", "csv.writer, a cell of which json.dumps made: quotes are doubled", "csv", records(json_in_csv)),
    Class("YAML", "PyYAML: quoted where it must be, lines folded at blanks", "yaml", records(with_yaml)),
    Class("property list", "plistlib, XML", "plist", records(with_plist)),
    Class("Python literals", "pprint: long strings in several, cut at blanks", "txt", records(with_pprint)),
    Class("SQLite dump", "sqlite3's iterdump: quotes are doubled", "sql", records(with_sqlite)),
    Class("MySQL insert", "PyMySQL's escapes", "sql", records(with_mysql)),
    Class("PostgreSQL insert", "psycopg's literals", "sql", records(with_postgres)),
    Class("PHP serialize", "serialize", "txt", php("serialize($d)"), PHP_RUNS),
    Class("PHP var_export", "var_export", "php", php("var_export($d, true)"), PHP_RUNS),
    Class("Perl Data::Dumper", "Dumper", "pl", by_program("perl", "-e", PERL), ("perl", "-MJSON::PP", "-MData::Dumper", "-e", "1")),
    Class("JavaScript inspect", "util.inspect of Node.js", "txt", by_program("node", "-e", NODE), ("node", "-e", "0")),
    Class("R dput", "dput of a data frame", "R", by_program("Rscript", "-e", R), ("Rscript", "-e", "library(jsonlite)")),
]
