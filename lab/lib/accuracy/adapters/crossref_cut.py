"""Crossref's first expression, and final marks cut, as many do: https://www.crossref.org/blog/dois-and-matching-regular-expressions/"""
import json, re, sys

FIND = re.compile(r"10\.\d{4,9}/[-._;()/:A-Z0-9]+", re.IGNORECASE | re.ASCII)
for text in map(json.loads, sys.stdin):
    print(json.dumps({"id": text["id"], "names": [name.rstrip(".,;:)") for name in FIND.findall(text["text"])]}))
