"""The same questions with Polars: records_polars.py RECORDS.parquet KNOWN.txt"""
import sys

import polars as pl

records, known = pl.scan_parquet(sys.argv[1]), pl.scan_csv(sys.argv[2], has_header=False, new_columns=["doi"], separator="\t", quote_char=None)
known = known.unique()
prefixes = records.group_by(prefix=pl.col("doi").str.split("/").list.first()).agg(names=pl.len(), mentions=pl.col("mentions").sum())
for row in prefixes.sort("names", "prefix", descending=[True, False]).head(5).collect().rows():
    print(*row)
for how in ("semi", "anti"):
    print(how, records.join(known, on="doi", how=how).select(pl.len()).collect().item())
print("unmentioned", known.join(records, on="doi", how="anti").select(pl.len()).collect().item())
