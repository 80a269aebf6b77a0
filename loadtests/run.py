"""``make loadtest``: starts a server, runs Locust against it, and prints the result.

LOADTEST_SCENARIO   crowd (games), analysts (hard boards), or all (crowd)
LOADTEST_USERS      simultaneous users (20)
LOADTEST_SECONDS    duration (20)
LOADTEST_THINK_S    mean seconds between an answer and the next request (2); 0 for no pause
LOADTEST_HOST       the URL of a running server to use instead
LOADTEST_PROCESSES  processes of Locust, each on a core (1)
LOADTEST_REPORT     a folder for report.html with plots over time, and the figures as CSV
LOADTEST_MOVE_MS, LOADTEST_ANALYSIS_MS
                    the run fails if a 99th percentile is above, in ms (5000, 15000)
LOADTEST_MOST_SHED  the run fails if a greater share of requests is refused for load (1: any)
"""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from tests.support.server import REPOSITORY, Server

HERE = Path(__file__).parent
SCENARIOS = {"crowd": ("locustfile.py",), "analysts": ("analyst.py",), "all": ("locustfile.py", "analyst.py")}
MAX_USERS = 1000
MAX_SECONDS = 3600
MAX_PROCESSES = 64
GRACE_S = 60


def main() -> int:
    """Run Locust once and return its exit code."""
    scenario = os.environ.get("LOADTEST_SCENARIO", "crowd")
    if scenario not in SCENARIOS:
        print(f"LOADTEST_SCENARIO: must be one of {', '.join(SCENARIOS)}, not {scenario}", file=sys.stderr)
        return 2
    locustfiles = ",".join(str(HERE / name) for name in SCENARIOS[scenario])
    users = min(int(os.environ.get("LOADTEST_USERS", "20")), MAX_USERS)
    seconds = min(int(os.environ.get("LOADTEST_SECONDS", "20")), MAX_SECONDS)
    processes = min(int(os.environ.get("LOADTEST_PROCESSES", "1")), MAX_PROCESSES)
    report = os.environ.get("LOADTEST_REPORT")
    host = os.environ.get("LOADTEST_HOST")
    with contextlib.ExitStack() as stack:
        if not host:
            print("starting a server …", flush=True)
            # A log line for every request would drown the summary.
            host = stack.enter_context(Server.started(KINAROW_LOG_LEVEL="warning")).url
        print(f"{scenario}: {users} people for {seconds} s on {host}", flush=True)
        return subprocess.run(
            [
                *(sys.executable, "-m", "locust", "--locustfile", locustfiles),
                *("--headless", "--only-summary", "--loglevel", "WARNING", "--stop-timeout", "10"),
                *("--users", str(users), "--spawn-rate", str(users), "--run-time", f"{seconds}s"),
                *(("--processes", str(processes)) if processes > 1 else ()),
                *(_report_options(Path(report)) if report else ()),
                *("--host", host),
            ],
            cwd=REPOSITORY,
            stdin=subprocess.DEVNULL,
            timeout=seconds + GRACE_S,
        ).returncode


def _report_options(folder: Path) -> tuple[str, ...]:
    folder.mkdir(parents=True, exist_ok=True)
    return ("--html", str(folder / "report.html"), "--csv", str(folder / "load"), "--csv-full-history")


if __name__ == "__main__":
    sys.exit(main())
