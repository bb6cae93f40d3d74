"""The rules of Wikipedia's citation bot for a text that holds a DOI name, written anew from extract_doi and sanitize_doi in
src/includes/doiTools.php of https://github.com/ms609/citation-bot (commit fb973ebcd950d78f4b7a61ddda275c26568646df). The bot then asks
doi.org which of its candidates exist; here nothing asks, so the steps that need an answer are left out.
"""
import re, urllib.parse

FIND = re.compile(r"10\.\d{4}\d?(?:/|%2[fF])..(?:[^\s|\"?&>]|&l?g?t;|<[^\s|\"?&]*>)+")
PAGES = re.compile(r"/abstract|/e?pdf|/full|/figure|/default|</span>|[\s|\"?]|</")
ENDINGS = {".": "htm html jpg jpeg pdf png xml full".split(), "/": ["abstract", "full", "pdf", "epdf", "summary", "short", "meta", "html", ""]}


def cleaned(found):
    """The candidate in a match of FIND."""
    name = PAGES.split(found, maxsplit=1)[0].removesuffix(".")
    name = urllib.parse.unquote(name)
    for code, mark in [("&#x5B;", "["), ("&#x5D;", "]"), ("&#60;", "<"), ("&#62;", ">")]:
        name = name.replace(code, mark)
    for mark, endings in ENDINGS.items():
        start, has, end = name.rpartition(mark)
        if has and end.lower() in endings:
            name = start
        if mark == ".":
            for remark in ["#page_scan_tab_contents", ";jsessionid"]:
                at = name.lower().rfind(remark)
                name = name[:at] if at > 0 else name
    return name
