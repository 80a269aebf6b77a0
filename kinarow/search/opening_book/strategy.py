"""A proven strategy: moves with which a side wins, for the positions in which continuous fours do not win yet.

A strategy is a file in ``data/`` for exactly one game. Each entry is a canonical position, seen from the side to move,
with a move and the plies in which it wins at most. After the move every reply leads to another entry of fewer plies,
or to a position that continuous fours win in fewer plies. So each entry is proven by those of fewer plies, and
``python -m benchmarks.qubic_strategy`` checks all of them.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from kinarow import score
from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, Rules
from kinarow.score import Score
from kinarow.search.opening_book.book import FOLDER

FILES = {Rules(4, 4, 4, layers=4): "qubic-strategy.npz"}

_OPPONENT = 2
_SWAP_SIDES = bytes.maketrans(b"\x01\x02", b"\x02\x01")


@dataclass(frozen=True, slots=True)
class Strategy:
    """Winning moves of one game."""

    rules: Rules
    entries: dict[bytes, tuple[int, int]]  # of each canonical position a cell that wins, and in how many plies at most

    def win(self, position: Position) -> tuple[int, Score] | None:
        """The move that wins an ongoing position, and its value; None where the strategy does not know the position."""
        known = self._find(position.relative())
        return known and (known[0], score.win(self.rules.cells, known[1], is_bound=True))

    def loss(self, position: Position) -> tuple[int, Score] | None:
        """The reply that delays the loss after a move of the strategy, and its value.

        None where the last mark was no move of the strategy, or every reply loses to continuous fours alone.
        """
        plies = self._plies_after_move(position.relative())
        if plies is None:
            return None
        left = {reply: self._find(position.play(reply).relative()) for reply in position.legal_moves()}
        longest = max(known[1] if known else 0 for known in left.values())
        if longest == 0:
            return None
        reply = position.geometry.first_of([move for move, known in left.items() if known and known[1] == longest])
        return reply, score.loss(self.rules.cells, plies, is_bound=True)

    def _find(self, cells: bytes) -> tuple[int, int] | None:
        form, to_original = geometry(self.rules).canonical(cells)
        known = self.entries.get(form)
        return known and (to_original[known[0]], known[1])

    def _plies_after_move(self, cells: bytes) -> int | None:
        """The plies of the loss of a board, seen from the side to move, that a move of the strategy led to."""
        for cell, mark in enumerate(cells):
            if mark == _OPPONENT:
                before = cells[:cell] + bytes([EMPTY]) + cells[cell + 1 :]
                known = self._find(before.translate(_SWAP_SIDES))
                if known and known[0] == cell:
                    return known[1] - 1
        return None


@cache
def shipped(rules: Rules) -> Strategy | None:
    """The strategy in the package for exactly these rules, or None."""
    name = FILES.get(rules)
    if name is None:
        return None
    with np.load(FOLDER / name, allow_pickle=False) as stored:
        # A row for each cell, which is compressed best.
        cells = np.ascontiguousarray(stored["cells"].T)
        moves, plies = stored["moves"].tolist(), stored["plies"].tolist()
    return Strategy(rules, dict(zip(map(bytes, cells), zip(moves, plies, strict=True), strict=True)))
