"""Tasks that read files and write one."""

from __future__ import annotations

import http.server
import json
import pathlib
import threading

import pytest

import doisift


def test_a_table_is_cleaned(tmp_path: pathlib.Path) -> None:
    table, clean = tmp_path / "works.csv", tmp_path / "clean.csv"
    table.write_text("id,DOI\n1,https://doi.org/10.5555/A\n2,10.5555/b.\n3,none\n")
    report = doisift.clean_table(table, output=clean, column="doi", clean=True)
    rows = [line.split(",") for line in clean.read_text().splitlines()]
    assert rows[0] == ["id", "DOI", "doi_clean", "doi_status", "doi_reason"]
    assert [row[2] for row in rows[1:]] == ["10.5555/a", "10.5555/b", ""]
    assert report["rows"] == 3
    doisift.clean_table([table], output=clean, column=["DOI"], in_place=True, to="url", clean=True)
    assert clean.read_text().splitlines()[2:] == ["2,https://doi.org/10.5555/b", "3,none"]
    with pytest.raises(ValueError, match="would be overwritten"):
        doisift.clean_table(table, output=table, column="DOI")


def test_records_are_merged(tmp_path: pathlib.Path) -> None:
    parts = []
    for number, text in enumerate(["10.5555/a 10.5555/b", "10.5555/b"]):
        source, part = tmp_path / f"{number}.txt", tmp_path / f"{number}.jsonl"
        source.write_text(text)
        doisift.scan(source, output=part)
        parts.append(part)
    report = doisift.merge(parts, output=tmp_path / "names.parquet")
    assert (report["records"], report["mentions"]) == (2, 3)


def test_what_cannot_be_is_refused_by_name(tmp_path: pathlib.Path) -> None:
    table = tmp_path / "works.csv"
    table.write_text("id,DOI\n1,10.5555/a\n")
    with pytest.raises(ValueError, match="output: name the file"):
        doisift.clean_table(table, column="DOI")
    with pytest.raises(TypeError, match="colum: "):
        doisift.clean_table(table, output=tmp_path / "out.csv", colum="DOI")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="Title"):
        doisift.clean_table(table, output=tmp_path / "out.csv", column="Title")
    with pytest.raises(OSError, match="missing"):
        doisift.index(tmp_path / "missing", output=tmp_path / "known.doix", on_error="fail")
    assert not (tmp_path / "out.csv").exists()


def test_references_are_checked(tmp_path: pathlib.Path) -> None:
    references, names, known = tmp_path / "refs.bib", tmp_path / "names.txt", tmp_path / "known.doix"
    references.write_text("@misc{a, doi = {10.5555/one.}}\n@misc{b, doi = {10.7777/two}}\n@misc{c, title = {None}}\n")
    names.write_text("10.5555/one\n10.5555/other\n")
    doisift.index(names, output=known)
    rows = doisift.check(references, known=known)
    assert [(row["key"], row["verdict"]) for row in rows] == [("a", "written_wrongly"), ("b", "not_in_index"), ("c", "no_doi")]
    rows = doisift.check([references], known=known, fix=True)
    assert [row["fixed"] for row in rows] == [True, False, False]
    assert references.read_text().startswith("@misc{a, doi = {10.5555/one}}\n")


def test_patterns_of_check_are_expanded(tmp_path: pathlib.Path) -> None:
    for name in ("a.bib", "b.bib", "c.txt"):
        (tmp_path / name).write_text(f"@misc{{{name[0]}, doi = {{10.5555/{name[0]}}}}}\n")
    assert [row["key"] for row in doisift.check(tmp_path / "*.bib")] == ["a", "b"]
    assert [row["key"] for row in doisift.check([str(tmp_path / "[ab].bib")])] == ["a", "b"]
    for missing in ("none.bib", "*.none"):
        with pytest.raises(FileNotFoundError, match="none"):
            doisift.check(tmp_path / missing)


def test_names_are_asked_of_a_registry(tmp_path: pathlib.Path) -> None:
    class Handles(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_known = "known" in self.path
            name = self.path.partition("/handles/")[2].partition("?")[0]
            body = json.dumps({"responseCode": 1 if is_known else 100, "handle": name, "values": []}).encode()
            self.send_response(200 if is_known else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handles) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{server.server_port}/"
        rows = doisift.resolve(["doi:10.5555/known", "10.5555/other", "no name"], endpoint=endpoint, rate=1000)
        server.shutdown()
    assert [(row["doi"], row["status"]) for row in rows] == [
        ("10.5555/known", "known"), ("10.5555/other", "unknown_to_registry"), (None, "not_a_doi"),
    ]
