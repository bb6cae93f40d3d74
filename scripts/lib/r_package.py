"""Packs the R package with all crates that it is built from, in target/r."""
import json, os, pathlib, re, shutil, subprocess, tarfile

from project import ROOT, TARGET, leave_out
from release.product import address, timestamp, version

HOME = TARGET / "r"
SOURCES = ROOT / "r"
#: Where packages of R are installed for the checks.
LIBRARY = HOME / "library"
#: What the checks need besides R: Debian has each as r-cran-NAME.
PACKAGES = ["knitr", "rmarkdown", "roxygen2", "testthat", "tibble"]
#: The crates of this repository that the package brings. Cargo wants to find the last two, which are not built.
OWN = ["doisift", "doisift-core", "doisift-documents", "doisift-known", "doisift-structure", "doisift-system", "doisift-tables", "doisift-remote", "doisift-resolve"]
#: The systems whose crates it brings. Of other crates it has what cargo reads, without their code.
SYSTEMS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "x86_64-apple-darwin", "aarch64-apple-darwin"]
LEFT_BEHIND = shutil.ignore_patterns("*.o", "*.so", "libdoisift_r.a", "target", "vendor", "crates", "cargo-home", ".gitignore")


def run(*command, **options):
    """Runs a command, which must succeed."""
    print("+", *(os.path.relpath(part) if isinstance(part, pathlib.Path) else part for part in command), flush=True)
    return subprocess.run(list(map(str, command)), check=True, **options)


def has_packages():
    """Whether R has all that the checks need."""
    tests = " && ".join(f'requireNamespace("{name}", quietly = TRUE)' for name in PACKAGES)
    return shutil.which("Rscript") and subprocess.run(["Rscript", "-e", f"quit(status = !({tests}))"], capture_output=True).returncode == 0


def want_r(may_install):
    """Ends the script where R or what the checks need is missing, and may not or cannot be installed from Debian."""
    if not shutil.which("cargo"):
        leave_out("there is no cargo")
    debian = ["r-base-core", "pandoc", *(f"r-cran-{name}" for name in PACKAGES)]
    if not has_packages() and may_install and shutil.which("apt-get") and os.geteuid() == 0:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["-y", "--no-install-recommends", "install", *debian]):
            subprocess.run(["apt-get", "-qq", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    if not has_packages():
        leave_out(f"R is missing, or its packages {', '.join(PACKAGES)}; on Debian: apt-get install {' '.join(debian)}")


def source_package():
    """-> the source package, with vendor.tar.xz and the built vignette"""
    stage = HOME / "stage" / "doisift"
    shutil.rmtree(stage.parent, ignore_errors=True)
    shutil.copytree(SOURCES, stage, ignore=LEFT_BEHIND)
    rust = stage / "src" / "rust"
    unpack_own(rust / "crates")
    point_to_own(rust / "Cargo.toml")
    run("cargo", "vendor", "--quiet", "--locked", "vendor", cwd=rust, stdout=subprocess.DEVNULL)
    leave_out_other_systems(rust)
    pack(rust, ["crates", "vendor"], stage / "src" / "vendor.tar.xz")
    state_address(stage / "DESCRIPTION")
    run("R", "CMD", "build", stage, cwd=HOME, env=environment())
    return HOME / f"doisift_{version()}.tar.gz"


def environment():
    """-> the environment of commands that build: what one has built, the next uses"""
    return {**os.environ, "CARGO_TARGET_DIR": str(HOME / "build"), "R_LIBS": str(LIBRARY), "_R_CHECK_FORCE_SUGGESTS_": "false"}


def unpack_own(folder):
    """The crates of this repository, as cargo packs them to publish them."""
    target = HOME / "package"
    chosen = [word for name in OWN for word in ("-p", name)]
    shutil.rmtree(target / "package", ignore_errors=True)
    run("cargo", "package", "--quiet", "--no-verify", "--allow-dirty", "--target-dir", target, *chosen, cwd=ROOT)
    folder.mkdir()
    for name in OWN:
        with tarfile.open(target / "package" / f"{name}-{version()}.crate") as archive:
            archive.extractall(folder, filter="data")
        crate = (folder / f"{name}-{version()}").rename(folder / name)
        manifest = crate / "Cargo.toml"
        # Cargo writes the versions alone, which a registry would have.
        found = re.sub(r"^(\[.*dependencies\.(doisift-[a-z]+)\])$", r'\1\npath = "../\2"', manifest.read_text(encoding="utf-8"), flags=re.MULTILINE)
        manifest.write_text(found, encoding="utf-8")


def point_to_own(manifest):
    """Lets the manifest find the crates of this repository beside it."""
    text = manifest.read_text(encoding="utf-8")
    repository = 'path = "../../.."'
    if repository not in text:
        raise SystemExit(f"{manifest}: {repository} is missing")
    text = text.replace(repository, 'path = "crates/doisift"')
    manifest.write_text(text, encoding="utf-8")


def leave_out_other_systems(rust):
    """Empties the crates that no system of the package needs, most of the size of all. Cargo wants to find them."""
    needed = set()
    for system in SYSTEMS:
        words = ["cargo", "tree", "--locked", "--target", system, "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]
        listed = subprocess.run(words, cwd=rust, check=True, capture_output=True, text=True).stdout
        needed |= {tuple(line.split()[:2]) for line in listed.splitlines()}
    for crate in (rust / "vendor").iterdir():
        name, number = about(crate / "Cargo.toml")
        if (name, f"v{number}") not in needed:
            empty(crate)


def about(manifest):
    """-> the name and the version of a crate"""
    package = manifest.read_text(encoding="utf-8").partition("[package]")[2]
    return tuple(re.search(rf'^{field} = "(.*)"', package, re.MULTILINE)[1] for field in ("name", "version"))


def empty(crate):
    """Leaves of a crate its manifest, and files without content where that names some."""
    for path in sorted(crate.rglob("*"), reverse=True):
        if path.is_dir():
            shutil.rmtree(path) if path.name in ("tests", "benches", "examples") else None
        elif path.suffix == ".rs":
            path.write_text("")
        elif path.name not in ("Cargo.toml", ".cargo-checksum.json"):
            path.unlink()
    checksums = crate / ".cargo-checksum.json"
    package = json.loads(checksums.read_text())["package"]
    checksums.write_text(json.dumps({"files": {}, "package": package}))


def pack(folder, names, archive):
    """Moves folders to an archive, which is the same for the same content."""
    owner = ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", f"--mtime=@{timestamp()}"]
    run("tar", *owner, "-C", folder, "-cJf", archive, *names, env={**os.environ, "XZ_OPT": "-9e"})
    for name in names:
        shutil.rmtree(folder / name)


def state_address(description):
    """The address of the repository, which only Cargo.toml has."""
    text = description.read_text(encoding="utf-8")
    description.write_text(text + f"URL: {address()}\n", encoding="utf-8")
