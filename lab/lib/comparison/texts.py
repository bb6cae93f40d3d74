"""The texts that all tools read, with the lists of their names."""
import dataclasses, pathlib

from generated import article, make_folder, make_text, make_warc, make_wiki, pieces, size_of

PAGE = 30_000
FILES = 20_000
#: A small file has at least a few kB, so a small text has fewer of them.
LEAST_FILE = 2_000


@dataclasses.dataclass
class Text:
    key: str
    title: str
    #: What a tool has to open: text, folder, wiki or warc.
    kind: str
    path: pathlib.Path
    #: Bytes of plain text, without packing and framing.
    length: int
    names: pathlib.Path


def make(folder, size):
    """Writes all texts of `size`, such as `256M`, below a folder; those of the dense one again as files, pages and records."""
    folder.mkdir(parents=True, exist_ok=True)
    plain = [
        ("dense", "a name per 250 B", "prose", 250, "txt"),
        ("sparse", "a name per 50 kB", "prose", 50_000, "txt"),
        ("works", "JSON Lines of works and references", "references", 250, "jsonl"),
        ("numbers", "numbers full of `10.`, no name", "numbers", 0, "txt"),
    ]
    texts = [make_plain(folder, size, *text) for text in plain]
    dense = texts[0]
    length = max(-(-size_of(size) // FILES), LEAST_FILE)
    files = folder / "files"
    make_folder(files, map(article, pieces(dense.path, length)), "xml")
    make_wiki(folder / "wiki.xml.gz", pieces(dense.path, PAGE))
    make_warc(folder / "crawl.warc.gz", pieces(dense.path, PAGE))
    again = [
        ("files", f"the first text as {sum(1 for _ in files.iterdir()):,} files of XML", "folder", files),
        ("wiki", "the first text as a dump of MediaWiki, .xml.gz", "wiki", folder / "wiki.xml.gz"),
        ("warc", "the first text as web pages, .warc.gz", "warc", folder / "crawl.warc.gz"),
    ]
    return texts + [Text(*text, dense.length, dense.names) for text in again]


def make_plain(folder, size, key, title, kind, every, ending):
    path, names = folder / f"{key}.{ending}", folder / f"{key}.names"
    make_text(path, size, every, kind, names)
    return Text(key, title, "text", path, path.stat().st_size, names)
