"""Compares a command for another system with the one for this: the same bytes, the same exit codes.

Each case runs in two folders with the same inputs: the corpora, packed copies of them, a generated text, and what tests/fixtures/make left in
target/fixtures. Everything that a case writes is compared.
"""
import bz2, gzip, json, lzma, pathlib, shutil, signal, subprocess, tarfile, tempfile, time, zipfile

from project import ROOT, TARGET

INTERRUPTED = 130
#: Fields of a report that may differ between equal runs.
OWN = ["seconds", "started", "runs", "spilled_bytes", "options"]
#: What is run. `{/}` is the separator of paths on the system, and {null} its null device.
CASES = {
    "scan a file": ["scan in/corpora/sample.txt"],
    "scan a folder": ["scan in -o out/rows.csv --report out/report.json"],
    "scan as JSON Lines": ["scan in -o out/rows.jsonl"],
    "scan as packed CSV": ["scan in -o out/rows.csv.gz", "scan in -o out/rows.csv.zst"],
    "scan as Parquet": ["scan in -o out/rows.parquet", "scan in --mentions -o out/mentions.parquet"],
    "scan in little memory": ["scan in -o out/rows.csv --memory 4M -j 2"],
    "mentions": ["scan in --mentions -o out/mentions.csv"],
    "edges": ["scan in --edges -o out/edges.jsonl"],
    "parts": ["scan in --mentions -o out/parts/ --part-size 64K", "merge out/parts/ -o out/merged.csv"],
    "backslashes": ["scan in{/}corpora in{/}generated.gz -o out{/}rows.csv"],
    "globs": ["scan in --include **/corpora/*.{txt,bib} --exclude prose* -o out/rows.csv"],
    "a missing file": ["scan in/corpora/sample.txt in/missing.txt"],
    "an output that is an input": ["scan in/corpora/sample.txt -o in/corpora/sample.txt"],
    "the null device": ["scan in -o {null}"],
    "shards": ["scan in -o out/0.jsonl --shard 0/2", "scan in -o out/1.csv --shard 1/2", "merge out/0.jsonl out/1.csv -o out/all.parquet", "merge out/all.parquet -o out/all.csv"],
    "normalize lines": ["normalize in/corpora/sample.txt.names --lines"],
    "normalize a column": ["normalize in/table.csv --column doi --clean -o out/table.csv"],
    "normalize a name": ["normalize https://doi.org/10.1000/182"],
    "explain": ["explain in/corpora/sample.txt"],
    "check references": ["check in/corpora/library.bib"],
    "an index": ["index in/names.txt -o out/names.doisift", "scan in -o out/known.csv --known out/names.doisift", "check in/corpora/library.bib --known out/names.doisift"],
    "a command for each file": ["scan in/corpora --pre cat -o out/rows.csv"],
    "a command that is not there": ["scan in/corpora/sample.txt --pre missing-command"],
}


def fill(folder):
    """The inputs."""
    corpora = folder / "corpora"
    shutil.copytree(ROOT / "corpora", corpora)
    text = (corpora / "prose.txt").read_bytes()
    packed = {"prose.gz": gzip.compress(text, mtime=0), "prose.bz2": bz2.compress(text), "prose.xz": lzma.compress(text), "broken.gz": gzip.compress(text, mtime=0)[:-200]}
    for name, content in packed.items():
        (folder / name).write_bytes(content)
    with tarfile.open(folder / "corpora.tar.gz", "w:gz") as archive, zipfile.ZipFile(folder / "corpora.zip", "w", zipfile.ZIP_DEFLATED) as zipped:
        for path in sorted(corpora.glob("*.txt")):
            archive.add(path, path.name)
            zipped.write(path, path.name)
    make = [ROOT / "lab/make-corpus", "--size", "8M", "--every", "100", "--distinct", "0.5"]
    generated = subprocess.run(make, stdout=subprocess.PIPE, check=True).stdout
    (folder / "generated.txt").write_bytes(generated)
    (folder / "generated.gz").write_bytes(gzip.compress(generated, 1, mtime=0))
    names = (corpora / "prose.txt.names").read_text(encoding="utf-8").splitlines()
    (folder / "names.txt").write_text("\n".join(names[:50]) + "\n", encoding="utf-8")
    rows = [f"{number},doi: {name}." for number, name in enumerate(names)]
    (folder / "table.csv").write_text("\n".join(["number,doi", *rows]) + "\n", encoding="utf-8")
    if (TARGET / "fixtures").is_dir():
        shutil.copytree(TARGET / "fixtures", folder / "fixtures")


def written(folder):
    """-> the bytes of each file below a folder"""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def comparable(name, content):
    """The bytes of a file, without what may differ between equal runs."""
    if name != "report.json":
        return content
    report = json.loads(content)
    return {key: value for key, value in report.items() if key not in OWN}


class Side:
    """One of the two commands, in its folder."""

    def __init__(self, name, command, environment, folder, separator, null):
        self.name, self.command, self.environment, self.folder = name, command, environment, folder / name
        self.words = {"/": separator, "null": null}
        fill(self.folder / "in")
        self.out = self.folder / "out"

    def words_of(self, case):
        for word, value in self.words.items():
            case = case.replace("{" + word + "}", value)
        return [*self.command, *case.split()]

    def start(self, case, **options):
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **options}
        return subprocess.Popen(self.words_of(case), cwd=self.folder, env=self.environment, **options)

    def run(self, case, **options):
        """-> the exit code, standard output, and standard error"""
        options = {"stdin": subprocess.DEVNULL, **options}
        run = subprocess.run(self.words_of(case), cwd=self.folder, env=self.environment, capture_output=True, **options)
        return run.returncode, run.stdout, run.stderr

    def begin(self):
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()

    def cases(self, cases, **options):
        """Runs commands one after the other. -> what they return and write"""
        self.begin()
        ran = [self.run(case, **options) for case in cases]
        self.said = b"".join(stderr for *_, stderr in ran)
        return [result[:2] for result in ran], self.written()

    def written(self):
        return {name: comparable(name, content) for name, content in written(self.out).items()}


class Comparison:
    def __init__(self, linux, other, only):
        self.linux, self.other, self.only, self.failed = linux, other, only, 0

    def say(self, what, same, more=""):
        self.failed += not same
        print(f"{what}: {'the same' if same else 'DIFFERENT'}{more}", flush=True)

    def compare(self, what, cases, **options):
        if self.only not in what:
            return
        given = lambda: {name: value() for name, value in options.items()}
        wanted, found = self.linux.cases(cases, **given()), self.other.cases(cases, **given())
        self.say(what, wanted == found)
        if wanted != found:
            self.show(wanted, found)

    def show(self, wanted, found):
        for (code, out), (other, there) in zip(wanted[0], found[0]):
            print(f"  exit {code} and {other}, {len(out)} and {len(there)} bytes on standard output")
        for name in sorted({*wanted[1], *found[1]}):
            if wanted[1].get(name) != found[1].get(name):
                print(f"  {name} differs, or only one has it")
        print("  " + self.other.said.decode(errors="replace").replace("\n", "\n  "))

    def inputs(self):
        text = self.linux.folder / "in/generated.gz"
        self.compare("standard input, a file", ["scan - -o out/rows.csv"], stdin=lambda: open(text, "rb"))
        self.compare("standard input, a pipe", ["scan - --source-name a.gz"], stdin=lambda: subprocess.Popen(["cat", text], stdout=subprocess.PIPE).stdout)
        listed = self.linux.folder / "list"
        listed.write_bytes(b"in/corpora/sample.txt\r\nin/generated.gz\r\n")
        self.compare("a list of sources", ["scan --files-from - -o out/rows.csv"], stdin=lambda: open(listed, "rb"))

    def kills(self, what, case):
        """Kills a run with a checkpoint at later and later moments, and resumes it to its end."""
        if self.only not in what:
            return
        self.linux.begin()
        ends, *_ = self.linux.run(case)
        wanted = self.linux.written()
        side = self.other
        side.begin()
        start = time.monotonic()
        *_, side.said = side.run(case)
        whole = time.monotonic() - start
        side.begin()
        kept = self.kill_often(f"{case} --checkpoint out/checkpoint --checkpoint-interval 0", whole / 6)
        code, _, side.said = side.run(f"{case} --checkpoint out/checkpoint")
        same = code == ends and side.written() == wanted
        self.say(what, same and kept > 0, f", with a checkpoint after {kept} kills")
        if not same:
            self.show(([(ends, b"")], wanted), ([(code, b"")], side.written()))

    def kill_often(self, case, delay):
        """Kills a run and its resumptions, until three kills have left a checkpoint. -> how many did"""
        side, kept = self.other, 0
        for _ in range(15):
            running = side.start(case)
            time.sleep(delay)
            is_late = running.poll() is not None
            running.kill()
            running.wait()
            if is_late:
                # It was done: once more from the start, and sooner.
                side.begin()
                kept, delay = 0, delay / 2
            elif (side.out / "checkpoint/doisift-manifest.jsonl").exists():
                kept += 1
            else:
                delay *= 1.5
            if kept == 3:
                break
        return kept

    def interrupts(self, what, case):
        """Interrupts a run that would not end. It must end with its exit code, and leave nothing."""
        if self.only not in what:
            return
        side = self.other
        side.begin()
        running = side.start(case, stderr=subprocess.PIPE)
        time.sleep(2)
        running.send_signal(signal.SIGINT)
        try:
            _, side.said = running.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            running.kill()
        same = running.returncode == INTERRUPTED and not written(side.out)
        self.say(what, same, f": exit {running.returncode}")


def compare(native, make, only=""):
    """Runs all cases by a command of this system and by another. -> whether any differs

    make: from the temporary folder to the other side.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        comparison = Comparison(Side("linux", [str(native)], None, folder, "/", "/dev/null"), make(folder), only)
        for what, cases in CASES.items():
            comparison.compare(what, cases)
        comparison.inputs()
        comparison.kills("killed and resumed", "scan in -o out/rows.csv -j 2 --memory 4M")
        comparison.kills("killed and resumed, in parts", "scan in --mentions -o out/parts/ --part-size 64K -j 2")
        comparison.interrupts("interrupted in a command that does not end", "scan in/corpora --pre endless -o out/rows.csv")
    return comparison.failed > 0
