"""The build targets of kernels, and which of them this machine can run."""

import platform
import sys
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class Target:
    """A system and processor that kernels are built for."""

    triple: str  # LLVM's target triple
    cpu: str  # LLVM's name of the oldest supported processor
    zig: str  # the arguments of ``zig`` that link a library
    suffix: str  # of the library's file name
    # The clock that ``time.perf_counter_ns`` reads: the clock id for ``clock_gettime``, "QueryPerformanceCounter", or
    # "host" where the library imports the clock from its host.
    clock: int | str
    wheel: str = ""  # the platform tag of the wheel that contains the library, "" for none
    features: str = ""  # LLVM's names of processor features beyond ``cpu``


def _linux(machine: str, cpu: str) -> Target:
    zig = f"cc -target {machine}-linux-gnu -shared -nostdlib -s"
    return Target(f"{machine}-unknown-linux-gnu", cpu, zig, ".so", 1, f"manylinux_2_28_{machine}")


def _macos(machine: str, apple: str, cpu: str) -> Target:
    zig = f"cc -target {machine}-macos.11.0 -shared -nostdlib -lSystem -s"
    return Target(f"{apple}-apple-macosx11.0.0", cpu, zig, ".dylib", 8, f"macosx_11_0_{apple}")


def _windows(machine: str, cpu: str) -> Target:
    zig = f"cc -target {machine}-windows-gnu -shared -nostdlib -Wl,--no-entry -lkernel32 -lucrtbase -s"
    return Target(f"{machine}-pc-windows-gnu", cpu, zig, ".dll", "QueryPerformanceCounter", "win_amd64")


def _wasm() -> Target:
    zig = "wasm-ld --no-entry --export-dynamic --export=__heap_base --allow-undefined --gc-sections --strip-all -O2"
    zig += " --stack-first -z stack-size=1048576"  # an overflow traps, instead of writing into data
    features = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext,+simd128"
    return Target("wasm32-unknown-unknown", "generic", zig, ".wasm", "host", features=features)


TARGETS = {
    "linux-x86_64-v3": _linux("x86_64", "x86-64-v3"),
    "linux-x86_64-v2": _linux("x86_64", "x86-64-v2"),
    "linux-aarch64": _linux("aarch64", "generic"),
    "macos-aarch64": _macos("aarch64", "arm64", "apple-m1"),
    "macos-x86_64-v2": _macos("x86_64", "x86_64", "x86-64-v2"),
    "windows-x86_64-v2": _windows("x86_64", "x86-64-v2"),
    "wasm32": _wasm(),
}

_SYSTEMS = {"darwin": "macos", "win32": "windows"}
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_V3 = {"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}  # x86-64-v3 in the spelling of /proc/cpuinfo
_FIRST_PROCESSOR = 8192  # bytes of /proc/cpuinfo, enough for the first processor's entry


def of_this_family() -> tuple[str, ...]:
    """Return the names of all targets of this operating system and architecture, fastest first."""
    machine = platform.machine().lower()
    family = f"{_SYSTEMS.get(sys.platform, sys.platform)}-{_MACHINES.get(machine, machine)}"
    return tuple(name for name in TARGETS if name.removesuffix("-v2").removesuffix("-v3") == family)


def of_wheel(tag: str) -> tuple[str, ...]:
    """Return the names of the targets whose libraries a wheel for this platform contains."""
    return tuple(name for name, target in TARGETS.items() if target.wheel == tag)


@cache
def of_this_machine() -> tuple[str, ...]:
    """Return the names of the targets that this machine can run, fastest first."""
    return tuple(name for name in of_this_family() if not name.endswith("-v3") or _processor_features() >= _V3)


def _processor_features() -> set[str]:
    """Return the flags of the first processor in /proc/cpuinfo; empty where there is no such file."""
    try:
        with open("/proc/cpuinfo", "rb") as file:
            facts = file.read(_FIRST_PROCESSOR).decode(errors="replace")
    except OSError:
        return set()
    flags = next((line for line in facts.splitlines() if line.startswith("flags")), "")
    return set(flags.split())
