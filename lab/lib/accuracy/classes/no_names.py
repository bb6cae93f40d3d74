"""Texts without names, or with few among much that looks like one. What is found where nothing is counts against precision."""
import ipaddress, json, textwrap

from accuracy.rows import Class, Document, names_of
from accuracy.values import PROXIES, Value, percent


def numbers(draw, count):
    """Networks, versions, dates, coordinates, prices and paths: a reader knows them by their unit, key or shape."""
    n = draw.below
    lines = [
        lambda: f"allow {ipaddress.ip_network((10 * 2**24 + n(2**16) * 256, 24))} # office",
        lambda: f"Mac OS X 10.{n(16)}.{n(9)}/{n(20)}{draw.choice('ABDFG')}{n(999)}",
        lambda: f"User-Agent: app/10.{n(30)}.{n(9)} (Windows NT 10.0; Win64; x64)",
        lambda: f"am {1 + n(28)}.10.{1990 + n(35)}/{n(999)} und am 03.10.{1990 + n(35)}/Seite {n(99)}",
        lambda: f'<meta name="geo.position" content="10.{n(10**7):07};51.{n(10**6):06}">',
        lambda: f"lat/lon 10.{n(10**6):06}/-{n(90)}.{n(10**4):04}",
        lambda: f"price 10.{n(10**4):04}/kg, before 9.{n(10**4):04}/kg",
        lambda: f"ratio {n(99)}10.{1000 + n(8999)}/{n(999)}; {n(9)}.10.{1000 + n(8999)}/{n(99)}",
        lambda: f"cp build-10.{1 + n(20)}.{n(99)}/lib.so /opt/10.{n(9)}/lib",
        lambda: f"https://citeseerx.example/viewdoc?doi=10.1.1.{n(999)}.{n(9999)}",
        lambda: f"https://doi.org/10/{draw.choice('abcdefg')}{draw.choice('hjkmn')}{n(9999)}",
        lambda: f"svg path d='M10.{n(10**4):04},5.{n(999)}L10.{n(10**5):05} 3.{n(99)}z'",
        lambda: f"hdl:20.500.{10000 + n(9999)}/{n(99999)}, isbn 978-3-642-{n(99999):05}-{n(9)}",
        lambda: f"the prefix 10.{1000 + n(8999)}/ of a registrant, and 10.{1000 + n(8999)} alone",
    ]
    return [Document("\n".join(draw.choice(lines)() for _ in range(4 + n(12))) + "\n", {}) for _ in range(count)]


def templates(draw, count):
    """Code and documentation with places for a name that is put in later: what is there is no name."""
    documents = []
    for _ in range(count):
        lines = []
        for _ in range(3 + draw.below(5)):
            prefix, _, suffix = draw.plain().partition("/")
            stem = suffix[: max(2, len(suffix) // 2)].rstrip("(<[.-_:;+") or "x"
            form = draw.choice([
                "url = f'https://doi.org/{p}/{s}.{{record_id}}'", "const doi = `{p}/{s}.${{id}}`;", "<a href=\"https://doi.org/{p}/{{{{ article.suffix }}}}\">",
                "'{p}/{s}.' + str(number)", "<doi>{p}/{s}.%d</doi>", "https://doi.org/{p}/{s}.<id>", "doi: {p}/{{{{ page.id }}}}", "{p}/{s}.$1", "\"{p}/\" . $suffix",
                "{p}/XXXX", "doi:{p}/...", "^{p}/{s}.+$", "{p}/{s}.{{}}",
            ])
            lines.append(form.format(p=prefix, s=stem))
        documents.append(Document("\n".join(lines) + "\n", {}))
    return documents


def citation_keys(draw, count):
    """Keys that Crossref makes of a citing name, which are no names, beside the names of cited works."""
    documents = []
    for _ in range(count):
        citing, members, names = draw.plain(), [], {}
        for at in range(2 + draw.below(5)):
            key = f"{citing}{draw.choice(['_ref', '_bib', '-BIB', '_R', '|cit'])}{at}{draw.choice(['', '/cit1'])}"
            members.append({"key": key, "doi-asserted-by": "publisher", "year": str(1990 + at)})
            if draw.below(2):
                name = draw.name()
                members[-1]["DOI"], names[name] = name, "member"
        documents.append(Document(json.dumps({"reference": members}), names))
    return documents


def cut_short(draw, count):
    """A name of which the end was left out, as an ellipsis shows, beside its link, which is whole."""
    documents = []
    for _ in range(count):
        names, lines = {}, []
        for _ in range(3 + draw.below(4)):
            name = next(name for name in iter(draw.plain, None) if len(name) > 16)
            shown = textwrap.shorten(name, 99)[: len(name) - 3 - draw.below(4)]
            mark, has_link = draw.choice(["…", "..."]), draw.below(2)
            link = draw.choice(PROXIES) + percent(name)
            lines.append(f'<li><a href="{link if has_link else "/go?id=7"}">{draw.choice(["doi:", "", "https://doi.org/"])}{shown.replace("<", "&lt;").replace(">", "&gt;")}{mark}</a></li>')
            names.update({name: "link"} if has_link else {})
        documents.append(Document("<ul>" + "\n".join(lines) + "</ul>\n", names))
    return documents


CLASSES = [
    Class("numbers", "lines of numbers that look alike; no names", "txt", numbers),
    Class("templates", "places for names in code; no names", "txt", templates),
    Class("citation keys", "json.dumps: keys made of names, beside names", "json", citation_keys),
    Class("names cut short", "an ellipsis ends what is shown, half of the links hold the name", "html", cut_short),
]
