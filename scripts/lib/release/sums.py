"""The file SHA256SUMS of all artefacts, as `sha256sum --check` reads it."""
import hashlib

from release import product

FILE = "SHA256SUMS"


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def artefacts():
    return sorted(path for path in product.DIST.iterdir() if path.is_file() and path.name != FILE)


def write():
    lines = [f"{digest(path)}  {path.name}\n" for path in artefacts()]
    (product.DIST / FILE).write_text("".join(lines))
