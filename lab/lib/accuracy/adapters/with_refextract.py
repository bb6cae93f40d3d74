"""refextract reads references; all text is given as such."""
import json, logging, sys

from refextract import extract_references_from_string

logging.disable(logging.CRITICAL)
for text in map(json.loads, sys.stdin):
    try:
        references = extract_references_from_string(text["text"], is_only_references=True)
    except Exception:
        # It fails on some texts that are no references.
        references = []
    names = [name.removeprefix("doi:") for reference in references for name in reference.get("doi", [])]
    print(json.dumps({"id": text["id"], "names": names}))
