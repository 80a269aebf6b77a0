"""The memory and processor time of a server's processes."""

import contextlib
import os
from pathlib import Path

from tests.support.proxy import Proxy
from tests.support.server import Server


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
    ticks = sum(int(fields[11]) + int(fields[12]) for fields in map(_stat, processes(server)))
    return ticks / os.sysconf("SC_CLK_TCK")
