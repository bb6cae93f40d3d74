"""Formats of bibliographies, libraries and linked data."""
import io

from accuracy.rows import Class, records
from accuracy.values import percent

#: What no tool of BibTeX writes without an error.
def braces_match(text):
    return text.count("{") == text.count("}") and "\n" not in text


def bibtexparser(draw, rows):
    import bibtexparser
    from bibtexparser.middlewares import LatexEncodingMiddleware
    from bibtexparser.model import Entry, Field

    fields = lambda row: [Field("title", row.title), Field("doi", row.doi.text), Field("note", row.note.text), Field("year", str(row.year))]
    library = bibtexparser.Library([Entry("article", f"key{row.number}", fields(row)) for row in rows])
    return bibtexparser.write_string(library, prepend_middleware=[LatexEncodingMiddleware()] if draw.below(2) else [])


def pybtex(draw, rows):
    from pybtex.database import BibliographyData, Entry

    fields = lambda row: {"title": row.title, "doi": row.doi.text, "note": row.note.text, "year": str(row.year)}
    return BibliographyData({f"key{row.number}": Entry("article", fields(row)) for row in rows}).to_string("bibtex")


def rispy(draw, rows):
    import rispy

    entry = lambda row: {"type_of_reference": "JOUR", "title": row.title, "doi": row.doi.text, "notes": [row.note.text], "year": str(row.year)}
    return rispy.dumps(list(map(entry, rows)))


def marc_records(rows):
    from pymarc import Field, Indicators, Record, Subfield

    for row in rows:
        record = Record(force_utf8=True)
        subfields = lambda *pairs: [Subfield(*pair) for pair in pairs]
        record.add_field(Field("001", data=str(row.number)))
        if row.doi.text.startswith("http"):
            record.add_field(Field("856", Indicators("4", "0"), subfields(("u", row.doi.text), ("z", "Full text"))))
        elif row.doi.text:
            record.add_field(Field("024", Indicators("7", " "), subfields(("a", row.doi.text), ("2", "doi"))))
        record.add_field(Field("245", Indicators("1", "0"), subfields(("a", row.title), ("c", str(row.year)))))
        record.add_field(Field("500", Indicators(" ", " "), subfields(("a", row.note.text))))
        yield record


def marc(draw, rows):
    return b"".join(record.as_marc() for record in marc_records(rows)).decode()


def marc_xml(draw, rows):
    import pymarc

    out = io.BytesIO()
    writer = pymarc.XMLWriter(out)
    for record in marc_records(rows):
        writer.write(record)
    writer.close(close_fh=False)
    return out.getvalue().decode()


def marc_json(draw, rows):
    return "".join(record.as_json() + "\n" for record in marc_records(rows))


def rdf(style):
    def write(draw, rows):
        from rdflib import DC, DCTERMS, RDFS, Graph, Literal, URIRef

        graph = Graph()
        for row in rows:
            subject = URIRef(f"https://data.example/works/{row.number}")
            graph.add((subject, DCTERMS.title, Literal(row.title)))
            if row.doi.text:
                graph.add((subject, DC.identifier, Literal(row.doi.text)))
            for name in row.doi.names:
                graph.add((subject, DCTERMS.identifier, URIRef("https://doi.org/" + percent(name))))
            graph.add((subject, RDFS.comment, Literal(row.note.text, lang=draw.choice([None, "en"]))))
        return graph.serialize(format=style)

    return records(write)


CLASSES = [
    Class("BibTeX of bibtexparser", "fields in braces, half of them with the escapes of LaTeX", "bib", records(bibtexparser, braces_match)),
    Class("BibTeX of Pybtex", "fields in quotes with the escapes of LaTeX", "bib", records(pybtex, braces_match)),
    Class("RIS", "rispy", "ris", records(rispy, lambda text: "\n" not in text)),
    Class("MARC", "pymarc, binary: a control character ends each field", "mrc", records(marc)),
    Class("MARCXML", "pymarc", "xml", records(marc_xml)),
    Class("MARC in JSON", "pymarc", "json", records(marc_json)),
    Class("RDF, Turtle", "rdflib: literals, and IRIs of the proxy", "ttl", rdf("turtle")),
    Class("RDF, N-Triples", "rdflib", "nt", rdf("nt")),
    Class("RDF/XML", "rdflib", "rdf", rdf("xml")),
    Class("JSON-LD", "rdflib", "jsonld", rdf("json-ld")),
]
