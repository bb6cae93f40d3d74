"""Ctrl-C: a real SIGINT to another process ends its work with KeyboardInterrupt, whoever reads."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

#: A source without end, and texts and columns of many seconds of work.
SETUP = """
import io, signal, time
import doisift, numpy, pyarrow as pa
signal.signal(signal.SIGINT, signal.default_int_handler)

class Endless(io.RawIOBase):
    name = "endless"
    pieces = 0

    def read(self, size=-1):
        self.pieces += 1
        return b"".join(b"10.5555/%07d-%05d " % (self.pieces, row) for row in range(20_000))

def many(count, text):
    return pa.DictionaryArray.from_arrays(numpy.zeros(count, "int32"), pa.array([text]))

endless = Endless()
long = "see 10.5555/abc, " * 20_000_000
"""

#: Runs a statement, and prints what it raises and whether threads go on reading. The bound is generous: work is interrupted after
#: a tenth of a second, but processes share the machine.
PROGRAM = """
{setup}
print("ready", flush=True)
start = time.monotonic()
try:
    {work}
    print("nothing")
except BaseException as error:
    print(type(error).__name__, "late" if time.monotonic() - start > 8 else "")
until = time.monotonic() + 30
before = None
while before != endless.pieces and time.monotonic() < until:
    before = endless.pieces
    time.sleep(0.5)
print("stopped" if before == endless.pieces else "still reading")
"""


def interrupted(work: str) -> str:
    """What a process prints that is interrupted in its work."""
    program = PROGRAM.format(setup=SETUP, work=work)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(1)
            child.send_signal(signal.SIGINT)
            return " ".join(child.stdout.read().split())
        finally:
            child.kill()


@pytest.mark.parametrize(
    "work",
    [
        "doisift.extract_batch(many(2_000, long[:1_000_000]))",
        "doisift.extract_batch(pa.array([long], pa.large_string()))",
        "doisift.extract(long)",
        "doisift.normalize_batch(many(40_000_000, 'https://doi.org/10.5555/abc'))",
        "pa.chunked_array(doisift.extract_batch(pa.chunked_array([many(2_000, long[:1_000_000])])))",
        "list(doisift.extract_batch(pa.chunked_array([many(2_000, long[:1_000_000])])))",
        "doisift.scan(endless)",
        "list(doisift.iter_records(endless))",
        "[None for _ in doisift.iter_mentions(endless)]",
        "pa.RecordBatchReader.from_stream(doisift.iter_records(endless)).read_all()",
        "pa.table(doisift.iter_records(endless))",
        "[None for _ in pa.RecordBatchReader.from_stream(doisift.iter_records(endless))]",
        "import polars; polars.DataFrame(doisift.iter_records(endless))",
    ],
)
def test_an_interruption_is_raised_at_once(work: str) -> None:
    assert interrupted(work) == "KeyboardInterrupt stopped"
