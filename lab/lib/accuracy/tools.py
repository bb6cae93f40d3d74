"""The tools that are measured: how each is installed, pinned, in a folder of its own, and how its adapter runs.

An adapter is a program that reads texts from standard input, a line of JSON each, with `id`, `path` (a file of it) and `text` (its
characters; of a PDF those that pdftotext gives), and writes a line of JSON for each with `id` and `names`, as the tool gives them.
"""
import dataclasses, json, pathlib, shlex, shutil, subprocess, sys

from in_venv import environment
from project import TARGET

HOME = TARGET / "rivals"
ADAPTERS = pathlib.Path(__file__).with_name("adapters")
#: Seconds for all texts.
LIMIT = 1800
CARGO = """[package]
name = "adapter"
version = "0.0.0"
edition = "2024"
[[bin]]
name = "adapter"
path = {path}
[dependencies]
scholarly_identifiers = "=0.2.0"
serde_json = "1"
[workspace]
"""


class Missing(Exception):
    """A tool that cannot be had, with the reason."""


@dataclasses.dataclass
class Tool:
    name: str
    #: () -> the command of its adapter; installs what it needs
    command: object
    version: str = ""
    about: str = ""
    #: Texts of a class that it reads: one that is slow reads fewer.
    most: int = sys.maxsize


def attempt(*command, **options):
    print(f"accuracy: {shlex.join(map(str, command))}", file=sys.stderr, flush=True)
    try:
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True, **options)
    except OSError as error:
        raise Missing(error) from None
    if run.returncode != 0:
        raise Missing((run.stderr.strip().splitlines() or ["no reason given"])[-1])


def of_python(adapter, *pins):
    """An adapter in Python, with packages in an environment of its own."""

    def command():
        if not pins:
            return [sys.executable, ADAPTERS / adapter]
        home, python = environment(f"rivals/{pathlib.Path(adapter).stem}")
        mark = home / "installed"
        if not mark.exists() or mark.read_text() != str(pins):
            attempt(python, "-m", "pip", "--quiet", "install", "--retries", "0", *pins)
            mark.write_text(str(pins))
        return [python, ADAPTERS / adapter]

    return command


def of_node(adapter, package):
    def command():
        home = HOME / "npm"
        if not (home / "node_modules" / package.partition("@")[0]).exists():
            home.mkdir(parents=True, exist_ok=True)
            attempt("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", home, package)
        # Node.js looks for packages beside the program.
        return ["node", shutil.copy(ADAPTERS / adapter, home)]

    return command


def of_cargo(adapter):
    def command():
        home = HOME / pathlib.Path(adapter).stem
        home.mkdir(parents=True, exist_ok=True)
        (home / "Cargo.toml").write_text(CARGO.format(path=json.dumps(str(ADAPTERS / adapter))))
        attempt("cargo", "build", "--quiet", "--release", "--manifest-path", home / "Cargo.toml", "--target-dir", home / "target")
        return [home / "target/release/adapter"]

    return command


def all_tools(binary, more):
    """doisift, those that are known, and adapters that were given: {name: command of the shell}"""
    version = subprocess.run([binary, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()[1]
    given = [Tool(name, lambda command=command: shlex.split(command)) for name, command in more.items()]
    return [
        Tool("doisift", lambda: [sys.executable, ADAPTERS / "doisift.py", binary], version, "`doisift scan`, on the files"),
        Tool("Crossref", of_python("crossref.py"), "", "Crossref's short expression; of PDF the output of pdftotext, as for all below"),
        Tool("Crossref (cut)", of_python("crossref_cut.py"), "", "the short expression; final `.,;:)` are cut, as many do"),
        Tool("Crossref (five)", of_python("crossref_all.py"), "", "its five expressions"),
        Tool("idutils", of_python("with_idutils.py", "idutils==1.7.1"), "1.7.1", "each word by `is_doi` and `normalize_doi`"),
        Tool("refextract", of_python("with_refextract.py", "refextract==1.1.7"), "1.1.7", "`extract_references_from_string`, on the first three texts of a class, since each takes seconds", 3),
        Tool("citation-bot", of_python("with_citation_bot.py"), "fb973eb", "its rules, without asking doi.org"),
        Tool("scholarly_identifiers", of_cargo("with_scholarly_identifiers.rs"), "0.2.0", "each word by `Identifier::parse`"),
        Tool("identifiers-doi", of_node("with_identifiers.js", "identifiers-doi@0.2.1"), "0.2.1", "`extract`"),
        Tool("mwcites", of_python("with_mwcites.py", "mwcites==0.2.0", "mediawiki-utilities==0.4.18", "more-itertools==11.2.1"), "0.2.0", "`doi.extract`"),
        Tool("python-doi", of_python("with_python_doi.py", "python-doi==0.2.0"), "0.2.0", "each line by `find_doi_in_text`"),
        *given,
    ]


def run(tool, texts):
    """-> {id: the names that the tool finds}"""
    lines = "".join(text.line() for text in texts)
    command = list(map(str, tool.command()))
    try:
        done = subprocess.run(command, input=lines, capture_output=True, text=True, encoding="utf-8", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise Missing(f"did not end in {LIMIT} s") from None
    if done.returncode != 0:
        raise Missing((done.stderr.strip().splitlines() or ["failed without a word"])[-1])
    return {row["id"]: row["names"] for row in map(json.loads, done.stdout.splitlines())}
