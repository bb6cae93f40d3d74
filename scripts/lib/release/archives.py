"""Archives of the command: the binary, completions, the man page, licences and the README, in one folder."""
import gzip, io, tarfile, time, zipfile

from project import ROOT
from release import product
from release.steps import output

#: Completions by the shell and the name by which it finds them.
COMPLETIONS = {"bash": "doisift.bash", "zsh": "_doisift", "fish": "doisift.fish", "powershell": "_doisift.ps1", "elvish": "doisift.elv", "nushell": "doisift.nu"}
DOCUMENTS = ["README.md", "CHANGELOG.md", *product.LICENSES]


def generated(native):
    """-> the files that a command that runs here writes about itself, by their names in the archive"""
    files = {f"completions/{name}": output(native, "--generate", shell) for shell, name in COMPLETIONS.items()}
    return {**files, "doisift.1": output(native, "--generate", "man")}


def contents(binary, native):
    """-> the bytes of each file of an archive, by its name"""
    files = {name: text.encode() for name, text in generated(native).items()}
    files |= {name: (ROOT / name).read_bytes() for name in DOCUMENTS}
    return {binary.name: binary.read_bytes(), **dict(sorted(files.items()))}


def mode(name):
    return 0o755 if name in ("doisift", "doisift.exe") else 0o644


def stem(target):
    return f"{product.NAME}-{product.version()}-{target.triple}"


def name(target):
    return stem(target) + (".zip" if target.is_windows else ".tar.gz")


def write(target, binary, native):
    """-> the archive: a zip file for Windows, a tar file for the others"""
    path = product.DIST / name(target)
    pack = as_zip if target.is_windows else as_tar
    path.write_bytes(pack(stem(target), contents(binary, native)))
    return path


def as_tar(folder, files):
    packed = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, packed, mtime=product.timestamp()) as stream, tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            entry = tarfile.TarInfo(f"{folder}/{name}")
            entry.size, entry.mode, entry.mtime = len(content), mode(name), product.timestamp()
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def as_zip(folder, files):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(f"{folder}/{name}", time.gmtime(product.timestamp())[:6])
            entry.external_attr, entry.compress_type = mode(name) << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return packed.getvalue()
