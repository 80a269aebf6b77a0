"""Plays quick games of the engine against itself, and searches positions beside them, for ``training.fit``.

    python -m training.harvest

A game begins like one of ``training.self_play``. After every second move, on average, one to three moves that look good
without a search are added, the position is searched too, and they are taken back: so the fit sees positions that
searches meet in their trees. A position takes 2.5 milliseconds, for the search is driven by a kernel.

Few games grow long. ``--late FOLDER`` gives positions with many marks: a game then begins in the middle of a long game
of that folder, after one to three moves that look good without a search.

Files hold the games, each followed by the positions beside it as games of one searched move (``training.games``). A
run that was ended goes on where it was; the same seed, nodes, folder and version of the engine give the same files.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numba import njit

from kinarow.solvers.common.budget import Budget
from kinarow.solvers.common.budget_record import RUNNING
from kinarow.solvers.large_boards.board.kernel_renju import is_forbidden
from kinarow.solvers.large_boards.board.layout import DECISIVE
from kinarow.solvers.large_boards.board.patterns import FIVE_CELL
from kinarow.solvers.large_boards.board.records import load, new_state
from kinarow.solvers.large_boards.search.kernel_deepening import begin
from kinarow.solvers.large_boards.search.kernel_pvs import aspiration_search
from kinarow.solvers.large_boards.search.kernel_quick_values import order_scores
from kinarow.solvers.large_boards.search.kernel_vct import vct_refutes, vct_win
from kinarow.solvers.large_boards.search.records import new_game, new_table
from training.games import HARVEST, RENJU, Game, files, read, rules_of, write
from training.kernel_player import cells_after
from training.self_play import (
    MOST_OPENINGS,
    MOST_POINTS,
    OFF_CENTRE_SHARE,
    OPENING_MOVES,
    OPENING_REACH,
    SLOT_BITS,
    draw_rules,
)
from training.tuples import Board, candidates

GAMES_A_FILE = 100
BESIDE_SHARE = 0.5
BESIDE_MOVES = (0.45, 0.35, 0.2)
"""The chance that one, two or three moves are added."""

LATE_MARKS = (24, 120)
"""Marks on the board where a late game begins, before the likely moves."""

BEFORE_END = (4, 24)
"""A late game begins so many moves before a long game was won, where a side still could win."""

LATE_MOVES = 30
"""Most moves of a late game; what goes on longer is mostly dead."""

DRAWN_SHARE = 0.08
"""The share of moves in games that are drawn by chance."""

LIKELY_MOVES = 12
"""A move by chance is one of so many that look best; the second is half as likely as the first, and so on."""

OPENING_NODES = 300
MAX_DEPTH = 40
MOST_MOVES = 250
WIN_NODES = 150
REFUTATION_NODES = 100
MOST_THREATS = 12
MOST_REFUTING_THREATS = 6
MOST_REFUTED = 3


@njit(nogil=True)
def _is_refuted(game, state, budget, table):
    """Whether threats win against the best move; the table then knows it."""
    if state.proven != 0:
        return False
    for threats in range(1, MOST_REFUTING_THREATS):
        if vct_refutes(game, state, budget, table, state.best, threats, REFUTATION_NODES) > 0:
            return True
        if state.vct_nodes <= 0 or budget.reason != RUNNING:
            return False
    return False


@njit(nogil=True)
def deepen(game, state, budget, table, most):
    """The value of the loaded position for side 0, and its best move in ``state.best``.

    The main search, with a search for wins by threats before each iteration and one for threats against its move, as
    in ``kinarow.solvers.large_boards.search.kernel_deepening``, but with fixed shares of the nodes.
    """
    threats = 1
    for depth in range(1, most + 1):
        before = budget.nodes
        while depth > 2 and threats < MOST_THREATS and budget.nodes - before < WIN_NODES:
            if vct_win(game, state, budget, table, threats, WIN_NODES) > 0:
                return state.value
            if state.vct_nodes <= 0 or budget.reason != RUNNING:
                break
            threats += 1
        if not aspiration_search(game, state, budget, table, depth) or state.proven != 0:
            break
        for _ in range(MOST_REFUTED if depth > 2 and depth % 2 == 0 else 0):
            if not _is_refuted(game, state, budget, table):
                break
            if not aspiration_search(game, state, budget, table, depth):
                break
        if state.proven != 0 or budget.reason != RUNNING:
            break
    return state.value


class Walk:
    """A game under one kind of rules, and its search.

    Args:
        kind: board side, goal and rule.
        state: a record, which may be shared by games that are played one after the other.
        tables: by the cells of a board, made as they are needed.
    """

    _games: ClassVar[dict[tuple[int, int, int], list[np.recarray]]] = {}

    def __init__(self, kind: tuple[int, int, int], state: Any, tables: dict[int, Any]) -> None:
        side, _, rule = kind
        if kind not in self._games:
            sides = (0, 1) if rule == RENJU else (-1, -1)
            self._games[kind] = [new_game(rules_of(*kind), each) for each in sides]
        self.kind, self.moves = kind, list[int]()
        self._state = state
        if side * side not in tables:
            tables[side * side] = new_table(1 << SLOT_BITS, side * side)
        self._table, self._keeps = tables[side * side], False
        self._line_at = 0
        self._load()

    def _load(self) -> None:
        """Put the marks on the board whose side 0 is to move."""
        self.board = Board(self._games[self.kind][len(self.moves) % 2][0], self._state[0])
        load(*self.board, cells_after(self.moves, self.kind[0]))

    @property
    def goes_on(self) -> bool:
        """Whether there is no line and an empty cell."""
        return not self._line_at and bool(self.board.state.empty > 0)

    def play(self, cell: int) -> None:
        """Make a move."""
        completes = self.board.state.cell_pattern[cell, 0] == FIVE_CELL
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
        """Whether the side to move may mark the cell."""
        game, state = self.board
        return bool(state.mark[cell] == 0) and not (game.beginner == 0 and is_forbidden(game, state, cell))

    def think(self, nodes: int) -> tuple[int, int]:
        """The value and the best move; entries of earlier searches of this game are trusted."""
        begin(*self.board, self._table, 0, int(self._keeps))
        self._keeps = True
        most = min(MAX_DEPTH, int(self.board.state.empty))
        value = deepen(*self.board, Budget(nodes).record, self._table, most)
        return int(value), int(self.board.state.best)

    def result(self, value: int) -> int:
        """1 where the side that began wins by a proven value of the side to move, -1 where it loses, else 0."""
        sign = (value >= DECISIVE) - (value <= -DECISIVE)
        return sign if len(self.moves) % 2 == 0 else -sign

    def likely(self, rng: np.random.Generator) -> int:
        """A move that looks good without a search; -1 where there is none."""
        cells = candidates(*self.board)
        scores = np.zeros(len(self.board[1].mark), np.int64)
        order_scores(*self.board, scores)
        ranked = cells[np.argsort(-scores[cells], kind="stable")[:LIKELY_MOVES]]
        if not len(ranked):
            return -1
        chances = 1 / np.arange(1, len(ranked) + 1)
        cell = int(rng.choice(ranked, p=chances / chances.sum()))
        return cell if self.may_play(cell) else -1


def _opening(record: Any, tables: dict[int, Any], rng: np.random.Generator) -> Walk:
    """Rules drawn by chance, and a few random moves that the engine holds to be balanced."""
    kind = draw_rules(rng)
    side = kind[0]
    for _ in range(MOST_OPENINGS):
        walk = Walk(kind, record, tables)
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
    return Walk(kind, record, tables)


def _late_opening(long: Sequence[Game], record: Any, tables: dict[int, Any], rng: np.random.Generator) -> Walk:
    """The beginning of a long game and a few likely moves, which the engine holds to be balanced."""
    while True:
        game = long[int(rng.integers(len(long)))]
        walk = Walk((game.side, game.goal, game.rule), record, tables)
        marks = len(game.moves) - int(rng.integers(*BEFORE_END))
        for cell in game.moves[: min(max(marks, LATE_MARKS[0]), LATE_MARKS[1])]:
            walk.play(int(cell))
        _add_likely(walk, rng)
        if walk.goes_on and abs(walk.think(OPENING_NODES)[0]) <= MOST_POINTS:
            return walk


def _add_likely(walk: Walk, rng: np.random.Generator) -> int:
    """Play one to three moves that look good without a search; how many were found."""
    before = len(walk.moves)
    for _ in range(1 + int(rng.choice(len(BESIDE_MOVES), p=BESIDE_MOVES))):
        cell = walk.likely(rng) if walk.goes_on else -1
        if cell >= 0:
            walk.play(cell)
    return len(walk.moves) - before


def _beside(walk: Walk, nodes: int, rng: np.random.Generator) -> Game | None:
    """A position after likely moves, searched; None where it is the end of the game."""
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


def play_game(walk: Walk, nodes: int, rng: np.random.Generator, most: int = MOST_MOVES) -> list[Game]:
    """One game, and the positions beside it.

    Args:
        walk: its opening.
        nodes: nodes a position.
        rng: draws chance moves.
        most: moves after which it is broken off.
    """
    opening = len(walk.moves)
    values, drawn = [0] * opening, [False] * opening
    beside, winner = list[Game](), 0
    while walk.goes_on and len(walk.moves) < most:
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
    if not walk.goes_on and walk.board.state.empty > 0:
        winner = 1 if len(walk.moves) % 2 == 1 else -1
    game = Game(*walk.kind, opening, winner, np.array(walk.moves), np.array(drawn), np.array(values))
    return ([game] if len(walk.moves) > opening else []) + beside


def long_games(paths: list[Path]) -> list[Game]:
    """The decided games of some files that are long enough for late games to begin in them."""
    played = [game for game in read(paths) if len(game.moves) > game.opening + 1 and game.result != 0]
    return [game for game in played if len(game.moves) >= LATE_MARKS[0] + BEFORE_END[0]]


def play_file(
    number: int, seed: int, nodes: int, folder: Path, games: int = GAMES_A_FILE, long: Sequence[Game] = ()
) -> None:
    """Play the games of one file, if it is not there yet; they begin in the middle of the long games, if any."""
    path = folder / f"harvest-{nodes}-{seed}-{number:04}.npz"
    if path.exists():
        return
    rng = np.random.default_rng((seed, number))
    record, tables = new_state(), dict[int, Any]()
    found = list[Game]()
    for _ in range(games):
        walk = _late_opening(long, record, tables, rng) if long else _opening(record, tables, rng)
        found += play_game(walk, nodes, rng, len(walk.moves) + LATE_MOVES if long else MOST_MOVES)
    write(path, found)


def main(words: Sequence[str] | None = None) -> int:
    """Play the games asked for."""
    parser = argparse.ArgumentParser(prog="python -m training.harvest", description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=38_000, help="games in all, by whole files (38000)")
    parser.add_argument("--nodes", type=int, default=2000, help="nodes a position (2000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other games (1)")
    parser.add_argument("--out", type=Path, default=HARVEST, help="folder of the files (training/data/harvest)")
    parser.add_argument("--late", type=Path, help="begin in the middle of the long games of this folder or file")
    chosen = parser.parse_args(words)
    long = long_games(files(chosen.late)) if chosen.late else []
    if chosen.late and not long:
        parser.error(f"--late: no long game in {chosen.late}")
    chosen.out.mkdir(parents=True, exist_ok=True)
    for number in range(-(-chosen.games // GAMES_A_FILE)):
        play_file(number, chosen.seed, chosen.nodes, chosen.out, long=long)
        print(f"{(number + 1) * GAMES_A_FILE} games", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
