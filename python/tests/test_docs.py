"""The examples of docstrings, of the README and of the pages of the book on Python."""

from __future__ import annotations

import doctest
import importlib
import os
import pathlib
import re
from typing import Any

import pytest

import doisift

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ["README.md", "python/README.md", "docs/src/guide/python.md", "docs/src/engines/polars.md", "docs/src/engines/duckdb.md"]


def run(name: str, text: str) -> int:
    """Runs the examples of a text, and returns how many it has."""
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0, name
    return len(test.examples)


@pytest.mark.parametrize("name", ["doisift", "doisift.pandas", "doisift.polars", "doisift.duckdb"])
def test_modules(name: str) -> None:
    assert run(name, importlib.import_module(name).__doc__ or "") > 0


@pytest.mark.parametrize("name", ["Doi", "normalize", "explain", "extract", "scan", "iter_mentions", "iter_edges"])
def test_docstrings(name: str) -> None:
    assert run(name, getattr(doisift, name).__doc__) > 0


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / page).read_text()
    blocks: list[Any] = re.findall(r"^```pycon\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks
    monkeypatch.chdir(tmp_path)
    os.symlink(ROOT / "corpora", tmp_path / "corpora")
    assert run(page, "\n".join(blocks)) > 1
