"""The library and the command line need no Unix. This is tried on one, without what Windows does not have."""

import os
import subprocess
import sys

from kinarow.commands.cli import COMMANDS
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
# Before Python 3.13 two clocks of Windows have different zero points.
monotonic_ns, an_hour_ns = time.monotonic_ns, 3600 * 10**9
time.monotonic_ns = lambda: monotonic_ns() - an_hour_ns
time.get_clock_info = lambda name: __import__("types").SimpleNamespace(implementation=name)
"""


def without_unix(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process that has no module and no function of Unix; it writes in a code page of Windows."""
    encoding = {**os.environ, "PYTHONIOENCODING": "cp1252", **environment}
    return ended(sys.executable, "-c", WITHOUT_UNIX + code, environment=encoding, seconds=240)


def test_library_and_command_line_search_without_unix():
    done = without_unix("""
import kinarow
from kinarow.commands.cli import main

answer = kinarow.best_move("X.O/.../...", goal=3, time_limit_ms=5000)
assert answer.proven and answer.nodes, answer
sys.exit(main(["move", "X.O/.../...", "--goal", "3"]))
""")
    assert done.returncode == 0, done.stderr
    assert "X wins" in done.stdout


def test_all_commands_can_be_imported_and_serve_says_what_it_needs():
    modules = ", ".join(command.module for command in COMMANDS.values())
    done = without_unix(f"import {modules}\nfrom kinarow.commands.cli import main\nsys.exit(main(['serve']))\n")
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr == "kinarow serve: the service needs a Unix: Linux, macOS, or on Windows WSL or Docker\n"
