"""Single texts: normalize, Doi, extract."""

from __future__ import annotations

import array
import mmap
import pathlib
import pickle
import threading
from typing import Any

import pytest

import doisift
from doisift import Doi, extract, normalize


def test_forms_of_a_name() -> None:
    url = "https://doi.org/10.1000/ABC%23"
    forms = {
        "name": "10.1000/ABC#",
        "key": "10.1000/abc#",
        "doi-uri": "doi:10.1000/ABC%23",
        "url": "https://doi.org/10.1000/ABC%23",
        "urn": "urn:doi:10.1000:ABC%23",
        "api": "https://doi.org/api/handles/10.1000/ABC%23",
    }
    to: Any
    for to, form in forms.items():
        assert normalize(url, to=to) == form
    doi = Doi(url)
    assert [doi.name, doi.key, doi.to_doi_uri(), doi.to_url(), doi.to_urn(), doi.to_api_url()] == list(forms.values())


def test_reasons_are_value_errors() -> None:
    wrong: Any
    for wrong, reason in [
        ("none", r'"none": no directory indicator "10\.", at byte 0'),
        (b"10.1000/\xff", "not UTF-8, at byte 8"),
        ("10.1000/ab1 (2006)", "clean=True reads it as 10.1000/ab1"),
    ]:
        with pytest.raises(ValueError, match=reason):
            normalize(wrong)
    with pytest.raises(ValueError, match="reserved"):
        normalize("10.1000/a/b", strict=True)
    for options, reason in [({"to": "uri"}, "not a form"), ({"to": "url", "encode": "all"}, "mandatory or recommended")]:
        with pytest.raises(ValueError, match=reason):
            normalize("10.1000/a", **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a text is str or bytes, not int"):
        normalize(1)  # type: ignore[arg-type]
    with pytest.raises(ValueError):
        normalize("10.1000/\ud800")


def test_equivalent_names_are_equal() -> None:
    names = [Doi("10.1000/É-A"), Doi("doi:10.1000/É-a"), Doi("10.1000/é-a")]
    assert names[0] == names[1] != names[2]
    assert len(set(names)) == 2
    assert sorted(names)[0] == names[0]
    with pytest.raises(TypeError):
        names[0] < "10.1000/a"  # type: ignore[operator]
    assert repr(names[0]) == 'Doi("10.1000/É-A")'


def test_a_name_is_equal_to_its_key() -> None:
    name, key = Doi("https://doi.org/10.1000/ABC"), "10.1000/abc"
    assert name == key and key == name and not name != key and hash(name) == hash(key)
    assert key in {name} and name in {key: 1}
    # Both would need the hash of the other.
    assert name != "10.1000/ABC" and name != "https://doi.org/10.1000/abc"
    others: list[object] = [None, 10.1, b"10.1000/abc", "10.1000/\ud800"]
    assert all(name != other for other in others)


def test_a_name_survives_pickle() -> None:
    doi = Doi.from_name("10.1000/a%2Fb")
    again = pickle.loads(pickle.dumps(doi))
    assert (again.name, again.registrant_code, again.is_reserved) == ("10.1000/a%2Fb", "1000", False)


@pytest.mark.parametrize("kind", [str, bytes, bytearray, memoryview, "array", "mmap"])
def test_texts_of_every_kind(kind: Any) -> None:
    data = "Käse: 10.5555/Ä.1, 10.5555/b".encode()
    text: Any
    if kind is str:
        text = data.decode()
    elif kind == "array":
        text = array.array("b", data)
    elif kind == "mmap":
        text = mmap.mmap(-1, len(data))
        text[:] = data
    else:
        text = kind(data)
    found = extract(text)
    assert [mention.doi.key for mention in found] == ["10.5555/Ä.1", "10.5555/b"]
    for mention in found:
        cut = text[mention.start : mention.end]
        assert (cut if kind is str else bytes(cut).decode()) == mention.text


def test_a_mention_says_what_rows_do() -> None:
    text = "see\n https://doi.org/10.5555/a%28b%29, or 10.5555/c-\nd"
    first, last = extract(text, context=9)
    assert (first.form, first.text, str(first.doi), first.guessed) == ("url", "10.5555/a%28b%29", "10.5555/a(b)", False)
    assert (first.before, first.after) == ("/doi.org/", ", or 10.5")
    assert last.form == "bare" and extract(text)[0].before == ""


def test_dirty_names_are_cut() -> None:
    text = "10.1000/ab1/_pdf"
    assert [mention.doi.key for mention in extract(text)] == [text]
    (cut,) = extract(text, clean=True)
    assert (cut.doi.key, cut.text) == ("10.1000/ab1", text)


def test_the_kind_of_a_text() -> None:
    page = '<!doctype html><html><body><a id="10.5555/a"></a> 10.5555/b</body></html>'
    kind: Any
    for kind, names in [("unknown", ["10.5555/a", "10.5555/b"]), ("html", ["10.5555/b"]), ("auto", ["10.5555/b"])]:
        assert [mention.doi.key for mention in extract(page, input_kind=kind)] == names
    with pytest.raises(ValueError, match="or auto"):
        extract(page, input_kind="xls")  # type: ignore[arg-type]


def test_bytes_that_are_not_utf8_end_a_name() -> None:
    (mention,) = extract(b"\xff10.5555/a\xffb")
    assert (mention.doi.key, mention.start, mention.end) == ("10.5555/a", 1, 10)


def test_threads_share_no_state() -> None:
    text = "10.5555/a " * 10_000
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(len(extract(text)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [10_000] * 4


def test_all_public_names_have_docstrings() -> None:
    for name in doisift.__all__:
        thing = getattr(doisift, name)
        assert name == "__version__" or (thing.__doc__ or "").strip(), name


def test_decisions_are_explained(tmp_path: pathlib.Path) -> None:
    text = "Käse 10.0.0.0/8, or 10.1007/s10514-018-9783-8."
    refused, found = doisift.explain(text)
    assert (refused["verdict"], refused["start"], refused["reason"]) == ("refused", 5, "registrant_code")
    assert (found["verdict"], found["doi"], found["check_digit"]) == ("found", "10.1007/s10514-018-9783-8", "bad")
    assert text[found["start"] :].startswith("10.1007/") and found["kind"] == "unknown"
    assert found["steps"][-1]["rule"] == "tail.mark" and found["steps"][-1]["because"]
    assert doisift.explain(text.encode())[0]["start"] == 6
    assert doisift.explain("none") == []
    cleaned = doisift.explain("10.5555/a1/full", clean=True)
    assert (cleaned["doi"], cleaned["changed"], cleaned["changes"][0]["text"]) == ("10.5555/a1", True, "/full")
    assert doisift.explain("none", clean=True)["reason"] == 'no directory indicator "10.", at byte 0'
    names, known = tmp_path / "names.txt", tmp_path / "known.doix"
    names.write_text("10.5555/a.b\n")
    doisift.index(names, output=known)
    assert [row["doi"] for row in doisift.explain("10.5555/a.b.c", known=known)] == ["10.5555/a.b.c"]
    wrong: Any = doisift.explain
    with pytest.raises(TypeError, match="as one name"):
        wrong("10.5555/a", clean=True, known=known)
