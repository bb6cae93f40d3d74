"""What a linker has to know of macOS. Apple's SDK may not be given to others, and zig has of it only what every program needs."""
import json, pathlib, re

from project import ROOT, TARGET
from release.steps import output

FOLDER = TARGET / "macos"
#: The frameworks that are called, with the crate that declares what they export: for the names of time zones, the roots of TLS, and proxies.
FRAMEWORKS = {"CoreFoundation": "core-foundation-sys", "Security": "security-framework-sys", "SystemConfiguration": "system-configuration-sys"}
DECLARED = re.compile(r"\bpub (?:fn|static) (\w+)")
STUB = """--- !tapi-tbd
tbd-version: 4
targets: [ x86_64-macos, arm64-macos ]
install-name: '/System/Library/Frameworks/{name}.framework/Versions/A/{name}'
current-version: 1856.105
compatibility-version: 150
exports:
  - targets: [ x86_64-macos, arm64-macos ]
    symbols: [ {symbols} ]
...
"""


def symbols(package):
    """-> the names of the functions and values that a crate declares"""
    sources = pathlib.Path(package["manifest_path"]).parent.rglob("*.rs")
    return sorted({f"_{name}" for path in sources for name in DECLARED.findall(path.read_text())})


def linking():
    """-> the options of rustc that let it link for macOS; writes the lists of symbols of the frameworks that are needed"""
    metadata = json.loads(output("cargo", "metadata", "--format-version", "1", "--locked", "--quiet", cwd=ROOT))
    packages = {package["name"]: package for package in metadata["packages"]}
    for name, crate in FRAMEWORKS.items():
        framework = FOLDER / f"{name}.framework"
        framework.mkdir(parents=True, exist_ok=True)
        (framework / f"{name}.tbd").write_text(STUB.format(name=name, symbols=", ".join(symbols(packages[crate]))))
    return ["-L", f"framework={FOLDER}"]
