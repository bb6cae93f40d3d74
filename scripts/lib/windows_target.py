"""The command for Windows: what builds it on Linux, and what runs it there."""
import os, pathlib, shutil, subprocess, sys

from programs import program, want, want_library
from project import ROOT, TARGET

TRIPLE = "x86_64-pc-windows-gnu"
COMPILER = "x86_64-w64-mingw32-gcc"
HOME = TARGET / "windows"
#: std takes random numbers from a library that wine 8 lacks.
RANDOM = """#include <stddef.h>
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int ProcessPrng(unsigned char *data, size_t length) { return SystemFunction036(data, length); }
"""


def build_windows():
    """-> doisift.exe, a release build"""
    want(COMPILER)
    want_library(TRIPLE)
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "doisift-cli", "--target", TRIPLE], cwd=ROOT, check=True)
    return TARGET / TRIPLE / "release/doisift.exe"


def compile_windows(source, path, *options):
    """Compiles a text in C, unless that was done before."""
    text = path.with_suffix(".c")
    if path.exists() and text.exists() and text.read_text() == source:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    text.write_text(source)
    subprocess.run([COMPILER, "-O1", *options, "-o", path, text, "-ladvapi32"], check=True)


class Wine:
    """Runs programs of Windows, from a folder with what they need."""

    def __init__(self, exe):
        want(COMPILER, "wine64")
        self.folder = HOME / "bin"
        self.folder.mkdir(parents=True, exist_ok=True)
        compile_windows(RANDOM, self.folder / "bcryptprimitives.dll", "-shared")
        shutil.copy(exe, self.folder)
        self.command = [program("wine64"), str(self.folder / pathlib.Path(exe).name)]
        self.environment = {**os.environ, "WINEPREFIX": str(HOME / "prefix"), "WINEDEBUG": "-all", "DISPLAY": ""}
        # The first start makes the prefix, and says so.
        first = subprocess.run([*self.command, "--version"], env=self.environment, capture_output=True, text=True)
        if first.returncode:
            sys.exit(f"wine cannot start {exe}: {first.stderr}")
        self.version = first.stdout.splitlines()[0]
