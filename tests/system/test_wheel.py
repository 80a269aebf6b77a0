"""A release: its files are built, an index would take them, and the wheel plays in an empty environment."""

import os
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from kinarow.kernels.targets import of_this_machine
from kinarow.version import VERSION
from tests.support import npm
from tests.support.commands import ended, run

ROOT = Path(__file__).parents[2]

PLAY = "import kinarow; p = kinarow.Position.from_text('XX./OO./...', goal=3); print(kinarow.best_move(p).move)"

NOT_FOR_THE_LIBRARY = ("numba", "flask", "gevent", "gunicorn", "prometheus-client", "pyyaml", "structlog")


BUILT_WITHIN_S = 1800
"""Kernels are built for two targets, a wheel and an sdist built, and two environments installed."""


def test_the_long_description_stands_alone():
    """On a package index no relative link leads anywhere."""
    text = (ROOT / "kinarow" / "README.md").read_text("utf-8")
    assert "](" not in text.replace("](https://", "")
    assert "<img" not in text


@pytest.mark.parametrize(
    ("file", "schema"), [(".github/workflows/ci.yml", "github-workflows"), ("CITATION.cff", "citation-file-format")]
)
def test_files_for_others_fit_their_schemas(file, schema):
    """The schemas come with check-jsonschema; nothing is fetched."""
    checker = Path(sys.executable).parent / "check-jsonschema"
    run(checker, "--builtin-schema", f"vendor.{schema}", ROOT / file)


def plays_a_move(wheel: Path, folder: Path) -> None:
    """Library and command line need no extra; both also play in a folder with a ``service.py`` of its own."""
    run(sys.executable, "-m", "venv", folder / "venv", folder=folder)
    python = folder / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, folder=folder, seconds=600)
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "service.py").write_text("raise SystemExit('the wrong service')\n", "utf-8")
    assert run(python, "-c", PLAY, folder=elsewhere).strip() == "2"
    kinarow = folder / "venv" / "bin" / "kinarow"
    assert '"tile": 3' in run(kinarow, "move", "XX./OO./...", "--json", folder=elsewhere)
    assert "X wins" in run(kinarow, "analyse", "XX./OO./...", folder=elsewhere)
    players = ["--x", "10", "--o", "1", "--seed", "1"]
    assert "has won" in run(kinarow, "play", "XX./OO./...", *players, folder=elsewhere)
    # Alone, without what only the service needs.
    installed = run(python, "-m", "pip", "list", "--format", "freeze", folder=folder).lower()
    assert not [name for name in NOT_FOR_THE_LIBRARY if f"{name}==" in installed]
    for command in (["serve"], ["label", "games.csv", "labels"], ["mcp"]):
        refused = ended(kinarow, *command, folder=elsewhere)
        told = f"kinarow {command[0]}: not installed: pip install 'kinarow[{command[0]}]'\n"
        assert (refused.returncode, refused.stdout, refused.stderr) == (2, "", told)


FIRST_ANSWERS = """
import sys
import kinarow
from kinarow.game.rules import PRESETS
from kinarow.kernels import library

assert "site" in library.__file__, library.__file__
library.of_this_machine = lambda: tuple(sys.argv[1:])
kinarow.warm_up()
for rules in PRESETS.values():
    nodes = kinarow.best_move(kinarow.Position.empty(rules), kinarow.Limits(3000)).nodes
    print(rules, nodes)
kinarow.bulk_values([[0] * 9], kinarow.Rules(3, 3, 3))
assert not {"numba", "llvmlite"} & set(sys.modules)
"""


def answers_on_every_level(wheel: Path, folder: Path) -> None:
    """With the same nodes on each level of the processor, and without Numba."""
    site = folder / "site"
    zipfile.ZipFile(wheel).extractall(site)
    own = {**os.environ, "PYTHONPATH": str(site)}
    said = {
        run(sys.executable, "-c", FIRST_ANSWERS, target, folder=folder, environment=own) for target in of_this_machine()
    }
    assert len(said) == 1


@pytest.mark.release
@pytest.mark.timeout(BUILT_WITHIN_S + 600)
def test_a_release(tmp_path):
    """``make release`` tries its files itself; one test, because they take minutes to build."""
    npm.program("npm")
    # From a copy, because a build writes beside the sources.
    unwanted = shutil.ignore_patterns(
        ".venv", ".git", "guide", "build", "dist", "node_modules", "compiled", "__pycache__", "*.egg-info"
    )
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=unwanted)
    venv = Path(sys.executable).parents[1]
    installed = ("--old-file", f"{venv}/.stamp-serve", "--old-file", f"{venv}/.stamp-dev")  # nothing more
    run("make", "release", f"VENV={venv}", *installed, folder=source, seconds=BUILT_WITHIN_S)
    dist = source / "dist"
    (wheel,), (sdist,) = dist.glob("*.whl"), dist.glob("*.tar.gz")
    names = {"RELEASE_NOTES.md", f"kinarow-client-{VERSION}.tgz", "kinarow-sbom.cdx.json", wheel.name, sdist.name}
    assert {file.name for file in dist.iterdir()} == {*names, "SHA256SUMS"}
    checked = run("sha256sum", "--check", "--strict", "SHA256SUMS", folder=dist).splitlines()
    assert {line.partition(":")[0] for line in checked} == names
    assert '"flask"' in (dist / "kinarow-sbom.cdx.json").read_text("utf-8").lower()
    assert "### " in (dist / "RELEASE_NOTES.md").read_text("utf-8")
    with tarfile.open(sdist) as packed:
        files = {name.partition("/")[2] for name in packed.getnames()}
    assert {"deploy/nginx/site.conf", "requirements/serve.txt", "requirements/redis.txt"} < files
    assert "service/guide/README.html" in files

    run(Path(sys.executable).parent / "check-wheel-contents", wheel)
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name}
    assert "service/guide/README.html" in zipfile.ZipFile(wheel).namelist()
    assert tops == {"kinarow", "kinarow_gym.py", "service"}
    assert wheel.stat().st_size < 15 * 2**20
    assert "py3-none-manylinux" in wheel.name
    plays_a_move(wheel, tmp_path)
    answers_on_every_level(wheel, tmp_path)
