"""doisift scan, on the files: python doisift.py BINARY"""
import collections, json, subprocess, sys

texts = list(map(json.loads, sys.stdin))
command = [sys.argv[1], "scan", "--mentions", "-f", "jsonl", "-q", "--on-error", "skip", "--files-from", "-"]
run = subprocess.run(command, input="".join(text["path"] + "\n" for text in texts), stdout=subprocess.PIPE, text=True, encoding="utf-8")
if run.returncode not in (0, 1):
    sys.exit(run.returncode)
names = collections.defaultdict(list)
for row in map(json.loads, run.stdout.splitlines()):
    names[row["source"]].append(row["doi"])
for text in texts:
    print(json.dumps({"id": text["id"], "names": names[text["path"]]}))
