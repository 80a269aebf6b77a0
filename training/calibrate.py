"""Fits the expected result of estimates on self-play games, and tests it on held-out games.

    python -m training.calibrate --games games    # prints the slopes for kinarow/search/calibration.py

A position counts if its value is an estimate and no later move of its game was random. Every fifth game is held out;
the present slopes are tested on these games: sorted by expected result into groups of equal size, the mean result of
each should be the mean of the expected ones.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinarow.search.calibration import BY_POINTS, USUAL_SIDE, Slope, expected_result
from kinarow.solvers.large_boards.board.layout import ESTIMATE_LIMIT
from kinarow.solvers.large_boards.solver import ESTIMATE_SCALE
from training.games import CARO, EXACT, GAMES, Game, files, read, rules_of

HELD_OUT = 5  # Every fifth game is held out
PRIOR_WEIGHT = 20.0
"""Weight of the prior in positions: the penalty on the square of each parameter's distance from it."""

PRIOR = Slope(0.5, 0.7, 0.0, 0.0, 0.0)
STEPS = 60
GROUPS = 12
USUAL_GOAL = 5

Samples = NDArray[np.float64]
"""A row for each position: game, estimate and result for the side to move, board side, goal, rule, empty cells."""


def estimates_of(number: int, game: Game) -> list[tuple[float, ...]]:
    """Return the rows of a game: its positions with an estimate after the last random move."""
    drawn = np.flatnonzero(game.drawn)
    first = max(game.opening, drawn[-1] + 1 if len(drawn) else 0)
    cells = game.side * game.side
    rows: list[tuple[float, ...]] = []
    for ply in range(first, len(game.moves)):
        points = int(game.values[ply])
        if abs(points) < ESTIMATE_LIMIT:
            value = points / (abs(points) + ESTIMATE_SCALE)
            result = game.result if ply % 2 == 0 else -game.result
            rows.append((number, value, result, game.side, game.goal, game.rule, cells - ply))
    return rows


def samples(path: Path) -> Samples:
    """Return the rows of all games of a folder or file, without single positions."""
    games = enumerate(game for game in read(files(path)) if len(game.moves) > game.opening + 1)
    return np.array([row for number, game in games for row in estimates_of(number, game)], np.float64)


def _shape(rows: Samples) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    value, side, rule, empties = rows[:, 1], rows[:, 3], rows[:, 5], rows[:, 6]
    stretched = np.maximum(np.abs(value) / (1 - np.abs(value)), 1e-4)
    filled = 1 - empties / side**2
    harder = np.isin(rule, (EXACT, CARO))
    return stretched, np.stack([np.ones_like(side), filled, np.log(side / USUAL_SIDE), harder], axis=1)


def fit(rows: Samples) -> Slope:
    """Return the maximum-likelihood slope of these rows with ``PRIOR``; a draw is half a win.

    Uses Newton's method with the Fisher information and steps of at most 1.
    """
    stretched, columns = _shape(rows)
    target = (rows[:, 2] + 1) / 2
    prior = np.array(PRIOR)
    found = prior.copy()
    for _ in range(STEPS):
        odds = np.sign(rows[:, 1]) * stretched ** found[1] * np.exp(columns @ found[[0, 2, 3, 4]])
        slopes = odds[:, None] * np.insert(columns, 1, np.log(stretched), axis=1)
        chance = 1 / (1 + np.exp(-odds))
        gradient = slopes.T @ (chance - target) + PRIOR_WEIGHT * (found - prior)
        information = (slopes * (chance * (1 - chance))[:, None]).T @ slopes
        step = np.linalg.solve(information + PRIOR_WEIGHT * np.eye(len(prior)), gradient)
        found = found - step / max(1.0, np.linalg.norm(step))
    return Slope(*(round(float(number), 3) for number in found))


def expected_results(rows: Samples) -> NDArray[np.float64]:
    """Return the expected result of each row by ``kinarow.search.calibration``."""
    kinds = [rules_of(int(side), int(goal), int(rule)) for side, goal, rule in rows[:, 3:6]]
    found = [
        expected_result(value, rules, int(empties))
        for value, empties, rules in zip(rows[:, 1], rows[:, 6], kinds, strict=True)
    ]
    return np.array(found, np.float64)


def log_loss(rows: Samples, expected: NDArray[np.float64]) -> float:
    """Return the mean log loss of the expected results; a draw is half a win."""
    chance, target = (expected + 1) / 2, (rows[:, 2] + 1) / 2
    return float(-np.mean(target * np.log(chance) + (1 - target) * np.log(1 - chance)))


def report(rows: Samples) -> None:
    """Print the slopes fitted without the held-out games, and test the present slopes on these."""
    out = rows[:, 0] % HELD_OUT == 0
    for goal in BY_POINTS:
        own = rows[~out & (rows[:, 4] == goal)]
        print(f"    {goal}: {fit(own)},  # {len(np.unique(own[:, 0]))} games, {len(own)} positions")
    for name, chosen in (("goal 5", rows[:, 4] == USUAL_GOAL), ("goals 4, 6 and 7", rows[:, 4] != USUAL_GOAL)):
        held = rows[out & chosen]
        expected = expected_results(held)
        groups = np.array_split(np.argsort(expected, kind="stable"), GROUPS)
        worst = max(abs(float((expected - held[:, 2])[group].mean())) for group in groups)
        print(
            f"{name}: {len(np.unique(held[:, 0]))} games and {len(held)} positions held out, "
            f"log loss {log_loss(held, expected):.4f} (always 0: {log_loss(held, 0 * expected):.4f}), "
            f"greatest error of {GROUPS} groups {worst:.3f}"
        )


def main(words: Sequence[str] | None = None) -> int:
    """Fit the slopes and print the report."""
    parser = argparse.ArgumentParser(prog="python -m training.calibrate", description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=Path, default=GAMES, help="folder or file of games (training/data/games.npz)")
    report(samples(parser.parse_args(words).games))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
