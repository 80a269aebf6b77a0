"""Puzzles: positions with exactly one move that wins, or that alone saves a draw, with every move's outcome proven.

The positions come from games between weak players in which nobody wins or loses at once. What one look decides is no
puzzle: a win at once, or the only move that does not lose at once.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

import numpy as np

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.tactics import safe_moves, winning_moves
from kinarow.play import levels
from kinarow.search.best_move import search
from kinarow.search.bulk import bulk_values
from kinarow.search_types import Limits, Stop

PLAYER = 2  # The level of the players: it looks at lines but searches nothing, which is quick
LEVEL_LIMITS = Limits()  # The limits of the levels below full strength, which spend a small part of them
PUZZLE_NODES = 200_000  # The usual budget of a position
MOST_MARKS = 40  # The most marks on the board of a puzzle
BATCH = 32  # Positions that are valued together
TRIES = 1_000  # Positions that are tried in vain before the search for a further puzzle ends
SEEDS = 20  # How often each level tries a puzzle; the one that solves it makes the right move for half of these seeds

Outcome = Literal["win", "draw"]
Moves = tuple[int, ...]
Game = tuple[Moves, Position]  # A position with the moves that led to it


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with one right move."""

    moves: Moves  # the cells of the game so far; X begins
    position: Position  # the position after them
    outcome: Outcome  # what the right move gets, win or draw; each other one gets less
    move: int  # the right move
    line: Moves  # best play for both from there, beginning with the move; it may end before the game
    plies: int  # to the win; of a draw, the plies for which the best of the wrong moves holds out
    nodes: int  # positions that a search for the right move visits
    level: int  # the lowest level that makes the right move for at least half of SEEDS seeds


def puzzles(
    rules: Rules, seed: int, limits: Limits, *, most_plies: int | None = None, stop: Stop | None = None
) -> Iterator[Puzzle]:
    """Yield different puzzles of a game, no two equal up to symmetry; the same seed and limits give the same ones.

    They end after ``TRIES`` positions without a new puzzle, as small games have few, and at the deadline of the limits.

    Args:
        rules: the game. Where no exact solver takes it, few positions have every move proven, and often none.
        limits: what the search of one position may spend, once for its value and once more for its moves.
        most_plies: the largest ``Puzzle.plies``.
        stop: ends the searches from another thread.

    Raises:
        SearchStopped: ``stop`` was set.

    >>> from kinarow.game.rules import PRESETS
    >>> puzzle = next(puzzles(PRESETS["tic-tac-toe"], 1, Limits()))
    >>> puzzle.outcome in ("win", "draw"), puzzle.line[0] == puzzle.move
    (True, True)
    """
    tried: set[bytes] = set()
    stop = stop or Stop()
    games = _games(rules, random.Random(seed), stop)
    in_vain = 0
    while in_vain < TRIES and not limits.expired:
        batch = []
        for moves, position in islice(games, BATCH):
            form = position.canonical().position.cells
            if form not in tried:
                tried.add(form)
                batch.append((moves, position))
        in_vain += BATCH
        for puzzle in _solved(rules, batch, limits, most_plies, stop):
            in_vain = 0
            yield puzzle


def _games(rules: Rules, rng: random.Random, stop: Stop) -> Iterator[Game]:
    """Yield from each of many games a position that one look does not decide, with the moves so far."""
    while True:
        moves, position, choices = Moves(), Position.empty(rules), []
        while position.ending().state == "ongoing" and len(moves) <= MOST_MARKS and not winning_moves(position):
            stop.check()
            safe = safe_moves(position)
            if not safe:
                break
            if len(safe) > 1:
                choices.append((moves, position))
            distribution = levels.move_distribution(position, PLAYER, LEVEL_LIMITS, stop=stop)
            distribution = levels.restricted(distribution, safe)
            move = levels.sample(position, PLAYER, distribution, rng.getrandbits(levels.SEED_BITS))
            moves, position = (*moves, move), position.play(move)
        if not choices:
            return
        yield rng.choice(choices)


def _solved(rules: Rules, games: list[Game], limits: Limits, most_plies: int | None, stop: Stop) -> Iterator[Puzzle]:
    if not games:
        return
    boards = np.array([list(position.cells) for _, position in games], np.uint8)
    sides = np.array([position.to_move for _, position in games])
    values = bulk_values(boards, rules, to_move=sides, limits=limits, moves="all", stop=stop)
    for (moves, position), value in zip(games, values, strict=True):
        right = _right_move(position, value)
        if right is None:
            continue
        move, outcome, plies = right
        if most_plies is not None and plies > most_plies:
            continue
        canonical = position.canonical()
        form, back = canonical.position, canonical.to_original
        result = search(form, limits, stop=stop).mapped(back)
        if result.move == move:
            level = _lowest_level(form, back.index(move), stop)
            yield Puzzle(moves, position, outcome, move, result.line, plies, result.nodes, level)


def _right_move(position: Position, value: np.void) -> tuple[int, Outcome, int] | None:
    """Return the only move that wins, or that draws where none wins, with its outcome and ``Puzzle.plies``.

    None if there is no such move, or the value of a move is not proven.
    """
    legal = list(position.legal_moves())
    scores = value["move_scores"][legal]
    best = scores.max()
    keeps_outcome = scores > 0 if best > 0 else scores == 0
    if keeps_outcome.sum() != 1 or not value["move_proven"][legal].all():
        return None
    move = legal[int(keeps_outcome.argmax())]
    decisive = best if best > 0 else -scores[~keeps_outcome].max()  # the win, or the loss after the best wrong move
    return move, "win" if best > 0 else "draw", position.rules.cells + 1 - int(decisive)


def _lowest_level(position: Position, move: int, stop: Stop) -> int:
    """Return the lowest level that makes a move of a canonical position for at least half of the seeds."""
    for level in range(1, levels.FULL_STRENGTH):
        distribution = levels.move_distribution(position, level, LEVEL_LIMITS, stop=stop)
        made = [levels.sample(position, level, distribution, seed) for seed in range(SEEDS)]
        if 2 * made.count(move) >= SEEDS:
            return level
    return levels.FULL_STRENGTH
