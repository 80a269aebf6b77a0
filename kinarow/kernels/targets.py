"""The targets that kernels are built for, and those that this machine can run."""

import platform
import sys
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Target:
    """What kernels are built for; ``triple`` and ``cpu`` are LLVM's names, ``zig`` is that of Zig's linker."""

    triple: str
    cpu: str
    zig: str
    suffix: str = ".so"
    clock: tuple[str, int] = ("clock_gettime", 1)  # the function that gives the time, and the number of its clock


TARGETS = {
    "linux-x86_64-v3": Target("x86_64-unknown-linux-gnu", "x86-64-v3", "x86_64-linux-gnu"),
    "linux-x86_64-v2": Target("x86_64-unknown-linux-gnu", "x86-64-v2", "x86_64-linux-gnu"),
    "linux-aarch64": Target("aarch64-unknown-linux-gnu", "generic", "aarch64-linux-gnu"),
}

_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}  # as /proc/cpuinfo names the features of x86-64-v3
_FIRST_PROCESSOR = 8192  # bytes of that file that hold all of the first processor


def of_this_family() -> tuple[str, ...]:
    """The names of the targets for this system and family of processors, the best first; none where no target fits."""
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine().lower())
    family = f"{sys.platform}-{machine}"
    return tuple(name for name in TARGETS if name.removesuffix("-v2").removesuffix("-v3") == family)


@cache
def of_this_machine() -> tuple[str, ...]:
    """The names of the targets that this machine can run, the best first."""
    return tuple(name for name in of_this_family() if not name.endswith("-v3") or _features() >= _V3)


def _features() -> set[str]:
    try:
        with open("/proc/cpuinfo", "rb") as file:
            facts = file.read(_FIRST_PROCESSOR).decode(errors="replace")
    except OSError:
        return set()
    flags = next((line for line in facts.splitlines() if line.startswith("flags")), "")
    return set(flags.split())
