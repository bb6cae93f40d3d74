"""Runs the parts of a family: scripts/NAME runs the programs in NAME.d, beside it or in lab."""
import os, pathlib, signal, sys

LIBRARY = pathlib.Path(__file__).resolve().parent
LAB = LIBRARY.parents[1] / "lab"


def summary(part):
    """The first line of what a part says about itself."""
    text = part.read_text(encoding="utf-8").split("\n", 1)[1]
    return text.lstrip('"# ').split("\n")[0].rstrip('."')


def show(family, about, parts, out):
    name = f"scripts/{family.name}"
    print(f"{about}\n\nusage: {name} NAME [ARGUMENT]...   ({name} NAME --help describes the arguments)\n", file=out)
    width = max(map(len, parts))
    for name, part in parts.items():
        print(f"  {name:{width}}  {summary(part)}", file=out)


def run(script, about, home=LIBRARY.parent):
    """Runs the part that the first argument names, with the rest; without one, lists the parts. Their folder is in home."""
    family = pathlib.Path(script).resolve()
    parts = {part.name: part for part in sorted((home / f"{family.name}.d").iterdir()) if part.is_file()}
    name, *arguments = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help"):
        return show(family, about, parts, sys.stdout)
    if name not in parts:
        show(family, about, parts, sys.stderr)
        print(f"\nscripts/{family.name}: there is no part {name}", file=sys.stderr)
        sys.exit(2)
    # Parts find the modules beside this one and those of the lab, also when they start again in a virtual environment.
    paths = [str(LIBRARY), str(LAB / "lib"), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    # A shell starts jobs in the background with SIGINT ignored, which parts and the runs that they interrupt would inherit.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(parts[name], [str(parts[name]), *arguments])
