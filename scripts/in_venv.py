"""For scripts that need packages from PyPI: runs them in a virtual environment below target/."""
import os, pathlib, subprocess, sys, venv

TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", pathlib.Path(__file__).resolve().parent.parent / "target"))


def in_venv(name, imports, packages):
    """Runs the script again in the environment target/NAME, which is made if there is none; exits with 3 if the packages cannot be installed.

    Returns only there. imports: what shows that all are installed, as Python imports it.
    """
    home = TARGET / name
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    script = pathlib.Path(sys.argv[0]).name
    if not python.exists():
        print(f"{script}: making {home}", file=sys.stderr)
        venv.create(home, with_pip=True)
    if subprocess.run([python, "-c", f"import {imports}"], stderr=subprocess.DEVNULL).returncode != 0:
        print(f"{script}: installing", *packages, file=sys.stderr)
        if subprocess.run([python, "-m", "pip", "--quiet", "install", *packages]).returncode != 0:
            sys.exit(3)
    if pathlib.Path(sys.prefix).resolve() != home.resolve():
        sys.exit(subprocess.run([python, *sys.argv]).returncode)
