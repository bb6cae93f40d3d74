"""The candidates of Wikipedia's citation bot, before it asks doi.org which of them exist."""
import json, sys

import citation_bot

for text in map(json.loads, sys.stdin):
    names = [citation_bot.cleaned(found[0]) for found in citation_bot.FIND.finditer(text["text"])]
    print(json.dumps({"id": text["id"], "names": names}))
