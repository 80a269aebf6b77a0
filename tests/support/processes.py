"""What the system says of a server's processes: which are its workers, their processor time and memory."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.server import Server

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def workers(server: Server) -> list[int]:
    """The process ids of a server's workers."""
    master = server.process.pid
    return [int(child) for child in Path(f"/proc/{master}/task/{master}/children").read_text().split()]


def processor_s(process: int) -> float:
    """Seconds of processor time a process has had, in steps of a hundredth."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def resident_bytes(process: int) -> int:
    """The resident memory of a process."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * _PAGE_BYTES


def wait_for(what: Callable[[], bool], seconds: float = 60) -> None:
    """Return as soon as something is so; an ``AssertionError`` if it is not so in time."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "not in time"
        time.sleep(0.005)
