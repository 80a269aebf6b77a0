"""Fits the learned parts of the search of large boards: the evaluation and the move ordering.

    python -m training.fit

The evaluation is a network (``training.network``), the move ordering points of four-tuples (``training.order``). The
network's target is the value of the search as a probability of winning. The positions are all those in which no side
can complete a line and the side to move can't make an open four. The fit starts from the hand-set points.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board.tunables import DEFAULTS
from kinarow.solvers.large_boards.network.kernel_forward_pass import threats
from kinarow.solvers.large_boards.network.weights import threat_parts
from training import network, order
from training.games import HARVEST, JUDGED, files
from training.network import MINE, SCALE, THEIRS, TOUCHED, UNTOUCHED, Parameters, Positions
from training.tuples import TUPLES, quads_of, quiet_positions, tuples_of_quads

HELD_OUT = 12  # Every twelfth position or game is held out and tests the fit
MOST_ODDS = 6.0  # Targets are clipped to log odds of ±6
THREAT_BONUS = ((250, 60, 60, 300), (-220, -100, 200, -600))
"""Points, for the mover and the other side, of cells with an open three, two open threes, a four, four and three."""

ROUNDS = 20
SEED = 1
ORDER_POSITIONS = 150_000  # Most positions for the move ordering,
ORDER_STEP = 6  # ... from every sixth file, beginning with the last


Row = tuple[NDArray[Any], ...]
"""A quiet position: what ``Positions`` has of each of its cells, its threats and its value."""


def rows(paths: list[Path], held_out: bool | None = None) -> list[Row]:
    """Return the quiet positions of all files, of the games that are held out or not, with the values of searches."""
    plain = np.isin(tuples_of_quads(), network.PLAIN)
    found = []
    for number, game, ply, board in quiet_positions(paths):
        if held_out is (number % HELD_OUT != 0):
            continue
        at_first, state = board.game.array[0], board.state.array[0]
        quads, cells = quads_of(at_first, state), game.side * game.side
        mark = state.mark[:cells]
        untouched = (mark == 0) & (state.quads[:cells] == at_first.empty_quads[:cells])
        kind = np.where(mark, np.where(mark == 1, MINE, THEIRS), np.where(untouched, UNTOUCHED, TOUCHED))
        listed = np.flatnonzero(~(untouched & plain[quads].all(axis=1)))
        places = (listed // game.side << 8 | listed % game.side).astype(np.uint16)
        of_sides = np.where(mark == 0, quads.T, 0)[:, listed].astype(np.uint16)
        value = np.clip(game.values[[ply]] / SCALE, -MOST_ODDS, MOST_ODDS)
        found.append((places, kind[listed].astype(np.uint8), *of_sides, np.array([threats(state, 0)]), value))
    return found


def stack(found: list[Row]) -> Positions:
    """Concatenate positions."""
    lengths = [len(row[0]) for row in found]
    return Positions(np.append(0, np.cumsum(lengths)), *map(np.concatenate, zip(*found, strict=True)))


def _start() -> Parameters:
    points = np.array(DEFAULTS["pattern_points"], np.float64)
    bonuses = np.zeros(threat_parts().shape[1])
    bonuses[:12] = (DEFAULTS["move_bonus"], 0, *THREAT_BONUS[0], 0, *THREAT_BONUS[1], 0)
    return network.start(points[np.array(TUPLES)].sum(axis=1) / SCALE, bonuses / SCALE, SEED)


def fit(data: Positions, rounds: int = ROUNDS) -> Parameters:
    """Return the parameters fitted from the hand-set points."""
    return network.fit(data, _start(), rounds, SEED)


def _fit_estimate(paths: list[Path], rounds: int) -> Parameters:
    fitted, held = stack(rows(paths, held_out=False)), stack(rows(paths, held_out=True))
    estimate = fit(fitted, rounds)
    print(f"estimate: {len(fitted.value)} positions, held out {len(held.value)}")
    print(f"  loss {network.loss(held, estimate):.4f}, least possible {network.floor(held):.4f}")
    print(f"  greatest sum of a feature {network.greatest_sum(fitted, estimate):.0f}, allowed {network.MOST_FEATURE}")
    return estimate


def _fit_order(paths: list[Path]) -> NDArray[np.float64]:
    found = order.rows(paths[::-ORDER_STEP], ORDER_POSITIONS)
    held = found[::HELD_OUT]
    del found[::HELD_OUT]
    moves = order.fit(order.stack(found))
    print(f"order of moves: {len(found)} positions, held out {len(held)}")
    print(f"  {order.report(order.stack(held), moves)}")
    return moves


def main(words: Sequence[str] | None = None) -> int:
    """Fit both, print their losses on held-out data, and write the file."""
    parser = argparse.ArgumentParser(prog="python -m training.fit", description=__doc__.split("\n")[0])
    folders = "folders or files (judged and harvest in training/data)"
    parser.add_argument("--games", type=Path, nargs="+", default=[JUDGED, HARVEST], help=folders)
    out = Path("weights.npz")
    parser.add_argument("--out", type=Path, default=out, help="the file to write (weights.npz)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"over all positions ({ROUNDS})")
    chosen = parser.parse_args(words)
    for folder in chosen.games:
        if not files(folder):
            parser.error(f"no games in {folder}; python -m training.harvest --out {folder} plays some")
    paths = [path for folder in chosen.games for path in files(folder)]
    estimate = _fit_estimate(paths, chosen.rounds)
    parts: dict[str, Any] = {**network.export(estimate), "order": order.export(_fit_order(paths))}
    np.savez_compressed(chosen.out, **parts)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
