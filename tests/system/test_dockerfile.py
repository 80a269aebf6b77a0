"""The container image: the file is sound, and its own steps, carried out in a folder, give a service that runs."""

import platform
import re
import shutil
import sys
from pathlib import Path

import pytest

from kinarow.jit.cache_dir import TARGETS
from tests.support.commands import ended, run
from tests.support.dockerfile import Rehearsal, base_environment, command_of, health_command_of, read_stages
from tests.support.permissions import WITHOUT_PRIVILEGES, read_only
from tests.support.server import REPOSITORY, Server

DOCKERFILE = REPOSITORY / "Dockerfile"


@pytest.fixture(scope="module")
def stages():
    return read_stages(DOCKERFILE.read_text("utf-8"))


def test_hadolint_finds_nothing():
    if platform.machine() != "x86_64":
        pytest.skip("hadolint comes for x86-64 only")
    run(Path(sys.executable).parent / "hadolint", DOCKERFILE)


def test_one_line_runs_the_image_everywhere():
    """The documents and the Dockerfile name the same command."""
    pages = [DOCKERFILE, *REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")]
    lines = {str(page.relative_to(REPOSITORY)): re.findall(r"docker run .*", page.read_text("utf-8")) for page in pages}
    found = {line for each in lines.values() for line in each}
    assert len(found) == 1, lines
    assert {name for name, each in lines.items() if each} >= {"Dockerfile", "README.md", "docs/operating.md"}
    assert "--publish 127.0.0.1:8000:8000" in found.pop()


def test_the_base_image_is_slim_and_pinned(stages):
    for stage in stages:
        assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+@sha256:[0-9a-f]{64}", stage.base)


def test_the_last_stage_is_not_root_and_builds_nothing(stages):
    last = stages[-1]
    (user,) = last.all("USER")
    assert all(int(number) > 0 for number in user.split(":"))
    assert not any(re.search(r"\b(apt-get|pip|gcc|make|git)\b", step) for step in last.all("RUN"))
    assert last.all("STOPSIGNAL") == ["SIGTERM"]
    assert command_of(last) == ["kinarow", "serve"]


def test_whatever_is_copied_exists_and_is_let_through(stages):
    let_through = [
        line[1:] for line in (REPOSITORY / ".dockerignore").read_text("utf-8").splitlines() if line.startswith("!")
    ]
    for stage in stages:
        for copy in stage.all("COPY"):
            if copy.startswith("--from"):
                continue
            for source in copy.split()[:-1]:
                assert (REPOSITORY / source).exists(), source
                assert source.rstrip("/") in let_through, source


@pytest.fixture(scope="module")
def image(stages, tmp_path_factory):
    """What the steps of the Dockerfile leave behind: the folder that stands for the root, and the environment."""
    folder = tmp_path_factory.mktemp("image")
    python = str(Path(sys._base_executable).resolve())
    environment = base_environment(python, folder / "bin")
    # The package manager's cache is the machine's, not the image's: do not fetch everything again.
    build = Rehearsal(folder / "root", REPOSITORY, dict(environment))
    (folder / "root").mkdir()
    rehearse_with_cache(build, stages[0])
    serve = Rehearsal(folder / "root", REPOSITORY, {"PATH": environment["PATH"], "LANG": "C.UTF-8"})
    serve.carry_out(stages[-1])
    return folder / "root", serve.environment


def rehearse_with_cache(rehearsal, stage):
    """Carry a stage out but let pip use the cache of this machine."""
    stage.steps = [(word, rest.replace("PIP_NO_CACHE_DIR=1", "PIP_NO_CACHE_DIR=0")) for word, rest in stage.steps]
    rehearsal.environment["HOME"] = str(Path.home())
    rehearsal.carry_out(stage)


@pytest.fixture(scope="module")
def started(image, stages, tmp_path_factory):
    """The service of the image: read-only, without a home or any privilege, as ``docker run --read-only`` has it."""
    root, environment = image
    temporary = tmp_path_factory.mktemp("tmp")
    environment = {**environment, "TMPDIR": str(temporary)}
    kinarow = shutil.which(command_of(stages[-1])[0], path=environment["PATH"])
    command = [*WITHOUT_PRIVILEGES, kinarow, *command_of(stages[-1])[1:]]
    with read_only(root), Server.started(command, cwd=root, environment=environment) as server:
        yield server, {**environment, "KINAROW_PORT": str(server.port)}


@pytest.mark.slow
def test_the_image_has_kernels_for_every_level_of_the_processor_family_and_nothing_that_builds(image):
    root, _ = image
    left = {path.name for path in (root / "opt/kinarow/venv/bin").iterdir()}
    assert "kinarow" in left
    assert not left & {"pip", "pip3", "wheel", "easy_install"}
    assert not (root / "opt/kinarow/service").exists()
    (compiled,) = root.glob("opt/kinarow/venv/lib/*/site-packages/kinarow/jit/compiled")
    folders = list(compiled.iterdir())
    assert len(folders) == len(TARGETS[platform.machine().lower()])
    assert all(list(folder.glob("*.kernel")) for folder in folders)


@pytest.mark.slow
def test_the_image_serves_all_files_and_neither_writes_nor_compiles(started):
    server, _ = started
    answer = server.post("/move", {"board": ["X.O", ".X.", "..."]})
    assert answer.status == 200
    assert answer.json["move"]["tile"] == 9
    for path in ("/", "/docs", "/guide/", "/atlas", "/openapi.yaml", "/openapi.json", "/version"):
        assert server.get(path).status == 200, path
    assert "compiling" not in server.log


@pytest.mark.slow
def test_the_health_check_says_yes_and_no(started, stages):
    _, environment = started
    python, *rest = health_command_of(stages[-1])
    command = [shutil.which(python, path=environment["PATH"]), *rest]
    assert ended(*command, environment=environment).returncode == 0
    nobody = {**environment, "KINAROW_PORT": "1"}
    assert ended(*command, environment=nobody).returncode != 0
