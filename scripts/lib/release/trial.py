"""Runs what a release makes of the command, where this machine can."""
import pathlib, shutil, subprocess, sys, tempfile

from project import ROOT
from programs import install, program
from release import product, signature
from release.steps import offline, output, run

#: Each must write the names of a text that was labelled by hand.
TEXT, NAMES = ROOT / "corpora/prose.txt", ROOT / "corpora/prose.txt.names"

QEMU = "qemu-aarch64-static"


def command(exe, *by):
    """Runs a command without the network, by another program if it is not of this system. -> what was run"""
    words = [*offline(), *by, exe]
    if output(*words, "--version").split()[:2] != [product.NAME, product.version()]:
        raise SystemExit(f"{exe}: its version is not {product.version()}")
    found = output(*words, "scan", TEXT, "-f", "names").splitlines()
    if found != sorted(set(NAMES.read_text(encoding="utf-8").splitlines())):
        raise SystemExit(f"{exe}: it does not find the names of {TEXT}")
    cleaned = output(*words, "normalize", "--clean", "http://dx.doi.org/10.1111/x.12289/full")
    if cleaned != "10.1111/x.12289\n":
        raise SystemExit(f"{exe}: it cleans wrongly: {cleaned}")
    return "version, scan and normalize" + (", without the network" if offline() else "")


def unpacked(path, folder):
    """-> the command in an archive"""
    shutil.unpack_archive(path, folder)
    (made,) = pathlib.Path(folder).iterdir()
    return next(file for file in made.iterdir() if file.stem == product.NAME and file.suffix in ("", ".exe"))


def archive(target, path, native):
    """Tries the command in an archive. -> what was run, or why nothing was"""
    with tempfile.TemporaryDirectory() as folder:
        exe = unpacked(path, folder)
        if target.is_macos:
            return macos(target, exe)
        if target.is_windows:
            return compared("windows", exe, native, "wine", "x86_64-w64-mingw32-gcc", "wine64")
        if target.triple.startswith("aarch64"):
            return compared("aarch64", exe, native, "qemu", QEMU)
        return command(exe)


def compared(part, exe, native, by, *programs):
    """Runs a part of scripts/check that compares it with the native command."""
    if not install(*programs):
        return f"not run: there is no {by}"
    run(sys.executable, ROOT / "scripts/check", part, "--bin", native, "--exe", exe)
    return f"scripts/check {part}: by {by}, the bytes of Linux x86-64"


def macos(target, exe):
    """macOS runs on Apple's machines alone. What it would refuse at once is checked."""
    signed = signature.agrees(exe.read_bytes())
    if not signed and target.triple.startswith("aarch64"):
        raise SystemExit(f"{exe}: its signature does not agree with its bytes; macOS would not run it")
    return f"not run; {'signed ad hoc, and the signature agrees' if signed else 'not signed'}"


def deb(path):
    with tempfile.TemporaryDirectory() as folder:
        database = pathlib.Path(folder) / "var/lib/dpkg"
        for name in ("info", "updates", "triggers"):
            (database / name).mkdir(parents=True)
        (database / "status").touch()
        dpkg = ["dpkg", f"--root={folder}", "--log=/dev/null"]
        is_foreign = "arm64" in path.name
        output(*dpkg, *["--force-architecture"] * is_foreign, "--install", path)
        tried = installed(pathlib.Path(folder), is_foreign)
        output(*dpkg, "--purge", product.NAME)
        return removed(pathlib.Path(folder), tried, "dpkg")


def rpm(path):
    if not install("rpm"):
        return "not run: there is no rpm"
    with tempfile.TemporaryDirectory() as folder:
        words = [program("rpm"), "--root", folder]
        is_foreign = "aarch64" in path.name
        output(*words, *["--ignorearch"] * is_foreign, "--install", path)
        tried = installed(pathlib.Path(folder), is_foreign)
        output(*words, "--erase", product.NAME)
        return removed(pathlib.Path(folder), tried, "rpm")


def installed(root, is_foreign):
    """Runs the command that a package manager has installed below a folder."""
    exe = root / "usr/bin" / product.NAME
    if not is_foreign:
        return command(exe)
    if not install(QEMU):
        return "not run: there is no qemu"
    return command(exe, program(QEMU)) + ", by qemu"


def removed(root, tried, manager):
    left = [str(path) for path in root.rglob("*doisift*") if path.is_file() and "lib/dpkg" not in str(path)]
    if left:
        raise SystemExit(f"{manager} leaves {left}")
    return f"installed by {manager}, {tried}; removed"
