"""Documents, and the rows of those that hold records: what a writer is given."""
import dataclasses

from accuracy.values import ANY, FIELD, Value


@dataclasses.dataclass
class Document:
    #: What the file holds, as text or as bytes.
    content: object
    #: {the name as the registry has it: its enclosure}
    names: dict


@dataclasses.dataclass
class Class:
    key: str
    #: What writes it and why the names can be read from it.
    about: str
    ending: str
    #: (draw, number of documents) -> documents
    make: object
    #: A command that succeeds where the writer can run. The class is left out elsewhere.
    probe: tuple = ()


@dataclasses.dataclass
class Row:
    """A record of any kind: `doi` is a field for a name, `note` one for anything."""
    number: int
    title: str
    doi: Value
    note: Value
    year: int

    def fields(self, order=("number", "title", "doi", "note", "year")):
        value = lambda field: field.text if isinstance(field, Value) else field
        return {key: value(getattr(self, key)) for key in order}


def names_of(values):
    return {name: value.enclosure for value in values for name in value.names}


def row(draw, number):
    doi = draw.value(FIELD) if draw.below(4) else Value("")
    return Row(number, draw.title(), doi, draw.value(ANY), 1990 + draw.below(35))


def rows(draw):
    """Those of one document."""
    first = 1 + draw.below(9000)
    return [row(draw, first + at) for at in range(3 + draw.below(6))]


def order(draw):
    """The columns in an order of their own."""
    return draw.chance.sample(["number", "title", "doi", "note", "year"], 5)


def records(write, fits=None):
    """Makes a class of documents of rows, from a writer of one document: (draw, rows) -> its content."""
    return all_records(lambda draw, documents: [write(draw, rows) for rows in documents], fits)


def all_records(write, fits=None):
    """The same, from a writer of all documents: (draw, [rows]) -> [content]. `fits`: which values the format can hold."""

    def make(draw, count):
        documents = [[fitting(draw, row, fits) for row in rows(draw)] for _ in range(count)]
        contents = write(draw, documents)
        return [Document(content, names_of(value for row in rows for value in (row.doi, row.note))) for content, rows in zip(contents, documents)]

    return make


def fitting(draw, row, fits):
    if fits:
        row.doi = row.doi if fits(row.doi.text) else Value("")
        row.note = row.note if fits(row.note.text) else Value(draw.words())
    return row


def running(write, kinds, fits=None):
    """Makes a class of documents of running text: (draw, values) -> its content."""

    def make(draw, count):
        documents = []
        for _ in range(count):
            values = [draw.value(kinds) for _ in range(3 + draw.below(6))]
            values = [value for value in values if not fits or fits(value.text)]
            documents.append(Document(write(draw, values), names_of(values)))
        return documents

    return make
