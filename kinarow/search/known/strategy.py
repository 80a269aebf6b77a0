"""Proven strategies: a file in ``data/`` for exactly one game, which a program that shares no code with it checks.

*A win.* Each entry is a canonical position, seen from the side to move, with a move and the most plies in which it
wins. After the move every reply leads to another entry of fewer plies, or to a position that continuous fours win in
fewer plies (``checker/qubic_strategy.py``).

*A draw by blocking.* Each entry is two sets of cells: the breaker's, and a zone. It says that the maker, to move,
completes no line if the breaker has the first set, the zone is empty, and the maker has all other cells. So the maker's
marks outside the zone do not matter, and any move answers a move there. A move in the zone has an answer that leads to
another entry, or to a position that a short search proves (``checker/check_strategy.py``).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from kinarow import score
from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, SWAP_SIDES, Rules, other
from kinarow.score import Score
from kinarow.search.known.book import FOLDER
from kinarow.search_types import KnownBounds, SearchResult

WINS = {Rules(4, 4, 4, layers=4): "qubic-strategy.npz"}
DRAWS = {Rules(7, 8, 5): "7x8-goal5-draw.npz"}
_TURNED = {replace(rules, rows=rules.columns, columns=rules.rows): rules for rules in DRAWS}
"""The games of ``DRAWS`` by the same games with rows and columns exchanged."""

_OPPONENT = 2
_ANY = -1  # All cells as a mask


@dataclass(frozen=True, slots=True)
class Strategy:
    """Winning moves of one game."""

    rules: Rules
    entries: dict[bytes, tuple[int, int]]  # by canonical position: a winning cell, and the most plies to the win

    def known(self, position: Position) -> SearchResult | None:
        """Return the result for an ongoing position that the strategy wins, or that is lost to it; else None."""
        if won := self._find(position.relative()):
            move, value = won[0], score.win(self.rules.cells, won[1], is_bound=True)
        elif lost := self._loss(position):
            move, value = lost
        else:
            return None
        depth = value.distance or 0
        return SearchResult(move, value, (move,), (move,), best_moves_complete=False, depth=depth, source="book")

    def _loss(self, position: Position) -> tuple[int, Score] | None:
        """Return the reply that delays the loss to the strategy longest, and its value.

        None if no mark of the opponent can have been a move of the strategy, or no reply leads to one of its entries.
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
        """Return the winning cell and the most plies to the win of a board, seen from the side to move; or None."""
        form, to_original = geometry(self.rules).canonical(cells)
        known = self.entries.get(form)
        return known and (to_original[known[0]], known[1])

    def _plies_after_move(self, cells: bytes) -> int | None:
        """Return the most plies until the side to move loses, if a move of the strategy led to the board; else None."""
        for cell, mark in enumerate(cells):
            if mark == _OPPONENT:
                before = cells[:cell] + bytes([EMPTY]) + cells[cell + 1 :]
                known = self._find(before.translate(SWAP_SIDES))
                if known and known[0] == cell:
                    return known[1] - 1
        return None


def shipped(rules: Rules) -> Strategy | None:
    """Return the winning strategy in the package for exactly these rules, or None."""
    return _load(rules) if rules in WINS else None


@cache
def _load(rules: Rules) -> Strategy:
    with np.load(FOLDER / WINS[rules], allow_pickle=False) as stored:
        # Stored with a row for each cell, which compresses best.
        cells = np.ascontiguousarray(stored["cells"].T)
        moves, plies = stored["moves"].tolist(), stored["plies"].tolist()
    return Strategy(rules, dict(zip(map(bytes, cells), zip(moves, plies, strict=True), strict=True)))


@dataclass(frozen=True, slots=True)
class Blocking:
    """A strategy of the breaker for one board; entry ``i`` is two masks with the bit ``1 << cell`` for each cell."""

    rules: Rules
    breakers: NDArray[np.uint64]
    zones: NDArray[np.uint64]

    def known(self, position: Position) -> SearchResult | KnownBounds | None:
        """Return a draw for an ongoing position if the strategy proves it for both sides, else bounds, or None."""
        bounds = self.bounds(position)
        if bounds is None or bounds.lower < bounds.upper:
            return bounds
        moves, empties = position.geometry.equal_cells(position.cells, bounds.candidates[0]), position.empties
        value = score.draw(empties)
        return SearchResult(moves[0], value, moves[:1], moves, best_moves_complete=False, depth=empties, source="book")

    def bounds(self, position: Position) -> KnownBounds | None:
        """Return what the strategy proves of an ongoing position, with either side as the breaker; None if nothing."""
        own, others = position.marks(position.to_move), position.marks(other(position.to_move))
        answers = self.answers(others, own)
        harmless = self.holds(own, others)
        if not answers and not harmless:
            return None
        cells = position.rules.cells
        return KnownBounds(0 if answers else -cells, 0 if harmless else cells, tuple(answers))

    def holds(self, maker: int, breaker: int) -> bool:
        """Return True if an entry proves that the maker, to move, completes no line."""
        return any(cells == _ANY for cells in self._sufficient(maker, breaker))

    def answers(self, maker: int, breaker: int) -> list[int]:
        """Return the breaker's moves after which an entry proves that the maker completes no line, in order."""
        safe = 0
        for cells in self._sufficient(maker, breaker):
            safe |= cells
        marks = maker | breaker
        return [cell for cell in geometry(self.rules).move_order if safe >> cell & 1 and not marks >> cell & 1]

    def _sufficient(self, maker: int, breaker: int) -> Iterator[int]:
        """Yield, for each entry that the breaker can fulfil by one mark, the mask of such cells; ``_ANY`` for no mark.

        An entry is fulfilled if the breaker has its cells, and each line with a maker's mark in its zone is blocked.
        """
        board = geometry(self.rules)
        for symmetry in board.symmetries:
            own, others = (
                sum(1 << place for place, cell in enumerate(symmetry) if marks >> cell & 1)
                for marks in (breaker, maker)
            )
            missing = self.breakers & ~np.uint64(own)
            near = np.flatnonzero(missing & (missing - np.uint64(1) | np.uint64(others)) == 0)
            lines = [mask for _, mask, _ in board.masks if mask & others and not mask & own]
            for lacks, zone in zip(missing[near].tolist(), self.zones[near].tolist(), strict=True):
                cells = lacks or _ANY
                for line in lines:
                    if line & others & zone:
                        cells &= line & ~others
                if cells == _ANY:
                    yield _ANY
                elif cells:
                    yield sum(1 << cell for place, cell in enumerate(symmetry) if cells >> place & 1)


def blocking(rules: Rules) -> Blocking | None:
    """Return the drawing strategy in the package for these rules, also with rows and columns exchanged; or None."""
    return _load_blocking(rules) if rules in DRAWS or rules in _TURNED else None


@cache
def _load_blocking(rules: Rules) -> Blocking:
    """Read the drawing strategy of a game; if rows and columns are exchanged, renumber its cells."""
    stored_rules = _TURNED.get(rules, rules)
    with np.load(FOLDER / DRAWS[stored_rules], allow_pickle=False) as stored:
        breakers, zones = (np.ascontiguousarray(stored[words].T).view("<u8")[:, 0] for words in ("breaker", "zone"))
    if rules is not stored_rules:
        cells = np.arange(rules.cells, dtype=np.uint64)
        order = cells.reshape(stored_rules.rows, stored_rules.columns).T.ravel()
        breakers, zones = (
            ((words[:, np.newaxis] >> order & np.uint64(1)) << cells).sum(axis=1, dtype=np.uint64)
            for words in (breakers, zones)
        )
    return Blocking(rules, breakers, zones)
