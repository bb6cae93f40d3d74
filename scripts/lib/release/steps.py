"""Steps of a release, each of which makes artefacts and says what was tried of them."""
import dataclasses, os, pathlib, shutil, subprocess


class LeftOut(Exception):
    """An artefact that cannot be made here, and why."""


@dataclasses.dataclass
class Artefact:
    path: pathlib.Path
    #: What was run of it, or why nothing was.
    tried: str


def run(*command, **options):
    """Runs a command, which must succeed."""
    print("+", *(os.path.relpath(part) if isinstance(part, pathlib.Path) else part for part in command), flush=True)
    return subprocess.run(list(map(str, command)), check=True, **options)


def output(*command, **options):
    """-> what a command prints; it must succeed"""
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **options).stdout


def offline():
    """-> the words before a command that keep the network from it; none where the system does not let this user"""
    words = ["unshare", "--map-root-user", "--net"]
    works = shutil.which("unshare") and subprocess.run([*words, "true"], capture_output=True).returncode == 0
    return words if works else []
