"""Plays games of the engine against itself, and searches positions beside them.

    python -m training.harvest

Size, goal and rule of a game are random. It begins with one to eight random moves that the engine judges to be
balanced. One move in twelve is random among those that look good. After every second move, on average, one to three
such moves are played, the position *beside* the game is searched, and they are taken back, so that the fit sees
positions of search trees. A position takes 2.5 milliseconds, since a kernel drives the search.

A file has games, each followed by the positions beside it as games of one searched move (``training.games``). Existing
files are not played again. The same seed, nodes and version of the engine give the same files.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kinarow.kernels.shared_library import Pointer
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.layout import DECISIVE
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL
from kinarow.solvers.large_boards.board.records import new_state
from kinarow.solvers.large_boards.search.deepening import iterative_deepening
from kinarow.solvers.large_boards.search.kernel_quick_values import order_scores
from kinarow.solvers.large_boards.search.records import new_table
from training.games import CARO, EXACT, FREE, HARVEST, RENJU, Game, write
from training.tuples import board_after, candidates

GAMES_A_FILE = 100
SLOT_BITS = 14

USUAL_SIDE = 15
SIDES = tuple(range(9, 21))
USUAL_SHARE = 0.4
RULES = ((5, FREE), (5, EXACT), (5, CARO), (5, RENJU), (4, FREE), (6, FREE), (6, EXACT), (7, FREE))
RULE_SHARES = (0.52, 0.18, 0.06, 0.06, 0.04, 0.08, 0.03, 0.03)

OPENING_MOVES = (1, 8)
OPENING_REACH = 3
OFF_CENTRE_SHARE = 0.3
MOST_POINTS = 450  # An opening is balanced if the engine values it at most so high for either side
MOST_OPENINGS = 20  # After so many unbalanced openings the game begins on the empty board
BESIDE_SHARE = 0.5
BESIDE_MOVES = (0.45, 0.35, 0.2)  # Probabilities of one, two or three moves beside the game
DRAWN_SHARE = 0.08  # Share of random moves in games
LIKELY_MOVES = 12
"""A random move is one of the 12 best-looking; the n-th is chosen with a weight of 1 / n."""

OPENING_NODES = 300
MAX_DEPTH = 40
MOST_MOVES = 250


class Walk:
    """A game and its search. Games may share ``state``, and ``tables``, which has one for each number of cells."""

    def __init__(self, kind: tuple[int, int, int], state: Pointer, tables: dict[int, Pointer]) -> None:
        cells = kind[0] * kind[0]
        if cells not in tables:
            tables[cells] = Pointer(new_table(1 << SLOT_BITS, cells))
        self.kind, self.moves = kind, list[int]()
        self._state, self._table, self._keeps = state, tables[cells], False
        self._line_at = 0
        self._load()

    def _load(self) -> None:
        self.board = board_after(self.kind, self.moves, self._state)
        self.game, self.state = self.board.game.array[0], self._state.array[0]

    @property
    def goes_on(self) -> bool:
        """True if there is an empty cell and no line."""
        return not self._line_at and bool(self.state.empty > 0)

    def play(self, cell: int) -> None:
        """Make a move."""
        completes = self.state.cell_pattern[cell, 0] == FIVE_CELL
        self.moves.append(cell)
        if completes:
            self._line_at = self._line_at or len(self.moves)
        self._load()

    def take_back(self) -> None:
        """Take back the last move."""
        self.moves.pop()
        if self._line_at > len(self.moves):
            self._line_at = 0
        self._load()

    def may_play(self, cell: int) -> bool:
        """Return True if the side to move may mark the cell."""
        forbids = self.game.beginner == 0
        return bool(self.state.mark[cell] == 0) and not (forbids and is_forbidden(*self.board, cell))

    def think(self, nodes: int) -> tuple[int, int]:
        """Return the value and the best move; reuses table entries of earlier searches of the game."""
        *_, last = iterative_deepening(*self.board, Budget(nodes), self._table, MAX_DEPTH, keep=self._keeps)
        self._keeps = True
        return last.value, last.best

    def result(self, value: int) -> int:
        """Return 1 if ``value``, the side to move's, proves a win of the side that began, -1 for a loss, else 0."""
        sign = (value >= DECISIVE) - (value <= -DECISIVE)
        return sign if len(self.moves) % 2 == 0 else -sign

    def likely(self, rng: np.random.Generator) -> int:
        """Return a random move of those that look good without a search; -1 if there is none."""
        cells = candidates(self.board)
        scores = np.zeros(len(self.state.mark), np.int64)
        order_scores(*self.board, scores)
        ranked = cells[np.argsort(-scores[cells], kind="stable")[:LIKELY_MOVES]]
        if not len(ranked):
            return -1
        chances = 1 / np.arange(1, len(ranked) + 1)
        cell = int(rng.choice(ranked, p=chances / chances.sum()))
        return cell if self.may_play(cell) else -1


def draw_rules(rng: np.random.Generator) -> tuple[int, int, int]:
    """Return a random board side, goal and rule."""
    side = USUAL_SIDE if rng.random() < USUAL_SHARE else int(rng.choice(SIDES))
    goal, rule = RULES[rng.choice(len(RULES), p=RULE_SHARES)]
    return (USUAL_SIDE if rule == RENJU else side), goal, rule


def _opening(state: Pointer, tables: dict[int, Pointer], rng: np.random.Generator) -> Walk:
    """Return a game with random rules, after a few random moves that the engine judges to be balanced."""
    kind = draw_rules(rng)
    side = kind[0]
    for _ in range(MOST_OPENINGS):
        walk = Walk(kind, state, tables)
        row, column = side // 2, side // 2
        if rng.random() < OFF_CENTRE_SHARE:
            row, column = rng.integers(OPENING_REACH, side - OPENING_REACH, 2).tolist()
        for _ in range(int(rng.integers(OPENING_MOVES[0], OPENING_MOVES[1] + 1))):
            down, right = rng.integers(-OPENING_REACH, OPENING_REACH + 1, 2).tolist()
            inside = 0 <= row + down < side and 0 <= column + right < side
            cell = (row + down) * side + column + right
            if inside and walk.may_play(cell):
                walk.play(cell)
        if walk.goes_on and abs(walk.think(OPENING_NODES)[0]) <= MOST_POINTS:
            return walk
    return Walk(kind, state, tables)


def _add_likely(walk: Walk, rng: np.random.Generator) -> int:
    before = len(walk.moves)
    for _ in range(1 + int(rng.choice(len(BESIDE_MOVES), p=BESIDE_MOVES))):
        cell = walk.likely(rng) if walk.goes_on else -1
        if cell >= 0:
            walk.play(cell)
    return len(walk.moves) - before


def _beside(walk: Walk, nodes: int, rng: np.random.Generator) -> Game | None:
    """Return a searched position after good-looking moves beside the game; None if they end it."""
    added, found = _add_likely(walk, rng), None
    if added and walk.goes_on:
        value, best = walk.think(nodes)
        if best >= 0:
            moves = np.array([*walk.moves, best])
            values = np.append(np.zeros(len(walk.moves), np.int64), value)
            drawn = np.zeros(len(moves), np.bool_)
            found = Game(*walk.kind, len(walk.moves), walk.result(value), moves, drawn, values)
    for _ in range(added):
        walk.take_back()
    return found


def play_game(walk: Walk, nodes: int, rng: np.random.Generator) -> list[Game]:
    """Play from an opening; return the game and the positions beside it."""
    opening = len(walk.moves)
    values, drawn = [0] * opening, [False] * opening
    beside, winner = list[Game](), 0
    while walk.goes_on and len(walk.moves) < MOST_MOVES:
        value, move = walk.think(nodes)
        winner = walk.result(value)
        if winner or move < 0:
            break
        if rng.random() < BESIDE_SHARE and (found := _beside(walk, nodes, rng)):
            beside.append(found)
        other = walk.likely(rng) if rng.random() < DRAWN_SHARE else -1
        values.append(value)
        drawn.append(other >= 0)
        walk.play(other if other >= 0 else move)
    if not walk.goes_on and walk.state.empty > 0:
        winner = 1 if len(walk.moves) % 2 == 1 else -1
    game = Game(*walk.kind, opening, winner, np.array(walk.moves), np.array(drawn), np.array(values))
    return ([game] if len(walk.moves) > opening else []) + beside


def play_file(number: int, seed: int, nodes: int, folder: Path, games: int = GAMES_A_FILE) -> None:
    """Play the games of one file unless it exists."""
    path = folder / f"harvest-{nodes}-{seed}-{number:04}.npz"
    if path.exists():
        return
    rng = np.random.default_rng((seed, number))
    state, tables = Pointer(new_state()), dict[int, Pointer]()
    found = list[Game]()
    for _ in range(games):
        found += play_game(_opening(state, tables, rng), nodes, rng)
    write(path, found)


def main(words: Sequence[str] | None = None) -> int:
    """Play the games that the options ask for."""
    parser = argparse.ArgumentParser(prog="python -m training.harvest", description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=38_000, help="games in all, by whole files (38000)")
    parser.add_argument("--nodes", type=int, default=2000, help="nodes a position (2000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other games (1)")
    parser.add_argument("--out", type=Path, default=HARVEST, help="folder of the files (training/data/harvest)")
    chosen = parser.parse_args(words)
    chosen.out.mkdir(parents=True, exist_ok=True)
    for number in range(-(-chosen.games // GAMES_A_FILE)):
        play_file(number, chosen.seed, chosen.nodes, chosen.out)
        print(f"{(number + 1) * GAMES_A_FILE} games", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
