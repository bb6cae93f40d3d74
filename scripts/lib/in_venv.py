"""For scripts that need packages from PyPI: virtual environments below target/, and scripts that run in one."""
import os, pathlib, subprocess, sys, venv

from project import TARGET, called, leave_out


def environment(name):
    """-> the folder target/NAME and its Python; makes it if there is none"""
    home = TARGET / name
    python = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        print(f"{called()}: making {home}", file=sys.stderr)
        venv.create(home, with_pip=True)
    return home, python


def in_venv(name, imports, packages):
    """Runs the script again in the environment target/NAME, which is made if there is none; exits with 3 if the packages cannot be installed.

    Returns only there. imports: what shows that all are installed, as Python imports it.
    """
    home, python = environment(name)
    if subprocess.run([python, "-c", f"import {imports}"], stderr=subprocess.DEVNULL).returncode != 0:
        print(f"{called()}: installing", *packages, file=sys.stderr)
        if subprocess.run([python, "-m", "pip", "--quiet", "install", *packages]).returncode != 0:
            leave_out(f"{', '.join(packages)} cannot be installed")
    if pathlib.Path(sys.prefix).resolve() != home.resolve():
        sys.exit(subprocess.run([python, *sys.argv]).returncode)
