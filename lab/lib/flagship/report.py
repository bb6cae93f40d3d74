"""The results as Markdown, as JSON and as a chart."""
import dataclasses, statistics

from comparison import chart
from comparison.report import seconds

from flagship.forecast import CORES, FILE

START, END = "<!-- scripts/bench flagship --publish writes this -->", "<!-- up to here -->"


@dataclasses.dataclass
class Row:
    tool: object
    runs: list = dataclasses.field(default_factory=list)
    failed: str = ""
    answer: object = None

    def median(self, figure):
        return statistics.median(getattr(run, figure) for run in self.runs)


@dataclasses.dataclass
class Results:
    rows: list
    forecasts: list
    #: Counts of the generator, and of the truth.
    counts: dict
    packed: int
    about: dict
    versions: dict
    command: str
    rounds: int


def as_json(results):
    rows = [{"tool": row.tool.name, "failed": row.failed, "runs": list(map(dataclasses.asdict, row.runs)),
             "answer": row.answer and dataclasses.asdict(row.answer)} for row in results.rows]
    return {"command": results.command, "machine": results.about, "versions": results.versions, "packed": results.packed,
            "counts": results.counts, "rows": rows, "forecasts": list(map(dataclasses.asdict, results.forecasts))}


def as_markdown(results):
    lines = ["# Crossref's file as a graph", "", *describe(results), "", "![Processor time, and hours for the whole file](flagship.svg)", "", *table(results), ""]
    return "\n".join([*lines, *forecast_of(results), ""])


def describe(results):
    counts, load = results.counts, results.about["load"]
    names = ", ".join(f"{name} {version}" for name, version in results.versions.items())
    return [
        f"`{results.command}` on {results.about['cpu']}, {results.about['cores']} cores, {results.about['kernel']}"
        + (f", **under a load of {load}**" if load > 0.5 else "") + f". {names}.",
        "",
        f"The job: {counts['files']} `.jsonl.gz` files of works as Crossref publishes them ({counts['bytes'] / 1e6:,.0f} MB, packed {results.packed / 1e6:,.0f} MB;",
        f"{counts['records']:,} works, {counts['references']:,} references) to a row for each name in a reference, with the work that cites it, the number of",
        "the reference and whether a field states the name: in one Parquet file with zstd, or tables of tabs for Python. `lab/make-crossref` generates the",
        f"files and lists what is in them. Fields state {counts['stated names']:,} names; {counts['names in text']:,} are in the text of a reference alone. Medians of",
        f"{results.rounds} rounds in which all ran in turn, files in the page cache, two threads where nothing else is said. CPU is user and system time of all",
        "processes, memory the peak of the largest. Missing and extra: rows of stated names; the name is the whole value without blanks and proxy, in",
        "lower case. Precision and recall: names in text alone. DuckDB, Polars and Python take the columns that they need and the expression",
        "that did best of six on these texts (`lab/lib/flagship/jobs.py`).",
    ]


def table(results, wanted=lambda row: True):
    yield "| | CPU | wall | memory | stated: missing | extra | text: precision | recall |"
    yield "|---|---|---|---|---|---|---|---|"
    for row in filter(wanted, results.rows):
        yield f"| {' | '.join(cells(row))} |"


def cells(row):
    if not row.runs:
        return [row.tool.name, row.failed.replace("|", "\\|"), *[""] * 6]
    answer = row.answer
    right = [f"{answer.missing:,}", f"{answer.extra:,}"] if answer else ["", ""]
    shares = [f"{share:.4f}" for share in (answer.precision, answer.recall)] if answer and answer.precision is not None else ["", ""]
    run = [f"{seconds(row.median('cpu'))} s", f"{seconds(row.median('wall'))} s", f"{row.median('memory') / 2**20:,.0f} MiB"]
    return [row.tool.name, *run, *right, *shares]


def forecast_of(results):
    columns = [f"{cores} cores" for cores in CORES]
    lines = [
        "## The whole file", "",
        f"Arithmetic, not runs. Processor time grows with the packed bytes, {results.packed / 1e6:,.0f} MB here and {FILE / 1e9:.0f} GB there. The busiest",
        "thread's share of it was measured with as many threads as there are cores, on 400 small files or one tar of them. At best all threads work side by side:",
        "the time is that of the busiest thread, or of an even share. By Amdahl's law, where the busiest of 64 threads works alone, it is",
        "longer: the second number. The truth is between them. For tools whose share was not measured each file is taken as work for any thread,",
        "in their favour. Disks and memory bandwidth are left out.", "",
        f"| hours | CPU | busiest thread of {CORES[-1]} | {' | '.join(columns)} |", "|---" * (3 + len(columns)) + "|",
    ]
    for one in results.forecasts:
        share = f"{one.shares[CORES[-1]]:.1%}" if one.shares else ""
        hours = [between(one, cores) for cores in CORES]
        lines.append(f"| {one.tool} | {one.work:.2f} | {share} | {' | '.join(hours)} |")
    return lines


def between(one, cores):
    best, amdahl = one.at_best(cores), one.by_amdahl(cores)
    return f"{best:.3f}" if not one.shares else f"{best:.3f}, {amdahl:.3f}"


def summary(results):
    """-> the part of the README: the graphs in one table, and the whole file in a sentence"""
    counts = results.counts
    return "\n".join([
        START,
        f"`{results.command}`, {counts['references']:,} references in {results.packed / 1e6:,.0f} MB of `.jsonl.gz`, on {results.about['cpu']}, {results.about['cores']} cores"
        + (f", **under a load of {results.about['load']}**" if results.about["load"] > 0.5 else "") + f", medians of {results.rounds} rounds",
        "([all figures](docs/src/benchmarks/flagship.md)):", "",
        *table(results, lambda row: row.answer), "",
        *map(sentence, results.forecasts[:1]),
        END,
    ])


def sentence(one):
    """The hours of the whole file."""
    return f"By these figures the whole file, {FILE / 1e9:.0f} GB, takes {one.work:.1f} hours of processor time ([how, and on more cores](docs/src/benchmarks/flagship.md#the-whole-file))."


@dataclasses.dataclass
class Panel:
    title: str


@dataclasses.dataclass
class Bar:
    """As the chart draws one."""
    tool: str
    wall: float
    is_own: bool
    runs: bool = True
    failed: str = ""
    recall: float = None
    unit: str = "s"


def draw(results):
    """-> the chart as SVG"""
    times = [Bar(row.tool.name, row.median("cpu") if row.runs else 0, row.tool.is_own, bool(row.runs), row.failed) for row in results.rows]
    panels = [(Panel("Processor time"), times)]
    for cores in CORES[1:]:
        hours = [Bar(one.tool, one.at_best(cores), one.tool.startswith("doisift"), unit="h") for one in results.forecasts]
        panels.append((Panel(f"The whole file on {cores} cores, at best"), hours))
    return chart.draw(panels, "Processor time of each tool for the graph, and hours for the whole file; shorter is better", columns=1, label_width=290)
