"""The examples for researchers, with the real packages."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.environments import python_with

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "research"
MOST_LINES = 30
PRINTS = {
    "pettingzoo_games.py": ["connect-four 1", "tic-tac-toe 1"],
    "openspiel_bot.py": ["tic_tac_toe() [", "connect_four() [1.0, -1.0]", "mnk(k=4,m=5,n=4) [", "gomoku(size=9) [1.0"],
    "gymnasium_games.py": ["result: -", "value: -"],
    "textarena_games.py": ["connect-four {0: 1, 1: -1}", "tic-tac-toe {"],
    "gomokubench_games.py": ["white llm_win", "black llm_win", "{'llm_wins': 2, 'ai_wins': 0"],
}
"""How the lines that each example prints begin: kinarow, the first player, beats chance where the game is long."""


def python_for(name: str) -> Path:
    """An environment with the packages that the comment of an example names; without such a comment, this one."""
    wanted = re.search(r"^# pip install (.+)$", (EXAMPLES / name).read_text("utf-8"), re.MULTILINE)
    return python_with(name.removesuffix(".py"), wanted[1]) if wanted else Path(sys.executable)


def printed(python: Path, *words: str | Path) -> list[str]:
    """The lines that a script prints, with the packages of this repository beside it."""
    return run(python, *words, environment={**os.environ, "PYTHONPATH": str(ROOT)}, seconds=500).splitlines()


def test_every_example_is_short_and_tried():
    scripts = {path.name: path for path in EXAMPLES.glob("*.py")}
    assert set(scripts) == {*PRINTS, "peer.py", "judged_games.py", "verifiers_rewards.py"}
    assert [name for name, path in scripts.items() if len(path.read_text("utf-8").splitlines()) > MOST_LINES] == []


@pytest.mark.release
@pytest.mark.parametrize("name", PRINTS)
def test_an_example_plays_whole_games(name):
    lines = printed(python_for(name), EXAMPLES / name)[-len(PRINTS[name]) :]
    assert all(line.startswith(start) for line, start in zip(lines, PRINTS[name], strict=True)), lines


@pytest.mark.release
def test_games_of_an_agent_are_judged(tmp_path):
    """Level 5 of kinarow loses less value by a move than level 1 and chance, whose rating is the lowest."""
    python = Path(sys.executable)
    printed(python, EXAMPLES / "judged_games.py", tmp_path / "games.jsonl")
    *_, judged = printed(python, "-m", "kinarow", "judge", tmp_path / "games.jsonl", "--out", tmp_path / "r")
    assert judged.startswith("| mine | -")
    players = json.loads((tmp_path / "r.json").read_text("utf-8"))["players"]
    lost = [player["phases"]["all"]["by_proof"]["lost"]["value"] for _, player in sorted(players.items())]
    assert lost[2] < min(lost[0], lost[3])


@pytest.mark.release
def test_a_reward_judges_replies_by_the_value_that_their_move_loses():
    """In the machinery of verifiers: the only win, a win lost, the only draw, a draw lost, no move."""
    lines = printed(python_for("verifiers_rewards.py"), ROOT / "tests" / "examples" / "judge_replies.py")
    assert lines[-5:] == ["1.0", "-1.0", "1.0", "0.0", "-1.0"]
