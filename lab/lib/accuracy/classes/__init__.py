"""The classes of texts. Each is written by a program or library that people use, so that its escapes are those that are met."""
from accuracy.classes import data, no_names, records, running, tables, web

ALL = [*tables.CLASSES, *data.CLASSES, *records.CLASSES, *web.CLASSES, *running.CLASSES, *no_names.CLASSES]
