"""The job that scripts/spark-job submits."""
import argparse, glob, json, sys

from pyspark.sql import SparkSession

from doisift.spark import INDEXES, MENTIONS, MentionSource, dedup


def main():
    parser = argparse.ArgumentParser(prog="spark-job", description="Scans files for DOI names on Spark, and writes Parquet with the rows of `doisift scan`.")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="a file, folder or glob that the driver and all executors see, or the address of an object")
    parser.add_argument("--table", metavar="TABLE", help="a table of paths or addresses that Spark reads: Parquet, or CSV with a header")
    parser.add_argument("--column", default="address", help="its column of paths or addresses (default: %(default)s)")
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="the folder for the Parquet files, in which rows are sorted; there must be none")
    parser.add_argument("--mentions", action="store_true", help="every mention instead of records")
    parser.add_argument("--split-size", metavar="BYTES", help="of plain text files; default: 128 MiB")
    parser.add_argument("--on-error", choices=["skip", "fail"], default="skip", help="what a damaged source does; if it is skipped, the exit code is 1 (default: %(default)s)")
    args = parser.parse_args()
    if not args.paths and not args.table:
        parser.error("name a PATH, or a table of them with --table")
    reports = args.output.rstrip("/") + ".reports"
    if glob.glob(f"{reports}/part-*.json"):
        parser.error(f"{reports} holds the reports of an earlier run; remove it")

    spark = SparkSession.builder.appName("doisift").getOrCreate()
    spark.dataSource.register(MentionSource)
    reader = spark.read.format("doisift").option("onError", args.on_error).option("reports", reports)
    if args.split_size:
        reader = reader.option("splitSize", args.split_size)
    paths = [*args.paths, *(listed(spark, args.table, args.column) if args.table else [])]
    mentions = reader.option("paths", json.dumps(paths)).load()
    if args.mentions:
        rows = mentions.orderBy("source", "document_index", "part_index", "offset").select([name for name in MENTIONS if name not in INDEXES])
    else:
        rows = dedup(mentions).orderBy("doi")
    rows.write.parquet(args.output)
    spark.stop()
    sys.exit(summary(reports))


def listed(spark, table, column):
    """The paths in a column of a table."""
    rows = spark.read.csv(table, header=True) if table.endswith(".csv") else spark.read.parquet(table)
    return [row[0] for row in rows.select(column).where(f"`{column}` is not null").collect()]


def summary(folder):
    """Prints what all partitions did; 1 if input was lost, as the command's exit code."""
    totals = dict.fromkeys(("sources", "documents", "mentions", "error_count"), 0)
    for path in sorted(glob.glob(f"{folder}/part-*.json")):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for name in totals:
            totals[name] += report.get(name, 0)
        for loss in report.get("errors", []):
            print("spark-job:", json.dumps(loss), file=sys.stderr)
    print("spark-job:", json.dumps(totals), file=sys.stderr)
    return 1 if totals["error_count"] else 0


if __name__ == "__main__":
    main()
