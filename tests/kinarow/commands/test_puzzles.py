"""``kinarow puzzles``: lines that are requests, a page with boards, and an end where there are no more."""

import json

import pytest

from kinarow.commands import cli
from kinarow.library import analyse


def lines(capsys, *words):
    assert cli.main(["puzzles", *words]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.slow
def test_lines_and_page(capsys, tmp_path):
    page = tmp_path / "page.html"
    some = lines(capsys, "--game", "connect-four", "--count", "3", "--max-plies", "9", "--page", str(page))
    for puzzle in some:
        position = {name: puzzle[name] for name in ("game", "rows", "columns", "moves", "to_move")}
        values = analyse(**position).moves
        assert [value.move + 1 for value in values if value.outcome == puzzle["outcome"]] == [puzzle["move"]["tile"]]
        assert puzzle["line"][0] == puzzle["move"]
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == text.count("<li>") == 3
    assert "1. " + some[0]["to_move"] + " to move and " + some[0]["outcome"] in text


def test_fewer_are_the_first(capsys):
    rules = ("--rows", "3", "--columns", "4", "--goal", "3", "--gravity", "--seed", "7")
    some = lines(capsys, *rules, "--count", "3")
    assert some[:2] == lines(capsys, *rules, "--count", "2")
    assert (some[0]["gravity"], some[0]["goal"]) == (True, 3)


@pytest.mark.parametrize(
    ("words", "code", "complaint"),
    [
        (("--game", "torus-tic-tac-toe"), 1, "kinarow puzzles: found 0 of 10; no others were found"),
        (("--game", "chess"), 2, "kinarow puzzles: --game"),
        (("--goal", "3"), 2, "kinarow puzzles: "),
    ],
)
def test_refusals(capsys, words, code, complaint):
    assert cli.main(["puzzles", *words]) == code
    assert capsys.readouterr().err.startswith(complaint)
