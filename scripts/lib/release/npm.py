"""The npm package, as scripts/check wasm builds and tests it."""
import pathlib, shutil, subprocess

from project import LEFT_OUT, ROOT, TARGET
from release import product
from release.steps import Artefact, LeftOut
from release.targets import NATIVE, build


def make():
    words = [ROOT / "scripts/check", "wasm", "--bin", build(NATIVE)]
    status = subprocess.run(list(map(str, words))).returncode
    if status == LEFT_OUT:
        raise LeftOut("Node, npm or what is installed with them is missing")
    if status:
        raise SystemExit("scripts/check wasm")
    path = TARGET / "npm" / f"{product.NAME}-{product.version()}.tgz"
    kept = pathlib.Path(shutil.copy(path, product.DIST / f"{product.NAME}-npm-{product.version()}.tgz"))
    return [Artefact(kept, "scripts/check wasm: tests in Node, types, size; the page in a browser where there is one")]
