"""python-doi gives the first name of a text: each line is given to it."""
import json, sys

from doi import find_doi_in_text

for text in map(json.loads, sys.stdin):
    names = filter(None, map(find_doi_in_text, text["text"].splitlines()))
    print(json.dumps({"id": text["id"], "names": list(names)}))
