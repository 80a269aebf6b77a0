"""What both fits share: the positions, unordered four-tuples of patterns, and what they are made of.

The points of a tuple are a sum: of its four patterns, of its six pairs of patterns, and of the tuple itself. A prior
holds each part near its start, so that a tuple seldom or never seen gets what its patterns and pairs say.
"""

import itertools
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.rules import Rules
from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.large_boards.board.layout import DIRECTIONS, QUADS
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL, PATTERNS
from kinarow.solvers.large_boards.board.records import load, new_rules, new_state
from kinarow.solvers.large_boards.network.weights import LEARNED, load_weights
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
    """The records of a position, for kernels: ``put(*board, cell, side)``; side 0 is to move."""

    game: Pointer
    state: Pointer


@cache
def _game(side: int, goal: int, rule: int, beginner: int, weights: Path) -> Pointer:
    return Pointer(new_game(rules_of(side, goal, rule), beginner, load_weights(weights)))


def board_after(
    kind: tuple[int, int, int], moves: Sequence[int] | NDArray[np.int64], state: Pointer, weights: Path = LEARNED
) -> Board:
    """Load the position after moves into ``state``; ``kind`` is the side of the board, the goal and the rule."""
    cells, marked = np.zeros(kind[0] * kind[0], np.int8), np.array(moves, np.intp)
    cells[marked[::-2]], cells[marked[-2::-2]] = 2, 1
    board = Board(_game(*kind, len(moves) % 2 if kind[2] == RENJU else -1, weights), state)
    load(*board, cells)
    return board


def candidates(board: Board) -> NDArray[np.intp]:
    """Return the empty cells near marks."""
    state = board.state.array[0]
    near = np.unpackbits(state.near_mask.view(np.uint8), bitorder="little")[: len(state.mark)]
    return np.flatnonzero((near == 1) & (state.mark == 0))


def tuples_on(board: Board, cells: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the tuples of cells for the side to move and for the other side, (2, cells)."""
    quads = quads_of(board.game.array[0], board.state.array[0])
    return tuples_of_quads()[quads[cells].T].astype(np.int64)


def cell_patterns() -> NDArray[np.int64]:
    """Return the cell pattern of each tuple."""
    found = np.zeros(len(TUPLES), np.int64)
    found[tuples_of_quads()] = cell_patterns_of_quads()
    return found


def quiet_positions(paths: list[Path]) -> Iterator[tuple[int, Game, int, Board]]:
    """Yield the quiet positions of games: the game's number, the game, the number of marks, and the board.

    In these positions, all after the opening, no side can complete a line and the mover can't make an open four. The
    next position overwrites the board.
    """
    state = Pointer(new_state())
    for number, game in enumerate(read(paths)):
        for ply in range(game.opening, len(game.moves)):
            board = board_after(game[:3], game.moves[:ply], state)
            count = state.array[0].count
            if not count[:, FIVE_CELL].any() and not count[0, OPEN_FOUR_CELL]:
                yield number, game, ply, board
