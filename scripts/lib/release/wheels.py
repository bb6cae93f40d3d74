"""Wheels of the Python package for all systems, by maturin with zig, and its source archive."""
import pathlib, tempfile, venv, zipfile

from programs import want
from project import ROOT, TARGET
from release import product
from release.macos import linking
from release.steps import offline, output, run
from release.targets import need_library, tools
from windows_target import COMPILER

MANIFEST = ROOT / "python" / "Cargo.toml"
#: By the name of the step: the target, and which systems may install the wheel.
WHEELS = {
    "wheel-linux-x86_64": ("x86_64-unknown-linux-gnu", "manylinux2014"),
    "wheel-linux-aarch64": ("aarch64-unknown-linux-gnu", "manylinux2014"),
    "wheel-musl-x86_64": ("x86_64-unknown-linux-musl", "musllinux_1_2"),
    "wheel-musl-aarch64": ("aarch64-unknown-linux-musl", "musllinux_1_2"),
    "wheel-macos-arm64": ("aarch64-apple-darwin", None),
    "wheel-macos-x86_64": ("x86_64-apple-darwin", None),
    "wheel-windows-x86_64": ("x86_64-pc-windows-gnu", None),
}
#: What a wheel that runs here must do without the network.
TRIAL = """
import doisift, sys
assert doisift.__version__ == sys.argv[1]
assert doisift.normalize("https://doi.org/10.1000/ABC") == "10.1000/abc"
report = doisift.scan(sys.argv[2], output="names.parquet")
assert report.records > 100, report.records
"""


def build(*words, more=()):
    """Runs maturin, with more options for rustc. -> the one file that it writes, moved to the other artefacts"""
    with tempfile.TemporaryDirectory(dir=TARGET) as folder:
        run("maturin", *words, "--manifest-path", MANIFEST, "--out", folder, *(["--", *more] if more else []), cwd=ROOT, env=tools())
        (made,) = pathlib.Path(folder).iterdir()
        return made.rename(product.DIST / made.name)


def wheel(step):
    """-> the wheel of a step"""
    triple, systems = WHEELS[step]
    need_library(triple)
    words = ["build", "--release", "--locked", "--quiet", "--target", triple]
    if "windows" in triple:
        want(COMPILER)
    else:
        words.append("--zig")
    if systems:
        words += ["--compatibility", systems]
    return build(*words, more=linking() if "darwin" in triple else [])


def sources():
    """-> the source archive, from which pip builds where no wheel fits"""
    return build("sdist")


def check_contents(path):
    """Ends the release if a wheel lacks what PyPI shows of it, or needs another package."""
    with zipfile.ZipFile(path) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata, _, page = archive.read(name).decode().partition("\n\n")
    lines = metadata.splitlines()
    needed = [line for line in lines if line.startswith("Requires-Dist:") and "extra ==" not in line]
    urls = [line for line in lines if line.startswith("Project-URL:")]
    if needed or not urls or not page.strip() or f"Version: {product.version()}" not in lines:
        raise SystemExit(f"{path.name}: needs {needed}, has the addresses {urls} and a page of {len(page)} characters")


def can_run(step):
    return step == "wheel-linux-x86_64"


def try_out(step, path):
    """Installs a wheel for this system in a new environment without the network. -> what was run, or why nothing was"""
    check_contents(path)
    if not can_run(step):
        return "not run: this machine has no Python for that system; metadata read"
    with tempfile.TemporaryDirectory() as folder:
        install(folder, "--no-index", path, words=offline())
    return "installed in a new environment without the network: import, normalize, scan to Parquet"


def try_sources(path):
    """Builds and installs the source archive as pip does where no wheel fits."""
    with tempfile.TemporaryDirectory() as folder:
        install(folder, path)
    return "built by pip in a new environment: import, normalize, scan to Parquet"


def install(folder, *what, words=()):
    """Installs the package in a new environment, and uses it there without the network."""
    venv.create(folder, with_pip=True)
    python = pathlib.Path(folder) / "bin" / "python"
    output(*words, python, "-m", "pip", "--quiet", "--disable-pip-version-check", "install", "--no-deps", *what)
    output(*offline(), python, "-c", TRIAL, product.version(), ROOT / "corpora", cwd=folder)
