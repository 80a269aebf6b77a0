"""The distribution: sdist and wheel are built, and the wheel plays a move in an empty environment."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PLAY = "import kinarow; p = kinarow.Position.from_text('XX./OO./...', goal=3); print(kinarow.best_move(p).move)"

SERVICE_ONLY = ("flask", "gevent", "gunicorn", "prometheus-client", "pyyaml", "structlog")


def run(*command: object, folder: Path) -> str:
    """The output of a command in a folder."""
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory) -> tuple[Path, Path]:
    """The sdist and the wheel of this tree, built in isolation."""
    folder = tmp_path_factory.mktemp("built")
    # From a copy, because a build writes beside the sources, and two at a time would disturb each other.
    unwanted = shutil.ignore_patterns(".venv", ".git", "build", "node_modules", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, folder / "source", ignore=unwanted)
    run(sys.executable, "-m", "build", "--outdir", folder / "dist", folder / "source", folder=folder)
    (wheel,) = (folder / "dist").glob("*.whl")
    (sdist,) = (folder / "dist").glob("*.tar.gz")
    return sdist, wheel


@pytest.mark.slow
def test_an_index_would_take_the_distributions(distributions, tmp_path):
    """Twine finds the long description readable, check-wheel-contents the packages, the module and nothing odd."""
    sdist, wheel = distributions
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel, folder=tmp_path)
    # In the repository, where the settings are.
    run(Path(sys.executable).parent / "check-wheel-contents", wheel, folder=ROOT)
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name}
    assert tops == {"kinarow", "kinarow_gym.py", "service"}


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
    run(checker, "--builtin-schema", f"vendor.{schema}", ROOT / file, folder=ROOT)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_wheel_plays_a_move(distributions, tmp_path):
    """Library and command line need no extra; both also play in a folder with a ``service.py`` of its own."""
    _, wheel = distributions
    run(sys.executable, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, folder=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "service.py").write_text("raise SystemExit('the wrong service')\n", "utf-8")
    assert run(python, "-c", PLAY, folder=elsewhere).strip() == "2"
    kinarow = tmp_path / "venv" / "bin" / "kinarow"
    assert '"tile": 3' in run(kinarow, "move", "XX./OO./...", "--json", folder=elsewhere)
    assert "X wins" in run(kinarow, "analyse", "XX./OO./...", folder=elsewhere)
    players = ["--x", "10", "--o", "1", "--seed", "1"]
    assert "has won" in run(kinarow, "play", "XX./OO./...", *players, folder=elsewhere)
    # Alone, without what only the service needs.
    installed = run(python, "-m", "pip", "list", "--format", "freeze", folder=tmp_path).lower()
    assert not [name for name in SERVICE_ONLY if f"{name}==" in installed]
    for command in (["serve"], ["label", "games.csv", "labels"], ["mcp"]):
        ended = subprocess.run([kinarow, *command], cwd=elsewhere, capture_output=True, text=True, timeout=60)
        told = f"kinarow {command[0]}: not installed: pip install 'kinarow[{command[0]}]'\n"
        assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", told)


FIRST_ANSWERS = """
import sys
import kinarow
from kinarow.game.rules import PRESETS
from kinarow.jit import cache_dir, kernels
from kinarow.search.search import warm_up

assert "site" in kernels.__file__, kernels.__file__
compiled = []
with kernels.compile_listener(compiled.append):
    warm_up()
    for rules in PRESETS.values():
        nodes = kinarow.best_move(kinarow.Position.empty(rules), kinarow.Limits(3000)).nodes
        print(rules, nodes)
    kinarow.bulk_values([[0] * 9], kinarow.Rules(3, 3, 3))
assert [kernel for kernel in compiled if kernel] == []
"""


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_wheel_with_kernels_compiles_nothing(tmp_path):
    """On both levels of the processor, with the same nodes as here; and it makes no folder for kernels."""
    unwanted = shutil.ignore_patterns(".git", "build", "dist", "node_modules", "__pycache__", "*.egg-info")
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=lambda folder, names: {*unwanted(folder, names), ".venv"})
    venv = Path(sys.executable).parents[1]
    run("make", "wheels", f"VENV={venv}", "--old-file", f"{venv}/.stamp-dev", folder=source)  # installs nothing
    (wheel,) = (source / "dist").glob("*.whl")
    assert wheel.stat().st_size < 15 * 2**20
    assert f"cp{sys.version_info.major}{sys.version_info.minor}-none-manylinux" in wheel.name
    site = tmp_path / "site"
    zipfile.ZipFile(wheel).extractall(site)
    here = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA")}

    def nodes(**environment: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", FIRST_ANSWERS],
            cwd=tmp_path, env={**here, "PYTHONPATH": str(site), **environment},
            capture_output=True, text=True, timeout=600,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    own = str(tmp_path / "kernels")
    newer = nodes(KINAROW_KERNEL_CACHE_DIR=own)
    older = nodes(KINAROW_KERNEL_CACHE_DIR=own, NUMBA_CPU_NAME="x86-64-v2", NUMBA_CPU_FEATURES="")
    assert newer == older
    assert not Path(own).exists()
