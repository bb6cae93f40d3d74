"""The recipes of packaging/ for other distributors, with the version, the addresses and the checksums of what was made."""
import re

from project import ROOT
from release import archives, product, sums
from release.targets import TARGETS

TEMPLATES = ROOT / "packaging"
FIELD = re.compile(r"@(\w+)(?::([^@\n]+))?@")


KINDS = {"url", "sha256", "SHA256", "version", "address", "license", "description"}


def artefacts():
    """-> the names that recipes may use, with VERSION in them"""
    version = product.version()
    names = [archives.name(target) for target in TARGETS] + [f"{product.NAME}-{version}.tar.gz", f"{product.COMMAND}-{version}.crate"]
    return {name.replace(version, "VERSION") for name in names}


def templates():
    return sorted(path for path in TEMPLATES.rglob("*") if path.is_file() and path.name != "README.md")


class Missing(Exception):
    """A recipe needs an artefact that was not made."""


def value(kind, argument):
    """-> what stands for @KIND@ or @KIND:ARGUMENT@; an argument is the name of an artefact with VERSION in it"""
    if argument:
        name = argument.replace("VERSION", product.version())
        if kind == "url":
            return product.download(name)
        path = product.DIST / name
        if not path.exists():
            raise Missing(name)
        return sums.digest(path).upper() if kind == "SHA256" else sums.digest(path)
    fields = {"version": product.version(), "address": product.address(), "license": product.about("license"), "description": product.about("description")}
    return fields[kind]


def fill(text):
    return FIELD.sub(lambda found: value(*found.groups()), text)


def write():
    """Writes each recipe whose artefacts are there to target/dist/packaging, and names the others."""
    for path in templates():
        to = product.DIST / path.relative_to(ROOT)
        try:
            text = fill(path.read_text())
        except Missing as missing:
            to.unlink(missing_ok=True)
            print(f"{path.relative_to(ROOT)}: not filled in, for want of {missing}")
            continue
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)
