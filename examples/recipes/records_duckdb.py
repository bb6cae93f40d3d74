"""Questions to the Parquet output of a scan, with DuckDB: records_duckdb.py RECORDS.parquet KNOWN.txt

KNOWN.txt has a key in each line, as `doisift normalize` writes them. Prints the prefixes with the most names, then how many names a list of known names has, lacks, and has without a mention.
"""
import sys

import duckdb

records, known = sys.argv[1:]
connection = duckdb.connect()
connection.read_parquet(records).create_view("records")
listed = connection.read_csv(known, header=False, delimiter="\t", quotechar="", dtype={"doi": "varchar"}, names=["doi"])
listed.distinct().create("known")
top = "select split_part(doi, '/', 1) as prefix, count(*) as names, sum(mentions)::bigint as mentions from records group by prefix order by names desc, prefix limit 5"
for row in connection.sql(top).fetchall():
    print(*row)
for how in ("semi", "anti"):
    print(how, *connection.sql(f"select count(*) from records {how} join known using (doi)").fetchall()[0])
print("unmentioned", *connection.sql("select count(*) from known anti join records using (doi)").fetchall()[0])
