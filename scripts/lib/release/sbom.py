"""The bill of materials of the command, as CycloneDX: each crate that is built into it for any of the systems, with its licence and checksum."""
import json, re, time, uuid

from project import ROOT
from release import product
from release.steps import output
from release.targets import TARGETS


def built_in(triple):
    """-> the crates that the command has on a system, as (name, version); not what is needed to build or to test it alone"""
    words = ["cargo", "tree", "--locked", "--package", product.COMMAND, "--features", product.FEATURES, "--edges", "normal", "--target", triple, "--prefix", "none", "--format", "{p}"]
    return {tuple(line.split()[:2]) for line in output(*words, cwd=ROOT).splitlines() if line}


def checksums():
    """-> the checksum of each crate of the registry, from Cargo.lock"""
    rows = re.findall(r'name = "(.*)"\nversion = "(.*)"\nsource = ".*"\nchecksum = "(.*)"', (ROOT / "Cargo.lock").read_text())
    return {(name, version): checksum for name, version, checksum in rows}


def component(package, checksum):
    url = f"pkg:cargo/{package['name']}@{package['version']}"
    row = {"type": "library", "bom-ref": url, "name": package["name"], "version": package["version"], "purl": url}
    if package["license"]:
        row["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum:
        row["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return row


def document():
    """-> the bill, with a component for each crate"""
    found = json.loads(output("cargo", "metadata", "--format-version", "1", "--locked", cwd=ROOT))
    packages = {(package["name"], "v" + package["version"]): package for package in found["packages"]}
    sums = checksums()
    crates = sorted(set().union(*(built_in(target.triple) for target in TARGETS)))
    rows = [component(package, sums.get((package["name"], package["version"]))) for package in map(packages.get, crates)]
    own = next(row for row in rows if row["name"] == product.COMMAND)
    rows.remove(own)
    refs = {packages[crate]["id"]: row["bom-ref"] for crate in crates for row in [component(packages[crate], None)]}
    edges = [{"ref": refs[node["id"]], "dependsOn": sorted({refs[part["pkg"]] for part in node["deps"] if part["pkg"] in refs and has_normal(part)})} for node in found["resolve"]["nodes"] if node["id"] in refs]
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, product.download('') + (ROOT / 'Cargo.lock').read_text())}",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(product.timestamp())), "component": {**own, "type": "application"}},
        "components": rows,
        "dependencies": edges,
    }


def has_normal(dependency):
    return any(kind["kind"] is None for kind in dependency["dep_kinds"])


def write():
    """-> the file, and the number of crates"""
    bill = document()
    path = product.DIST / f"{product.NAME}-{product.version()}.cdx.json"
    path.write_text(json.dumps(bill, indent=1) + "\n")
    return path, len(bill["components"])
