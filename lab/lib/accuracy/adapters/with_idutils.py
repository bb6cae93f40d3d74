"""idutils judges single identifiers: each word between blanks is given to it."""
import json, sys

import idutils

for text in map(json.loads, sys.stdin):
    names = [idutils.normalize_doi(word) for word in text["text"].split() if idutils.is_doi(word)]
    print(json.dumps({"id": text["id"], "names": names}))
