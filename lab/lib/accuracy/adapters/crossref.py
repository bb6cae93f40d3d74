"""The expression that Crossref recommends first: https://www.crossref.org/blog/dois-and-matching-regular-expressions/"""
import json, re, sys

FIND = re.compile(r"10\.\d{4,9}/[-._;()/:A-Z0-9]+", re.IGNORECASE | re.ASCII)
for text in map(json.loads, sys.stdin):
    print(json.dumps({"id": text["id"], "names": FIND.findall(text["text"])}))
