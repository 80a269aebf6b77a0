"""Plays games of the engine against itself at a fixed number of nodes a move, for ``training.fit``.

    python -m training.self_play --games 30000 --nodes 2000 --seed 1 --out games

Games begin with one to eight random moves that the engine holds to be balanced, and one move in forty is drawn by
chance, so that no two games are alike. A proof ends a game. Sizes, goals and rules are drawn for each game.

Files of some hundred games are written one by one; a file that is there already is not played again, so a run that
was ended goes on where it was. The same seed, nodes and version of the engine give the same files, with any number
of processes.
"""

import argparse
import os
import sys
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinarow.game.position import Position
from kinarow.game.rules import Rules, X
from kinarow.kernels.library import Pointer
from kinarow.labelling.tasks import run_tasks
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.large_boards.board.layout import DECISIVE
from kinarow.solvers.large_boards.board.records import load, new_state
from kinarow.solvers.large_boards.search.deepening import iterative_deepening
from kinarow.solvers.large_boards.search.records import new_game, new_table
from training.games import CARO, EXACT, FREE, RENJU, Game, rules_of, write

GAMES_A_FILE = 100
SLOT_BITS = 14
MAX_DEPTH = 60

USUAL_SIDE = 15
SIDES = tuple(range(9, 21))
USUAL_SHARE = 0.4
RULES = ((5, FREE), (5, EXACT), (5, CARO), (5, RENJU), (4, FREE), (6, FREE), (6, EXACT), (7, FREE))
RULE_SHARES = (0.52, 0.18, 0.06, 0.06, 0.04, 0.08, 0.03, 0.03)

OPENING_MOVES = (1, 8)
OPENING_REACH = 3
OFF_CENTRE_SHARE = 0.3
OPENING_NODES = 500
MOST_POINTS = 450
"""An opening is balanced where the engine says no more than this for either side."""

MOST_OPENINGS = 20
"""After so many openings that are not balanced the game begins on the empty board."""

DRAWN_SHARE = 1 / 40
DRAWN_REACH = 2


class Report(NamedTuple):
    """What a search says of a position, for its side to move.

    Attributes:
        move: the best move.
        value: as files of games keep it.
        result: 1, 0 or -1 where that is proven, else None.
    """

    move: int
    value: int
    result: int | None


class Thinker:
    """The large-board search under one kind of rules, at a fixed number of nodes.

    Args:
        rules: of the game.
        state: a record, which may be shared.
    """

    def __init__(self, rules: Rules, state: Pointer) -> None:
        self._rules, self._state = rules, state
        self._table = Pointer(new_table(1 << SLOT_BITS, rules.cells))
        beginners = (0, 1) if rules.renju else (-1, -1)
        self._games = [Pointer(new_game(rules, beginner)) for beginner in beginners]

    def think(self, position: Position, nodes: int) -> Report:
        """What the search says in the end."""
        game = self._games[(position.rules.cells - position.empties) % 2]
        load(game, self._state, np.frombuffer(position.relative(), np.int8))
        budget = Budget(nodes)
        reports = iterative_deepening(game, self._state, budget, self._table, MAX_DEPTH)
        last = deque(reports, maxlen=1)[0]
        result = (last.value >= DECISIVE) - (last.value <= -DECISIVE)
        return Report(last.best, last.value, result if last.proven else None)


def draw_rules(rng: np.random.Generator) -> tuple[int, int, int]:
    """Board side, goal and rule of a game."""
    side = USUAL_SIDE if rng.random() < USUAL_SHARE else int(rng.choice(SIDES))
    goal, rule = RULES[rng.choice(len(RULES), p=RULE_SHARES)]
    return (USUAL_SIDE if rule == RENJU else side), goal, rule


def _near(position: Position, row: int, column: int, reach: int) -> list[int]:
    """The legal moves within ``reach`` of a cell."""
    side = position.rules.rows
    return [cell for cell in position.legal_moves() if max(abs(cell // side - row), abs(cell % side - column)) <= reach]


def _random_moves(rules: Rules, rng: np.random.Generator) -> tuple[list[int], Position]:
    """Some random moves near one point, most often the centre, and the position after them."""
    row, column = (rules.rows // 2, rules.columns // 2)
    if rng.random() < OFF_CENTRE_SHARE:
        row, column = rng.integers(OPENING_REACH, rules.rows - OPENING_REACH, 2).tolist()
    position = Position.empty(rules)
    moves = []
    for _ in range(int(rng.integers(OPENING_MOVES[0], OPENING_MOVES[1] + 1))):
        if position.ending().state != "ongoing":
            break
        moves.append(int(rng.choice(_near(position, row, column, OPENING_REACH))))
        position = position.play(moves[-1])
    return moves, position


def draw_opening(thinker: Thinker, rules: Rules, rng: np.random.Generator) -> tuple[list[int], Position]:
    """A few random moves that the engine holds to be balanced, and the position after them."""
    for _ in range(MOST_OPENINGS):
        moves, position = _random_moves(rules, rng)
        if position.ending().state != "ongoing":
            continue
        report = thinker.think(position, OPENING_NODES)
        if report.result is None and abs(report.value) <= MOST_POINTS:
            return moves, position
    return [], Position.empty(rules)


def play_game(record: Any, nodes: int, rng: np.random.Generator) -> Game:
    """One game; a proof ends it.

    Args:
        record: a state of the large-board search.
        nodes: nodes a move.
        rng: draws rules, opening and chance moves.
    """
    kind = draw_rules(rng)
    rules = rules_of(*kind)
    thinker = Thinker(rules, record)
    moves, position = draw_opening(thinker, rules, rng)
    opening = len(moves)
    values, drawn = [0] * opening, [False] * opening
    winner = 0
    while (ending := position.ending()).state == "ongoing":
        report = thinker.think(position, nodes)
        move, by_chance = report.move, rng.random() < DRAWN_SHARE and opening > 0 and report.result is None
        if by_chance:
            row, column = divmod(int(rng.choice(moves)), rules.columns)
            move = int(rng.choice(_near(position, row, column, DRAWN_REACH) or [move]))
        moves.append(move)
        values.append(report.value)
        drawn.append(by_chance)
        if report.result is not None:
            winner = report.result if position.to_move == X else -report.result
            break
        position = position.play(move)
    if ending.winner is not None:
        winner = 1 if ending.winner == X else -1
    return Game(*kind, opening, winner, np.array(moves), np.array(drawn), np.array(values))


def play_file(number: int, seed: int, nodes: int, folder: Path, games: int = GAMES_A_FILE) -> int:
    """Play the games of one file, if it is not there yet; returns how many games it has."""
    path = folder / f"games-{nodes}-{seed}-{number:04}.npz"
    if not path.exists():
        rng = np.random.default_rng((seed, number))
        record = Pointer(new_state())
        write(path, [play_game(record, nodes, rng) for _ in range(games)])
    return games


def _show(done: int, games: int, began: float) -> None:
    """Draw the progress bar."""
    width = 30
    filled = width * done // games
    left = (time.monotonic() - began) * (games - done) / max(1, done)
    end = "\n" if done >= games else ""
    bar = "#" * filled + "." * (width - filled)
    sys.stderr.write(f"\r[{bar}] {done}/{games} games, {left / 60:.0f} min left {end}")
    sys.stderr.flush()


def run(games: int, nodes: int, seed: int, folder: Path, processes: int) -> None:
    """Play games in files of ``GAMES_A_FILE``; those that are there already are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    numbers = range(-(-games // GAMES_A_FILE))
    began = time.monotonic()
    done = 0
    for _, played in run_tasks(play_file, ((n, n, seed, nodes, folder) for n in numbers), processes=processes):
        done += played
        _show(done, len(numbers) * GAMES_A_FILE, began)


def main(words: Sequence[str] | None = None) -> int:
    """Play the games asked for."""
    parser = argparse.ArgumentParser(prog="python -m training.self_play", description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=int, default=30_000, help="games in all, by whole files (30000)")
    parser.add_argument("--nodes", type=int, default=2000, help="nodes a move (2000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other games (1)")
    parser.add_argument("--out", type=Path, default=Path("games"), help="folder of the files (games)")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="at once (one for each core)")
    chosen = parser.parse_args(words)
    run(chosen.games, chosen.nodes, chosen.seed, chosen.out, chosen.processes)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
