"""Names of fields and games as people write them."""

import pytest

from kinarow.contract.requests import AnalysisRequest, PictureRequest, PuzzleRequest, ReviewRequest, TreeRequest
from kinarow.errors import RuleError
from kinarow.reading.names import did_you_mean, game_name


def test_every_field_of_a_request_is_known_to_hints_in_any_case():
    models = (AnalysisRequest, PictureRequest, ReviewRequest, TreeRequest, PuzzleRequest)
    fields = {name for model in models for name in model.model_fields}
    for name in fields:
        assert did_you_mean(name.upper(), fields) == f"; did you mean {name}?"
    assert did_you_mean("positions", {"requests"}) == "; did you mean requests?"


@pytest.mark.parametrize(
    ("preset", "typed"),
    [
        ("connect-four", ["connect4", "Connect Four", "connect_4", "four-in-a-row"]),
        ("tic-tac-toe", ["ttt", "TicTacToe", "Tic-Tac-Toe", "noughts and crosses"]),
        ("misere-tic-tac-toe", ["misère tic-tac-toe"]), ("four-by-four", ["4x4"]),
        ("gomoku", ["Gomoku", "five in a row", "Gomoku 15"]), ("standard-gomoku", ["standard_gomoku"]),
        ("score-four", ["Score Four", "score4", "sogo"]), ("qubic", ["3D tic-tac-toe"]),
    ],
)  # fmt: skip
def test_names_that_people_type_are_understood(preset, typed):
    assert {game_name(name) for name in typed} == {preset}


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("conect4", "connect-four"), ("tic tac tow", "tic-tac-toe"), ("gomuku", "gomoku"),
        ("connectfuor", "connect-four"),
    ],
)  # fmt: skip
def test_a_name_that_is_nearly_right_gets_a_suggestion(typed, meant):
    with pytest.raises(RuleError, match=f"did you mean {meant}"):
        game_name(typed)
    with pytest.raises(RuleError, match="no such game: 'ultimate tic-tac-toe'; the games are"):
        game_name("ultimate tic-tac-toe")


@pytest.mark.parametrize(
    "typed", ["connect 5", "connect6", "connect-six", "connect3", "3 in a row", "k in a row", "4x4 tic-tac-toe"]
)
def test_a_game_of_another_number_is_none_that_is_nearly_right(typed):
    with pytest.raises(RuleError, match=f"no such game: '{typed}'; the games are"):
        game_name(typed)
