"""The results: a row for each tool and text, as Markdown and as JSON."""
import dataclasses, datetime, os, pathlib, platform, statistics

@dataclasses.dataclass
class Row:
    #: Of its times in the chart.
    unit = "s"
    tool: str
    answers: bool
    runs: list = dataclasses.field(default_factory=list)
    failed: str = ""
    answer_bytes: int = None
    names: int = None
    #: Shares of the distinct names that were found, and of those in the text; none where there are none.
    precision: float = None
    recall: float = None

    def median(self, figure):
        return statistics.median(getattr(run, figure) for run in self.runs)

    @property
    def wall(self):
        return self.median("wall")

    @property
    def is_own(self):
        return self.tool.startswith("doisift")


def seconds(value):
    """With three digits, but no finer than milliseconds."""
    return f"{value:.{3 if value < 1 else 2 if value < 10 else 1}f}"


def share(value):
    return "" if value is None else f"{value:.4f}"


def machine():
    """-> what the figures depend on"""
    models = [line for line in lines_of("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "cpu": models[0].partition(":")[2].strip() if models else platform.processor() or platform.machine(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",
        "load": round(os.getloadavg()[0], 2),
    }


def lines_of(path):
    return pathlib.Path(path).read_text().splitlines() if os.path.exists(path) else []


def as_json(results, versions, about, command):
    texts = []
    for text, rows in results:
        row = lambda row: {**dataclasses.asdict(row), "medians": {name: row.median(name) for name in ("wall", "cpu", "memory")} if row.runs else None}
        texts.append({"key": text.key, "title": text.title, "bytes": text.length, "rows": list(map(row, rows))})
    date = datetime.date.today().isoformat()
    return {"command": command, "date": date, "machine": about, "versions": versions, "texts": texts}


def as_markdown(results, versions, about, command, rounds):
    """-> the whole report: a table for each text"""
    lines = ["# doisift and other tools", "", *describe(versions, about, command, rounds), ""]
    for text, rows in results:
        names = sum(1 for _ in open(text.names, "rb"))
        lines += [f"## {text.title[0].upper()}{text.title[1:]}", "", f"{text.length / 1e6:,.0f} MB of text, {names:,} distinct names.", ""]
        lines += ["| tool | wall | MB/s | CPU | memory | answer | names | precision | recall |", "|---|---|---|---|---|---|---|---|---|"]
        lines += [table_row(text, row, rounds) for row in rows] + [""]
    return "\n".join(lines)


def describe(versions, about, command, rounds):
    load = f", **under a load of {about['load']}**" if about["load"] > 0.5 else ""
    names = ", ".join(f"{name} {version}" for name, version in versions.items())
    return [
        f"`{command}` on {about['cpu']}, {about['cores']} cores, {about['kernel']}{load}. {names}.",
        "",
        f"The job: the names of a text, in lower case, distinct and sorted, into a file. Medians of {rounds} rounds in which all tools",
        "ran in turn, files in the page cache; a tool that took 10 s or more in the first round has no others. Two threads",
        "at most where a tool can be told, one for doisift -j 1. CPU is the user and system time of all processes, memory",
        "the peak of the largest one, of which less than 9 MiB cannot be told. Precision and recall are those of the distinct",
        "names against the generator's list. Except for doisift and mwcites, all tools take the short expression that Crossref",
        "recommends, `10\\.[0-9]{4,9}/[-._;()/:A-Za-z0-9]+`; one mention in five is written in a way on which it fails, such as escaped. `rg -o`",
        "alone neither folds case nor drops repeats; `cat`, or for packed texts `gzip -dc`, only reads.",
    ]


def table_row(text, row, rounds):
    if not row.runs:
        failed = row.failed.replace("|", "\\|")
        return f"| {row.tool} | {failed} | | | | | | | |"
    wall = seconds(row.wall) + " s" + (f" ({len(row.runs)} round)" if len(row.runs) < rounds else "")
    cells = [row.tool, wall, f"{text.length / 1e6 / row.wall:,.0f}", f"{seconds(row.median('cpu'))} s", f"{row.median('memory') / 2**20:,.0f} MiB"]
    cells += ["" if row.answer_bytes is None else f"{row.answer_bytes / 1e6:,.1f} MB", "" if row.names is None else f"{row.names:,}"]
    return f"| {' | '.join([*cells, share(row.precision), share(row.recall)])} |"
