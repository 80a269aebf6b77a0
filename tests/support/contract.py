"""The contract of an answer, checked with the rules alone: what must hold of any answer to any request.

``check_answer`` takes a request and an answer as they travel (plain data) and shares no code with the
engine; ``check_truth`` besides asks the oracle, so it is for positions with few empty cells.
"""

from tests.support.oracle import completes_line, judge, legal_moves, line_cells, with_mark

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
MAX_LINE = 64
MAX_ESTIMATE = 0.9999

RULES_OF = {
    "tic-tac-toe": {"goal": 3},
    "misere-tic-tac-toe": {"goal": 3, "misere": True},
    "four-by-four": {"goal": 4},
    "connect-four": {"goal": 4, "gravity": True},
    "gomoku": {"goal": 5},
    "standard-gomoku": {"goal": 5, "exact_goal": True},
}
MARKS = {**dict.fromkeys(["X", "x", "1", 1], "X"), **dict.fromkeys(["O", "o", "2", 2], "O")}


class Asked:
    """What a request asks about, read from it: the board as a tuple of strings, the rules, the side to move."""

    def __init__(self, request):
        rules = {**RULES_OF.get(request.get("game"), {}), **request}
        board = request["board"]
        rows = board.split("/") if isinstance(board, str) else board
        if request.get("rows") == 1 and len(rows) > 1:
            rows = [rows]
        if request.get("columns") == 1:
            cells = rows[0] if len(rows) == 1 and isinstance(rows[0], str) else rows
            rows = [cell if isinstance(cell, list) else [cell] for cell in cells]
        self.board = tuple("".join(MARKS.get(cell, ".") for cell in row) for row in rows)
        self.rows, self.columns = len(self.board), len(self.board[0])
        self.cells = self.rows * self.columns
        self.goal = rules.get("goal", 3)
        self.gravity, self.misere, self.exact_goal = (
            rules.get(name, False) for name in ("gravity", "misere", "exact_goal")
        )
        self.max_depth, self.max_nodes = request.get("max_depth"), request.get("max_nodes")
        self.full_strength = request.get("level", 10) == 10
        other_shape = {"wrap", "directions", "layers"} & set(request) or "#" in "".join(self.board)
        small = self.cells <= (36 if rules.get("caro") else 64) and not rules.get("renju")
        self.calibrated = not (small or self.gravity or self.misere or other_shape or self.max_depth is not None)
        self.to_move = request["to_move"].upper() if "to_move" in request else self._usual_turn()

    def _usual_turn(self):
        xs, os = ("".join(self.board).count(mark) for mark in "XO")
        if xs != os:
            return "X" if xs < os else "O"
        return "O" if line_cells(self.board, "X", self.goal, self.exact_goal) else "X"

    @property
    def opponent(self):
        return "O" if self.to_move == "X" else "X"

    def cell(self, row, column):
        return {"row": row, "column": column, "tile": row * self.columns + column + 1}

    def empties(self):
        return "".join(self.board).count(".")

    def ending(self, board):
        """The state of a board as answers show it."""
        for mark, other in (("X", "O"), ("O", "X")):
            cells = line_cells(board, mark, self.goal, self.exact_goal)
            if cells:
                winner = other if self.misere else mark
                return {"state": "won", "winner": winner, "winning_cells": [self.cell(*c) for c in sorted(cells)]}
        full = not any("." in row for row in board)
        return {"state": "drawn" if full else "ongoing", "winner": None, "winning_cells": []}


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
    moved = with_mark(asked.board, (answer["move"]["row"], answer["move"]["column"]), asked.to_move)
    assert answer["board"] == list(moved)
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
    assert answer["move"] is None
    assert answer["line"] == answer["best_moves"] == []
    assert (answer["distance"], answer["distance_is_bound"], answer["proven"]) == (0, False, True)
    assert answer["board"] == list(asked.board)
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
    """That score, outcome, distance and proven say the same, of a move on a board with so many empty cells."""
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
    mover_is_last = (outcome == "win") != asked.misere
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
    board, mark, other = asked.board, asked.to_move, asked.opponent
    for place, cell in enumerate(line):
        assert cell == asked.cell(cell["row"], cell["column"])
        assert (cell["row"], cell["column"]) in legal_moves(board, asked.gravity)
        board = with_mark(board, (cell["row"], cell["column"]), mark)
        over = ended_by(asked, board, cell)
        assert not over or place == len(line) - 1
        mark, other = other, mark
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


def ended_by(asked, board, cell):
    """Whether the game is over after the mark at this cell."""
    full = not any("." in row for row in board)
    return full or completes_line(board, cell["row"], cell["column"], asked.goal, asked.exact_goal)


def check_best_moves(asked, answer):
    """That the set of best moves is in tile order, legal, and no more than is known."""
    best = answer["best_moves"]
    legal = [asked.cell(*move) for move in legal_moves(asked.board, asked.gravity)]
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
    legal = [asked.cell(*move) for move in legal_moves(asked.board, asked.gravity)]
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
    for row in range(asked.rows):
        for column in range(asked.columns):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, column + i * right) for i in range(asked.goal)]
                if asked.goal == 1 and (down, right) != (0, 1):
                    continue
                if not all(0 <= r < asked.rows and 0 <= c < asked.columns for r, c in cells):
                    continue
                marks = [asked.board[r][c] for r, c in cells]
                mine, yours = marks.count(asked.to_move), marks.count(asked.opponent)
                if mine and not yours:
                    total += 10 ** min(mine - 1, 12)
                elif yours and not mine:
                    total -= 10 ** min(yours - 1, 12)
    return total


def check_truth(request, answer):
    """Fail unless what the answer claims as proven is true, by the oracle.

    The position must be ongoing and small. Returns whether the answer claimed anything.
    """
    asked = Asked(request)
    value, plies, best = judge(asked.board, asked.to_move, asked.goal, asked.gravity, asked.misere, asked.exact_goal)
    if not answer["proven"]:
        return False
    assert answer["outcome"] == {1: "win", 0: "draw", -1: "loss"}[value]
    if answer["distance_is_bound"]:
        assert answer["distance"] >= plies
        return True
    assert answer["distance"] == plies
    cells = [asked.cell(*move) for move in sorted(best)]
    assert all(cell in cells for cell in answer["best_moves"])
    if asked.full_strength:
        assert answer["move"] in cells
    if answer["best_moves_complete"]:
        assert answer["best_moves"] == cells
    return True
