"""Measures the processor time of each thread of a command, to the end of the thread. Linux only.

A tracer (ptrace) is stopped with a thread that is about to end, when the kernel still has its times. Sampling would lose what a
thread does after the last sample. The command runs at full speed in between.
"""
import ctypes, os, signal, sys

LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
LIBC.ptrace.restype = ctypes.c_long
TRACEME, CONTINUE, SET_OPTIONS = 0, 7, 0x4200
#: Stops at new threads, at a program that starts, and at ends; a tracer that ends takes its tracees with it.
OPTIONS = 0x08 | 0x10 | 0x40 | 0x100000
EXIT_EVENT = 6
#: Waits for threads that are no children too.
ALL = 0x40000000


def trace(request, thread, data=None):
    if LIBC.ptrace(request, thread, None, data) < 0:
        raise OSError(ctypes.get_errno(), "ptrace")


def start(command):
    """Starts the command, stopped before its program."""
    process = os.fork()
    if process == 0:
        try:
            trace(TRACEME, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            os.execvp(command[0], command)
        finally:
            os._exit(127)
    os.waitpid(process, 0)
    trace(SET_OPTIONS, process, OPTIONS)
    trace(CONTINUE, process)
    return process


def of_thread(process, thread):
    """-> (name, seconds)"""
    folder = f"/proc/{process}/task/{thread}"
    with open(f"{folder}/comm") as name, open(f"{folder}/schedstat") as times:
        return name.read().strip(), int(times.read().split()[0]) / 1e9


def thread_times(command):
    """Runs the command. -> [(name, seconds)] of its threads, the busiest first"""
    command = [str(part) for part in command]
    process, times = start(command), []
    while True:
        thread, status = os.waitpid(-1, ALL)
        if os.WIFSTOPPED(status):
            event, number = status >> 16, os.WSTOPSIG(status)
            if event == EXIT_EVENT:
                times.append(of_thread(process, thread))
            passed_on = 0 if event or number in (signal.SIGTRAP, signal.SIGSTOP) else number
            try:
                trace(CONTINUE, thread, passed_on)
            except ProcessLookupError:
                # Another thread has ended the process, which resumed this one. Its end comes next.
                pass
        elif thread == process:
            if status != 0:
                sys.exit(f"{command}: ended with {status}")
            return sorted(times, key=lambda time: -time[1])
