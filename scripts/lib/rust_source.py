"""Reads sources of Rust as tokens, without comments and without what is compiled for tests alone."""
import dataclasses, functools, pathlib, re

TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>b?c?r(?P<mark>\#*)".*?"(?P=mark)|[bc]?"(?:\\.|[^"\\])*"|b?'(?:\\(?:x..|u\{[^}]*\}|.)|[^'\\])')
    |(?P<word>'?(?:r\#)?[A-Za-z_]\w*)
    |(?P<number>\d[\w.]*?(?=\.\.|\.[A-Za-z_]|[^\w.]))
    |(?P<space>\s+)
    |(?P<mark2>::|->|=>|.)""",
    re.VERBOSE | re.DOTALL,
)
OPENERS, CLOSERS = "([{", ")]}"


@dataclasses.dataclass(frozen=True)
class Token:
    text: str
    line: int


def tokens_of(text):
    """The tokens of a source, without comments and blanks."""
    found, line = [], 1
    for match in TOKEN.finditer(text):
        if match.lastgroup not in ("comment", "space"):
            found.append(Token(match[0], line))
        line += match[0].count("\n")
    return found


def closing(tokens, at):
    """The index of the mark that closes the one at `at`."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += (tokens[index].text in OPENERS) - (tokens[index].text in CLOSERS)
        if depth == 0:
            return index
    return len(tokens) - 1


def item_end(tokens, at):
    """The index of the last token of the item or statement that starts at `at`: its `;`, or the `}` of its body."""
    index = at
    while index < len(tokens):
        text = tokens[index].text
        if text in (";", "}"):
            return index
        if text in OPENERS:
            index = closing(tokens, index)
            following = tokens[index + 1].text if index + 1 < len(tokens) else ""
            if text == "{" and following not in (";", ".", ",", "::"):
                return index
        index += 1
    return len(tokens) - 1


def is_for_tests(attribute):
    """Whether the attribute leaves its item out of all builds but those of tests."""
    words = [token.text for token in attribute]
    needed = [at for at, word in enumerate(words) if word == "test" and words[at - 2 : at] != ["not", "("]]
    return "cfg" in words and bool(needed) and "any" not in words


def without_tests(tokens):
    """-> the tokens that are not for tests, the number of lines that are, and the names of modules in files of their own that are"""
    kept, lines, modules, at = [], 0, [], 0
    while at < len(tokens):
        if tokens[at].text == "#" and at + 1 < len(tokens) and tokens[at + 1].text == "[":
            end = closing(tokens, at + 1)
            if is_for_tests(tokens[at + 2 : end]):
                last = item_end(tokens, end + 1)
                words = [token.text for token in tokens[end + 1 : last + 1]]
                if "mod" in words and words[-1] == ";":
                    modules.append(words[words.index("mod") + 1])
                lines += tokens[last].line - tokens[at].line + 1
                at = last + 1
                continue
        kept.append(tokens[at])
        at += 1
    return kept, lines, modules


class Source:
    """A file of a crate."""

    def __init__(self, path, module):
        self.path, self.module = path, module
        self.text = path.read_text(encoding="utf-8")
        self.tokens, tested, self.test_modules = without_tests(tokens_of(self.text))
        #: Its lines, less those for tests.
        self.height = self.text.count("\n") - tested

    @functools.cached_property
    def lines(self):
        """The tokens of each line that has some, by its number."""
        lines = {}
        for token in self.tokens:
            lines.setdefault(token.line, []).append(token.text)
        return lines

    @functools.cached_property
    def functions(self):
        """The name of each function that has a body, and its lines from `fn` to the last brace."""
        found = []
        for at, token in enumerate(self.tokens[:-1]):
            if token.text == "fn" and re.match(r"\w", self.tokens[at + 1].text):
                end = item_end(self.tokens, at)
                if self.tokens[end].text == "}":
                    found.append((self.tokens[at + 1].text, self.tokens[end].line - token.line + 1))
        return found

    def types(self):
        """The names of the types, traits and aliases that it defines; types that belong to a trait are none."""
        members = [range(at, item_end(self.tokens, at)) for at, token in enumerate(self.tokens) if self.starts_members(at, token.text)]
        for at, token in enumerate(self.tokens[:-1]):
            name = self.tokens[at + 1].text
            is_type = token.text in ("struct", "enum", "trait", "union") or token.text == "type" and not any(at in each for each in members)
            if is_type and re.fullmatch(r"[A-Z]\w*", name):
                yield name

    def starts_members(self, at, word):
        before = self.tokens[at - 1].text if at else ";"
        return word == "trait" or word == "impl" and before in (";", "}", "{", "]", "unsafe")


class Crate:
    """The files below a root such as src/lib.rs, by module, without modules for tests."""

    def __init__(self, name, root, left_out=()):
        self.name, self.folder, self.root = name, root.parent, root.stem
        files = [path for path in sorted(self.folder.rglob("*.rs")) if not any(other in path.parents for other in left_out)]
        sources = [Source(path, self.module_of(path, root)) for path in files if path == root or path.name not in ("lib.rs", "main.rs")]
        tests = {(*source.module, child) for source in sources for child in source.test_modules}
        self.sources = {source.module: source for source in sources if not any(source.module[:length] in tests for length in range(len(source.module) + 1))}

    def module_of(self, path, root):
        if path == root:
            return ()
        parts = path.relative_to(self.folder).with_suffix("").parts
        return parts[:-1] if parts[-1] == "mod" else parts


def crates(folder):
    """The crates of a checkout in src and crates."""
    folder = pathlib.Path(folder)
    found = []
    for home in [folder / "src", *sorted(folder.glob("crates/*/src")), *sorted(folder.glob("crates/*"))]:
        commands = sorted(home.glob("bin/*/main.rs")) + sorted(home.glob("bin/*.rs"))
        for root in (home / "lib.rs", home / "main.rs"):
            if root.exists():
                found.append(Crate(str(home.relative_to(folder)), root, [home / "bin"]))
        found += [Crate(str(root.parent.relative_to(folder)), root) for root in commands]
    return found
