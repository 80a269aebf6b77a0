"""The distribution: sdist and wheel are built, and the wheel plays a move in an empty environment."""

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


@pytest.mark.slow
@pytest.mark.alone  # it compiles all kernels
@pytest.mark.timeout(1800)
def test_the_wheel_plays_a_move(tmp_path):
    """Both packages are in it; it also plays in a folder with a ``service.py`` of its own."""
    run(sys.executable, "-m", "build", "--outdir", tmp_path / "dist", ROOT, folder=tmp_path)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert list((tmp_path / "dist").glob("*.tar.gz"))
    tops = {name.split("/")[0] for name in zipfile.ZipFile(wheel).namelist() if ".dist-info" not in name}
    assert tops == {"kinarow", "service"}
    run(sys.executable, "-m", "venv", tmp_path / "venv", folder=tmp_path)
    python = tmp_path / "venv" / "bin" / "python"
    run(python, "-m", "pip", "install", "--quiet", wheel, folder=tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "service.py").write_text("raise SystemExit('the wrong service')\n", "utf-8")
    assert run(python, "-c", PLAY, folder=elsewhere).strip() == "2"
    kinarow = tmp_path / "venv" / "bin" / "kinarow"
    assert '"tile": 3' in run(kinarow, "move", "XX./OO./...", "--json", folder=elsewhere)
