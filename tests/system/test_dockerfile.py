"""The container image: the file is sound, and where a container engine works, the image is built and serves."""

import json
import os
import platform
import re
import shutil
import time
import urllib.request
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from service.settings import default_settings
from tests.support.commands import ended, run, tool
from tests.support.server import REPOSITORY

DOCKERFILE = REPOSITORY / "Dockerfile"
BASE_IMAGE = "KINAROW_TEST_BASE_IMAGE"
"""Names another base image than the Dockerfile's, for a machine that does not reach its registry."""
IMAGE = "kinarow-test"
BUILT_WITHIN_S = 1800
ANSWERS_WITHIN_S = 2
MOST_ABOVE_BASE_BYTES = 160_000_000
"""The service, its packages and guide, and the bytecode of Python's own modules."""


def test_hadolint_finds_nothing():
    if platform.machine() != "x86_64":
        pytest.skip("hadolint comes for x86-64 only")
    run(tool("hadolint"), DOCKERFILE)


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


def test_the_base_image_is_slim_and_pinned_and_the_user_is_not_root():
    """One line runs the image everywhere."""
    text = DOCKERFILE.read_text("utf-8")
    (base,) = re.findall(r"^ARG PYTHON_IMAGE=(.+)$", text, re.MULTILINE)
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64}", base)
    assert set(re.findall(r"^FROM (\S+)", text, re.MULTILINE)) == {"${PYTHON_IMAGE}"}
    assert re.findall(r"^USER (.+)$", text, re.MULTILINE) == ["10001:10001"]
    options = documented_options()
    assert "127.0.0.1:8000:8000" in options
    assert int(options[options.index("--stop-timeout") + 1]) == default_settings().stop_s + 5


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


def inspected(engine, kind, name):
    """What the engine tells of an image or a container."""
    return json.loads(run(engine, kind, "inspect", name))[0]


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
        if {"test", "tests"} & {*source.parts}:
            continue
        code = pathlib.Path(importlib.util.cache_from_source(str(source)))
        if not code.is_file() or code.read_bytes()[4:8] != b"\\1\\0\\0\\0":
            print(source)
"""
"""Prints the modules but for tests whose bytecode is missing, or is compared with its source whenever it is loaded."""


def get(url):
    with urllib.request.urlopen(url, timeout=10) as response:
        return response.status


def first_answer_s(engine, name, url):
    """Seconds from the start of a container to its first answer."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(OSError):
            get(f"{url}/move?board=X.O/.X./...")
            answered = datetime.now(UTC)
            began = datetime.fromisoformat(inspected(engine, "container", name)["State"]["StartedAt"])
            return (answered - began).total_seconds()
        time.sleep(0.01)
    raise AssertionError(run(engine, "logs", name))


@pytest.mark.release
@pytest.mark.timeout(BUILT_WITHIN_S + 600)
def test_the_image_serves_everything_and_ends_when_it_is_stopped(engine, container, capsys):
    """Soon, not as root, on a read-only file system, without capabilities; its health check says yes."""
    name, url = container
    first_s = first_answer_s(engine, name, url)
    sizes = [inspected(engine, "image", each)["Size"] for each in (IMAGE, base_image())]
    with capsys.disabled():
        above = f"{sizes[0] / 1e6:.0f} MB, its base {sizes[1] / 1e6:.0f} MB"
        print(f"\nfirst answer after {first_s:.2f} s; {above}")
    for path in ("/", "/docs", "/guide/", "/atlas", "/openapi.yaml", "/openapi.json", "/version", "/readyz"):
        assert get(url + path) == 200, path
    check = re.search(r"^HEALTHCHECK .*\n +CMD (\[.+\])$", DOCKERFILE.read_text("utf-8"), re.MULTILINE)[1]
    run(engine, "exec", name, *json.loads(check))
    assert ended(engine, "exec", name, "python", "-c", "open('/opt/kinarow/new', 'w')").returncode == 1
    done = ended(engine, "logs", name)
    assert "building the kernels" not in done.stdout + done.stderr
    assert run(engine, "exec", name, "id", "-u").strip() == "10001"
    assert run(engine, "exec", name, "python", "-c", "from service.routes import page; print(page.engine())").strip()
    left = run(engine, "exec", name, "ls", "/opt/kinarow", "/opt/kinarow/venv/bin").split()
    assert "kinarow" in left
    assert not set(left) & {"pip", "pip3", "src", "sphinx"}
    assert run(engine, "exec", name, "python", "-c", OTHER_BYTECODE) == ""
    run(engine, "stop", "--time", "30", name)
    assert inspected(engine, "container", name)["State"]["ExitCode"] == 0
    assert sizes[0] - sizes[1] < MOST_ABOVE_BASE_BYTES
    assert first_s < ANSWERS_WITHIN_S
