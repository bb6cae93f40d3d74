"""The tools that are compared: how each is installed, its version, and its command for a text."""
import dataclasses, os, pathlib, platform, re, shlex, shutil, subprocess, sys

from comparison.jobs import EXPRESSION
from in_venv import environment
from project import TARGET

HOME = TARGET / "rivals"
JOBS = pathlib.Path(__file__).with_name("jobs.py")
RIPGREP = "15.2.0"
#: Each is installed by itself, so that one that cannot be had is missing alone.
PACKAGES = {
    "duckdb": ["duckdb==2.0.0"],
    "polars": ["polars==2.1.0"],
    "chdb": ["chdb==4.4.0", "chdb-core==26.9.0"],
    "mwcites": ["mwcites==0.2.0", "mediawiki-utilities==0.4.18", "more-itertools==11.2.1"],
    "warcio": ["warcio==1.8.1"],
    "fastwarc": ["fastwarc==2.0.1"],
}
#: The threads that a tool may use, where it can be told.
THREADS = 2


class Missing(Exception):
    """A tool that cannot be had, with the reason."""


@dataclasses.dataclass
class Tool:
    name: str
    #: What has to be there: a command, or a package of PACKAGES.
    needs: str
    #: (tools, text, output) -> the command; None where the tool does not read such a text.
    command: object
    #: Whether its answer is a list of names, sorted and distinct.
    answers: bool = True


class Tools:
    """What is installed."""

    def __init__(self, doisift, install=True, quick=False):
        self.doisift = doisift
        self.python = None
        self.versions = {"doisift": line([doisift, "--version"]).split()[-1]}
        self.missing = {}
        self.find_commands(install, quick)
        self.find_packages(install)

    def find_commands(self, install, quick):
        self.rg, others = HOME / "bin/rg", shutil.which("rg")
        if install and not (quick and others) and version(line([self.rg, "--version"])) != RIPGREP:
            self.attempt("rg", ["cargo", "install", "--quiet", "--locked", "--force", "--root", HOME, f"ripgrep@{RIPGREP}"], CARGO_NET_RETRY="0")
        if others and not self.rg.exists():
            self.rg = pathlib.Path(others)
        for name, path in [("rg", self.rg), ("grep", "grep"), ("sort", "sort"), ("gzip", "gzip"), ("cat", "cat")]:
            if shutil.which(path):
                self.versions[name] = version(line([path, "--version"]))
                self.missing.pop(name, None)
            else:
                self.missing.setdefault(name, "not installed")

    def find_packages(self, install):
        if install or (HOME / "venv").exists():
            _, self.python = environment("rivals/venv")
        self.versions["python"] = platform.python_version()
        for name, pins in PACKAGES.items():
            if install and self.installed(name) != pins[0].partition("==")[2]:
                self.attempt(name, [self.python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--retries", "0", *pins])
            if found := self.installed(name):
                self.versions[name] = found
                self.missing.pop(name, None)
            else:
                self.missing.setdefault(name, "not installed")

    def installed(self, package):
        program = f"import importlib.metadata as packages; print(packages.version({package!r}))"
        return self.python and line([self.python, "-c", program])

    def attempt(self, name, command, **variables):
        print(f"compare: installing {name}", file=sys.stderr, flush=True)
        run = subprocess.run(list(map(str, command)), env={**os.environ, **variables}, capture_output=True, text=True)
        if run.returncode != 0:
            errors = [line for line in run.stderr.splitlines() if line.lower().startswith("error")] or run.stderr.splitlines()
            self.missing[name] = "not installed: " + (errors or ["no reason given"])[0]

    def command(self, tool, text, out):
        """-> the command of the shell; None where the tool does not read such a text"""
        command = tool.command(self, text, out)
        if command is not None and tool.needs in self.missing:
            raise Missing(self.missing[tool.needs])
        return command


def line(command):
    """The first line that a command writes, or nothing."""
    try:
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    except OSError:
        return ""
    return run.stdout.partition("\n")[0].strip() if run.returncode == 0 else ""


def version(text):
    found = re.search(r"\d+(\.\d+)+", text)
    return found[0] if found else text


def shell(*parts):
    """A command: paths are quoted, all else is taken as it is."""
    return " ".join(shlex.quote(str(part)) if isinstance(part, pathlib.Path) else str(part) for part in parts)


def doisift(threads):
    return lambda tools, text, out: shell(tools.doisift, "scan --progress never -f names -j", threads, "-o", out, text.path)


def rg(tools, text):
    """Prints the matches, one a line. Mapping files into memory is no faster here, and would count as memory."""
    options = {"text": "", "folder": "--no-ignore --hidden"}.get(text.kind, "--search-zip")
    return shell(tools.rg, "--no-config -aoIN --no-mmap -j", THREADS, options, f"'(?-u){EXPRESSION}'", text.path)


def grep(tools, text):
    find = f"LC_ALL=C grep -aohE '{EXPRESSION}'"
    if text.kind == "folder":
        return shell(find, "-r", text.path)
    return shell(find, text.path) if text.kind == "text" else shell("gzip -dc", text.path, "|", find)


def pipeline(matches, rest=f"| tr A-Z a-z | LC_ALL=C sort -u --parallel={THREADS}"):
    """Distinct names in lower case. The shell sees only the last command fail, so the first leaves a file; no match is no failure."""

    def command(tools, text, out):
        failed = shlex.quote(f"{out}.failed")
        return shell("{", matches(tools, text), "|| test $? = 1 || touch", f"{failed}; }}", rest, ">", out, "&& ! test -e", failed)

    return command


def cat(tools, text, out):
    if text.kind == "folder":
        return shell("find", text.path, "-type f -exec cat {} + > /dev/null")
    return shell("cat" if text.kind == "text" else "gzip -dc", text.path, "> /dev/null")


def library(job, texts=None):
    """A job of jobs.py, for all texts or only some."""

    def command(tools, text, out):
        if texts and text.key not in texts:
            return None
        python = tools.python if job in PACKAGES else pathlib.Path(sys.executable)
        return shell(f"POLARS_MAX_THREADS={THREADS}", python, JOBS, job, text.kind, text.path, out, THREADS)

    return command


# Reading alone comes first, so that the files are in the page cache.
ALL = [
    Tool("cat, gzip -dc", "cat", cat, answers=False),
    Tool("doisift -j 1", "doisift", doisift(1)),
    Tool("doisift -j 2", "doisift", doisift(2)),
    Tool("rg -o alone", "rg", pipeline(rg, rest=""), answers=False),
    Tool("rg, tr, sort -u", "rg", pipeline(rg)),
    Tool("grep, tr, sort -u", "grep", pipeline(grep)),
    Tool("Python re", "python", library("re")),
    Tool("DuckDB", "duckdb", library("duckdb")),
    Tool("Polars", "polars", library("polars")),
    Tool("ClickHouse (chdb)", "chdb", library("chdb")),
    Tool("mwcites", "mwcites", library("mwcites", ["dense", "wiki"])),
    Tool("warcio, Python re", "warcio", library("warcio", ["warc"])),
    Tool("fastwarc, Python re", "fastwarc", library("fastwarc", ["warc"])),
]
