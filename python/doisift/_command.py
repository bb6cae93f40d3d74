"""The command ``doisift``, which the package has beside its functions."""

from __future__ import annotations

import os
import signal
import sys

from . import _doisift


def main() -> int:
    """Runs the command with the arguments of this process, and returns its exit code."""
    # Python's handler would only remember Ctrl-C until the command is done.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    is_stdout_closed = sys.__stdout__ is None
    _open_standard_descriptors()
    return _doisift.run_command(["doisift", *sys.argv[1:]], is_stdout_closed)


def _open_standard_descriptors() -> None:
    """Puts the null device in the place of closed ones, which the next file would take."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
