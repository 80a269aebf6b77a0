"""What both fits share: the positions, unordered four-tuples of patterns, and what they are made of.

The points of a tuple are a sum: of its four patterns, of its six pairs of patterns, and of the tuple itself. A prior
holds each part near its start, so that a tuple seldom or never seen gets what its patterns and pairs say.
"""

import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import Rules
from kinarow.solvers.large_boards.board.kernel_marks import put
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, QUADS
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL, PATTERNS
from kinarow.solvers.large_boards.board.records import load, new_rules, new_state
from kinarow.solvers.large_boards.search.records import new_game
from training.games import RENJU, Game, read, rules_of

Floats = NDArray[np.float64]

TUPLES = list(itertools.combinations_with_replacement(range(PATTERNS), 4))
PAIRS = list(itertools.combinations_with_replacement(range(PATTERNS), 2))


@cache
def patterns_of_quads() -> NDArray[np.int64]:
    """Return the four patterns of each quad, (65536, 4)."""
    quads = np.arange(QUADS)[:, None] >> (2 * np.arange(DIRECTIONS))
    return quads & 3 | quads >> 6 & 12


@cache
def cell_patterns_of_quads() -> NDArray[np.uint8]:
    """Return the cell pattern of each quad, (65536,)."""
    found: NDArray[np.uint8] = new_rules(Rules(5, 5, 5), -1)["cell_pattern_of_quad"][0, 0]
    return found


@cache
def tuples_of_quads() -> NDArray[np.uint16]:
    """Return the index in ``TUPLES`` of each quad's unordered patterns, (65536,)."""
    found: NDArray[np.uint16] = new_rules(Rules(5, 5, 5), -1)["tuple_of_quad"][0]
    return found


def quads_of(game: np.record, state: np.record) -> NDArray[np.int64]:
    """Return the quad of each cell for each side, (cells, 2); marked cells keep their earlier quads."""
    quads: NDArray[np.int64] = state["quads"][: int(game["cells"]), None].astype(np.int64) >> [0, 16] & 0xFFFF
    return quads


def parts() -> Floats:
    """Return the number of each pattern and of each pair of patterns in each tuple, (tuples, 16 + 136)."""
    number = {pair: i for i, pair in enumerate(PAIRS)}
    found = np.zeros((len(TUPLES), PATTERNS + len(PAIRS)))
    for i, each in enumerate(TUPLES):
        np.add.at(found[i], list(each), 1)
        np.add.at(found[i], [PATTERNS + number[pair] for pair in itertools.combinations(each, 2)], 1)
    return found


class Board(NamedTuple):
    """The records of a board, for kernels: ``put(*board, cell, side)``."""

    game: Any
    state: Any


def candidates(game: np.record, state: np.record) -> NDArray[np.intp]:
    """Return the empty cells near marks."""
    near = np.unpackbits(state.near_mask.view(np.uint8), bitorder="little")[: int(game.cells)]
    return np.flatnonzero((state.mark[: int(game.cells)] == 0) & (near == 1))


def tuples_on(board: Board, cells: NDArray[np.int64], side: int) -> NDArray[np.int64]:
    """Return the tuples of cells for a side, as indices in ``TUPLES``."""
    numbers: NDArray[np.int64] = tuples_of_quads()[quads_of(*board)[cells, side]]
    return numbers


def cell_patterns() -> NDArray[np.int64]:
    """Return the cell pattern of each tuple."""
    found = np.zeros(len(TUPLES), np.int64)
    found[tuples_of_quads()] = cell_patterns_of_quads()
    return found


class Quiet(NamedTuple):
    """A position in which no side can complete a line and the mover cannot make an open four."""

    group: int  # the number of its game, from 0
    game: Game
    ply: int  # the number of marks on the board
    side: int  # the side to move; 0 is the side that began
    board: Board  # overwritten by the next position


def quiet_positions(paths: list[Path]) -> Iterator[Quiet]:
    """Yield the quiet positions of games, after their openings."""
    kept: dict[tuple[int, int, int], np.recarray] = {}
    for group, game in enumerate(read(paths)):
        board = board_of(game, kept)
        for ply, cell in enumerate(game.moves):
            side = ply % 2
            count = board.state.count
            decided = count[:, FIVE_CELL].any() or count[side, OPEN_FOUR_CELL]
            if ply >= game.opening and not decided:
                yield Quiet(group, game, ply, side, board)
            if ply + 1 < len(game.moves):
                put(*board, int(cell), side)


def board_of(game: Game, kept: dict[tuple[int, int, int], np.recarray]) -> Board:
    """Return an empty board for the rules of a game; ``kept`` caches the games' records."""
    kind = (game.side, game.goal, game.rule)
    if kind not in kept:
        kept[kind] = new_game(rules_of(*kind), 0 if game.rule == RENJU else -1)
    state = new_state()
    load(kept[kind], state)
    return Board(kept[kind][0], state[0])
