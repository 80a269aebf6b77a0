"""The JavaScript client, ready to be packed, and the files of the engine for browsers."""

import re
import shutil
import sys

import pytest

from kinarow.game.rules import PRESETS
from kinarow.kernels.build import missing
from kinarow.solvers.common.capacity import WORD_BITS
from tests.support import npm
from tests.support.commands import run

LARGE = [name for name, rules in PRESETS.items() if rules.cells > WORD_BITS]
MOST_KILOBYTES = {"connect-four": 300, **dict.fromkeys(LARGE, 140)}  # with the scripts, and a book


@pytest.fixture(scope="session")
def node():
    return npm.node()


@pytest.fixture(scope="session")
def client_tools(repository):
    return npm.installed(repository / "clients" / "javascript")


@pytest.fixture(scope="session")
def javascript_client(repository, client_tools, tmp_path_factory):
    """A copy of the client's folder with ``api.d.ts``, as npm's ``prepare`` writes it."""
    root = tmp_path_factory.mktemp("checkout")
    folder = root / "clients" / "javascript"
    shutil.copytree(
        repository / "clients" / "javascript", folder, ignore=shutil.ignore_patterns("node_modules", "api.d.ts")
    )
    (folder / "node_modules").symlink_to(client_tools / "node_modules")
    shutil.copy(repository / "openapi.yaml", root)
    run(npm.program("npm"), "run", "prepare", folder=folder)
    return folder


@pytest.fixture(scope="session")
def engine_files(repository, tmp_path_factory):
    """The folder of the files that the engine for browsers loads."""
    if missing(targets=["wasm32"]):
        pytest.skip("the kernels are not built for WebAssembly: make browser")
    files = tmp_path_factory.mktemp("engine") / "dist"
    printed = run(sys.executable, repository / "browser" / "export.py", files)
    kilobytes = dict(re.findall(r"^([\w-]+) +(\d+) kB with gzip$", printed, re.MULTILINE))
    assert {game: size for game, size in kilobytes.items() if int(size) > MOST_KILOBYTES.get(game, 200)} == {}
    return files
