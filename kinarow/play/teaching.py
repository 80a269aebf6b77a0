"""Search trees for teaching: plain minimax and alpha-beta, move by move in tile order."""

import time
from dataclasses import dataclass
from typing import Any

from kinarow.errors import InputError, several
from kinarow.game.notation import write_cell
from kinarow.game.position import Position
from kinarow.search_types import Stop
from kinarow.solvers.reference.solver import evaluate, final_value

Node = dict[str, Any]  # One node of the tree as /tree shows it: move, value, alpha, beta, cut, best, children

INFINITY = float("inf")

MAX_PLIES = 100  # Greatest depth of a tree: deeper trees can hardly be drawn, and the JSON encoder recurses
_POLL_EVERY = 16  # Nodes between polls of the clock and the stop flag; a node may take 2 ms on a large board


class TreeTooLarge(InputError):
    """The tree is too large, too deep or takes too long."""

    def __init__(self, how: str, nodes: int, *, by_time: bool = False) -> None:
        self.nodes, self.by_time = nodes, by_time
        super().__init__("/board", f"the tree {how}; fill more cells, or send a lower max_depth")


def tree(
    position: Position,
    *,
    pruning: bool = True,
    max_depth: int | None = None,
    max_nodes: int,
    deadline_ns: int | None = None,
    stop: Stop | None = None,
) -> dict[str, Any]:
    """Return the search tree of a position, with values from the view of the side to move at its root.

    A win in n plies from the root has the value ``cells + 1 - n``, a loss its negative, a draw 0. At ``max_depth`` an
    ongoing position has the estimate of the line heuristic. With pruning the search is fail-soft alpha-beta: after a
    move with alpha >= beta the remaining moves are pruned and ``cut`` is true. The value is then a bound: a lower bound
    at nodes of the root's side, an upper bound at nodes of the other side.

    Args:
        pruning: True for alpha-beta, False for plain minimax.
        max_depth: plies to look ahead, at least 1; None for no limit.
        max_nodes: the greatest number of nodes, including the root.
        deadline_ns: the deadline by ``time.monotonic_ns()``; None for none.

    Returns:
        ``{"nodes": int, "root": Node}``.

    Raises:
        TreeTooLarge: the tree has more nodes, more than ``MAX_PLIES`` plies, or takes too long.
        SearchStopped: ``stop`` was set.
    """
    builder = _TreeBuilder(position, pruning, max_depth, max_nodes, deadline_ns, stop)
    root = builder.build(position, None, 0, -INFINITY, INFINITY)
    _mark_best(root)
    return {"nodes": builder.nodes, "root": root}


def _mark_best(node: Node) -> None:
    """Set ``best`` along the principal variation, whose next node is the first child with the node's value."""
    while True:
        node["best"] = True
        following = [child for child in node["children"] if child["value"] == node["value"]]
        if not following:
            return
        node = following[0]


@dataclass
class _TreeBuilder:
    root: Position
    pruning: bool
    max_depth: int | None
    max_nodes: int
    deadline_ns: int | None
    stop: Stop | None
    nodes: int = 0

    def build(self, position: Position, move: int | None, ply: int, alpha: float, beta: float) -> Node:
        """Return the subtree of a position; ``move`` led to it and is None at the root."""
        self.nodes += 1
        if self.nodes > self.max_nodes:
            raise TreeTooLarge(f"has more than {several(self.max_nodes, 'node')}", self.nodes)
        if self.nodes % _POLL_EVERY == 0:
            self._poll()
        if ply > MAX_PLIES:
            raise TreeTooLarge(f"is more than {MAX_PLIES} plies deep", self.nodes)
        node: Node = {
            "move": None if move is None else write_cell(move, position.rules),
            "value": self._value_of_leaf(position, ply),
            "alpha": None if alpha == -INFINITY else alpha,
            "beta": None if beta == INFINITY else beta,
            "cut": False,
            "best": False,
            "children": [],
        }
        if node["value"] is None:
            self._add_children(node, position, ply, alpha, beta)
        return node

    def _poll(self) -> None:
        if self.stop is not None:
            self.stop.check()
        if self.deadline_ns is not None and time.monotonic_ns() > self.deadline_ns:
            raise TreeTooLarge(f"is not finished in time, after {self.nodes} nodes", self.nodes, by_time=True)

    def _add_children(self, node: Node, position: Position, ply: int, alpha: float, beta: float) -> None:
        """Search an inner node; set its ``value``, ``children`` and ``cut``."""
        maximising = position.to_move == self.root.to_move
        best, better = (-INFINITY, max) if maximising else (INFINITY, min)
        moves = position.legal_moves()
        for move in moves:
            child = self.build(position.play(move), move, ply + 1, alpha, beta)
            node["children"].append(child)
            best = better(best, child["value"])
            if self.pruning:
                alpha, beta = (max(alpha, best), beta) if maximising else (alpha, min(beta, best))
            if alpha >= beta:
                node["cut"] = len(node["children"]) < len(moves)
                break
        node["value"] = best

    def _value_of_leaf(self, position: Position, ply: int) -> float | None:
        """Return the value at the end of the game or at the greatest depth; None for an inner node."""
        sign = 1 if position.to_move == self.root.to_move else -1
        value = final_value(position)
        if value:
            # Distances count from the root, so add the marks on its board.
            marks = self.root.rules.cells - self.root.empties
            return sign * (value + marks if value > 0 else value - marks)
        if value == 0:
            return 0
        if self.max_depth is not None and ply >= self.max_depth:
            # Adding 0.0 turns -0.0 into 0.0.
            return sign * evaluate(position).value + 0.0
        return None
