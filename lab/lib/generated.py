"""Generated texts for scripts that measure, whole and packed. The same arguments give the same bytes.

The packings cut a text only where a line ends, so that they hold the names of the whole.
"""
import gzip, itertools, subprocess, sys, zlib
from xml.sax.saxutils import escape

from project import ROOT

UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
WIKI = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">
  <siteinfo>
    <sitename>Example</sitename>
    <namespaces>
      <namespace key="0" case="first-letter" />
    </namespaces>
  </siteinfo>
"""
PAGE = """  <page>
    <title>Page {number}</title>
    <ns>0</ns>
    <id>{number}</id>
    <revision>
      <id>{number}</id>
      <timestamp>2026-01-01T00:00:00Z</timestamp>
      <contributor>
        <username>Example</username>
        <id>1</id>
      </contributor>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text xml:space="preserve">{text}</text>
    </revision>
  </page>
"""


def size_of(text):
    """Bytes: `64K`, `10M`, `1G`."""
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def make_text(path, size, every=250, kind="prose", names=None):
    """Writes a text with a name per `every` bytes, one in three of them new, and the list of its names if wanted."""
    make = [ROOT / "lab/make-corpus", "--kind", kind, "--size", size, "--every", every, "--names", names or "/dev/null"]
    with open(path, "wb") as out:
        subprocess.run([str(part) for part in make], stdout=out, check=True)


def pieces(path, length=1 << 20, most=None):
    """The first `most` bytes of a file in pieces, each to the end of the line in which another `length` bytes end."""
    size = min(path.stat().st_size, most or sys.maxsize)
    with open(path, "rb") as text:
        for end in range(length, size + length, length):
            if piece := text.read(max(min(end, size) - text.tell(), 0)):
                yield piece + text.readline()


def pack(path, pieces):
    """Writes a gzip file of a single member."""
    with gzip.GzipFile(path, "wb", compresslevel=6, mtime=0) as out:
        for piece in pieces:
            out.write(piece)


def make_folder(folder, pieces, ending="txt"):
    """A file for each piece."""
    folder.mkdir(exist_ok=True)
    for number, piece in enumerate(pieces):
        (folder / f"{number:05}.{ending}").write_bytes(piece)


def article(piece):
    """A piece as a document of XML."""
    return f"<article>\n{escape(piece.decode())}</article>\n".encode()


def make_wiki(path, pieces):
    """A dump of MediaWiki, gzip: a page with one revision for each piece."""
    page = lambda number, piece: PAGE.format(number=number, text=escape(piece.decode())).encode()
    pages = itertools.starmap(page, enumerate(pieces, 1))
    pack(path, itertools.chain([WIKI.encode()], pages, [b"</mediawiki>\n"]))


def make_warc(path, pieces, most=float("inf")):
    """A .warc.gz of a response, and a member, for each piece, that ends after `most` bytes."""
    with open(path, "wb") as out:
        for number, body in enumerate(pieces):
            packer = zlib.compressobj(6, zlib.DEFLATED, 31)
            out.write(packer.compress(response(number, body)) + packer.flush())
            if out.tell() >= most:
                return


def response(number, body):
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
    header = b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: https://example.org/%d\r\n" % number
    header += b"WARC-Record-ID: <urn:uuid:%032x>\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n" % number
    header += b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n" % (len(http) + len(body))
    return header + http + body + b"\r\n\r\n"
