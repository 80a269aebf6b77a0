"""What all tests share: no silent skips where everything must run, a real server to ask."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support import faults, oracle
from tests.support.commands import package, run
from tests.support.server import REPOSITORY, Server

REQUIRE_ALL = "KINAROW_REQUIRE_ALL"
"""Set (to anything but 0) where every test must really run: a skip is then a failure."""

ALONE = ("tests/system/resilience/", "tests/system/deploy/test_proxy.py")
"""Long tests that load the machine or measure times; nothing runs beside them."""
SLOW = ("tests/clients/", "tests/system/deploy/", "tests/system/test_metrics.py", "tests/web/")
"""Other long tests."""
SLOW_WITHIN_S = 600

if sys.platform == "win32":  # They use a terminal, or the service's searches, which need a Unix.
    collect_ignore = [
        *(f"kinarow/commands/test_{name}.py" for name in ("cli", "terminal")),
        *(f"kinarow/play/test_{name}.py" for name in ("grades", "levels")),
    ]

# Times on a shared machine say nothing of the code; where everything must run the choice is repeatable, and larger.
UNTIMED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("local", UNTIMED, max_examples=40)
settings.register_profile("all", UNTIMED, derandomize=True, print_blob=True)
settings.load_profile("all" if os.environ.get(REQUIRE_ALL, "0") != "0" else "local")


def pytest_configure():
    """Let SIGINT end this process and its children: in the background of a shell without job control they ignore it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers(config):
    """All cores this process may use; left to itself pytest-xdist counts two threads of a core as one."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def pytest_itemcollected(item):
    """Mark the tests of the long folders, and give a long test its longer time."""
    everyday = item.get_closest_marker("everyday") or (
        item.nodeid.startswith("tests/web/") and "browser" not in item.fixturenames
    )
    if not everyday:
        if item.get_closest_marker("release"):
            pass
        elif item.nodeid.startswith(ALONE):
            item.add_marker("slow")
            item.add_marker("alone")
        elif item.nodeid.startswith(SLOW):
            item.add_marker("slow")
    long = item.get_closest_marker("slow") or item.get_closest_marker("release")
    if long and not item.get_closest_marker("timeout"):
        item.add_marker(pytest.mark.timeout(SLOW_WITHIN_S))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Turn a skip into a failure where everything must run."""
    return _refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    """The same for a module that skips itself as a whole."""
    return _refuse_skip((yield))


def _refuse_skip(report):
    expected = hasattr(report, "wasxfail")
    if report.skipped and not expected and os.environ.get(REQUIRE_ALL, "0") != "0":
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        report.outcome = "failed"
        report.longrepr = f"{REQUIRE_ALL} is set, so nothing may be left out: {reason}"
    return report


def pytest_terminal_summary(terminalreporter):
    """Print the faults that a running service was seen to survive."""
    if faults.table():
        terminalreporter.section("faults")
        terminalreporter.write_line(faults.table())


@pytest.fixture(scope="module", autouse=True)
def _forget_judged():
    """The oracle's memory is large, and of no use to the tests that follow."""
    yield
    oracle.score.cache_clear()


@pytest.fixture(scope="session")
def live_server() -> Iterator[Server]:
    """A real ``kinarow serve`` on a free loopback port, ready; ``live_server.url`` is where it listens."""
    with Server.started(KINAROW_WORKERS="2") as server:
        yield server


@pytest.fixture(scope="session")
def guide(tmp_path_factory) -> Path:
    """The folder of the guide, built with warnings as errors; all workers of pytest-xdist share it."""
    package("sphinx")
    import fcntl  # Windows, where the tests of the library run, has none

    own = tmp_path_factory.getbasetemp()
    folder = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    pages, unfinished = folder / "guide", folder / "guide.unfinished"
    with (folder / "guide.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not pages.exists():
            command = (sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet")
            run(*command, REPOSITORY / "docs", unfinished, seconds=300)
            unfinished.rename(pages)
    return pages


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parent.parent
