"""A release: its files are built, an index would take them, and the wheel plays in an empty environment."""

import os
import platform
import shutil
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from kinarow.kernels.targets import TARGETS, of_this_machine, of_wheel
from kinarow.version import VERSION
from release.backend import COPIED
from tests.support import npm
from tests.support.commands import run, tool

ROOT = Path(__file__).parents[2]

PLAY = "import kinarow; p = kinarow.Position.from_text('XX./OO./...', goal=3); print(kinarow.best_move(p).move)"

NOT_FOR_THE_LIBRARY = ("numba", "flask", "gevent", "gunicorn", "prometheus-client", "pyyaml", "tree-sitter")


MOST_INSTALLED_BYTES = 110_000_000
BUILT_WITHIN_S = 1800
"""Kernels are built for six targets, five wheels and an sdist built, and two environments installed."""


def test_the_long_description_stands_alone():
    """On a package index no relative link leads anywhere."""
    text = (ROOT / "kinarow" / "README.md").read_text("utf-8")
    assert "](" not in text.replace("](https://", "")
    assert "<img" not in text


@pytest.mark.parametrize(
    ("schema", "files"),
    [
        ("github-workflows", [".github/workflows/ci.yml", ".github/workflows/release.yml"]),
        ("renovate", [".github/renovate.json"]),
        ("github-issue-forms", [f".github/ISSUE_TEMPLATE/{name}.yml" for name in ("wrong-move", "fault", "proposal")]),
        ("citation-file-format", ["CITATION.cff"]),
    ],
)
def test_files_for_others_fit_their_schemas(schema, files):
    run(tool("check-jsonschema"), "--builtin-schema", f"vendor.{schema}", *(ROOT / file for file in files))


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


FIRST_ANSWERS = """
import sys
import kinarow
from kinarow.game.rules import PRESETS
from kinarow.kernels import shared_library

assert "site" in shared_library.__file__, shared_library.__file__
shared_library.of_this_machine = lambda: tuple(sys.argv[1:])
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


def answers_on_every_python(wheel: Path, folder: Path) -> str:
    """In an empty environment of each that can be had here; what that installs has at most 110 MB, as the text says."""
    said = []
    found = [*Path.home().glob(".pyenv/versions/3.1[1-9].*/bin/python"), Path(sys.executable).resolve()]
    for python in {run(each, "-c", "import sys; print(sys.version_info[:2])"): each for each in found}.values():
        venv = folder / f"venv-{python.resolve().parents[1].name}"
        run(python, "-m", "venv", venv, folder=folder)
        pip = (venv / "bin" / "python", "-m", "pip", "--disable-pip-version-check")
        run(*pip, "install", "--quiet", "--no-compile", wheel, folder=folder, seconds=600)
        assert run(venv / "bin" / "python", "-c", PLAY, folder=folder).strip() == "2"
        (site,) = venv.glob("lib/python*/site-packages")
        sizes = {each.name: sum(file.stat().st_size for file in each.rglob("*")) for each in site.iterdir()}
        own = {name: size for name, size in sizes.items() if not name.startswith(("pip", "setuptools", "_distutils"))}
        large = ", ".join(f"{name} {size / 1e6:.1f}" for name, size in own.items() if size > 500_000)
        said.append(f"{python}: {sum(own.values()) / 1e6:.1f} MB: {large}")
        assert sum(own.values()) < MOST_INSTALLED_BYTES
    return "\n".join(said)


@pytest.mark.release
@pytest.mark.timeout(BUILT_WITHIN_S + 600)
def test_a_release(tmp_path, capsys):
    """``make release`` tries its files itself; one test, because they take minutes to build."""
    npm.program("npm")
    # From a copy, because a build writes beside the sources.
    unwanted = shutil.ignore_patterns(
        ".venv", ".git", "guide", "engine", "build", "dist", "node_modules", "compiled", "__pycache__", "*.egg-info"
    )
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=unwanted)
    venv = Path(sys.executable).parents[1]
    stamps = (f"{venv}/.stamp-{name}" for name in ("serve", "kernels", "test", "dev", "linker"))
    installed = [word for stamp in stamps for word in ("--old-file", stamp)]  # nothing more
    run("make", "release", f"VENV={venv}", *installed, folder=source, seconds=BUILT_WITHIN_S)
    dist = source / "dist"
    wheels = {file.stem.partition("-py3-none-")[2]: file for file in dist.glob("*.whl")}
    assert {*wheels} == {target.wheel for target in TARGETS.values()} - {""}
    wheel = wheels[f"manylinux_2_28_{platform.machine()}"]
    (sdist,) = dist.glob("*.tar.gz")
    names = {"RELEASE_NOTES.md", f"kinarow-client-{VERSION}.tgz", "kinarow-sbom.cdx.json", sdist.name}
    names |= {file.name for file in wheels.values()}
    assert {file.name for file in dist.iterdir()} == {*names, "SHA256SUMS"}
    checked = run("sha256sum", "--check", "--strict", "SHA256SUMS", folder=dist).splitlines()
    assert {line.partition(":")[0] for line in checked} == names
    assert '"flask"' in (dist / "kinarow-sbom.cdx.json").read_text("utf-8").lower()
    assert "### " in (dist / "RELEASE_NOTES.md").read_text("utf-8")
    with tarfile.open(sdist) as packed:
        files = {name.partition("/")[2] for name in packed.getnames()}
    assert {"deploy/nginx/site.conf", "requirements/serve.txt", "requirements/redis.txt"} < files
    assert {"service/guide/README.html", "service/web/engine/engine.json"} <= files
    assert {*COPIED} < files, "a wheel can be built from it"

    for tag, each in wheels.items():
        run(tool("check-wheel-contents"), each)
        inside = zipfile.ZipFile(each).namelist()
        assert {"service/guide/README.html", "service/web/engine/engine.json"} <= {*inside}
        assert {f"service/copies/{name}" for name in COPIED} <= {*inside}
        assert {name.split("/")[0] for name in inside if ".dist-info" not in name} == {"kinarow", "service"}
        assert {name.split("/")[3] for name in inside if "/compiled/" in name} == {*of_wheel(tag)}
        assert each.stat().st_size < 15 * 2**20
    plays_a_move(wheel, tmp_path)
    answers_on_every_level(wheel, tmp_path)
    said = answers_on_every_python(wheel, tmp_path)
    with capsys.disabled():
        print(f"\n{said}")
