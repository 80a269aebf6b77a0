"""Fits the points of cells on self-play games: for each direction pattern, or for each unordered four-tuple of them.

    python -m training.fit --games games --out points.npz --model patterns

The value of a position is the sum of the points of its empty cells for the side to move, less those for the other side,
and the bonuses for having the move and for cells that threaten. The fit starts from the sum of the points of the four
patterns and is held near it, so that a tuple seldom or never seen keeps the present points.

The target mixes the search's value of the position, which looks several plies ahead, with the result of the game, both
as chances of a win. Only quiet positions count: neither side has a cell that makes a four with another threat.
"""

import argparse
import itertools
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.solvers.large_boards.board import new_board
from kinarow.solvers.large_boards.kernel_board import put
from kinarow.solvers.large_boards.kernel_patterns import FIVE_CELL, FOUR_THREE_CELL
from kinarow.solvers.large_boards.kernel_table import ESTIMATE_LIMIT
from kinarow.solvers.large_boards.tunables import DEFAULTS, new_tunables
from training.games import CARO, EXACT, GAMES, RENJU, Game, files, read

PATTERNS = 16
TUPLES = list(itertools.combinations_with_replacement(range(PATTERNS), 4))
TUPLE_SHAPE = (PATTERNS,) * 4
THREAT_KINDS = 5  # open four, four and three, four, two threes, three
HELD_OUT = 5
SCALE = 800.0
"""The points at which a side's odds of winning are e to 1."""

LEAST_POINTS = 6.0
BONUS_SPREAD = 100.0
CORRELATED = 5.0
"""Positions of one game are alike: so many count as one against the prior."""

CHUNK = 4096
STEPS = 6


def tuple_numbers() -> NDArray[np.int64]:
    """The number of the unordered tuple of each ordered one."""
    numbers = np.zeros(TUPLE_SHAPE, np.int64)
    for number, patterns in enumerate(TUPLES):
        for order in set(itertools.permutations(patterns)):
            numbers[order] = number
    return numbers


class Data(NamedTuple):
    """Positions as counts of tuples, in the order of their games.

    Attributes:
        row, number, count: tuple ``number`` occurs ``count`` times more often for the side to move than for the other.
        threats: whether the side to move has each kind of threatening cell, then the other side.
        value: of the search, for the side to move.
        result: of the game, for the side to move; not a number where a later move was drawn by chance.
        game: the number of the game.
        ply: marks on the board.
    """

    row: NDArray[np.int64]
    number: NDArray[np.int64]
    count: NDArray[np.float64]
    threats: NDArray[np.bool_]
    value: NDArray[np.float64]
    result: NDArray[np.float64]
    game: NDArray[np.int64]
    ply: NDArray[np.int64]


def _board(kept: dict[tuple[int, int, int], Any], game: Game) -> Any:
    """An empty board for the rules of a game; the side that began is side 0."""
    kind = (game.side, game.goal, game.rule)
    if kind not in kept:
        kept[kind] = new_board(
            game.side,
            game.side,
            game.goal,
            False,
            False,
            game.rule == EXACT,
            new_tunables(),
            caro=game.rule == CARO,
            beginner=0 if game.rule == RENJU else -1,
        )
    return kept[kind].copy()


def _is_quiet(board: Any) -> bool:
    """Whether no side can win by its next mark or two: there the search sees more than any evaluation."""
    return not board.count[:, FOUR_THREE_CELL : FIVE_CELL + 1].any()


def positions(paths: list[Path]) -> Iterator[tuple[Game, int, int, Any]]:
    """The quiet positions of games with an estimate: the game, its number, the ply and the board."""
    kept: dict[tuple[int, int, int], Any] = {}
    for number, game in enumerate(read(paths)):
        board = _board(kept, game)
        for ply, cell in enumerate(game.moves):
            known = ply >= game.opening and abs(game.values[ply]) < ESTIMATE_LIMIT
            if known and _is_quiet(board[0]):
                yield game, number, ply, board[0]
            if ply + 1 < len(game.moves):
                put(board[0], int(cell), ply % 2)


def collect(paths: list[Path]) -> Data:
    """The positions of games as counts of tuples."""
    numbers = tuple_numbers()
    rows, tuples, counts, threats, facts = [], [], [], [], []
    for row, (game, number, ply, board) in enumerate(positions(paths)):
        side = ply % 2
        patterns = board.pattern[: board.cells][board.mark[: board.cells] == 0]
        found = numbers[tuple(np.moveaxis(patterns.astype(np.int64), 2, 0))]
        difference = np.bincount(found[:, side], minlength=len(TUPLES)) - np.bincount(
            found[:, 1 - side], minlength=len(TUPLES)
        )
        seen = np.flatnonzero(difference)
        rows.append(np.full(len(seen), row))
        tuples.append(seen)
        counts.append(difference[seen])
        kinds = board.count[:, FIVE_CELL - 1 : FIVE_CELL - 1 - THREAT_KINDS : -1] > 0
        threats.append(np.concatenate([kinds[side], kinds[1 - side]]))
        last = np.flatnonzero(game.drawn)
        certain = not len(last) or ply > last[-1]
        sign = 1 if side == 0 else -1
        facts.append((game.values[ply], sign * game.result if certain else np.nan, number, ply))
    table = np.array(facts, np.float64)
    return Data(
        np.concatenate(rows),
        np.concatenate(tuples),
        np.concatenate(counts).astype(np.float64),
        np.array(threats),
        table[:, 0],
        table[:, 1],
        table[:, 2].astype(np.int64),
        table[:, 3].astype(np.int64),
    )


def present_points() -> NDArray[np.float64]:
    """The points of each tuple now: the sum of those of its patterns."""
    points = np.array(DEFAULTS["pattern_points"], np.float64)
    return points[np.array(TUPLES)].sum(axis=1)


class Points(NamedTuple):
    """What the fit finds, in points.

    Attributes:
        cells: of each tuple.
        move: for having the move.
        threats: for each kind of threatening cell of the side to move, then of the other side.
    """

    cells: NDArray[np.float64]
    move: float
    threats: NDArray[np.float64]


def present() -> Points:
    """The points in force."""
    own, other = np.array(DEFAULTS["threat_bonus"], np.float64)
    return Points(present_points(), float(DEFAULTS["move_bonus"]), np.concatenate([own, -other]))


def basis_of(model: str) -> NDArray[np.float64]:
    """What each parameter of a model adds to the points of each tuple, (tuples, parameters)."""
    if model == "tuples":
        return np.eye(len(TUPLES))
    return np.stack([np.bincount(each, minlength=PATTERNS) for each in TUPLES]).astype(np.float64)


def evaluate(data: Data, points: Points) -> NDArray[np.float64]:
    """The value of each position for the side to move."""
    sums = np.bincount(data.row, data.count * points.cells[data.number], minlength=len(data.value))
    return sums + points.move + data.threats @ points.threats


def chances(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values as chances of a win."""
    return 1 / (1 + np.exp(-np.clip(values / SCALE, -30, 30)))


def targets(data: Data, search_share: float) -> NDArray[np.float64]:
    """The chance of a win that the fit aims at: by the search and, where it is known, by the result."""
    by_search = chances(data.value)
    by_result = np.where(np.isnan(data.result), by_search, (data.result + 1) / 2)
    return search_share * by_search + (1 - search_share) * by_result


def fit(data: Data, model: str, search_share: float, doubt: float) -> Points:
    """The points of greatest likelihood, held near the present ones, by Newton's method.

    Args:
        data: the positions.
        model: ``patterns`` or ``tuples``: what has points of its own.
        search_share: the weight of the search's value in the target; the rest is the result of the game.
        doubt: the spread of a parameter in the prior as a share of its points, at least ``LEAST_POINTS``.
    """
    start, basis = present(), basis_of(model)
    seen = np.unique(data.number)
    fitted = np.flatnonzero(np.any(basis[seen] != 0, axis=0))
    own = start.cells if model == "tuples" else np.array(DEFAULTS["pattern_points"], np.float64)
    spread = np.concatenate(
        [
            np.maximum(LEAST_POINTS, doubt * np.abs(own[fitted])),
            np.full(1 + len(start.threats), BONUS_SPREAD),
        ]
    )
    column = np.zeros(len(TUPLES), np.int64)
    column[seen] = np.arange(len(seen))
    target = targets(data, search_share)
    moved = np.zeros(len(spread))
    points = start
    for _ in range(STEPS):
        gradient = CORRELATED * moved / spread**2
        information = np.diag(CORRELATED / spread**2)
        chance = chances(evaluate(data, points))
        for first in range(0, len(target), CHUNK):
            part = _design(data, first, column, basis[np.ix_(seen, fitted)])
            near = chance[first : first + CHUNK]
            gradient += part.T @ (near - target[first : first + CHUNK]) / SCALE
            information += (part * (near * (1 - near))[:, None]).T @ part / SCALE**2
        moved = moved - np.linalg.solve(information, gradient)
        cells, move, threats = np.split(moved, [len(fitted), len(fitted) + 1])
        points = Points(
            start.cells + basis[:, fitted] @ cells, start.move + float(move[0]), start.threats + threats
        )
    return points


def _design(
    data: Data, first: int, column: NDArray[np.int64], basis: NDArray[np.float64]
) -> NDArray[np.float64]:
    """A dense part of the design from a position on: the parameters of cells, having the move, the threats."""
    threats = data.threats[first : first + CHUNK]
    low, high = np.searchsorted(data.row, (first, first + len(threats)))
    counts = np.zeros((len(threats), len(basis)))
    counts[data.row[low:high] - first, column[data.number[low:high]]] = data.count[low:high]
    return np.hstack([counts @ basis, np.ones((len(threats), 1)), threats])


def loss(data: Data, points: Points, search_share: float) -> float:
    """The mean cross-entropy of the points' chances and the targets."""
    chance = np.clip(chances(evaluate(data, points)), 1e-6, 1 - 1e-6)
    target = targets(data, search_share)
    return float(-np.mean(target * np.log(chance) + (1 - target) * np.log(1 - chance)))


def part_of(data: Data, chosen: NDArray[np.bool_]) -> Data:
    """Some of the positions."""
    place = np.cumsum(chosen) - 1
    entries = chosen[data.row]
    return Data(
        place[data.row[entries]],
        data.number[entries],
        data.count[entries],
        *(each[chosen] for each in (data.threats, data.value, data.result, data.game, data.ply)),
    )


def export(points: Points, path: Path) -> None:
    """Write the points, rounded to integers: of tuples, and of patterns as a quarter of a tuple of four alike."""
    alike = np.array([TUPLES.index((pattern,) * 4) for pattern in range(PATTERNS)])
    np.savez_compressed(
        path,
        patterns=np.round(points.cells[alike] / 4).astype(np.int16),
        cells=np.round(points.cells).astype(np.int16),
        move=np.int16(round(points.move)),
        threats=np.round(points.threats).astype(np.int16),
    )


def main(words: Sequence[str] | None = None) -> int:
    """Fit, say what it gains on games held out, and export."""
    parser = argparse.ArgumentParser(prog="python -m training.fit", description=__doc__.split("\n")[0])
    parser.add_argument("--games", type=Path, default=GAMES, help="folder of games (training/games)")
    parser.add_argument(
        "--out", type=Path, default=Path("points.npz"), help="file of the points (points.npz)"
    )
    parser.add_argument("--search-share", type=float, default=0.8, help="weight of the search's value (0.8)")
    parser.add_argument(
        "--doubt", type=float, default=0.3, help="spread of the prior, of each tuple's points (0.3)"
    )
    parser.add_argument(
        "--model", choices=("patterns", "tuples"), default="tuples", help="what has points (tuples)"
    )
    chosen = parser.parse_args(words)
    data = collect(files(chosen.games))
    out = data.game % HELD_OUT == 0
    fitted, held = part_of(data, ~out), part_of(data, out)
    points = fit(fitted, chosen.model, chosen.search_share, chosen.doubt)
    seen = len(np.unique(fitted.number))
    print(f"{len(fitted.value)} quiet positions of {len(np.unique(fitted.game))} games, {seen} tuples seen")
    known = part_of(held, ~np.isnan(held.result))
    for name, each in (("present", present()), ("fitted", points)):
        print(
            f"{name}: held out {loss(held, each, 1.0):.5f} to the search, {loss(known, each, 0.0):.5f} to the result"
        )
    print(f"least possible to the search: {floor(held):.5f}")
    export(points, chosen.out)
    return 0


def floor(data: Data) -> float:
    """The cross-entropy of the search's own chances."""
    target = np.clip(targets(data, 1.0), 1e-6, 1 - 1e-6)
    return float(-np.mean(target * np.log(target) + (1 - target) * np.log(1 - target)))


if __name__ == "__main__":
    raise SystemExit(main())
