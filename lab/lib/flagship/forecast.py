"""The time for Crossref's file on more cores, from the measured processor time and the share of the busiest thread.

A program with processor time C, of which the busiest of its n threads takes the share s, takes on n cores at least C * max(s, 1 / n). By
Amdahl's law it takes C * (s + (1 - s) / n), if nothing goes on beside that thread: s is then the share with the most threads.
"""
import dataclasses

#: Bytes of the packed public file.
FILE = 208e9
CORES = (2, 16, 64)


@dataclasses.dataclass
class Forecast:
    tool: str
    #: Hours of processor time for the whole file.
    work: float
    #: For each number of threads, the share of the busiest. Where it is not known, the work is taken as divided evenly.
    shares: dict

    def at_best(self, cores):
        """Hours, if all threads go on side by side."""
        return self.work * max(self.shares.get(cores, 0), 1 / cores)

    def by_amdahl(self, cores):
        """Hours, if the busiest thread works alone."""
        share = self.shares.get(CORES[-1], 0)
        return self.work * (share + (1 - share) / cores)


def work(row, packed):
    """Hours of processor time, from the median of a row and the bytes of its packed files."""
    return row.median("cpu") / packed * FILE / 3600
