"""Python code in a process that stands still again and again, as a machine does that has other things to do."""

import signal
import subprocess
import sys
import time

import pytest

from tests.support.server import REPOSITORY

where_possible = pytest.mark.skipif(
    not hasattr(signal, "SIGSTOP"), reason="stops a process for a moment, which needs SIGSTOP"
)
"""Marks a test that uses this."""


def output_of(code: str, seconds: float) -> list[str]:
    """The words that some code prints; after its first line it stands still and runs by turns of ``seconds``."""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert process.stdout is not None
    try:
        first = process.stdout.readline()
        while process.poll() is None:
            process.send_signal(signal.SIGSTOP)
            time.sleep(seconds)
            process.send_signal(signal.SIGCONT)
            time.sleep(seconds)
        assert process.returncode == 0
        return (first + process.stdout.read()).split()
    finally:
        process.kill()
        process.communicate()
