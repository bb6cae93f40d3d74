"""Where things are, and what the parts of scripts/check, scripts/bench and scripts/torture have in common."""
import argparse, os, pathlib, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
#: The exit status of a part that lacks what it needs.
LEFT_OUT = 3


def called():
    """The script as one calls it: `scripts/check edges`, also if it is a part in another folder."""
    script = pathlib.Path(sys.argv[0]).resolve()
    folder = script.parent
    if folder.suffix == ".d":
        return f"scripts/{folder.stem} {script.name}"
    return str(script.relative_to(ROOT))


def leave_out(reason):
    print(f"{called()}: left out: {reason}", file=sys.stderr)
    sys.exit(LEFT_OUT)


def build(*more):
    """Builds doisift, with further options of cargo. -> the command"""
    subprocess.run(["cargo", "build", "--quiet", "--release", "-p", "doisift-cli", *more], cwd=ROOT, check=True)
    return TARGET / "release/doisift"


def resolved(path):
    return pathlib.Path(path).resolve()


def parser(about):
    """Arguments of a part, whose first text is its help, with --bin. Where that is not given, `build` gives the command."""
    arguments = argparse.ArgumentParser(prog=called(), description=about, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    arguments.add_argument("--bin", type=resolved, metavar="DOISIFT", help="a command that is built already")
    return arguments
