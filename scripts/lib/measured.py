"""Runs commands of the shell, and measures each with all the processes that it starts."""
import dataclasses, os, signal, subprocess, sys

#: Starts the command and waits for it. It imports little: the peak of a process is at least that of the one that starts it.
RUNNER = """
import os, sys, time
start = time.monotonic()
actions = [(os.POSIX_SPAWN_DUP2, 2, 1)]
child = os.posix_spawn("/bin/sh", ["sh", "-c", sys.argv[1]], os.environ, file_actions=actions)
_, status, usage = os.wait4(child, 0)
print(status, time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)
"""


@dataclasses.dataclass
class Run:
    wall: float
    #: Seconds of user and system time of all processes.
    cpu: float
    #: Peak bytes in memory of the largest process; at least the 8 MiB of the one that starts it.
    memory: float


class Failed(Exception):
    """With the line of standard error that says why."""


def measure(command, limit=600):
    """Runs a command in a session of its own, which is ended after `limit` seconds."""
    runner = [sys.executable, "-I", "-S", "-c", RUNNER, command]
    child = subprocess.Popen(runner, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True)
    try:
        figures, errors = child.communicate(timeout=limit)
    except BaseException as error:
        os.killpg(child.pid, signal.SIGKILL)
        child.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise Failed(f"did not end in {limit} s") from None
        raise
    status, *run = map(float, figures.split() or ["-1"])
    if status != 0:
        raise Failed(reason(errors))
    return Run(*run)


def reason(errors):
    """The first line of an error, or of the exception after a traceback of Python."""
    lines = [line for line in errors.splitlines() if line.strip()]
    if "Traceback (most recent call last):" in lines:
        lines = [line for line in lines if not line.startswith((" ", "Traceback"))]
    return lines[0].strip() if lines else "failed without a word"
