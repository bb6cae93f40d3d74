"""Airflow 3: Common Crawl in four shards, each scanned into a bucket by a task that is mapped, and merged by another.

    airflow dags trigger doi_names
"""
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

CRAWL, BUCKET, SHARDS = "https://data.commoncrawl.org/", "s3://your-bucket/names", 4
LIST = f"{CRAWL}crawl-data/CC-MAIN-2026-10/warc.paths.gz"
# Exit code 1: some input was lost, which is reported, and the rest of the records are there. A retry resumes at the checkpoint.
SCAN = f"doisift scan --files-from {LIST} --base {CRAWL} --shard %d/{SHARDS} -o {BUCKET}/shard-%d.parquet --checkpoint /var/tmp/shard-%d || [ $? -eq 1 ]"
PARTS = " ".join(f"{BUCKET}/shard-{number}.parquet" for number in range(SHARDS))

with DAG("doi_names", schedule=None, catchup=False):
    scan = BashOperator.partial(task_id="scan", retries=3).expand(bash_command=[SCAN % (number, number, number) for number in range(SHARDS)])
    merge = BashOperator(task_id="merge", bash_command=f"doisift merge {PARTS} -o {BUCKET}/names.parquet")
    scan >> merge
