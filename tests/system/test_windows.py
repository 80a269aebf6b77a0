"""The library and the command line need no Unix. This is tried on one, without what Windows does not have."""

import os
import subprocess
import sys

import pytest

from kinarow.jit.cache_dir import ROOT_VARIABLE
from service.cli import COMMANDS
from tests.support.commands import ended

WITHOUT_UNIX = """
import os, signal, sys, time
for name in ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
for module, names in (
    (os, "fork forkpty geteuid getuid getpgid killpg register_at_fork sched_getaffinity setsid O_CLOEXEC"),
    (signal, "SIGALRM SIGHUP SIGKILL SIGPIPE SIGUSR1 pthread_sigmask setitimer"),
    (time, "CLOCK_MONOTONIC"),
):
    for name in names.split():
        delattr(module, name)
"""

CLOCK = """
import ctypes
from llvmlite.binding import add_symbol

@ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.POINTER(ctypes.c_int64))
def counter(ticks):
    ticks[0] = time.monotonic_ns()
    return 1

@ctypes.CFUNCTYPE(ctypes.c_int64)
def milliseconds():
    return time.monotonic_ns() // 1_000_000

add_symbol("QueryPerformanceCounter", ctypes.cast(counter, ctypes.c_void_p).value)
add_symbol("GetTickCount64", ctypes.cast(milliseconds, ctypes.c_void_p).value)
"""


def without_unix(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that has no module and no function of Unix; it writes in a code page of Windows."""
    encoding = {**os.environ, "PYTHONIOENCODING": "cp1252", **environment}
    return ended(sys.executable, "-c", WITHOUT_UNIX + code, environment=encoding, seconds=240)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clock", "rest"),
    [
        ("GetTickCount64()", "sys.exit()"),
        (
            "QueryPerformanceCounter()",
            """
answer = kinarow.best_move("X.O/.../...", goal=3, time_limit_ms=5000)
assert answer.proven and answer.nodes, answer
sys.exit(main(["move", "X.O/.../...", "--goal", "3"]))
""",
        ),
    ],
)
def test_library_and_command_line_search_with_the_clocks_of_windows(tmp_path, clock, rest):
    code = f"""{CLOCK}
from types import SimpleNamespace
time.get_clock_info = lambda _: SimpleNamespace(implementation="{clock}", resolution=1e-9)
import kinarow
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.kernel_budget import monotonic_ns
from service.cli import main

early = time.monotonic_ns() // 1_000_000 * 1_000_000
now = monotonic_ns(Budget(1).record)
assert early <= now <= time.monotonic_ns(), (early, now)
"""
    done = without_unix(code + rest, **{ROOT_VARIABLE: str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "X wins" in done.stdout or rest == "sys.exit()"


def test_all_commands_can_be_imported_and_serve_says_what_it_needs():
    modules = ", ".join(command.module for command in COMMANDS.values())
    done = without_unix(f"import {modules}\nfrom service.cli import main\nsys.exit(main(['serve']))\n")
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr == "kinarow serve: the service needs a Unix: Linux, macOS, or on Windows WSL or Docker\n"
