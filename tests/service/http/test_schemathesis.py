"""Schemathesis asks a real server by its own document, one request at a time and in chains along its links."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.server import REPOSITORY, Server

TINY = {
    "KINAROW_DEFAULT_NODES": "300", "KINAROW_DEFAULT_NODES_LARGE": "300", "KINAROW_MAX_NODES": "3000",
    "KINAROW_MAX_TIME_MS": "500", "KINAROW_MAX_BATCH": "10", "KINAROW_MAX_TREE_NODES": "2000",
}  # fmt: skip
"""Searches cost next to nothing: it is the answers' form that is tried here."""


@pytest.mark.slow
def test_no_request_and_no_chain_of_requests_breaks_the_contract():
    """A failure is not shrunk: that would take minutes."""
    with Server.started(**TINY) as server:
        tried = subprocess.run(
            [
                Path(sys.executable).with_name("schemathesis"),
                "--config-file", Path(__file__).with_name("schemathesis.toml"), "run", f"{server.url}/openapi.json",
                "--max-examples", "25", "--generation-deterministic", "--no-shrink", "--no-color",
                "--suppress-health-check", "all", "--request-timeout", "20",
            ],
            cwd=REPOSITORY, capture_output=True, text=True, timeout=500,
        )  # fmt: skip
    assert tried.returncode == 0, tried.stdout[-10_000:] + tried.stderr
    assert re.search(r"Selected: (\d+)/\1\n +Tested: \1\n", tried.stdout), tried.stdout[-2_000:]
