"""Puzzles: positions in which exactly one move wins, or draws where none wins, with every move's outcome proven.

The positions come from games between weak players. Positions with an immediate win, or with only one move that doesn't
lose immediately, are too easy.
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

PLAYER = 2  # The level of the players; quick, since it doesn't search
LEVEL_LIMITS = Limits()  # Limits of the levels below full strength, of which they use a small part
PUZZLE_NODES = 200_000  # Default node limit of a position
MOST_MARKS = 40  # Most marks on the board of a puzzle
BATCH = 32  # Positions that are valued together
TRIES = 1_000  # Give up after so many positions without a puzzle
SEEDS = 20  # Each level tries a puzzle with so many seeds

Outcome = Literal["win", "draw"]
Moves = tuple[int, ...]
Game = tuple[Moves, Position]  # A position with the moves that led to it


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with one right move."""

    moves: Moves  # the cells of the game so far; X begins
    position: Position  # the position after them
    outcome: Outcome  # of the right move; all other moves have a worse outcome
    move: int  # the right move
    line: Moves  # the principal variation, beginning with the move; it may end before the game
    plies: int  # to the win; for a draw, to the loss after the best wrong move
    nodes: int  # of a search for the right move
    level: int  # the lowest level that makes the right move for at least half of the SEEDS


def puzzles(
    rules: Rules, seed: int, limits: Limits, *, most_plies: int | None = None, stop: Stop | None = None
) -> Iterator[Puzzle]:
    """Yield puzzles of a game, no two equal up to symmetry; the same seed and limits give the same puzzles.

    End at the deadline, or after ``TRIES`` positions without a new puzzle, since small games have few.

    Args:
        rules: the game. If no exact solver takes it, few positions or none have every move proven.
        limits: the limits of each position's search, once for its value and once for its moves.
        most_plies: the greatest ``Puzzle.plies``.
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
    """Yield ``(moves, position)``, one position from each of many games, without immediate wins or forced moves."""
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
            distribution = levels.restrict(distribution, safe)
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
    """Return ``(move, outcome, plies)`` of the only move that wins, or of the only move that draws if none wins.

    None if there are several such moves or none, or if the value of a move isn't proven.
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
    """Return the lowest level that makes a move of a canonical position for at least half of the ``SEEDS``."""
    for level in range(1, levels.FULL_STRENGTH):
        distribution = levels.move_distribution(position, level, LEVEL_LIMITS, stop=stop)
        made = [levels.sample(position, level, distribution, seed) for seed in range(SEEDS)]
        if 2 * made.count(move) >= SEEDS:
            return level
    return levels.FULL_STRENGTH
