"""The distribution: sdist and wheel are built, and the wheel plays a move in an empty environment."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

PLAY = (
    "import kinarow; p = kinarow.Position.from_text('XX./OO./...', goal=3); print(kinarow.best_move(p).move)"
)


def run(*command: object, folder: Path) -> str:
    """The output of a command in a folder."""
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, capture_output=True, text=True, timeout=900
    )
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
    """Twine finds the long description readable, check-wheel-contents the two packages and nothing odd."""
    sdist, wheel = distributions
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel, folder=tmp_path)
    # In the repository, where the settings are.
    run(Path(sys.executable).parent / "check-wheel-contents", wheel, folder=ROOT)
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name}
    assert tops == {"kinarow", "service"}


def test_the_long_description_stands_alone():
    """On a package index no relative link leads anywhere."""
    text = (ROOT / "kinarow" / "README.md").read_text("utf-8")
    assert "](" not in text.replace("](https://", "")
    assert "<img" not in text


@pytest.mark.parametrize(
    ("file", "schema"),
    [(".github/workflows/ci.yml", "github-workflows"), ("CITATION.cff", "citation-file-format")],
)
def test_files_for_others_fit_their_schemas(file, schema):
    """The schemas come with check-jsonschema; nothing is fetched."""
    checker = Path(sys.executable).parent / "check-jsonschema"
    run(checker, "--builtin-schema", f"vendor.{schema}", ROOT / file, folder=ROOT)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_wheel_plays_a_move(distributions, tmp_path):
    """Both packages are in it; it also plays in a folder with a ``service.py`` of its own."""
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
