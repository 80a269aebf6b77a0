"""The contract of an answer, checked with the oracle's rules alone: what must hold of any answer to any request.

``check_answer`` takes a request and an answer as they travel (plain data); of the engine it shares the reader of
requests alone. ``check_truth`` besides asks the oracle, so it is for positions with few empty cells.
"""

from kinarow.game.notation import TILE
from kinarow.game.rules import SWAP_SIDES
from kinarow.reading.positions import read_allowed, read_position, read_start
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

SMALL = 36  # cells; Renju is always searched as a large board


class Asked:
    """What a request asks about: the position that the library reads, as the oracle takes it, and the limits."""

    def __init__(self, request, position=None):
        request = {name: value for name, value in request.items() if value is not None}
        position = position or read_position(request)
        self.game, self.board, self.side = position.rules, position.cells, position.to_move
        self.cells, self.swapped = len(self.board), position.beginner == 2 and self.game.renju
        self.allowed = read_allowed(request, position)
        self.max_depth, self.max_nodes = request.get("max_depth"), request.get("max_nodes")
        self.full_strength = request.get("level", 10) == 10
        flat = self.game.layers == 1 and self.game.wrap == "none" and len(self.game.directions) == 4
        plain = flat and not (self.game.blocked or self.game.gravity or self.game.misere or self.game.marks == "shared")
        small = self.cells <= SMALL and not self.game.renju
        self.calibrated = plain and not small and self.max_depth is None

    @property
    def to_move(self):
        return "XO"[self.side - 1]

    @property
    def opponent(self):
        return "OX"[self.side - 1]

    def cell(self, number):
        layer, rest = divmod(number, self.game.rows * self.game.columns)
        row, column = divmod(rest, self.game.columns)
        above = {"layer": layer} if self.game.layers > 1 else {}
        return {**above, "row": row, "column": column, "tile": number + 1}

    def seen(self, board, side):
        """A board and a side as the oracle takes them: in Renju X is the side that began."""
        return (board.translate(SWAP_SIDES), 3 - side) if self.swapped else (board, side)

    def legal_on(self, board, side):
        """The cells that a side may mark on a board of this game."""
        return oracle.moves(self.game, *self.seen(board, side))

    def legal(self):
        """The cells that may be marked and are allowed, as answers name them."""
        moves = self.legal_on(self.board, self.side)
        return [self.cell(move) for move in moves if self.allowed is None or move in self.allowed]

    def empties(self):
        return self.board.count(0)

    def rows(self, board):
        """A board as answers show it."""
        text = "".join(".XO#"[mark] for mark in board)
        return [text[at : at + self.game.columns] for at in range(0, self.cells, self.game.columns)]

    def ending(self, board, side):
        """The state of a board as answers show it, with this side to move."""
        for mark in (1, 2):
            cells = oracle.line_cells(self.game, *self.seen(board, mark))
            if cells:
                maker = 3 - side if self.game.marks == "shared" else mark
                winner = "XO"[2 - maker if self.game.misere else maker - 1]
                return {"state": "won", "winner": winner, "winning_cells": [self.cell(c) for c in cells]}
        over = not self.legal_on(board, side)
        return {"state": "drawn" if over else "ongoing", "winner": None, "winning_cells": []}


def check_answer(request, answer, *, analysis=False):
    """Fail unless a whole answer is one that the contract allows for this valid request, both as JSON data.

    With ``analysis`` it is an answer of ``/analysis``, else of ``/move``.
    """
    asked = Asked(request)
    check_keys(answer, ANALYSIS_KEYS if analysis else MOVE_KEYS)
    assert answer["to_move"] == asked.to_move
    now = asked.ending(asked.board, asked.side)
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
    assert answer["after"] == asked.ending(moved, 3 - asked.side)
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
        assert distance == empties or (asked.game.renju and distance < empties)
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
        assert number in asked.legal_on(board, side)
        board, side = oracle.put(asked.game, board, number, side), 3 - side
        over = asked.ending(board, side)["state"] != "ongoing"
        assert not over or place == len(line) - 1
    if not value["proven"]:
        return
    if over or not value["distance_is_bound"]:
        assert len(line) <= value["distance"]
    if over:
        winner = asked.ending(board, side)["winner"]
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
    names = ("layer", *VALUE_KEYS[:3]) if asked.game.layers > 1 else VALUE_KEYS[:3]
    cells = [{key: value[key] for key in names} for value in moves]
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
    if asked.game.marks == "shared":
        return 0
    for line in {frozenset(line) for line, _ in oracle.lines(asked.game)}:
        marks = [asked.board[cell] for cell in line]
        if 3 in marks:
            continue
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


REVIEWED_KEYS = [
    "move", "to_move", "score", "outcome", "distance", "distance_is_bound", "proven", "expected", "best_moves",
    "best_score", "best_outcome", "grade", "graded_by", "stopped_by", "missed",
]  # fmt: skip
NODE_KEYS = ["move", "value", "alpha", "beta", "cut", "best", "children"]
GRADES = {"best", "inaccuracy", "mistake", "blunder", "unclear"}
RANK = {"loss": 0, "draw": 1, "win": 2}
INFINITY = float("inf")


def check_review(request, answer):
    """Fail unless the answer is one that the contract allows for this request."""
    last, plies = Asked(request), plies_of(request)
    ending = last.ending(last.board, last.side)
    assert {name: answer[name] for name in ("state", "winner", "winning_cells")} == ending
    assert len(answer["moves"]) == len(plies)
    for (asked, cell), told in zip(plies, answer["moves"], strict=True):
        check_keys(told, REVIEWED_KEYS)
        assert told["move"] == asked.cell(cell)
        assert told["to_move"] == asked.to_move
        # A depth limit holds for each search, and the move played stands one ply above the second.
        asked.max_depth = None
        check_score(asked, told, asked.empties())
        tiles = [best["tile"] for best in told["best_moves"]]
        assert tiles
        assert tiles == sorted(set(tiles))
        assert all(best in asked.legal() for best in told["best_moves"])
        assert told["missed"] == (None if told["best_outcome"] == "loss" else missed(asked, cell))
        _check_grade(asked, told)


def plies_of(request):
    """What is asked before each move of a game, and the cell of the move."""
    replayed = read_start(request).replay(request["moves"], first_cell=TILE)
    return [(Asked(request, position), cell) for position, cell in replayed]


def missed(asked, cell):
    """What a move overlooks where the position is not lost: a win in one, or the block of one."""
    game, board, side, opponent = asked.game, asked.board, asked.side, 3 - asked.side
    if game.misere:
        return None
    if wins := oracle.completing(game, board, side):
        return None if cell in wins else "win"
    threats = set(oracle.completing(game, board, opponent))
    after = oracle.put(game, board, cell, side)
    is_block = threats & set(oracle.completing(game, after, opponent)) and oracle.safe(game, board, side)
    return "block" if is_block else None


def _check_grade(asked, told):
    """The grade fits the two values; tests/kinarow/play/test_grades.py has each case."""
    grade, best = told["grade"], told["best_outcome"]
    assert grade in GRADES
    assert told["score"] <= told["best_score"]
    low, high = {"win": (1, INFINITY), "draw": (0, 0), "loss": (-INFINITY, -1), "unknown": (-0.9999, 0.9999)}[best]
    assert low <= told["best_score"] <= high
    assert not told["missed"] or grade in ("mistake", "blunder", "inaccuracy")
    if not told["proven"] or best == "unknown":
        assert told["graded_by"] == "estimate"
        assert asked.calibrated <= (grade != "unclear")
    elif lost := RANK[best] - RANK[told["outcome"]]:
        assert (grade, told["graded_by"]) == ({1: "mistake", 2: "blunder"}[lost], "proof")
    else:
        assert (told["score"] == told["best_score"]) == (grade == "best")
        assert told["graded_by"] in ("proof", "estimate")


def check_review_claims(request, answer):
    """Fail unless whatever the review says is proven is true, be it ever so little; for small boards."""
    for (asked, cell), told in zip(plies_of(request), answer["moves"], strict=True):
        if asked.empties() > 9:
            continue
        truth = oracle.scores(asked.game, asked.board, asked.side)
        played, value = sign(truth[cell]), sign(max(truth.values()))
        if told["proven"]:
            assert told["outcome"] == OUTCOME[played]
            late = abs(truth[cell]) - abs(told["score"])
            assert late == 0 or (told["distance_is_bound"] and late > 0)
        if told["best_outcome"] != "unknown":
            assert told["best_outcome"] == OUTCOME[value]
            assert abs(told["best_score"]) <= asked.cells + 1
        if told["graded_by"] == "proof":
            assert told["grade"] in {0: ("best", "inaccuracy"), 1: ("mistake",), 2: ("blunder",)}[value - played]


def check_review_truth(request, answer):
    """Fail unless every value is the true one and every grade says what was lost; for small boards, well searched."""
    check_review_claims(request, answer)
    for (asked, cell), told in zip(plies_of(request), answer["moves"], strict=True):
        truth = oracle.scores(asked.game, asked.board, asked.side)
        best = max(truth.values())
        assert (told["proven"], told["graded_by"], told["distance_is_bound"]) == (True, "proof", False)
        assert (told["score"], told["best_score"], told["best_outcome"]) == (truth[cell], best, OUTCOME[sign(best)])
        assert all(truth[each["tile"] - 1] == best for each in told["best_moves"])
        if sign(best) == sign(truth[cell]):
            assert told["grade"] == ("best" if truth[cell] == best else "inaccuracy")
            assert (told["move"] in told["best_moves"]) == (truth[cell] == best)


def sign(number):
    return (number > 0) - (number < 0)


def check_tree(request, answer):
    """Fail unless the tree is the one that plain minimax or alpha-beta in tile order walks through."""
    asked = Asked(request)
    pruning, depth = request.get("pruning", True), request.get("max_depth", 625)
    root = answer["root"]
    assert root["move"] is None
    assert _check_node(asked, root, asked.board, 0, (-INFINITY, INFINITY), pruning, depth) == answer["nodes"]
    node, length = root, 1
    while node["children"]:
        (node,) = (child for child in node["children"] if child["best"])
        assert node["value"] == root["value"]
        length += 1
    assert root["best"] is True
    assert _count_best(root) == length


def _count_best(node):
    return node["best"] + sum(_count_best(child) for child in node["children"])


def _check_node(asked, node, board, ply, window, pruning, depth):
    """Check a node and all below it; the number of nodes."""
    check_keys(node, NODE_KEYS)
    alpha, beta = window
    shown = (-INFINITY if node["alpha"] is None else node["alpha"], INFINITY if node["beta"] is None else node["beta"])
    assert shown == (window if pruning else (-INFINITY, INFINITY))
    maximising = ply % 2 == 0
    side = asked.side if maximising else 3 - asked.side
    ending = asked.ending(board, side)
    if ending["state"] != "ongoing" or ply == depth:
        won = asked.cells + 1 - ply
        value = {asked.to_move: won, None: 0, asked.opponent: -won}[ending["winner"]]
        assert node["value"] == value if ending["state"] != "ongoing" else abs(node["value"]) < 1
        assert node["children"] == []
        return 1
    nodes, values = 1, []
    legal = asked.legal_on(board, side)
    for child, move in zip(node["children"], legal, strict=False):
        assert not pruning or alpha < beta
        assert child["move"] == asked.cell(move)
        after = oracle.put(asked.game, board, move, side)
        nodes += _check_node(asked, child, after, ply + 1, (alpha, beta), pruning, depth)
        values.append(child["value"])
        if maximising:
            alpha = max(alpha, child["value"])
        else:
            beta = min(beta, child["value"])
    assert node["value"] == (max if maximising else min)(values)
    assert node["cut"] == (len(values) < len(legal))
    assert node["cut"] == (pruning and alpha >= beta and len(values) < len(legal))
    return nodes
