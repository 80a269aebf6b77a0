"""The contract of reviews and search trees, checked with the rules alone and, for small boards, with the oracle.

Requests and answers are taken as they travel (plain data); nothing here shares code with the engine.
"""

from tests.support.contract import Asked, check_keys, check_score
from tests.support.oracle import judge, legal_moves, with_mark

REVIEWED_KEYS = [
    "move", "to_move", "score", "outcome", "distance", "distance_is_bound", "proven", "expected", "best_moves",
    "best_score", "best_outcome", "grade", "graded_by",
]  # fmt: skip
NODE_KEYS = ["move", "value", "alpha", "beta", "cut", "best", "children"]
GRADES = {"best", "inaccuracy", "mistake", "blunder", "unclear"}
RANK = {"loss": 0, "draw": 1, "win": 2}
OUTCOME = {1: "win", 0: "draw", -1: "loss"}
INFINITY = float("inf")


class Game:
    """A game that a review request tells, replayed: for each move what was asked there and the cell."""

    def __init__(self, request, rows, columns):
        rules = {name: value for name, value in request.items() if name not in ("moves", "first", "rows", "columns")}
        board, mark = ("." * columns,) * rows, request.get("first", "X").upper()
        self.plies = []
        for move in request["moves"]:
            asked = self._asked(rules, board, mark)
            cell = self._cell(asked, move)
            assert cell in legal_moves(board, asked.gravity)
            self.plies.append((asked, cell))
            board, mark = with_mark(board, cell, mark), asked.opponent
        self.last = self._asked(rules, board, mark)

    @staticmethod
    def _asked(rules, board, mark):
        return Asked({**rules, "board": [list(row) for row in board], "to_move": mark})

    @staticmethod
    def _cell(asked, move):
        if isinstance(move, int):
            return divmod(move - 1, asked.columns)
        if isinstance(move, list):
            return tuple(move)
        if "row" in move:
            return move["row"], move["column"]
        return next(cell for cell in legal_moves(asked.board, True) if cell[1] == move["column"])


def check_review(request, answer, rows, columns):
    """Fail unless the answer is one that the contract allows for this request, on a board of this size."""
    game = Game(request, rows, columns)
    ending = game.last.ending(game.last.board)
    assert {name: answer[name] for name in ("state", "winner", "winning_cells")} == ending
    assert len(answer["moves"]) == len(game.plies)
    for (asked, cell), told in zip(game.plies, answer["moves"], strict=True):
        check_keys(told, REVIEWED_KEYS)
        assert told["move"] == asked.cell(*cell)
        assert told["to_move"] == asked.to_move
        # A depth limit holds for each search, and the move played stands one ply above the second.
        asked.max_depth = None
        check_score(asked, told, asked.empties())
        tiles = [best["tile"] for best in told["best_moves"]]
        assert tiles
        assert tiles == sorted(set(tiles))
        legal = [asked.cell(*move) for move in legal_moves(asked.board, asked.gravity)]
        assert all(best in legal for best in told["best_moves"])
        _check_grade(asked, told)


def _check_grade(asked, told):
    grade, best = told["grade"], told["best_outcome"]
    assert grade in GRADES
    assert told["graded_by"] in ("proof", "estimate")
    assert told["score"] <= told["best_score"]
    low, high = {"win": (1, INFINITY), "draw": (0, 0), "loss": (-INFINITY, -1), "unknown": (-0.9999, 0.9999)}[best]
    assert low <= told["best_score"] <= high
    if not told["proven"] or best == "unknown":
        assert told["graded_by"] == "estimate"
        lost = told["outcome"] == "loss"
        if not asked.calibrated:
            assert grade == ("mistake" if lost else "unclear")
        assert grade in (("mistake", "blunder") if lost else GRADES)
        assert asked.calibrated <= (grade != "unclear")
        return
    lost = RANK[best] - RANK[told["outcome"]]
    if lost:
        assert grade == {1: "mistake", 2: "blunder"}[lost]
        assert told["graded_by"] == "proof"
    elif grade == "inaccuracy":
        assert told["score"] < told["best_score"]
    else:
        assert grade == "best"
        assert told["score"] == told["best_score"]
        assert told["graded_by"] == "estimate" or told["move"] in told["best_moves"]


def check_review_claims(request, answer, rows, columns):
    """Fail unless whatever the review says is proven is true, be it ever so little; for small boards."""
    game = Game(request, rows, columns)
    for (asked, cell), told in zip(game.plies, answer["moves"], strict=True):
        if asked.empties() > 9:
            continue
        rules = (asked.goal, asked.gravity, asked.misere, asked.exact_goal)
        value, _, _ = judge(asked.board, asked.to_move, *rules)
        played, length = _after(asked, cell, rules)
        if told["proven"]:
            assert told["outcome"] == OUTCOME[played]
            assert told["distance"] == length or (told["distance_is_bound"] and told["distance"] > length)
        if told["best_outcome"] != "unknown":
            assert told["best_outcome"] == OUTCOME[value]
            assert abs(told["best_score"]) <= asked.cells + 1
        if told["graded_by"] == "estimate":
            continue
        if told["grade"] in ("best", "inaccuracy"):
            assert played == value
        else:
            assert told["grade"] == {1: "mistake", 2: "blunder"}[value - played]


def check_review_truth(request, answer, rows, columns):
    """Fail unless every value is the true one and every grade says what was lost; for small boards, well searched."""
    game = Game(request, rows, columns)
    check_review_claims(request, answer, rows, columns)
    for (asked, cell), told in zip(game.plies, answer["moves"], strict=True):
        rules = (asked.goal, asked.gravity, asked.misere, asked.exact_goal)
        value, plies, best = judge(asked.board, asked.to_move, *rules)
        played, length = _after(asked, cell, rules)
        assert told["proven"]
        assert told["graded_by"] == "proof"
        assert not told["distance_is_bound"]
        assert told["score"] == _scaled(asked, played, length)
        assert told["best_score"] == _scaled(asked, value, plies)
        assert told["best_outcome"] == OUTCOME[value]
        assert all((each["row"], each["column"]) in best for each in told["best_moves"])
        if value == played:
            same = told["score"] == told["best_score"]
            assert told["grade"] == ("best" if same else "inaccuracy")
            assert (told["move"] in told["best_moves"]) == same
        else:
            assert told["grade"] == ("blunder" if value - played == 2 else "mistake")


def _after(asked, cell, rules):
    """The value of a move for its side, and the plies to the end of the game."""
    board = with_mark(asked.board, cell, asked.to_move)
    ending = asked.ending(board)
    if ending["state"] != "ongoing":
        return {asked.to_move: 1, None: 0, asked.opponent: -1}[ending["winner"]], 1
    value, plies, _ = judge(board, asked.opponent, *rules)
    return -value, plies + 1


def _scaled(asked, value, plies):
    return value * (asked.cells + 1 - plies)


def check_tree(request, answer):
    """Fail unless the tree is the one that plain minimax or alpha-beta in tile order walks through."""
    asked = Asked(request)
    pruning, depth = request.get("pruning", True), request.get("max_depth", 625)
    root = answer["root"]
    assert root["move"] is None
    assert _check_node(asked, root, asked.board, 0, (-INFINITY, INFINITY), pruning, depth) == answer["nodes"]
    best = []
    node = root
    while node is not None:
        assert node["best"] is True
        best.append(node)
        following = [child for child in node["children"] if child["best"]]
        assert len(following) <= 1
        assert bool(following) == bool(node["children"])
        node = following[0] if following else None
        assert node is None or node["value"] == root["value"]
    assert _count_best(root) == len(best)


def _count_best(node):
    return node["best"] + sum(_count_best(child) for child in node["children"])


def _check_node(asked, node, board, ply, window, pruning, depth):
    """Check a node and all below it; the number of nodes."""
    check_keys(node, NODE_KEYS)
    alpha, beta = window
    shown = (-INFINITY if node["alpha"] is None else node["alpha"], INFINITY if node["beta"] is None else node["beta"])
    assert shown == (window if pruning else (-INFINITY, INFINITY))
    ending = asked.ending(board)
    if ending["state"] != "ongoing":
        won = asked.cells + 1 - ply
        assert node["value"] == {asked.to_move: won, None: 0, asked.opponent: -won}[ending["winner"]]
        assert node["children"] == []
        return 1
    if ply == depth:
        assert abs(node["value"]) < 1
        assert node["children"] == []
        return 1
    maximising = ply % 2 == 0
    mark = asked.to_move if maximising else asked.opponent
    nodes, values = 1, []
    legal = legal_moves(board, asked.gravity)
    for child, move in zip(node["children"], legal, strict=False):
        assert not pruning or alpha < beta
        assert child["move"] == asked.cell(*move)
        nodes += _check_node(asked, child, with_mark(board, move, mark), ply + 1, (alpha, beta), pruning, depth)
        values.append(child["value"])
        if maximising:
            alpha = max(alpha, child["value"])
        else:
            beta = min(beta, child["value"])
    assert node["value"] == (max if maximising else min)(values)
    assert node["cut"] == (len(values) < len(legal))
    assert node["cut"] == (pruning and alpha >= beta and len(values) < len(legal))
    return nodes
