"""One word starts everything: in a fresh copy of the tree, with nothing there but Python and make."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.commands import ended, run, tool
from tests.support.server import REPOSITORY, Server

PYTHON = str(Path(sys._base_executable).resolve())
TARGETS = re.findall(r"^([a-z-]+):.*##", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE)
NOT_IN_A_CLONE = ".git .venv build compiled dist guide node_modules __pycache__ *.egg-info .*_cache .hypothesis".split()  # noqa: SIM905


def bare_environment(home: Path) -> dict[str, str]:
    """What a new machine's shell has, and where this machine's package manager finds packages."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "UV_"))}
    return {**kept, "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(home), "LANG": "C.UTF-8"}


def test_help_lists_every_target_and_each_is_sound():
    said = run("make", "help")
    assert [target for target in TARGETS if f"make {target}" not in said] == []
    run("make", f"PYTHON={PYTHON}", "--dry-run", *TARGETS)


def test_a_python_that_is_too_old_is_told(tmp_path):
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    done = ended("make", f"PYTHON={old}", f"VENV={tmp_path}/venv", "install")
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stderr


def as_cloned(folder: Path) -> tuple[Path, dict[str, str]]:
    """Return a copy of the tree as a clone has it, and the environment of a new user."""
    shutil.copytree(REPOSITORY, folder / "kinarow", ignore=shutil.ignore_patterns(*NOT_IN_A_CLONE))
    (folder / "home").mkdir()
    (folder / "home" / ".cache").symlink_to(Path.home() / ".cache" if (Path.home() / ".cache").exists() else folder)
    return folder / "kinarow", bare_environment(folder / "home")


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    return as_cloned(tmp_path_factory.mktemp("fresh"))


def wait_for_the_guide(server: Server, tree: Path) -> None:
    """It is built in the background, giving way to all other programs, and shown without a restart."""
    deadline = time.monotonic() + 300
    while server.get("/guide/").status != 200:
        assert time.monotonic() < deadline, (tree / "build" / "guide.log").read_text("utf-8")
        time.sleep(0.2)


@pytest.mark.slow
@pytest.mark.alone
def test_make_serve_installs_builds_and_serves(fresh):
    tree, environment = fresh
    environment = {**environment, "XDG_CACHE_HOME": str(tree.parent / "cache"), "KINAROW_WORKERS": "1"}
    command = ["make", f"PYTHON={PYTHON}", "serve"]
    with Server.started(command, cwd=tree, environment=environment, ready=False) as server:
        server.wait_until_ready(300)
        assert server.post("/move", {"board": ["X.O", ".X.", "..."]}).json["move"]["tile"] == 9
        wait_for_the_guide(server, tree)
        log = server.log
        assert log.index("Making a virtual environment") < log.index("Installing what serving needs")
        assert log.count("building the kernels of") == 1
        # As Ctrl-C does: to make and to the server.
        os.killpg(server.process.pid, signal.SIGINT)
        server.process.wait(30)
        assert "Traceback" not in server.log

    began = time.monotonic()
    with Server.started(command, cwd=tree, environment=environment) as server:
        print(f"second make serve: ready after {time.monotonic() - began:.1f} s")
        assert "Installing" not in server.log
        assert "building the kernels" not in server.log
        os.killpg(server.process.pid, signal.SIGTERM)
        server.process.wait(30)
    assert time.monotonic() - began < 15


LASTING = ("bench", "bench-http", "loadtest", "loadtest-hostile", "proofs", "serve")
"""Targets that are ended after a while: what they lack shows at their start."""
ELSEWHERE = ("docker", "release", "test-full", "wheels")
"""Targets that other tests run, or that only run others."""


@pytest.mark.release
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("target", sorted({*TARGETS} - {*ELSEWHERE}))
def test_a_target_needs_nothing_that_it_does_not_install(tmp_path, target):
    tree, environment = as_cloned(tmp_path)
    words = ["make", f"PYTHON={PYTHON}", f"UV={tool('uv')}", "PYTEST_ARGS=--collect-only --quiet", target]
    with (tmp_path / "log").open("w+") as log:
        run = subprocess.Popen(words, cwd=tree, env=environment, stdout=log, stderr=log, process_group=0)
        try:
            code = run.wait(150 if target in LASTING else 900)
        except subprocess.TimeoutExpired:
            code = 0 if target in LASTING else -1
            os.killpg(run.pid, signal.SIGTERM)
            run.wait(60)
        log.seek(0)
        said = log.read()
    assert code == 0, said
    assert "No module named" not in said


def newest_python() -> str:
    versions = Path(PYTHON).parent.parent.parent
    for minor in range(14, 11, -1):
        beside = sorted(versions.glob(f"3.{minor}.*/bin/python3.{minor}"))
        found = str(beside[-1]) if beside else shutil.which(f"python3.{minor}", path="/usr/local/bin")
        if found:
            return found
    return PYTHON


@pytest.mark.slow
def test_without_make_pip_install_and_kinarow_serve_do_the_same(fresh, tmp_path):
    """With the newest Python that is here; the other tests have the one that runs them."""
    tree, environment = fresh
    python = newest_python()
    venv = tmp_path / "venv"
    for command in (
        [python, "-m", "venv", str(venv)],
        [f"{venv}/bin/pip", "install", "-q", "--require-hashes", "--no-deps", "-r", "requirements/serve.txt"],
        [f"{venv}/bin/pip", "install", "-q", "."],
        [f"{venv}/bin/pip", "check"],
    ):
        run(*command, folder=tree, environment=environment, seconds=280)
    environment = {**environment, "KINAROW_WORKERS": "1"}
    # Not in the tree: what is imported must be what was installed.
    with Server.started([f"{venv}/bin/kinarow", "serve"], cwd=tmp_path, environment=environment) as server:
        assert server.post("/move", {"board": ["X.O", ".X.", "..."]}).json["move"]["tile"] == 9
        assert (server.get("/docs").status, server.get("/openapi.yaml").status) == (200, 200)


def test_one_file_of_tests_runs_without_make():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text("utf-8")
    words = re.search(r"^\.venv/bin/python (-m pytest .*)$", text, re.MULTILINE)[1].split()
    assert " passed, " in run(sys.executable, *words, "-k", "adds_the_proof")
