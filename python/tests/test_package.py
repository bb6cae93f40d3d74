"""What the package is: light to import, and made of the standard library alone."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import doisift


def test_import_needs_the_standard_library_alone() -> None:
    home = pathlib.Path(doisift.__file__).parent.parent
    program = f"""
import sys
sys.path.append({str(home)!r})
import doisift
known = {{"doisift", "__main__"}} | set(sys.stdlib_module_names) | set(sys.builtin_module_names)
print(*sorted({{name.partition(".")[0] for name in sys.modules}} - known))
print(*sorted({{"typing", "logging", "pandas", "polars", "duckdb", "mcp"}} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
