#!/usr/bin/env bash
# GNU parallel or any batch system: each job scans one shard of the sources, and one job merges the outputs.
# Usage: shards.sh FOLDER SHARDS OUTPUT
set -euo pipefail
folder=$1 shards=$2 output=$3
parts=$(mktemp -d)
trap 'rm -rf "$parts"' EXIT

# On several machines, run each of these where the folder can be read under the same path.
# Exit code 1: some input was lost, which is reported, and the rest of the records are there.
scan() { doisift scan "$1" --shard "$2/$3" -o "$4/$2.parquet" || [ $? -eq 1 ]; }
export -f scan
if command -v parallel >/dev/null; then
    seq 0 $((shards - 1)) | parallel --halt now,fail=1 scan "$folder" {} "$shards" "$parts"
else
    seq 0 $((shards - 1)) | xargs -P 2 -I{} bash -c 'scan "$@"' _ "$folder" {} "$shards" "$parts"
fi
doisift merge "$parts"/*.parquet -o "$output"
