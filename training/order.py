"""The order of moves, learned: points of each four-tuple of patterns for the mover, and for the other side.

The score of a move is the sum of the points of its cell's patterns for either side. The chance of a move is the softmax
of the scores of all candidates; the fit is that of greatest likelihood for the moves that searches chose, in
positions where no side can complete a line and the mover cannot make an open four. ``training.fit`` calls it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL, PATTERNS
from kinarow.solvers.large_boards.board.tunables import DEFAULTS
from training.tuples import PAIRS, TUPLES, Floats, candidates, cell_patterns, parts, quiet_positions, tuples_on

PART_SPREAD = (1.0, 0.5, 0.5)  # The spread of the prior of a pattern, a pair and a tuple, in natural logarithms of odds
DOUBT = 3.0  # Positions of one game are alike: so many count as one against the prior
STEPS = 80
POINTS = 100  # The points of a factor e in the odds of a move; of the hand-set order, ``HAND_SET_POINTS``
HAND_SET_POINTS = 200

WINNING = {(0, FIVE_CELL): 12_000, (1, FIVE_CELL): 10_000, (0, OPEN_FOUR_CELL): 8_000}
"""Points of moves that decide and that the fit does not see: for mover and other side, by the cell pattern."""


class Choices(NamedTuple):
    """The candidates of positions, one position after another."""

    tuples: NDArray[np.int64]  # of each candidate for the mover and for the other side, (2, candidates)
    first: NDArray[np.int64]  # the first candidate of each position
    chosen: NDArray[np.int64]  # the candidate that the search chose in each position
    position: NDArray[np.int64]  # of each candidate


def collect(paths: list[Path], most: int) -> Choices:
    """Return the candidates of positions that searches have chosen from, at most so many."""
    found, first, chosen = list[NDArray[np.int64]](), list[int](), list[int]()
    seen = 0
    for _, game, ply, side, board in quiet_positions(paths):
        if len(first) >= most:
            break
        if game.drawn[ply]:
            continue
        cells = candidates(*board)
        place = np.flatnonzero(cells == game.moves[ply])
        if len(place):
            found.append(np.stack([tuples_on(board, cells, s) for s in (side, 1 - side)]))
            first.append(seen)
            chosen.append(seen + int(place[0]))
            seen += len(cells)
    lengths = np.diff([*first, seen])
    return Choices(
        np.concatenate(found, axis=1), np.array(first), np.array(chosen), np.repeat(np.arange(len(first)), lengths)
    )


def part_of(choices: Choices, wanted: NDArray[np.bool_]) -> Choices:
    """Return some of the positions."""
    kept = wanted[choices.position]
    place = np.cumsum(kept) - 1
    return Choices(
        choices.tuples[:, kept],
        place[choices.first[wanted]],
        place[choices.chosen[wanted]],
        (np.cumsum(wanted) - 1)[choices.position[kept]],
    )


def scores(choices: Choices, points: Floats) -> Floats:
    """Return the score of each candidate, given the points of tuples, (2, tuples)."""
    return np.asarray(points[0, choices.tuples[0]] + points[1, choices.tuples[1]], np.float64)


def log_chances(choices: Choices, score: Floats) -> Floats:
    """Return the logarithm of the chance of each candidate."""
    score = score - np.maximum.reduceat(score, choices.first)[choices.position]
    return np.asarray(score - np.log(np.add.reduceat(np.exp(score), choices.first))[choices.position], np.float64)


def fit(choices: Choices) -> Floats:
    """Return the points of tuples for the mover and for the other side in natural logarithms, (2, tuples)."""
    from scipy.optimize import minimize  # `make test` does without

    basis = parts()
    spread = np.tile(np.repeat(PART_SPREAD, (PATTERNS, len(PAIRS), len(TUPLES))), 2)

    def points_of(at: Floats) -> Floats:
        halves = np.split(at * spread, 2)
        return np.stack([basis @ half[: basis.shape[1]] + half[basis.shape[1] :] for half in halves])

    def loss(at: Floats) -> tuple[float, Floats]:
        logs = log_chances(choices, scores(choices, points_of(at)))
        error = np.exp(logs)
        error[choices.chosen] -= 1
        gradient = []
        for tuples in choices.tuples:
            by_tuple = np.bincount(tuples, error, len(TUPLES))
            gradient += [basis.T @ by_tuple, by_tuple]
        value = -float(logs[choices.chosen].sum()) + DOUBT / 2 * float(at @ at)
        return value, np.concatenate(gradient) * spread + DOUBT * at

    found = minimize(loss, np.zeros(len(spread)), method="L-BFGS-B", jac=True, options={"maxiter": STEPS})
    return points_of(found.x)


def hand_set() -> Floats:
    """Return the hand-set order, in about natural logarithms."""
    points = np.array(DEFAULTS["pattern_points"], np.float64)[np.array(TUPLES)].sum(axis=1)
    by_cell = np.array(DEFAULTS["cell_pattern_order"], np.float64)[:, cell_patterns()]
    return np.asarray((points * [[1], [DEFAULTS["defence_share"] / 16]] + by_cell) / HAND_SET_POINTS, np.float64)


def export(points: Floats) -> NDArray[np.int16]:
    """Return the points as the engine takes them, (2, tuples)."""
    found = np.round(POINTS * (points - points[:, [TUPLES.index((1, 1, 1, 1))]]))
    kinds = cell_patterns()
    for (role, kind), worth in WINNING.items():
        found[role, kinds == kind] = worth
    return found.astype(np.int16)


def report(choices: Choices, score: Floats) -> str:
    """Return the mean logarithm of the chances of the moves, and how often the move is among the first."""
    logs = log_chances(choices, score)
    own = score[choices.chosen][choices.position]
    # Of moves with the same score, half are taken to come before.
    rank = np.add.reduceat((score > own) + 0.5 * (score == own), choices.first) - 0.5
    shares = ", ".join(f"first {most} {np.mean(rank < most):.3f}" for most in (1, 3, 6, 10))
    return f"log chance {np.mean(logs[choices.chosen]):.4f}, {shares}"
