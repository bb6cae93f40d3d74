"""mwcites, which reads the text of MediaWiki's pages."""
import json, sys

from mwcites.extractors import doi

for text in map(json.loads, sys.stdin):
    print(json.dumps({"id": text["id"], "names": [name.id for name in doi.extract(text["text"])]}))
