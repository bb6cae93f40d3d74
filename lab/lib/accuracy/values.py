"""What a person or program writes around a name before a writer makes a file of it: the enclosures.

Each is argued: why a reader can tell the name from what is around it. A name may be written so that no reader can, such as one that
ends in a full stop at the end of a sentence; such pairs of name and enclosure are not made (`Names.plain`).
"""
import dataclasses
from urllib.parse import quote, urlencode

WORDS = "analysis of the growth rate in soils after long drought and its effects on plants measured with new methods from Zürich".split()
AUTHORS = ["Smith, J.", "Müller, A.", "O'Brien, K.", "García-López, M.", "Wang, X.", "de Vries, H."]
PROXIES = ["https://doi.org/", "http://dx.doi.org/", "https://dx.doi.org/", "http://doi.org/", "https://www.doi.org/"]
#: What platforms add to a name in their URLs.
TAILS = ["/full", "/abstract", "/pdf", "/epdf", ".pdf", "/full/html", "/pdf?download=true", "/references", "/citedby", "/metrics", "#sec-2", "?journalCode=abc"]


@dataclasses.dataclass(frozen=True)
class Value:
    text: str
    names: tuple = ()
    enclosure: str = "no name"


class Draw:
    """What a class is made of: chance, names and words. The same seed and list give the same."""

    def __init__(self, names, chance):
        self.names, self.chance = names, chance
        self.name, self.plain, self.choice, self.below = names.next, names.plain, chance.choice, chance.randrange

    def words(self, most=9):
        return " ".join(self.choice(WORDS) for _ in range(1 + self.below(most)))

    def title(self):
        words = self.words().capitalize()
        return self.choice([words] * 4 + [f'"{words}", again', f"{words}, and more; part {self.below(9)}", f"{words}: {self.words(3)}'s case"])

    def reference(self, name):
        year, volume = 1990 + self.below(35), 1 + self.below(300)
        first = 1 + self.below(900)
        where = f"J. Example {volume}({1 + self.below(12)}), {first}–{first + self.below(30)}"
        return f"{self.choice(AUTHORS)} ({year}). {self.words().capitalize()}. {where}. {name}"

    def value(self, kinds):
        kind = self.choice(kinds)
        text, *names = ENCLOSURES[kind](self)
        return Value(text, tuple(names), kind)


def percent(name):
    """A name in a URL, with all encoded that must be and should be (DOI Handbook, ANSI/NISO Z39.84)."""
    return quote(name, safe="/:;()")


def alone(draw):
    """The whole value is the name."""
    name = draw.name()
    return name, name


def proxied(draw):
    """A URL of the DOI proxy, percent-encoded: decoding it once gives the name."""
    name = draw.name()
    return draw.choice(PROXIES) + percent(name), name


def labelled(draw):
    """A label before the name, nothing after it."""
    name = draw.plain()
    return draw.choice(["doi:{}", "DOI: {}", "doi: {}", "DOI {}", "doi:{}", "info:doi/{}"]).format(name), name


def in_words(draw):
    """A blank before and after: no name has one."""
    name = draw.plain()
    return f"{draw.words()} {name} {draw.words()}", name


def at_a_mark(draw):
    """Marks of a sentence, which no name ends in; a bracket that the name does not open; the name is one with a plain end."""
    name = draw.plain()
    form = draw.choice(["See {}.", "{w} ({}).", "in {}, and {w}", "[doi:{}]; {w}", "({w}, doi:{}), {w}", "is it {}? {w}", "{w}: {}; {w}", "<{}> {w}", "*{}* {w}"])
    return form.format(name, w=draw.words()), name


def in_quotes(draw):
    """Quotation marks that open before the name."""
    name = draw.plain()
    return draw.choice(['he cites "{}" {w}', "“{}”, {w}", "«{}» {w}", "'{}' {w}", "„{}“ {w}"]).format(name, w=draw.words()), name


def listed(draw):
    """Several names: the next name starts with `10.` and a registrant's code, so the mark between them is no part of either."""
    names = [draw.plain() for _ in range(2 + draw.below(3))]
    return draw.choice([", ", "; ", ",", ";", " ", "|", " / ", "\n"]).join(names), *names


def queried(draw):
    """A URL with a query: `?` must be encoded in a name, and `&` ends the value of a parameter."""
    name = draw.plain()
    url = draw.choice(PROXIES) + percent(name)
    forms = [
        f"{url}?{urlencode({'utm_source': draw.choice(['feed', 'mail']), 'utm_medium': 'web'})}",
        "https://search.example/lookup?" + urlencode({"doi": name, "page": draw.below(90)}),
        "https://link.example/openurl?" + urlencode({"sid": "x", "rft_id": f"info:doi/{name}", "rft.date": 2001}),
        "https://login.lib.example/login?" + urlencode({"url": url}),
        "https://login.lib.example/login?" + urlencode({"url": url, "auth": "ip"}),
        f"https://journal.example/doi/{percent(name)}?af=R",
    ]
    return draw.choice(forms), name


def with_a_tail(draw):
    """The path of a publisher's page: what follows the name is the page's. Only one who knows such tails can tell; all are common ones."""
    name = draw.plain()
    host = draw.choice(["https://journal.example/doi/", "https://www.publisher.example/doi/abs/", "https://pubs.example/content/"])
    return host + percent(name) + draw.choice(TAILS), name


def cited(draw):
    """The end of a reference, with or without its full stop."""
    name = draw.plain()
    written = draw.choice(["https://doi.org/" + percent(name), f"doi:{name}", f"DOI: {name}", name])
    return draw.reference(written) + draw.choice(["", "."]), name


def looks_alike(draw):
    """No name: numbers of other kinds."""
    n = draw.below
    return draw.choice([
        f"10.{n(255)}.{n(255)}.0/{8 + n(24)}", f"version 10.{n(20)}.{n(9)}/{n(99)}A{n(999)}", f"{1 + n(28)}.10.{1990 + n(35)}/{n(9999)}",
        f"10.{n(9)}/{n(99)}", f"{n(99)}10.{1000 + n(8999)}/{n(99)}", f"10.{1000 + n(8999)}, {n(99)}.{n(9999)}", f"10.{1000 + n(8999)}/", f"https://doi.org/10/{draw.choice('abcdefg')}{n(9999)}x",
    ]),


def wordy(draw):
    """No name and no number."""
    return draw.words(),


ENCLOSURES = {
    "alone": alone, "proxy URL": proxied, "label": labelled, "words": in_words, "marks": at_a_mark, "quotes": in_quotes, "list": listed,
    "query": queried, "tail": with_a_tail, "reference": cited, "look-alike": looks_alike, "words only": wordy,
}
#: In a field for a name; in a field for anything; in lines of running text.
FIELD = ["alone"] * 5 + ["proxy URL"] * 4 + ["label"] * 2
ANY = ["words", "marks", "marks", "quotes", "list", "query", "query", "tail", "reference", "reference", "look-alike", "words only", "words only"]
RUNNING = [kind for kind in [*ANY, "proxy URL", "label"] if kind != "words only"]
