"""The container image: the file is sound, and where a container engine works, the image is built and serves."""

import os
import platform
import re
import shutil
import sys
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.commands import ended, run
from tests.support.server import REPOSITORY

DOCKERFILE = REPOSITORY / "Dockerfile"
BASE_IMAGE = "KINAROW_TEST_BASE_IMAGE"
"""Names another base image than the Dockerfile's, for a machine that does not reach its registry."""
IMAGE = "kinarow-test"
BUILT_WITHIN_S = 1800
HEALTHY_WITHIN_S = 60


def test_hadolint_finds_nothing():
    if platform.machine() != "x86_64":
        pytest.skip("hadolint comes for x86-64 only")
    run(Path(sys.executable).parent / "hadolint", DOCKERFILE)


def documented_options():
    """The options of the one line that runs the image; the documents and the Dockerfile name the same."""
    pages = [DOCKERFILE, *REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]
    lines = {
        str(page.relative_to(REPOSITORY)): re.findall(r"docker run (.*)", page.read_text("utf-8")) for page in pages
    }
    found = {line for each in lines.values() for line in each}
    assert len(found) == 1, lines
    assert {name for name, each in lines.items() if each} >= {"Dockerfile", "README.md", "docs/operating.md"}
    return found.pop().split()


def test_one_line_runs_the_image_everywhere():
    assert "127.0.0.1:8000:8000" in documented_options()


def test_the_base_image_is_slim_and_pinned_and_the_user_is_not_root():
    text = DOCKERFILE.read_text("utf-8")
    (base,) = re.findall(r"^ARG PYTHON_IMAGE=(.+)$", text, re.MULTILINE)
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64}", base)
    assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"${PYTHON_IMAGE}"}
    assert re.findall(r"^USER (.+)$", text, re.MULTILINE) == ["10001:10001"]


def base_image():
    return os.environ.get(BASE_IMAGE) or re.search(r"^ARG PYTHON_IMAGE=(\S+)$", DOCKERFILE.read_text("utf-8"), re.M)[1]


@pytest.fixture(scope="module")
def engine():
    """Docker or Podman, whichever works here and has or gets the base image."""
    missing = ["start docker, or install podman"]
    for name in ("docker", "podman"):
        if shutil.which(name) and ended(name, "info").returncode == 0:
            if ended(name, "image", "inspect", base_image()).returncode == 0:
                return name
            pulled = ended(name, "pull", base_image(), seconds=600)
            if pulled.returncode == 0:
                return name
            missing.append(f"{name} cannot pull {base_image()}: {pulled.stderr[-300:]}")
    return pytest.skip(f"no container engine works here: {missing[-1]}")


@pytest.fixture(scope="module")
def container(engine):
    """A container of the image, started as the documents say but for its port; its name and where it listens."""
    run(engine, "build", "--tag", IMAGE, f"--build-arg=PYTHON_IMAGE={base_image()}", REPOSITORY, seconds=BUILT_WITHIN_S)
    options = [word.replace(":8000:8000", "::8000") for word in documented_options()[:-1] if word != "--rm"]
    name = run(engine, "run", "--detach", *options, IMAGE).strip()
    yield name, f"http://{run(engine, 'port', name, '8000').strip()}"
    run(engine, "rm", "--force", name)


OTHER_BYTECODE = """
import importlib.util, pathlib, sysconfig
for folder in (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib")):
    for source in pathlib.Path(folder).rglob("*.py"):
        code = pathlib.Path(importlib.util.cache_from_source(str(source)))
        if not code.is_file() or code.read_bytes()[4:8] != b"\\1\\0\\0\\0":
            print(source)
"""
"""Prints the modules whose bytecode is missing, or is compared with its source whenever it is loaded."""


def get(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.status


@pytest.mark.release
@pytest.mark.timeout(BUILT_WITHIN_S + 600)
def test_the_image_serves_everything_and_ends_when_it_is_stopped(engine, container):
    """Not as root, on a read-only file system, without capabilities; its health check says yes."""
    name, url = container
    deadline = time.monotonic() + HEALTHY_WITHIN_S
    while run(engine, "inspect", "--format", "{{.State.Health.Status}}", name).strip() != "healthy":
        assert time.monotonic() < deadline, run(engine, "logs", name)
        with suppress(OSError):
            get(f"{url}/readyz")
        time.sleep(0.5)
    for path in (
        "/",
        "/docs",
        "/guide/",
        "/atlas",
        "/openapi.yaml",
        "/openapi.json",
        "/version",
        "/move?board=X.O/.X./...",
    ):
        assert get(url + path) == 200, path
    done = ended(engine, "logs", name)
    assert "building the kernels" not in done.stdout + done.stderr
    assert run(engine, "exec", name, "id", "-u").strip() == "10001"
    left = run(engine, "exec", name, "ls", "/opt/kinarow", "/opt/kinarow/venv/bin").split()
    assert "kinarow" in left
    assert not set(left) & {"pip", "pip3", "src", "sphinx"}
    assert run(engine, "exec", name, "python", "-c", OTHER_BYTECODE) == ""
    run(engine, "stop", "--time", "30", name)
    assert run(engine, "inspect", "--format", "{{.State.ExitCode}}", name).strip() == "0"
