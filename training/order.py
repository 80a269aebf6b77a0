"""Learned move ordering: points of each four-tuple of patterns for the mover and for the other side.

The score of a move is the sum of the points of its cell's patterns for either side; its probability is the softmax over
all candidates. The fit maximises the likelihood of the moves that searches chose, in positions in which no side can
complete a line and the side to move can't make an open four. ``training.fit`` calls it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.patterns import FIVE_CELL, OPEN_FOUR_CELL, PATTERNS
from training.tuples import PAIRS, TUPLES, Floats, candidates, cell_patterns, parts, quiet_positions, tuples_on

PART_SPREAD = (1.0, 0.5, 0.5)  # Standard deviations of the prior of a pattern, a pair and a tuple, in log odds
DOUBT = 3.0  # Weight of the prior: positions of one game are similar, so three count as one
STEPS = 80
POINTS = 100  # Points of log odds 1

WINNING = {(0, FIVE_CELL): 12_000, (1, FIVE_CELL): 10_000, (0, OPEN_FOUR_CELL): 8_000}
"""Points of decisive moves, which the fit doesn't see, by side (0 is the mover) and cell pattern."""


class Choices(NamedTuple):
    """The candidate moves of positions, concatenated."""

    tuples: NDArray[np.int64]  # of each candidate for the mover and for the other side, (2, candidates)
    first: NDArray[np.int64]  # the index of each position's first candidate
    chosen: NDArray[np.int64]  # the index of the candidate that the search chose in each position
    position: NDArray[np.int64]  # the position of each candidate


Row = tuple[NDArray[np.int64], int]
"""A position: the tuples of its candidates, and the place of the chosen one among them."""


def rows(paths: list[Path], most: int) -> list[Row]:
    """Return at most ``most`` searched positions whose move is a candidate."""
    found = list[Row]()
    for _, game, ply, board in quiet_positions(paths):
        cells = candidates(board)
        place = np.flatnonzero(cells == game.moves[ply])
        if len(place) and not game.drawn[ply]:
            found.append((tuples_on(board, cells), int(place[0])))
            if len(found) == most:
                break
    return found


def stack(found: list[Row]) -> Choices:
    """Concatenate positions."""
    tuples, chosen = zip(*found, strict=True)
    lengths = np.array([each.shape[1] for each in tuples])
    first = np.cumsum(lengths) - lengths
    return Choices(np.concatenate(tuples, axis=1), first, first + chosen, np.repeat(np.arange(len(first)), lengths))


def scores(choices: Choices, points: Floats) -> Floats:
    """Return the score of each candidate from the points of tuples, (2, tuples)."""
    return np.asarray(points[0, choices.tuples[0]] + points[1, choices.tuples[1]], np.float64)


def log_chances(choices: Choices, score: Floats) -> Floats:
    """Return the log probability of each candidate."""
    score = score - np.maximum.reduceat(score, choices.first)[choices.position]
    return np.asarray(score - np.log(np.add.reduceat(np.exp(score), choices.first))[choices.position], np.float64)


def fit(choices: Choices) -> Floats:
    """Return the points of tuples for the mover and for the other side, in log odds, (2, tuples)."""
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


def export(points: Floats) -> NDArray[np.int16]:
    """Return the quantised points for the engine, (2, tuples)."""
    found = np.round(POINTS * (points - points[:, [TUPLES.index((1, 1, 1, 1))]]))
    kinds = cell_patterns()
    for (role, kind), worth in WINNING.items():
        found[role, kinds == kind] = worth
    return found.astype(np.int16)


def report(choices: Choices, points: Floats) -> str:
    """Return the mean log probability of the chosen moves, and how often they are among the first n."""
    score = scores(choices, points)
    logs = log_chances(choices, score)
    own = score[choices.chosen][choices.position]
    # Half of the moves with the same score count as before it.
    rank = np.add.reduceat((score > own) + 0.5 * (score == own), choices.first) - 0.5
    shares = ", ".join(f"first {most} {np.mean(rank < most):.3f}" for most in (1, 3, 6, 10))
    return f"log chance {np.mean(logs[choices.chosen]):.4f}, {shares}"
