"""Which share of a program's processor time its busiest thread takes: what one thread does, more cores cannot share."""
import os, pathlib, subprocess, time

TICK = os.sysconf("SC_CLK_TCK")
#: Seconds between two looks. What a thread does after the last look before its end is not counted.
PAUSE = 0.05


def busiest(command):
    """Runs a command, without a shell. -> the share of its busiest thread"""
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    times, ended = {}, 0
    try:
        while not ended:
            look(child.pid, times)
            time.sleep(PAUSE)
            ended, _, usage = os.wait4(child.pid, os.WNOHANG)
    except BaseException:
        child.kill()
        raise
    return max(times.values()) / (usage.ru_utime + usage.ru_stime)


def look(process, times):
    """Notes the processor time of each thread, also of those that have ended since."""
    for task in pathlib.Path(f"/proc/{process}/task").glob("*"):
        try:
            fields = (task / "stat").read_text().rpartition(")")[2]
        except OSError:
            continue
        user, system = map(int, fields.split()[11:13])
        times[task.name] = (user + system) / TICK
