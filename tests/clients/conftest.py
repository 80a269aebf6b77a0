"""The JavaScript client, ready to be packed."""

import shutil

import pytest

from tests.support import npm
from tests.support.commands import run


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
