"""Builds the npm package and the page of docs/try, in target/npm."""
import base64, hashlib, json, os, pathlib, re, shutil, subprocess

from project import ROOT, TARGET, leave_out
from release.product import address

HOME = TARGET / "npm"
#: The package as npm publishes it.
PACKAGE = HOME / "package"
PAGE = HOME / "try" / "index.html"
#: Where npm installs what builds and tests.
NODE = HOME / "node"
SOURCES = ROOT / "wasm"
TARGET_NAME = "wasm32-unknown-unknown"
#: Each is used at build time or in tests alone; the package has no dependencies.
TOOLS = {
    "@types/node": "^20",  # types of Node, in which the package reads its module
    "axe-core": "^4",  # finds what keeps people from using the page
    "binaryen": "^131",  # wasm-opt makes the module smaller and faster
    "esbuild": "^0.28",  # joins the scripts of the page
    "playwright-core": "^1.64",  # drives the browser of the machine
    "typescript": "^7",
}
#: What wasm-opt may use; browsers have had it since 2021.
FEATURES = ["simd", "bulk-memory", "nontrapping-float-to-int", "sign-ext", "mutable-globals", "reference-types", "multivalue"]


def run(*command, **options):
    """Runs a command, which must succeed."""
    print("+", *(os.path.relpath(part) if isinstance(part, pathlib.Path) else part for part in command), flush=True)
    return subprocess.run(list(map(str, command)), check=True, **options)


def tool(name):
    return NODE / "node_modules" / ".bin" / name


def bindgen():
    """-> the command wasm-bindgen, of the version that the crate has"""
    lock = (ROOT / "Cargo.lock").read_text()
    version = re.search(r'name = "wasm-bindgen"\nversion = "(.*)"', lock)[1]
    command = TARGET / "tools" / "bin" / "wasm-bindgen"
    has = subprocess.run([command, "--version"], capture_output=True, text=True).stdout if command.exists() else ""
    if version not in has:
        build = TARGET / "tools" / "build"
        install = ["cargo", "install", "wasm-bindgen-cli", "--version", f"={version}", "--bin", "wasm-bindgen"]
        print("+", *install, flush=True)
        if subprocess.run([*install, "--quiet", "--root", TARGET / "tools", "--target-dir", build]).returncode:
            leave_out(f"wasm-bindgen {version} cannot be installed")
        shutil.rmtree(build, ignore_errors=True)
    return command


def install_tools():
    """Installs what npm has, unless it is there."""
    wanted = json.dumps({"private": True, "dependencies": TOOLS})
    manifest = NODE / "package.json"
    if manifest.exists() and manifest.read_text() == wanted and tool("tsc").exists():
        return
    NODE.mkdir(parents=True, exist_ok=True)
    manifest.write_text(wanted)
    # esbuild's script of installation only makes a link that it does without.
    if subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--no-save", "--ignore-scripts", "--silent"], cwd=NODE).returncode:
        manifest.unlink()
        leave_out("npm cannot install " + ", ".join(TOOLS))


def check_tools():
    """Ends the script where Rust's target or Node is missing."""
    for command in ("cargo", "rustup", "node", "npm"):
        if shutil.which(command) is None:
            leave_out(f"there is no {command}")
    installed = subprocess.run(["rustup", "target", "list", "--installed"], capture_output=True, text=True).stdout
    if TARGET_NAME not in installed.split():
        if subprocess.run(["rustup", "target", "add", TARGET_NAME]).returncode:
            leave_out(f"Rust has no standard library for {TARGET_NAME}")
    install_tools()


def module(optimize):
    """The WebAssembly module and the JavaScript that wasm-bindgen writes for it. -> their folder"""
    flags = {"CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS": "-C target-feature=+simd128"}
    command = ["cargo", "build", "--quiet", "-p", "doisift-wasm", "--lib", "--profile", "wasm", "--target", TARGET_NAME]
    run(*command, cwd=ROOT, env={**os.environ, **flags})
    built = TARGET / TARGET_NAME / "wasm" / "doisift_wasm.wasm"
    folder = HOME / "module"
    run(bindgen(), built, "--target", "web", "--omit-default-module-path", "--out-dir", folder, "--out-name", "doisift_wasm")
    if optimize:
        shrink(folder / "doisift_wasm_bg.wasm")
    return folder


def shrink(path):
    """Runs wasm-opt on a module, unless it has done so on the same one before."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    kept = HOME / f"{digest}.wasm"
    if not kept.exists():
        for old in HOME.glob("*.wasm"):
            old.unlink()
        enabled = [f"--enable-{feature}" for feature in FEATURES]
        run(tool("wasm-opt"), path, "-O3", "--strip-debug", "--strip-producers", *enabled, "-o", kept)
    shutil.copy(kept, path)


def package(optimize=True):
    """Builds the package as it is published. -> its folder"""
    glue = module(optimize)
    build = HOME / "build"
    shutil.rmtree(build, ignore_errors=True)
    shutil.copytree(SOURCES / "js", build)
    for path in glue.glob("doisift_wasm*"):
        if not path.name.endswith(".wasm.d.ts"):
            shutil.copy(path, build)
    (build / "node_modules").symlink_to(NODE / "node_modules")
    run(tool("tsc"), "-p", build / "tsconfig.json")
    shutil.rmtree(PACKAGE, ignore_errors=True)
    PACKAGE.mkdir()
    for path in build.iterdir():
        if path.name == "package.json" or path.name.endswith((".js", ".d.ts", ".wasm")):
            shutil.copy(path, PACKAGE)
    for path in (SOURCES / "README.md", *SOURCES.glob("LICENSE-*")):
        shutil.copy(path, PACKAGE)
    state_address(PACKAGE / "package.json")
    return PACKAGE


def state_address(manifest):
    """The address of the repository, which only Cargo.toml has."""
    about = json.loads(manifest.read_text(encoding="utf-8"))
    about |= {"repository": {"type": "git", "url": f"git+{address()}.git"}, "homepage": address()}
    manifest.write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")


def page():
    """Builds the page of docs/try from the package. -> its file"""
    sources = ROOT / "docs" / "try"
    build = HOME / "page"
    shutil.rmtree(build, ignore_errors=True)
    shutil.copytree(sources, build)
    (build / "node_modules").mkdir()
    (build / "node_modules" / "doisift").symlink_to(PACKAGE)
    run(tool("tsc"), "-p", build / "tsconfig.json")
    parts = {name: script(build / f"{name}.ts") for name in ("worker", "page")}
    style = (build / "style.css").read_text(encoding="utf-8")
    filled = {
        "style": style,
        "style-hash": digest_of(style),
        "module": base64.b64encode((PACKAGE / "doisift_wasm_bg.wasm").read_bytes()).decode(),
        "worker": parts["worker"],
        "script": parts["page"],
        "script-hash": digest_of(parts["page"]),
    }
    template = (build / "index.html").read_text(encoding="utf-8")
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.write_text(re.sub(r"\{\{([a-z-]+)\}\}", lambda found: filled[found[1]], template), encoding="utf-8")
    return PAGE


def script(path):
    """-> a script and all that it needs, in one piece"""
    bundle = run(tool("esbuild"), path, "--bundle", "--minify", "--format=iife", "--target=es2022", "--log-level=warning", stdout=subprocess.PIPE)
    text = bundle.stdout.decode().strip()
    assert "</script" not in text
    return text


def digest_of(text):
    """-> the source of a content security policy that allows this text alone"""
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"
