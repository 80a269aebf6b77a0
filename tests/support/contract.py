"""The contract of an answer, checked with the oracle's rules alone: what must hold of any answer to any request.

``check_answer`` takes a request and an answer as they travel (plain data) and shares no code with the
engine; ``check_truth`` besides asks the oracle, so it is for positions with few empty cells.
"""

from kinarow.game.rules import Rules
from tests.support import oracle

MOVE_KEYS = [
    "move", "score", "outcome", "distance", "distance_is_bound", "proven", "expected", "to_move", "state", "winner",
    "winning_cells", "line", "best_moves", "best_moves_complete", "board", "after", "search",
]  # fmt: skip
ANALYSIS_KEYS = [*MOVE_KEYS, "moves", "static_evaluation"]
VALUE_KEYS = [
    "row", "column", "tile", "score", "outcome", "distance", "distance_is_bound", "proven", "expected", "line",
]  # fmt: skip
AFTER_KEYS = ["state", "winner", "winning_cells"]
SEARCH_KEYS = ["depth", "nodes", "elapsed_ms", "stopped_by", "cached"]
OUTCOME = {1: "win", 0: "draw", -1: "loss"}
MAX_LINE = 64
MAX_ESTIMATE = 0.9999

RULES_OF = {
    "tic-tac-toe": {"goal": 3}, "misere-tic-tac-toe": {"goal": 3, "misere": True}, "four-by-four": {"goal": 4},
    "connect-four": {"goal": 4, "gravity": True}, "gomoku": {"goal": 5},
    "standard-gomoku": {"goal": 5, "exact_goal": True},
}  # fmt: skip
MARKS = {**dict.fromkeys(["X", "x", "1", 1], 1), **dict.fromkeys(["O", "o", "2", 2], 2)}
NUMBERS = {"X": 1, "O": 2}


class Asked:
    """What a request asks about, read from it: the rules, the board as the oracle takes it, the side to move."""

    def __init__(self, request):
        rules = {**RULES_OF.get(request.get("game"), {}), **request}
        board = request["board"]
        rows = board.split("/") if isinstance(board, str) else board
        if request.get("rows") == 1 and len(rows) > 1:
            rows = [rows]
        if request.get("columns") == 1:
            cells = rows[0] if len(rows) == 1 and isinstance(rows[0], str) else rows
            rows = [cell if isinstance(cell, list) else [cell] for cell in cells]
        self.board = bytes(MARKS.get(cell, 0) for row in rows for cell in row)
        flags = (rules.get(name, False) for name in ("gravity", "misere", "exact_goal"))
        self.game = Rules(len(rows), len(rows[0]), rules.get("goal", 3), *flags)
        self.cells = len(self.board)
        self.max_depth, self.max_nodes = request.get("max_depth"), request.get("max_nodes")
        self.full_strength = request.get("level", 10) == 10
        other_shape = {"wrap", "directions", "layers"} & set(request) or any("#" in row for row in rows)
        small = self.cells <= (36 if rules.get("caro") else 64) and not rules.get("renju")
        plain = not (self.game.gravity or self.game.misere or other_shape)
        self.calibrated = plain and not small and self.max_depth is None
        self.side = NUMBERS[request["to_move"].upper()] if "to_move" in request else self._usual_turn()
        self.to_move = "XO"[self.side - 1]

    def _usual_turn(self):
        xs, os = (self.board.count(mark) for mark in (1, 2))
        if xs != os:
            return 1 if xs < os else 2
        return 2 if oracle.line_cells(self.game, self.board, 1) else 1

    @property
    def opponent(self):
        return "OX"[self.side - 1]

    def cell(self, number):
        row, column = divmod(number, self.game.columns)
        return {"row": row, "column": column, "tile": number + 1}

    def legal(self):
        """The cells that may be marked, as answers name them."""
        return [self.cell(move) for move in oracle.moves(self.game, self.board, self.side)]

    def empties(self):
        return self.board.count(0)

    def rows(self, board):
        """A board as answers show it."""
        text = "".join(".XO"[mark] for mark in board)
        return [text[at : at + self.game.columns] for at in range(0, self.cells, self.game.columns)]

    def ending(self, board):
        """The state of a board as answers show it."""
        for side in (1, 2):
            cells = oracle.line_cells(self.game, board, side)
            if cells:
                winner = "XO"[2 - side if self.game.misere else side - 1]
                return {"state": "won", "winner": winner, "winning_cells": [self.cell(c) for c in cells]}
        return {"state": "ongoing" if 0 in board else "drawn", "winner": None, "winning_cells": []}


def check_answer(request, answer, *, analysis=False):
    """Fail unless a whole answer is one that the contract allows for this valid request, both as JSON data.

    With ``analysis`` it is an answer of ``/analysis``, else of ``/move``.
    """
    asked = Asked(request)
    check_keys(answer, ANALYSIS_KEYS if analysis else MOVE_KEYS)
    assert answer["to_move"] == asked.to_move
    now = asked.ending(asked.board)
    assert {key: answer[key] for key in AFTER_KEYS} == now
    check_search(asked, answer, budgets=2 if analysis else 1)
    check_score(asked, answer, asked.empties())
    if now["state"] != "ongoing":
        check_finished(asked, answer, now)
        if analysis:
            assert answer["moves"] == []
        return
    check_line(asked, answer, answer["move"])
    moved = oracle.put(asked.game, asked.board, answer["move"]["tile"] - 1, asked.side)
    assert answer["board"] == asked.rows(moved)
    check_keys(answer["after"], AFTER_KEYS)
    assert answer["after"] == asked.ending(moved)
    check_best_moves(asked, answer)
    if analysis:
        check_moves(asked, request, answer)
        assert answer["static_evaluation"] == static_evaluation(asked)


def check_keys(found, expected):
    """That all the contract's fields are there, in its order; others may be added."""
    assert [key for key in found if key in expected] == expected


def check_finished(asked, answer, now):
    """The answer to a board on which the game is over."""
    top = asked.cells + 1
    values = {asked.to_move: (top, "win"), asked.opponent: (-top, "loss"), None: (0, "draw")}
    assert (answer["score"], answer["outcome"]) == values[now["winner"]]
    assert (answer["move"], answer["line"], answer["best_moves"]) == (None, [], [])
    assert (answer["distance"], answer["distance_is_bound"], answer["proven"]) == (0, False, True)
    assert answer["board"] == asked.rows(asked.board)
    assert answer["after"] == now
    assert (answer["search"]["depth"], answer["search"]["nodes"], answer["search"]["stopped_by"]) == (0, 0, "proof")


def check_search(asked, answer, budgets):
    """What the answer says of the search that found it."""
    search = answer["search"]
    check_keys(search, SEARCH_KEYS)
    assert all(type(search[key]) is int and search[key] >= 0 for key in ("depth", "nodes"))
    assert search["elapsed_ms"] >= 0
    assert search["stopped_by"] in {"proof", "depth", "nodes", "time"}
    assert type(search["cached"]) is bool
    assert asked.max_depth is None or search["depth"] <= asked.max_depth
    if not asked.full_strength:
        # A lower level looks less deep by itself, and spends its nodes in its own way.
        return
    assert asked.max_depth is not None or search["stopped_by"] != "depth"
    assert asked.max_nodes is None or search["nodes"] <= budgets * asked.max_nodes
    if search["stopped_by"] == "proof":
        assert answer["proven"]
    elif budgets == 1 and answer["proven"] and not answer["distance_is_bound"]:
        # The clock may cut short what follows a proof, and the answer says so since it may differ next time.
        assert search["stopped_by"] == "time"


def check_score(asked, value, empties):
    """That score, outcome, distance and proven say the same, of a move on a board with ``empties`` empty cells."""
    score, outcome, distance, bound = (value[key] for key in ("score", "outcome", "distance", "distance_is_bound"))
    assert type(value["proven"]) is bool
    assert type(bound) is bool
    assert value["proven"] == (outcome != "unknown")
    if outcome == "unknown":
        assert distance is None
        assert bound is False
        assert isinstance(score, float | int)
        assert abs(score) <= MAX_ESTIMATE
        assert score == round(score, 4)
        assert str(score) != "-0.0"
        check_expected(asked, value)
        return
    assert value["expected"] == {"win": 1, "draw": 0, "loss": -1}[outcome]
    assert type(score) is int
    assert type(distance) is int
    assert 0 <= distance <= empties
    value_of_win = asked.cells + 1 - distance
    assert score == {"win": value_of_win, "loss": -value_of_win, "draw": 0}[outcome]
    if outcome == "draw":
        assert distance == empties
        assert bound is False
        return
    # The side that completes a line moves last, and that is the winner but in misère.
    mover_is_last = (outcome == "win") != asked.game.misere
    assert bound or distance == 0 or (distance % 2 == 1) == mover_is_last
    # A proof found within the depth limit ends the game within it.
    assert asked.max_depth is None or distance <= asked.max_depth


def check_expected(asked, value):
    """The expected result of an estimate: on the side of the estimate, never certain, and null where it must be."""
    expected = value["expected"]
    if not asked.calibrated:
        assert expected is None
        return
    assert abs(expected) < 1
    assert expected == round(expected, 3)
    assert str(expected) != "-0.0"
    assert expected * value["score"] >= 0


def check_line(asked, value, move):
    """That a move's principal variation begins with it, is legal, and ends the game when the score says."""
    line = value["line"]
    assert line[0] == move
    assert len(line) <= MAX_LINE
    board, side = asked.board, asked.side
    for place, cell in enumerate(line):
        number = cell["tile"] - 1
        assert cell == asked.cell(number)
        assert number in oracle.moves(asked.game, board, side)
        board = oracle.put(asked.game, board, number, side)
        over = bool(oracle.lines_through(asked.game, board, number)) or 0 not in board
        assert not over or place == len(line) - 1
        side = 3 - side
    if not value["proven"]:
        return
    if over or not value["distance_is_bound"]:
        assert len(line) <= value["distance"]
    if over:
        winner = asked.ending(board)["winner"]
        assert value["outcome"] == {asked.to_move: "win", asked.opponent: "loss", None: "draw"}[winner]
        assert len(line) == value["distance"] or value["distance_is_bound"]
    else:
        assert len(line) < value["distance"] or value["distance_is_bound"]


def check_best_moves(asked, answer):
    """That the set of best moves is in tile order, legal, and no more than is known."""
    best = answer["best_moves"]
    legal = asked.legal()
    assert best
    assert all(cell in legal for cell in best)
    tiles = [cell["tile"] for cell in best]
    assert tiles == sorted(set(tiles))
    assert type(answer["best_moves_complete"]) is bool
    if not asked.full_strength:
        return
    assert answer["move"] in best
    if not answer["proven"] or answer["distance_is_bound"]:
        assert len(best) == 1
    if len(best) == len(legal):
        assert answer["best_moves_complete"]


def check_moves(asked, request, answer):
    """The values of the moves in an answer of ``/analysis``."""
    moves = answer["moves"]
    legal = asked.legal()
    assert len(moves) == min(len(legal), request.get("top", len(legal)))
    cells = [{key: value[key] for key in ("row", "column", "tile")} for value in moves]
    assert all(cell in legal for cell in cells)
    assert len({cell["tile"] for cell in cells}) == len(cells)
    for cell, value in zip(cells, moves, strict=True):
        check_keys(value, VALUE_KEYS)
        check_score(asked, value, asked.empties())
        check_line(asked, value, cell)
    rest = moves
    if asked.full_strength:
        assert cells[0] == answer["move"]
        assert all(moves[0][key] == answer[key] for key in VALUE_KEYS[3:])
        rest = moves[1:]
    keys = [(-value["score"], value["tile"]) for value in rest]
    assert keys == sorted(keys)
    if not (asked.full_strength and answer["proven"]) or answer["distance_is_bound"]:
        return
    exact = [value for value in moves if value["proven"] and not value["distance_is_bound"]]
    assert all(value["score"] <= answer["score"] for value in exact)
    if len(moves) == len(legal):
        same = [value["tile"] for value in exact if value["score"] == answer["score"]]
        assert sorted(same) == [cell["tile"] for cell in answer["best_moves"]]
        if len(exact) == len(legal):
            assert answer["best_moves_complete"]


def static_evaluation(asked):
    """The line heuristic by counting every line by hand."""
    total = 0
    for line in {tuple(line) for line, _ in oracle.lines(asked.game)}:
        marks = [asked.board[cell] for cell in line]
        mine, yours = marks.count(asked.side), marks.count(3 - asked.side)
        if not (mine and yours):
            total += (mine > 0) * 10 ** min(mine - 1, 12) - (yours > 0) * 10 ** min(yours - 1, 12)
    return int(total)


def check_truth(request, answer):
    """Fail unless what the answer claims as proven is true, by the oracle.

    The position must be ongoing and small. Returns whether the answer claimed anything.
    """
    asked = Asked(request)
    truth = oracle.scores(asked.game, asked.board, asked.side)
    best = max(truth.values())
    if not answer["proven"]:
        return False
    assert answer["outcome"] == OUTCOME[(best > 0) - (best < 0)]
    if answer["distance_is_bound"]:
        assert abs(answer["score"]) <= abs(best)
        return True
    assert answer["score"] == best
    cells = [asked.cell(move) for move, score in truth.items() if score == best]
    assert all(cell in cells for cell in answer["best_moves"])
    if asked.full_strength:
        assert answer["move"] in cells
    if answer["best_moves_complete"]:
        assert answer["best_moves"] == cells
    return True
