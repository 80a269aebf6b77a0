"""The contract of reviews and search trees, checked with the rules alone and, for small boards, with the oracle.

Requests and answers are taken as they travel (plain data); nothing here shares code with the engine.
"""

from tests.support import oracle
from tests.support.contract import OUTCOME, Asked, check_keys, check_score

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
    last = Asked(request)
    ending = last.ending(last.board, last.side)
    assert {name: answer[name] for name in ("state", "winner", "winning_cells")} == ending
    assert len(answer["moves"]) == len(last.plies)
    for (asked, cell), told in zip(last.plies, answer["moves"], strict=True):
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
    grade, best = told["grade"], told["best_outcome"]
    if told["missed"]:
        assert grade in ("mistake", "blunder") or (told["missed"], told["outcome"], grade) == (
            "win",
            "win",
            "inaccuracy",
        )
    assert grade in GRADES
    assert told["graded_by"] in ("proof", "estimate")
    assert told["score"] <= told["best_score"]
    low, high = {"win": (1, INFINITY), "draw": (0, 0), "loss": (-INFINITY, -1), "unknown": (-0.9999, 0.9999)}[best]
    assert low <= told["best_score"] <= high
    if not told["proven"] or best == "unknown":
        assert told["graded_by"] == "estimate"
        lost = told["outcome"] == "loss"
        if not asked.calibrated:
            assert grade == ("mistake" if lost or told["missed"] else "unclear")
        assert grade in (("mistake", "blunder") if lost else GRADES)
        assert asked.calibrated <= (grade != "unclear")
        return
    lost = RANK[best] - RANK[told["outcome"]]
    if lost:
        assert grade == {1: "mistake", 2: "blunder"}[lost]
        assert told["graded_by"] == "proof"
    elif grade in ("inaccuracy", "mistake"):
        assert told["score"] < told["best_score"]
    else:
        assert grade == "best"
        assert told["score"] == told["best_score"]
        assert told["graded_by"] == "estimate" or told["move"] in told["best_moves"]


def check_review_claims(request, answer):
    """Fail unless whatever the review says is proven is true, be it ever so little; for small boards."""
    for (asked, cell), told in zip(Asked(request).plies, answer["moves"], strict=True):
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
    for (asked, cell), told in zip(Asked(request).plies, answer["moves"], strict=True):
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
