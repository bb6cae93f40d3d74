"""Names, versions and addresses that must agree in all that is released."""
import json, os, re, sys

from project import ROOT
from release import product, recipes

#: The file that says what the npm package is.
NPM = ROOT / "wasm/js/package.json"
#: The R package.
R = ROOT / "r"
PLACEHOLDER = "https://example.org/"


def disagreements():
    """-> what is wrong, in words"""
    for name, package in product.packages().items():
        if package["version"] != product.version():
            yield f"{name} has the version {package['version']}, doisift {product.version()}"
        if package["license"] != product.about("license"):
            yield f"{name} has the licence {package['license']}, doisift {product.about('license')}"
        if package["repository"] != product.about("repository"):
            yield f"{name} has the address {package['repository']}, doisift {product.about('repository')}"
    npm = json.loads(NPM.read_text())
    for field in ("name", "version", "license"):
        if npm[field] != product.about(field):
            yield f"{NPM.relative_to(ROOT)} has the {field} {npm[field]}, Cargo.toml {product.about(field)}"
    yield from of_r()
    yield from unknown_fields()
    yield from other_address()


def of_r():
    """The R package, and the crate in it, which is no part of the workspace."""
    crate = re.search(r'^version = "(.*)"', (R / "src/rust/Cargo.toml").read_text(), re.MULTILINE)[1]
    description = dict(re.findall(r"^(\w+): (.*)$", (R / "DESCRIPTION").read_text(), re.MULTILINE))
    for name, version in (("doisift-r", crate), ("r/DESCRIPTION", description["Version"])):
        if version != product.version():
            yield f"{name} has the version {version}, doisift {product.version()}"
    if not all(part.split("-")[0] in description["License"] for part in product.about("license").split(" OR ")):
        yield f"r/DESCRIPTION has the licence {description['License']}, doisift {product.about('license')}"


def unknown_fields():
    """Recipes may only name what the release fills in, and artefacts that it makes."""
    known = recipes.artefacts()
    for path in recipes.templates():
        for kind, argument in recipes.FIELD.findall(path.read_text()):
            if kind not in recipes.KINDS or (argument and argument not in known):
                yield f"{path.relative_to(ROOT)}: no release has @{kind}{':' * bool(argument)}{argument}@"


def other_address():
    """In a hosted run, the address is that of the repository."""
    server, repository = os.environ.get("GITHUB_SERVER_URL"), os.environ.get("GITHUB_REPOSITORY")
    if server and repository and os.environ.get("GITHUB_REF_TYPE") == "tag" and product.address() != f"{server}/{repository}":
        yield f"Cargo.toml has the repository {product.address()}, this is {server}/{repository}: fill it in, in [workspace.package]"


def changelog_has_version():
    return re.search(rf"^## \[{re.escape(product.version())}\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)


def check():
    """Ends the script if anything disagrees."""
    found = list(disagreements())
    if found:
        sys.exit("\n".join(found))
    if product.address().startswith(PLACEHOLDER):
        print("note: the address of the repository is not known yet; it is filled in once, in [workspace.package] of Cargo.toml")
    if not changelog_has_version():
        print(f"note: CHANGELOG.md has no section for {product.version()} yet")
    print(f"doisift {product.version()}: names, versions, licences and addresses agree")
