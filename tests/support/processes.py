"""What the system says of a server's processes: which are its workers, their processor time and memory."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.proxy import Proxy
from tests.support.server import Server

_TICKS = os.sysconf("SC_CLK_TCK")


def workers(server: Server) -> list[int]:
    """The process ids of a server's workers."""
    master = server.process.pid
    return [int(child) for child in Path(f"/proc/{master}/task/{master}/children").read_text().split()]


def processor_s(process: int) -> float:
    """Seconds of processor time a process has had, in steps of a hundredth."""
    return sum(map(int, _stat(process)[11:13])) / _TICKS


def wait_for(what: Callable[[], bool], seconds: float = 60) -> None:
    """Return as soon as something is so; an ``AssertionError`` if it is not so in time."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.005)


def processes(server: Server | Proxy) -> list[int]:
    """The ids of a server's processes: those of its group."""
    found = []
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with contextlib.suppress(OSError):
                if int(_stat(int(path.name))[2]) == server.process.pid:
                    found.append(int(path.name))
    return found


def _stat(process: int) -> list[str]:
    """The fields of /proc/PID/stat after the name, which may hold anything."""
    return Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()


def memory(server: Server | Proxy) -> int:
    """The bytes that a server's processes hold, what they share counted once."""
    total = 0
    for process in processes(server):
        text = Path(f"/proc/{process}/smaps_rollup").read_text("utf-8")
        total += 1024 * int(text.partition("\nPss:")[2].split()[0])
    return total


def cpu_seconds(server: Server | Proxy) -> float:
    """The processor time that a server's processes have used."""
    return sum(map(processor_s, processes(server)))
