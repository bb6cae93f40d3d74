"""The tools that are compared: how each is installed, its command, and how its answer is read."""
import dataclasses, os, pathlib, shlex, shutil, subprocess, sys, tarfile, zlib
from importlib.metadata import version

from edge_fields import ALL, FIVE
from project import TARGET

JOBS = pathlib.Path(__file__).with_name("jobs.py")
PACKAGES = {"duckdb": "2.0.0", "polars": "2.1.0", "orjson": "3.13.0"}
HOME = TARGET / "flagship"
#: The tool of the project that publishes such graphs, which has no releases.
EXTRACTION = "crossref-citation-extraction"
SOURCE = f"https://github.com/cometadata/{EXTRACTION}"
COMMIT = "d0bd8e15fd9ab4603ebb9c622ef9b78932371095"
THREADS = 2

# Answers as DuckDB reads them: record, ref_index, doi, asserted.
OWN = "select record, ref_index, doi, asserted from read_parquet('{out}') where role = 'reference'"
PARQUET = "select record, ref_index, doi, asserted_by is not null from read_parquet('{out}')"
TABLES = """select record, ref_index, doi, asserted_by is not null from read_csv('{out}/*.tsv', delim = '\\t', header = false, quote = '', escape = '',
columns = {{'record': 'varchar', 'ref_index': 'bigint', 'doi': 'varchar', 'asserted_by': 'varchar'}}, nullstr = '', auto_detect = false)"""
PARTITIONS = "select citing_doi, ref_index, cited_id, provenance <> 'mined' from read_parquet('{out}/*.parquet') where filename not like '%inverted.parquet'"


@dataclasses.dataclass
class Tool:
    name: str
    #: (inputs, output) -> the words of the command.
    command: object
    #: The answer as a query; none for what gives no graph.
    answer: str = ""
    #: Whether it looks for names in text.
    mines: bool = True
    #: On how many threads its work can run; 0 for any number.
    threads: int = 0

    @property
    def is_own(self):
        return self.name.startswith("doisift")


@dataclasses.dataclass
class Inputs:
    folder: pathlib.Path
    tar: pathlib.Path
    #: The works in the older layout, which not all tools have left.
    old: pathlib.Path


def own(doisift, threads, *options, tar=False):
    run = [doisift, "scan", "-q", "--edges", "-j", threads, *options]
    return lambda inputs, out: [*run, "-f", "parquet", "-o", out, inputs.tar if tar else inputs.folder]


def job(name):
    return lambda inputs, out: [sys.executable, JOBS, name, inputs.folder, out, THREADS]


def extraction(program):
    """It takes the older layout only, and drops rows whose work it does not know unless their partitions are kept."""
    return lambda inputs, out: [program, "pipeline", "--input", inputs.old, "--source", "crossref", "--temp-dir", out, "--keep-intermediates",
                                "--output-crossref", f"{out}.jsonl", "--log-level", "ERROR"]


def all_tools(doisift, program):
    """-> the tools, of which the last needs a program that may be missing"""
    fields = ("--fields", FIVE)
    tools = [
        Tool("gzip -dc", lambda inputs, out: ["sh", "-c", f"gzip -dc {shlex.quote(str(inputs.folder))}/*.gz | cat > /dev/null"], mines=False, threads=1),
        Tool("doisift --edges, 5 fields, -j 1", own(doisift, 1, *fields), OWN),
        Tool("doisift --edges, 5 fields, -j 2", own(doisift, 2, *fields), OWN),
        Tool("doisift --edges, 5 fields, -j 2, one tar", own(doisift, 2, *fields, tar=True), OWN),
        Tool("doisift --edges, all fields, -j 2", own(doisift, 2, "--fields", ALL), OWN),
        Tool("doisift --count, -j 2", lambda inputs, out: [doisift, "scan", "-q", "--count", "-j", 2, "-o", f"{out}.jsonl", inputs.folder], mines=False),
        Tool("DuckDB, stated names alone", job("duckdb-asserted"), PARQUET, mines=False),
        Tool("DuckDB", job("duckdb"), PARQUET),
        Tool("Polars, stated names alone", job("polars-asserted"), PARQUET, mines=False),
        Tool("Polars", job("polars"), PARQUET),
        Tool("Python, orjson and re", job("orjson"), TABLES),
    ]
    if program:
        tools.append(Tool(EXTRACTION, extraction(program), PARTITIONS, threads=1))
    return tools


def versions(doisift):
    own = subprocess.run([doisift, "--version"], capture_output=True, text=True).stdout.split()[1]
    packages = {name: version(name) for name in PACKAGES}
    return {"doisift": own, **packages, "Python": sys.version.split()[0]}


def build_extraction(source):
    """Builds the tool from its repository, which takes a while. -> (program, none), or (none, why not)"""
    home = HOME / EXTRACTION
    program = home / f"target/release/{EXTRACTION}"
    if program.exists():
        return program, None
    if missing := [needed for needed in ("cargo", "git", "cmake") if not shutil.which(needed)]:
        return None, f"not built: it needs {' and '.join(missing)}"
    shutil.rmtree(home, ignore_errors=True)
    print(f"flagship: building {EXTRACTION} {COMMIT[:7]}", file=sys.stderr, flush=True)
    steps = [
        ["git", "clone", "--quiet", source, home],
        ["git", "-C", home, "checkout", "--quiet", COMMIT],
        ["cargo", "build", "--quiet", "--release", "--manifest-path", home / "Cargo.toml", "--target-dir", home / "target"],
    ]
    for step in steps:
        run = subprocess.run(list(map(str, step)), capture_output=True, text=True, env={**os.environ, "GIT_TERMINAL_PROMPT": "0"})
        if run.returncode != 0:
            return None, "not built: " + (run.stderr.strip().splitlines() or ["failed"])[-1]
    return program, None


def write_old(folder, path):
    """The same works as the older layout has them: a tar.gz of a JSON document, with a list of works, for each file."""
    with tarfile.open(path, "w:gz", compresslevel=6) as tar:
        for file in sorted(folder.iterdir()):
            lines = zlib.decompress(file.read_bytes(), 47).rstrip(b"\n").replace(b"\n", b",\n")
            plain = path.with_suffix(".json")
            plain.write_bytes(b'{"items":[' + lines + b"]}\n")
            tar.add(plain, f"{file.name.partition('.')[0]}.json")
            plain.unlink()
