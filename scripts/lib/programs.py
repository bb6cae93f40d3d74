"""Programs that a part needs beside Rust and Python, installed from Debian where this user may."""
import os, shutil, subprocess

from project import leave_out

#: What Debian has, by the program that is wanted.
PACKAGES = {"x86_64-w64-mingw32-gcc": "gcc-mingw-w64-x86-64", "wine64": "wine64", "qemu-aarch64-static": "qemu-user-static", "rpm": "rpm"}


def program(name):
    """-> its path, or None. Debian has wine64 outside of PATH."""
    return shutil.which(name, path=os.environ["PATH"] + os.pathsep + "/usr/lib/wine")


def install(*names):
    """Installs the programs that are missing, where this user may. -> whether all are there"""
    missing = [PACKAGES[name] for name in names if not program(name)]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["-y", "--no-install-recommends", "install", *missing]):
            subprocess.run(["apt-get", "-qq", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    return all(map(program, names))


def want(*names):
    """Ends the script if a program is missing and cannot be installed."""
    if not install(*names):
        missing = [name for name in names if not program(name)]
        leave_out(f"it needs {' and '.join(missing)}; on Debian: apt-get install {' '.join(PACKAGES[name] for name in missing)}")


def has_library(target):
    """Installs Rust's standard library for a target, where rustup is. -> whether it is there"""
    if not shutil.which("rustup"):
        return False
    installed = lambda: target in subprocess.run(["rustup", "target", "list", "--installed"], capture_output=True, text=True).stdout.split()
    if not installed():
        subprocess.run(["rustup", "--quiet", "target", "add", target], stderr=subprocess.DEVNULL)
    return installed()


def want_library(target):
    """Ends the script if there is no standard library for a target."""
    if not has_library(target):
        leave_out(f"it needs the standard library for {target}: rustup target add {target}")
