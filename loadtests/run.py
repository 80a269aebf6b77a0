"""``make loadtest``: starts a server, lets players loose on it for a while, stops it, and says how it went.

LOADTEST_USERS      players at a time (20)
LOADTEST_SECONDS    how long they play (20)
LOADTEST_HOST       a server that runs already, instead of one of its own
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from tests.support.server import REPOSITORY, Server

LOCUSTFILE = Path(__file__).parent / "locustfile.py"
MAX_USERS = 1000
MAX_SECONDS = 3600
GRACE_S = 60


def main() -> int:
    """Run once; locust's exit code."""
    users = min(int(os.environ.get("LOADTEST_USERS", "20")), MAX_USERS)
    seconds = min(int(os.environ.get("LOADTEST_SECONDS", "20")), MAX_SECONDS)
    host = os.environ.get("LOADTEST_HOST")
    with contextlib.ExitStack() as stack:
        if not host:
            print("starting a server …", flush=True)
            # The line of every request would drown the summary and is not what is measured here.
            host = stack.enter_context(Server.started(KINAROW_LOG_LEVEL="warning")).url
        print(f"{users} players for {seconds} s on {host}", flush=True)
        return subprocess.run(
            [
                *(
                    sys.executable,
                    "-m",
                    "locust",
                    "--locustfile",
                    str(LOCUSTFILE),
                    "--headless",
                    "--only-summary",
                ),
                *("--users", str(users), "--spawn-rate", str(users), "--run-time", f"{seconds}s"),
                *("--stop-timeout", "10", "--host", host, "--loglevel", "WARNING"),
            ],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            timeout=seconds + GRACE_S,
        ).returncode


if __name__ == "__main__":
    sys.exit(main())
