"""What Cargo.toml and git say of the product that is released."""
import functools, json, os, subprocess, time

from project import ROOT, TARGET

NAME = "doisift"
#: The package of the command.
COMMAND = "doisift-cli"
#: The features of it that a release has besides the default ones.
FEATURES = "remote"
#: Where the artefacts go.
DIST = TARGET / "dist"
LICENSES = ["LICENSE-APACHE", "LICENSE-MIT"]


@functools.lru_cache(None)
def packages():
    """-> the packages of the workspace by name, as `cargo metadata` describes them"""
    found = subprocess.run(["cargo", "metadata", "--format-version", "1", "--no-deps"], cwd=ROOT, capture_output=True, check=True)
    return {package["name"]: package for package in json.loads(found.stdout)["packages"]}


def about(field):
    """-> a field of the package doisift"""
    return packages()[NAME][field]


def version():
    return about("version")


def address():
    """-> where the repository is, without a slash at its end"""
    return about("repository").rstrip("/")


def download(name):
    """-> the address from which an artefact of this version is downloaded"""
    return f"{address()}/releases/download/v{version()}/{name}"


def git(*arguments):
    """-> what git prints; nothing where there is no repository"""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def commit():
    return git("rev-parse", "--short", "HEAD") + (", with changes that are not committed" if git("status", "--porcelain") else "")


@functools.lru_cache(None)
def timestamp():
    """-> the time of the commit, which all packed files have: the same sources give the same archives"""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct") or time.time())
