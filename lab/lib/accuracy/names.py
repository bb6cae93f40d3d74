"""The names that texts are made around, drawn from a list at random.

One of ODD is a name with marks beyond letters, digits, `.`, `-` and `/`, since these are where tools differ; in the list they may be
3 of 100. One of MADE is made: it has characters that registered names hardly ever have, and that the syntax allows.
"""
import itertools, pathlib, random, re

from made_names import made
from project import ROOT

SHARED = ROOT.parent / "shared/names/registered.txt.zst"
ODD = 5
MADE = 40
UPPER = 12
#: What ends a name beyond doubt: a letter or digit, a closing bracket, the check character of a SICI, `+`.
PLAIN_END = re.compile(r"(?:[^\W_]|[)\]]|;2-#|\+)\Z")
MARKED = re.compile(r"[^0-9A-Za-z./-]")
#: Without a list: names in shapes with marks, as they were common before 2005.
OLD = [
    "10.1002/(sici)1097-{0:04}(1997{1:04}){2}:{3}<{4}::aid-ajmg{3}>3.0.co;2-{5}",
    "10.1016/0026-{0:04}({2}){1:05}-{3}",
    "10.1658/1402-{0:04}(2004)007[{1:04}:iiipsr]2.0.co;2",
    "10.1007/978-3-642-{1:05}-{3}_{2}",
    "10.1021/es0{1:05}+",
]
#: Characters of names that are made; the syntax allows them, few registrants use them.
RARE = ["a&b{}", "été-{}", "100%-{}", "x'y{}", "文献{}", "a,b{}", "r=1+{}", "t@{}", "q!{}a"]


def fold(name):
    """Names are the same that differ in the case of ASCII letters only (DOI Handbook)."""
    return "".join(c.lower() if c.isascii() else c for c in name)


def read(path):
    """-> the names of a list, one a line, plain or packed with zstd; without those that kept the braces of BibTeX"""
    if path.suffix == ".zst":
        import subprocess
        text = subprocess.run(["zstd", "-dcq", path], check=True, stdout=subprocess.PIPE).stdout.decode()
    else:
        text = path.read_text(encoding="utf-8")
    names = (line.strip() for line in text.split("\n"))
    return [name for name in names if re.match(r"10\.\d{4,9}(?:\.\d+)*/[^\s{}]+\Z", name)]


def listed(path, chance):
    """-> the names to draw from: those of a list or, where there is none, such as publishers make, and what they are called"""
    if path or SHARED.exists():
        path = pathlib.Path(path or SHARED)
        return read(path), path.name
    old = [shape.format(*(chance.randrange(10 ** 4) % top for top in (9999, 9999, 90, 9, 800)), chance.choice("0123456789abcxyz")) for shape in OLD for _ in range(2000)]
    return made(40_000) + old, "names in the shapes of publishers"


class Names:
    """An endless row of distinct names."""

    def __init__(self, names, chance):
        self.chance = chance
        odd, plain = [name for name in names if MARKED.search(name)], [name for name in names if not MARKED.search(name)]
        self.pools = [self.drawn(pool) for pool in (plain, odd or plain)]
        self.numbers = itertools.count(chance.randrange(1000, 9000))

    def drawn(self, pool):
        while True:
            yield from self.chance.sample(pool, len(pool))

    def next(self):
        if self.chance.randrange(MADE) == 0:
            return "10.5555/" + self.chance.choice(RARE).format(next(self.numbers))
        name = next(self.pools[self.chance.randrange(ODD) == 0])
        return name.upper() if self.chance.randrange(UPPER) == 0 else name

    def plain(self):
        """A name whose end can be told from the marks of a sentence."""
        return next(name for name in iter(self.next, None) if PLAIN_END.search(name) and not re.search(r"[,']", name))
