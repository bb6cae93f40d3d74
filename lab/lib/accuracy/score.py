"""Compares what tools find with what is in the texts, per text, as sets of names under ASCII case folding."""
import collections, dataclasses

from accuracy.names import fold


@dataclasses.dataclass
class Score:
    """Counts of names, each once per text. They add up."""
    wanted: int = 0
    found: int = 0
    right: int = 0

    def __add__(self, other):
        return Score(self.wanted + other.wanted, self.found + other.found, self.right + other.right)

    @property
    def precision(self):
        """A tool that finds nothing has none."""
        return self.right / self.found if self.found else None

    @property
    def recall(self):
        return self.right / self.wanted if self.wanted else None


def judge(texts, answers):
    """-> {class: Score}, {enclosure: Score}, [(text, miss or false, name, enclosure)]"""
    classes, enclosures, faults = collections.defaultdict(Score), collections.defaultdict(Score), []
    for text in texts:
        wanted = {fold(name): enclosure for name, enclosure in text.names.items()}
        found = set(map(fold, answers.get(text.id, [])))
        classes[text.kind] += Score(len(wanted), len(found), len(found & wanted.keys()))
        for name, enclosure in wanted.items():
            enclosures[enclosure] += Score(1, 0, int(name in found))
        faults += [(text, "miss", name, wanted[name]) for name in sorted(wanted.keys() - found)]
        faults += [(text, "false", name, "") for name in sorted(found - wanted.keys())]
    return classes, enclosures, faults

