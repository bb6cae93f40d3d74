"""The results as Markdown and as JSON."""
from accuracy import score

HEAD = """# Accuracy beside other tools

`{command}`, {texts:,} texts in {classes} classes, with {names:,} names drawn from {source}. {versions}.

Each text is written by a program or library that people use, around names that the generator drew, so the right answer is known before
any tool runs. [What is measured](#what-is-measured) says how, and what the figures cannot say. The classes were written before the first
run. Reading what was missed in it showed four faults of the labels, which were corrected: names with braces of BibTeX in the list, a made name with an
escape in it, a word glued to a name in a web page, and paths of a log that are valid names. No class was left out.

![Precision and recall of each tool](accuracy.svg)
"""
METHOD = """## What is measured

- **Names.** One in five has marks beyond letters, digits, `.`, `-` and `/`; in lists of registered names it is about one in thirty. One in
  twelve is in capitals. One in forty is made, with characters that registrants hardly use. So the figures rank tools and show where they
  fail; they are not an estimate for data of your own: for that there is `lab/evaluate`.
- **Values.** A writer gets values: a name alone, in words, before a mark, in quotes, in a list, in a URL with a query or with the tail of a
  publisher's page, at the end of a reference, and values without a name. `lab/lib/accuracy/values.py` argues for each why a reader can
  tell the name. Where nobody can, such as for a name with a final `,` before a blank, the value is not made. Two kinds ask for more
  than reading: tails (one must know them) and the text of a page, where elements are glued.
- **Keys.** The names of a text are a set, and compared as a whole under ASCII case folding. So a name with one character too many is both a
  false find and a miss. Nothing else is forgiven: a percent-encoded name that was not decoded is wrong.
- **Tools** are run as they are published. Those that judge a single identifier get each word; those that find one, each line. Several
  claim less than to read all these formats. Of PDF, all but doisift get the output of `pdftotext`. doisift reads the files, as its
  users do, and knows formats such as mail; a tool for text gets the bytes of a mail as they are.
- **doisift's rules** were written by people who knew formats like these, though not these texts. Its classes without loss mean
  little; those in which it loses are the ones to read.

An adapter makes a tool take part: a program that reads lines of JSON with `id`, `path` and `text`, and writes a line with `id` and `names` for
each.

```python
import json, re, sys

FIND = re.compile(r"10\\.\\d{4,9}/\\S+")
for text in map(json.loads, sys.stdin):
    print(json.dumps({"id": text["id"], "names": FIND.findall(text["text"])}))
```

`scripts/bench accuracy --adapter 'mine=python3 mine.py'` measures it beside the others; those in `lab/lib/accuracy/adapters` are no longer than
this. `--seed` and `--names` make other texts, and `--misses FILE` lists what a tool missed and what it found wrongly.
"""


def share(value):
    return "" if value is None else f"{value:.3f}"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def as_markdown(results, facts):
    classes = {kind.key: kind for kind in facts["kinds"]}
    tools = list(results)
    wanted = {key: next(iter(results.values()))["classes"][key].wanted for key in classes}
    versions = ", ".join(f"{tool} {result['version']}" for tool, result in results.items() if result["version"])
    lines = [HEAD.format(**{**facts, "versions": versions, "classes": len(classes)})]
    lines += ["## All classes", "", "Means over the classes, each counted the same, and counts over those in which there are no names.", ""]
    lines += table(["tool", "how", "precision", "recall", "finds where there are none"], [overall(tool, results[tool]) for tool in tools])
    for figure, what in [("recall", "names of a class that were found"), ("precision", "finds in a class that are names of the text; \"-\": nothing found")]:
        lines += [f"## {figure.capitalize()}", "", f"The share of the {what}.", ""]
        lines += table(["class", "names", *tools], [[key, wanted[key], *(cell(results[tool]["classes"][key], figure) for tool in tools)] for key in classes if wanted[key]])
    lines += ["## Finds where there are none", ""]
    lines += table(["class", *tools], [[key, *(results[tool]["classes"][key].found for tool in tools)] for key in classes if not wanted[key]])
    lines += ["## Recall by what is around the name", "", "Over all classes that use these values.", ""]
    around = [key for key, score in next(iter(results.values()))["enclosures"].items() if score.wanted >= 100]
    lines += table(["around it", "names", *tools], [[key, results[tools[0]]["enclosures"][key].wanted, *(share(results[tool]["enclosures"][key].recall) for tool in tools)] for key in around])
    lines += ["## The classes", "", *table(["class", "written by, and why the names can be read"], [[kind.key, kind.about] for kind in classes.values()])]
    missing = [f"Left out: {what}." for what in facts["missing"]]
    return "\n".join([*lines, *missing, *([""] if missing else []), METHOD])


def cell(score, figure):
    value = getattr(score, figure)
    return "-" if value is None else share(value)


def overall(tool, result):
    scores = result["classes"].values()
    return [tool, result["about"], share(mean(scores, "precision")), share(mean(scores, "recall")), sum(score.found for score in scores if not score.wanted)]


def mean(scores, figure):
    """Each class counted the same. Where a tool finds nothing, it has no precision; such classes are left out of the mean of that."""
    values = [getattr(score, figure) for score in scores if score.wanted and getattr(score, figure) is not None]
    return sum(values) / len(values) if values else None


def as_json(results, facts):
    counts = lambda scores: {key: vars(score) for key, score in scores.items()}
    tools = [{"tool": tool, "version": result["version"], "classes": counts(result["classes"]), "around": counts(result["enclosures"])} for tool, result in results.items()]
    return {**{key: facts[key] for key in ("command", "seed", "texts", "names", "source", "missing")}, "tools": tools}
