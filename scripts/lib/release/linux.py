"""Packages for Debian and for Fedora and its relatives, of the static command, by nfpm."""
import gzip, json, pathlib, re, tempfile, time

from project import ROOT
from release import product
from release.archives import COMPLETIONS, generated
from release.steps import output
from release.targets import tools

#: Where each shell looks for completions.
FOLDERS = {
    "bash": "/usr/share/bash-completion/completions/doisift",
    "zsh": "/usr/share/zsh/vendor-completions/_doisift",
    "fish": "/usr/share/fish/vendor_completions.d/doisift.fish",
}
#: zsh of Fedora looks elsewhere than that of Debian.
ZSH = {"rpm": "/usr/share/zsh/site-functions/_doisift"}
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
MORE = """It reads prose, HTML, XML, JSON, BibTeX, RIS, CSV, PDF, office documents,
Parquet, mail and archives, and follows the DOI standards on where a name
ends, how it may be escaped, and which names are the same."""
#: A text that all of Debian's machines have, and that its packages must not hold.
APACHE = "/usr/share/common-licenses/Apache-2.0"


def files(binary, native, folder, packager):
    """Writes the files of a package. -> their places, by the files that go there"""
    texts = generated(native)
    page = folder / "doisift.1.gz"
    page.write_bytes(gzip.compress(texts["doisift.1"].encode(), 9, mtime=0))
    placed = {page: "/usr/share/man/man1/doisift.1.gz"}
    for shell, place in FOLDERS.items():
        path = folder / COMPLETIONS[shell]
        path.write_text(texts[f"completions/{path.name}"])
        placed[path] = ZSH.get(packager, place) if shell == "zsh" else place
    licenses = "/usr/share/doc/doisift" if packager == "deb" else "/usr/share/licenses/doisift"
    placed |= {ROOT / name: f"{licenses}/{name}" for name in product.LICENSES}
    if packager == "deb":
        placed |= debian_documents(folder)
    return {binary: "/usr/bin/doisift", **placed}


def debian_documents(folder):
    """The copyright and the changelog, as Debian's policy wants them."""
    author = product.about("authors")[0]
    holder = re.search(r"^Copyright (.*)", (ROOT / "LICENSE-MIT").read_text(), re.MULTILINE)[1]
    copyright = folder / "copyright"
    copyright.write_text(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: {product.NAME}\nSource: {product.address()}\n\nFiles: *\nCopyright: {holder}\n"
        f"License: Apache-2.0 or MIT\n On Debian the Apache License, version 2.0, is in {APACHE}; both texts are beside this file.\n"
    )
    changelog = folder / "changelog.gz"
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime(product.timestamp()))
    text = f"{product.NAME} ({product.version()}) unstable; urgency=medium\n\n  * See {product.address()}.\n\n -- {author}  {date}\n"
    changelog.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return {path: f"/usr/share/doc/doisift/{path.name}" for path in (copyright, changelog)}


def configuration(triple, placed):
    """-> what nfpm is told; JSON is YAML too"""
    place = lambda path, to: {"src": str(path), "dst": to, "file_info": {"mode": 0o755 if to == "/usr/bin/doisift" else 0o644}}
    return {
        "name": product.NAME,
        "arch": ARCHITECTURES[triple.split("-")[0]],
        "version": product.version(),
        "section": "utils",
        "maintainer": product.about("authors")[0],
        "description": f"{product.about('description')}\n{MORE}",
        "homepage": product.about("homepage") or product.address(),
        "license": product.about("license"),
        "mtime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(product.timestamp())),
        "contents": [place(path, to) for path, to in placed.items()],
    }


def name(target, packager):
    """-> the package's file, as each of the two systems names it"""
    machine = target.triple.split("-")[0]
    if packager == "deb":
        return f"{product.NAME}_{product.version()}_{ARCHITECTURES[machine]}.deb"
    return f"{product.NAME}-{product.version()}-1.{machine}.rpm"


def write(target, binary, native, packager):
    """-> the package; packager: deb or rpm"""
    path = product.DIST / name(target, packager)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        config = folder / "nfpm.yaml"
        config.write_text(json.dumps(configuration(target.triple, files(binary, native, folder, packager))))
        output("nfpm", "package", "--config", config, "--packager", packager, "--target", path, env=tools())
    return path
