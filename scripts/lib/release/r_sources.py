"""The source package for R, as scripts/check r builds and tries it."""
import pathlib, shutil, subprocess

from project import LEFT_OUT, ROOT, TARGET
from release import product
from release.steps import Artefact, LeftOut


def make():
    status = subprocess.run([ROOT / "scripts/check", "r"]).returncode
    if status == LEFT_OUT:
        raise LeftOut("R or one of its packages is missing")
    if status:
        raise SystemExit("scripts/check r")
    name = f"{product.NAME}_{product.version()}.tar.gz"
    path = pathlib.Path(shutil.copy(TARGET / "r" / name, product.DIST / name))
    return [Artefact(path, "installed without the network; tests, examples, vignette, R CMD check")]
