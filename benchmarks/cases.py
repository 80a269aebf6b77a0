"""Searches fixed positions and prints nodes and values, the signature of the search: python -m benchmarks.cases

Nodes and scores are the same on every machine and change only with the search.
"""

import time
from collections.abc import Iterator
from typing import NamedTuple

from kinarow import Position
from kinarow.search.best_move import search, warm_up
from kinarow.search_types import Limits


class Case(NamedTuple):
    """A benchmark search; ``rules`` are request fields."""

    name: str
    board: str
    rules: dict[str, int | bool]
    max_nodes: int = 2_000_000
    max_depth: int | None = None


def _wide(above: int, rows: str) -> str:
    """Return a board of 15 × 15 with these rows below ``above`` empty rows."""
    return "/".join(["." * 15] * above + [rows] + ["." * 15] * (14 - above - rows.count("/")))


CASES = (
    Case("tic-tac-toe", ".../.../...", {"goal": 3}),
    Case("4 x 4", "..../..../..../....", {"goal": 4}),
    Case("5 x 5 goal 4", "...../...../...../...../.....", {"goal": 4}),
    Case("6 x 6 goal 4", "....../....../....../....../....../......", {"goal": 4}),
    Case("misere 4 x 4", "..../..../..../....", {"goal": 3, "misere": True}),
    Case("exact 3 x 5", "...../...../.....", {"goal": 3, "exact_goal": True}),
    Case("connect four", "......./......./.O...../XX...../OO.XXO./OXXXOXO", {"goal": 4, "gravity": True}),
    Case("gravity 5 x 6", "....../....../....../....../......", {"goal": 4, "gravity": True}),
    Case("misere gravity", "...../...../...../.....", {"goal": 4, "gravity": True, "misere": True}),
    Case("depth 6 of 6 x 7", "......./......./......./......./......./.......", {"goal": 4}, max_depth=6),
    Case("gomoku", _wide(7, "." * 7 + "X" + "." * 7), {"goal": 5}, 100_000),
    Case("gravity 9 x 9", "/".join(["." * 9] * 9), {"goal": 5, "gravity": True}, 100_000),
    # Middle games near a proof: their nodes change with nearly every parameter of the search.
    Case(
        "gomoku defence",
        _wide(5, "...........O.../........OO...../........OXXXO../......XXXOOX.../.......X.OX...."),
        {"goal": 5},
        100_000,
    ),
    Case(
        "standard gomoku",
        _wide(5, ".......O......./....X...X....../.........X...../........X.X..../....OO........./.....O........."),
        {"goal": 5, "exact_goal": True},
        100_000,
    ),
    Case(
        "misere 9 x 9",
        "XXOX.O.XX/XOXXX.OXO/OOXO.OXOO/.O.XOOOXO/OXO.XX.OX/XOO.XXOXO/XO.XXO.XX/OXOXXXOOO/OXOO.XX.O",
        {"goal": 5, "misere": True},
        100_000,
    ),
)


class Measured(NamedTuple):
    """The result of a case; only the seconds depend on the machine."""

    name: str
    nodes: int
    score: float
    move: int
    seconds: float


def measure() -> Iterator[Measured]:
    """Search every case with an empty transposition table."""
    warm_up()
    for case in CASES:
        position = Position.from_text(case.board, **case.rules)  # type: ignore[arg-type]
        started = time.perf_counter()
        result = search(position, Limits(case.max_nodes, case.max_depth))
        seconds = time.perf_counter() - started
        yield Measured(case.name, result.nodes, result.score.value, (result.move or 0) + 1, seconds)


def main() -> None:
    """Print a line for each case and the sum of their nodes."""
    total = 0
    print(f"{'position':18}{'nodes':>10}{'score':>9}{'tile':>6}{'seconds':>10}")
    for case in measure():
        total += case.nodes
        print(f"{case.name:18}{case.nodes:10}{case.score:9}{case.move:6}{case.seconds:10.3f}", flush=True)
    print(f"{'signature':18}{total:10}")


if __name__ == "__main__":
    main()
