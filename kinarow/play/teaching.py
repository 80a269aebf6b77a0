"""Search trees for teaching: plain minimax and alpha-beta, move by move in tile order."""

import time
from dataclasses import dataclass
from typing import Any

from kinarow.errors import InputError
from kinarow.game.geometry import Line, geometry
from kinarow.game.notation import write_cell
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, O, Rules, X, other
from kinarow.search.best_move import evaluate
from kinarow.search_types import Stop

Node = dict[str, Any]  # One node of the tree as /tree shows it: move, value, alpha, beta, cut, best, children

INFINITY = float("inf")

MAX_PLIES = 100  # The greatest depth of a tree: a deeper one can hardly be drawn, and the JSON encoder recurses
_POLL_EVERY = 16  # Nodes between two polls of the clock and the stop flag; one may take 2 ms on a large board


class TreeTooLarge(InputError):
    """The tree has too many nodes, is too deep or takes too long."""

    def __init__(self, how: str) -> None:
        super().__init__("/board", f"the tree {how}: fill more cells, or send a lower max_depth")


def tree(
    position: Position,
    *,
    pruning: bool = True,
    max_depth: int | None = None,
    max_nodes: int,
    deadline_ns: int | None = None,
    stop: Stop | None = None,
) -> Node:
    """The search tree of a position, with values from the view of the side to move at its root.

    A win in n plies from the root counts ``cells + 1 - n``, a loss its negative, a draw 0. At ``max_depth``
    plies an ongoing position counts the estimate of the line heuristic. With pruning the search is fail-soft
    alpha-beta: after a move that makes alpha >= beta the remaining moves are left out and ``cut`` is true. The
    value is then a bound: a lower one at nodes of the root's side, an upper one at nodes of the other side.

    Args:
        pruning: alpha-beta; else plain minimax.
        max_depth: plies to look ahead, at least 1, or None for all.
        max_nodes: the largest number of nodes, with the root.
        deadline_ns: when to give up, on the scale of ``time.monotonic_ns()``, or None for never.

    Returns:
        ``{"nodes": int, "root": Node}``, plain data.

    Raises:
        TreeTooLarge: the tree has more nodes, more than ``MAX_PLIES`` plies, or takes too long.
        SearchStopped: ``stop`` was set.
    """
    builder = _TreeBuilder(position, pruning, max_depth, max_nodes, deadline_ns, stop)
    root = builder.build(None, 0, -INFINITY, INFINITY)
    _mark_best(root)
    return {"nodes": builder.nodes, "root": root}


def _mark_best(node: Node) -> None:
    """Set ``best`` along the principal variation: at each node the first child that has its value."""
    while True:
        node["best"] = True
        following = [child for child in node["children"] if child["value"] == node["value"]]
        if not following:
            return
        node = following[0]


class _Board:
    """A mutable board with the lines through each cell."""

    def __init__(self, position: Position) -> None:
        self.rules: Rules = position.rules
        self.cells = bytearray(position.cells)
        self.empties = position.empties
        self.to_move = position.to_move
        self._through: list[list[Line]] = [[] for _ in position.cells]
        for _, line in geometry(position.rules).directed_lines:
            for cell in line.cells:
                self._through[cell].append(line)

    def moves(self) -> list[int]:
        """The legal moves in tile order."""
        cells, rise, end = self.cells, self.rules.rise, self.rules.cells
        empty = [cell for cell, mark in enumerate(cells) if mark == EMPTY]
        if self.rules.renju:
            return list(self.position().legal_moves())
        if not self.rules.gravity:
            return empty
        return [cell for cell in empty if not 0 <= cell - rise < end or cells[cell - rise] != EMPTY]

    def put(self, cell: int) -> None:
        self.cells[cell] = self.to_move
        self.empties -= 1
        self.to_move = other(self.to_move)

    def take_back(self, cell: int) -> None:
        self.cells[cell] = EMPTY
        self.empties += 1
        self.to_move = other(self.to_move)

    def line_completed(self, last: int | None) -> bool:
        """Whether the last mark completes a line; None stands for an unknown last mark, so that any line counts."""
        if last is None or self.rules.renju:
            return self.position().ending().state == "won"
        cells = self.cells
        mark = cells[last]
        for line in self._through[last]:
            for each in line.cells:
                if cells[each] != mark:
                    break
            else:
                flanks = [cells[flank] for flank in line.flanks]
                closed = self.rules.caro and flanks == [X + O - mark] * 2
                if not closed and not (self.rules.exact_goal and mark in flanks):
                    return True
        return False

    def position(self) -> Position:
        return Position(self.rules, bytes(self.cells), self.to_move)


@dataclass
class _TreeBuilder:
    position: Position
    pruning: bool
    max_depth: int | None
    max_nodes: int
    deadline_ns: int | None
    stop: Stop | None
    nodes: int = 0

    def __post_init__(self) -> None:
        self.board = _Board(self.position)
        self.root_side = self.position.to_move

    def build(self, move: int | None, ply: int, alpha: float, beta: float) -> Node:
        """The node after a move (None: the root) at a distance of ``ply`` from the root, with all nodes below it."""
        self.nodes += 1
        if self.nodes > self.max_nodes:
            raise TreeTooLarge(f"has more than {self.max_nodes} nodes")
        if self.nodes % _POLL_EVERY == 0:
            self._poll()
        if ply > MAX_PLIES:
            raise TreeTooLarge(f"is more than {MAX_PLIES} plies deep")
        node: Node = {
            "move": None if move is None else write_cell(move, self.board.rules),
            "value": self._value_of_leaf(move, ply),
            "alpha": None if alpha == -INFINITY else alpha,
            "beta": None if beta == INFINITY else beta,
            "cut": False,
            "best": False,
            "children": [],
        }
        if node["value"] is None:
            self._add_children(node, ply, alpha, beta)
        return node

    def _poll(self) -> None:
        if self.stop is not None:
            self.stop.check()
        if self.deadline_ns is not None and time.monotonic_ns() > self.deadline_ns:
            raise TreeTooLarge(f"takes too long: {self.nodes} nodes did not end it")

    def _add_children(self, node: Node, ply: int, alpha: float, beta: float) -> None:
        """Search the moves of an inner node and set its ``value``, ``children`` and ``cut``."""
        board = self.board
        maximising = board.to_move == self.root_side
        best, better = (-INFINITY, max) if maximising else (INFINITY, min)
        moves = board.moves()
        for move in moves:
            board.put(move)
            child = self.build(move, ply + 1, alpha, beta)
            board.take_back(move)
            node["children"].append(child)
            best = better(best, child["value"])
            if self.pruning:
                alpha, beta = (max(alpha, best), beta) if maximising else (alpha, min(beta, best))
            if alpha >= beta:
                node["cut"] = len(node["children"]) < len(moves)
                break
        node["value"] = best

    def _value_of_leaf(self, move: int | None, ply: int) -> float | None:
        """The value of a node at the end of the game or of the depth; None for an inner node."""
        board = self.board
        sign = 1 if board.to_move == self.root_side else -1
        if board.line_completed(move):
            # The side to move has just lost; in misère it has just won.
            return (board.rules.cells + 1 - ply) * (sign if board.rules.misere else -sign)
        if board.empties == 0 or (board.rules.renju and not board.moves()):
            return 0
        if self.max_depth is not None and ply >= self.max_depth:
            # Adding 0.0 turns -0.0 into 0.0.
            return sign * evaluate(board.position()).value + 0.0
        return None
