"""The command for Windows: what builds it on Linux, and what runs it there."""
import os, pathlib, shutil, subprocess, sys

from project import ROOT, TARGET, leave_out

TRIPLE = "x86_64-pc-windows-gnu"
COMPILER = "x86_64-w64-mingw32-gcc"
HOME = TARGET / "windows"
#: What Debian has for it, by the program that is wanted.
PACKAGES = {COMPILER: "gcc-mingw-w64-x86-64", "wine64": "wine64"}
#: std takes random numbers from a library that wine 8 lacks.
RANDOM = """#include <stddef.h>
__declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);
__declspec(dllexport) int ProcessPrng(unsigned char *data, size_t length) { return SystemFunction036(data, length); }
"""


def program(name):
    """-> its path, or None. Debian has wine64 outside of PATH."""
    return shutil.which(name, path=os.environ["PATH"] + os.pathsep + "/usr/lib/wine")


def want(*names):
    """Installs the programs that are missing, where this user may."""
    missing = [PACKAGES[name] for name in names if not program(name)]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        install = ["apt-get", "-qq", "-y", "--no-install-recommends", "install", *missing]
        for command in (["apt-get", "-qq", "update"], install):
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    missing = [name for name in names if not program(name)]
    if missing:
        leave_out(f"it needs {' and '.join(missing)}; on Debian: apt-get install {' '.join(PACKAGES[name] for name in missing)}")


def want_library():
    """Installs the standard library for the target, where rustup is."""
    installed = lambda: TRIPLE in subprocess.run(["rustup", "target", "list", "--installed"], capture_output=True, text=True).stdout.split()
    if not shutil.which("rustup"):
        leave_out(f"it needs rustup, for the standard library of {TRIPLE}")
    if not installed():
        subprocess.run(["rustup", "--quiet", "target", "add", TRIPLE], stderr=subprocess.DEVNULL)
    if not installed():
        leave_out(f"it needs the standard library for Windows: rustup target add {TRIPLE}")


def build_windows():
    """-> doisift.exe, a release build"""
    want(COMPILER)
    want_library()
    subprocess.run(["cargo", "build", "--quiet", "--release", "--bin", "doisift", "--target", TRIPLE], cwd=ROOT, check=True)
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
