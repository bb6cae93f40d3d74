"""What the web is made of: pages, feeds, wikis, and the logs of its servers."""
import contextlib, datetime, http.server, io
from urllib.parse import quote, urlencode
from xml.etree import ElementTree

from accuracy.rows import Class, Document, records, running
from accuracy.values import PROXIES, RUNNING, TAILS, percent

#: XML has no control characters.
def is_xml(text):
    return text.isprintable() or "\n" in text


def page(draw, values):
    from lxml.html import builder as html

    parts = []
    for value in values:
        href = next(("https://doi.org/" + percent(name) for name in value.names), "https://www.example.org/")
        wanted = draw.below(4)
        if wanted == 0 and len(value.names) == 1:
            parts.append(html.P(draw.words(), " ", html.A(draw.words(3), href=href), ". ", draw.words()))
        elif wanted == 1 and len(value.names) == 1:
            parts.append(html.P(html.SPAN(value.text, {"data-doi": value.names[0]}), html.BR()))
        else:
            parts.append(draw.choice([html.P, html.LI, html.TD])(value.text, *[" ", html.EM(draw.words(2))] * draw.below(2)))
    return html.HTML(html.HEAD(html.TITLE(draw.title())), html.BODY(*parts))


def with_lxml(draw, values):
    from lxml.html import tostring

    return tostring(page(draw, values), doctype="<!DOCTYPE html>", encoding="unicode", pretty_print=draw.choice([True, False]))


def as_text(draw, values):
    """The text of a page by Beautiful Soup, whose elements are glued where no blank is between them: often no reader can tell."""
    from bs4 import BeautifulSoup

    return BeautifulSoup(with_lxml(draw, values), "lxml").get_text()


def as_markdown(draw, values):
    from html2text import html2text

    return html2text(with_lxml(draw, values))


def feed(draw, rows):
    """HTML within XML: what was escaped is escaped again."""
    from lxml.html import builder as html, tostring

    rss = ElementTree.Element("rss", version="2.0")
    channel = ElementTree.SubElement(rss, "channel")
    for row in rows:
        item = ElementTree.SubElement(channel, "item")
        ElementTree.SubElement(item, "title").text = row.title
        ElementTree.SubElement(item, "guid").text = row.doi.text
        ElementTree.SubElement(item, "description").text = tostring(html.DIV(html.P(row.note.text), html.P(draw.words())), encoding="unicode")
    return ElementTree.tostring(rss, encoding="unicode", xml_declaration=True)


def jats(draw, rows):
    from lxml import etree
    from lxml.builder import E

    def reference(row):
        doi = [E("pub-id", row.doi.text, {"pub-id-type": "doi"})] if row.doi.text else []
        return E.ref(E("mixed-citation", E("article-title", row.title), ". ", E.year(str(row.year)), ". ", *doi, " ", E.comment(row.note.text)), id=f"R{row.number}")

    return etree.tostring(E("ref-list", *map(reference, rows)), encoding="unicode", pretty_print=draw.choice([True, False]))


def wikitext(draw, rows):
    """Templates as bots write them; mwparserfromhell escapes what would end a parameter."""
    import mwparserfromhell
    from mwparserfromhell.nodes import Tag, Template

    parts = []
    for row in rows:
        template = Template("cite journal")
        template.add("title", row.title)
        if row.doi.text:
            template.add("doi", row.doi.text)
        template.add("year", row.year)
        reference = Tag("ref", mwparserfromhell.parse(str(template)))
        parts.append(f"{draw.words().capitalize()}.{reference} {row.note.text}\n" if draw.below(3) else f"* {draw.words()}, {{{{doi|{row.doi.text}}}}}. {row.note.text}\n")
    return "\n".join(parts)


def target(draw, name):
    """What a proxy or a publisher was asked for."""
    url = draw.choice(PROXIES) + percent(name)
    at = f"https://www.publisher.example/doi/{percent(name)}"
    return draw.choice([
        "/login?" + urlencode({"url": url}), "/login?url=" + url, "/login?" + urlencode({"qurl": at}), "/connect?" + urlencode({"session": "s1", "url": at}),
        "/openurl?" + urlencode({"rft_id": f"info:doi/{name}", "sid": "a:b"}), "/search?" + urlencode({"q": f"doi:{name}", "page": draw.below(9)}),
        "/r?" + urlencode({"to": "https://login.lib.example/login?" + urlencode({"url": url})}), f"/doi/{percent(name)}",
        f"/doi/abs/{percent(name)}{draw.choice(TAILS)}", "/resolve/" + quote(name, safe=""),
    ])


class Handler(http.server.BaseHTTPRequestHandler):
    """Writes lines of its log without a connection."""

    def __init__(self, time, address):
        self.time, self.client_address = time, (address, 0)

    def log_date_time_string(self):
        return self.time.strftime("%d/%b/%Y:%H:%M:%S +0000")


def access_log(draw, count):
    """Half of the requests have no name, such as those for `/10.12.5/x`; the clients have addresses such as `10.0.0.1`."""
    documents = []
    for _ in range(count):
        names, log = {}, io.StringIO()
        for number in range(6 + draw.below(8)):
            name = draw.plain() if draw.below(2) else None
            time = datetime.datetime(2024, 5, 1 + draw.below(28), draw.below(24), draw.below(60), draw.below(60))
            handler = Handler(time, f"10.{draw.below(255)}.{draw.below(255)}.{draw.below(255)}")
            other = draw.choice([f"/10.{draw.below(30)}.{number}/x", f"/static/app-10.{draw.below(20)}.{number}/main.js", "/robots.txt", "/login?url=https%3A%2F%2Fwww.example.org%2F"])
            handler.requestline = f"GET {target(draw, name) if name else other} HTTP/1.1"
            with contextlib.redirect_stderr(log):
                handler.log_request(200, 1000 + draw.below(90000))
            names.update({name: "request"} if name else {})
        documents.append(Document(log.getvalue(), names))
    return documents


CLASSES = [
    Class("web page", "lxml.html: names in text, attributes and links", "html", running(with_lxml, RUNNING)),
    Class("text of a page", "Beautiful Soup's get_text: elements are glued, so that some ends cannot be seen", "txt", running(as_text, RUNNING)),
    Class("page as Markdown", "html2text: lines wrapped, links in brackets and parentheses", "md", running(as_markdown, RUNNING)),
    Class("feed", "ElementTree: HTML within XML, escaped twice", "xml", records(feed)),
    Class("JATS", "lxml: references of an article", "xml", records(jats)),
    Class("wikitext", "mwparserfromhell: templates and references", "wiki", records(wikitext, lambda text: not set("{}|\n") & set(text))),
    Class("log of a proxy", "http.server's log, urllib's queries: URLs within URLs, each encoded once more", "log", access_log),
]
