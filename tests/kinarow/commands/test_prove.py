"""``kinarow prove`` and ``kinarow check``."""

import json

import pytest

from kinarow.commands.cli import main
from kinarow.commands.prove import NOT_PROVEN


def test_a_proof_is_written_and_checked(tmp_path, capsys):
    file = tmp_path / "a.proof"
    asked = ["--rows", "3", "--columns", "4", "--goal", "3", "--processes", "1", "--output", str(file)]
    assert main(["prove", *asked]) == 0
    assert capsys.readouterr().out == (
        f"{file}: proven: X wins within 7 plies; rows: 3, columns: 4, goal: 3; X to move; 13 decisions\n"
    )
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out.startswith("proven: X wins within 7 plies")
    head = json.loads(file.read_bytes().partition(b"\n")[0])
    assert (head["by"], head["board"], head["decisions"]) == ("moves", ["...."] * 3, 13)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["X.O/.X./..O", "--to-move", "X", "--claim", "win"], NOT_PROVEN),
        (["X.O/.X./..O", "--to-move", "X", "--side", "O"], 0),
        (["XXX/OO./..."], 2),
        (["--game", "renju"], NOT_PROVEN),
    ],
)
def test_the_exit_code_says_whether_a_proof_was_found(tmp_path, options, code):
    file = tmp_path / "a.proof"
    assert main(["prove", *options, "--processes", "1", "--output", str(file)]) == code
    assert file.exists() == (code == 0)


def test_processes_find_the_same_proof(tmp_path):
    asked = ["--rows", "4", "--columns", "5", "--goal", "4", "--gravity", "--side", "O", "--claim", "not-lose"]
    for processes in ("1", "2"):
        assert main(["prove", *asked, "--processes", processes, "--output", str(tmp_path / processes)]) == 0
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
