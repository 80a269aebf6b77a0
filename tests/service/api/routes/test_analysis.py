"""POST /analysis: every move valued."""

from tests.service.api.routes.test_move import KEYS, without_cost

BOARD = "X.O/.X./..O"


def test_every_legal_move_is_valued_best_first(ask):
    answer = ask.post("/analysis", {"board": BOARD}).get_json()
    assert set(answer) >= KEYS | {"moves", "static_evaluation"}
    assert {move["tile"] for move in answer["moves"]} == {2, 4, 6, 7, 8}
    scores = [move["score"] for move in answer["moves"]]
    assert scores == sorted(scores, reverse=True)


def test_top_lists_only_the_best(ask):
    whole = ask.post("/analysis", {"board": BOARD}).get_json()
    short = ask.post("/analysis", {"board": BOARD, "top": 2}).get_json()
    assert short["moves"] == whole["moves"][:2]
    assert without_cost({**short, "moves": []}) == without_cost({**whole, "moves": []})


def test_move_knows_no_top(ask):
    response = ask.post("/move", {"board": BOARD, "top": 2})
    assert response.status_code == 422
    assert response.get_json()["errors"] == [{"pointer": "/top", "detail": "unknown field"}]


def test_on_a_large_board_no_move_is_said_to_be_better_than_the_one_to_play(ask):
    board = ["." * 15] * 15
    board[4:11] = (
        ".......X.......", ".....OX.X......", ".....O.X.X.....", "..........O....",
        ".......O.O.....", "........O......", ".........X.....",
    )  # fmt: skip
    answer = ask.post("/analysis", {"board": board, "goal": 5, "max_nodes": 150}).get_json()
    assert answer["score"] < 0
    assert {name: answer["moves"][0][name] for name in ("row", "column", "tile")} == answer["move"]
    scores = [move["score"] for move in answer["moves"]]
    assert scores == sorted(scores, reverse=True)
    corners = [move["score"] for move in answer["moves"] if move["tile"] in (1, 15, 211, 225)]
    assert len(corners) == 4
    assert max(corners) < scores[0] - 0.1
