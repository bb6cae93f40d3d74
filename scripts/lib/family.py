"""Runs the parts of a family: scripts/NAME runs the programs in scripts/NAME.d."""
import os, pathlib, sys

LIBRARY = pathlib.Path(__file__).resolve().parent


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


def run(script, about):
    """Runs the part that the first argument names, with the rest; without one, lists the parts."""
    family = pathlib.Path(script).resolve()
    parts = {part.name: part for part in sorted(family.with_suffix(".d").iterdir()) if part.is_file()}
    name, *arguments = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help"):
        return show(family, about, parts, sys.stdout)
    if name not in parts:
        show(family, about, parts, sys.stderr)
        print(f"\nscripts/{family.name}: there is no part {name}", file=sys.stderr)
        sys.exit(2)
    # Parts find the modules beside this one, also when they start again in a virtual environment.
    paths = [str(LIBRARY), os.environ.get("PYTHONPATH")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    os.execv(parts[name], [str(parts[name]), *arguments])
