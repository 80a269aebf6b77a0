"""The options that several commands share, by the names of a request's fields, and what they stand for."""

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from service.engine.notation import read_grid, read_side
from service.engine.position import Position
from service.engine.rules import MAX_SIDE, PRESETS, Rules, resolve
from service.settings import Settings

if TYPE_CHECKING:
    from service.engine.search import Limits

MAX_DEPTH = 625
MAX_SEED = 2**53 - 1
MAX_LEVEL = 10

BOARD = "rows from top to bottom with / between: X, O, and . for an empty cell"


def add_rules(parser: argparse.ArgumentParser) -> None:
    """What game it is."""
    flag: dict[str, Any] = {"action": argparse.BooleanOptionalAction, "default": None}
    rules = parser.add_argument_group("rules")
    rules.add_argument("--game", help=f"a game by name: {', '.join(PRESETS)}")
    rules.add_argument("--goal", type=int, help="marks in a row that end the game; may be left out on 3 x 3")
    rules.add_argument("--gravity", **flag, help="marks fall to the lowest empty row of a column")
    rules.add_argument("--misere", **flag, help="completing a line loses")
    rules.add_argument("--exact-goal", **flag, help="a longer run is no line")


def add_question(parser: argparse.ArgumentParser) -> None:
    """A board, its rules and whose move it is."""
    parser.add_argument("board", help=BOARD)
    add_rules(parser)
    parser.add_argument("--to-move", help="X or O; by default the side with fewer marks")
    parser.add_argument("--rows", type=int, help="1 says that a board without / is a single row")
    parser.add_argument("--columns", type=int, help="1 says that a board without / is a single column")


def add_budget(parser: argparse.ArgumentParser) -> None:
    """How much a search may cost."""
    budget = parser.add_argument_group("budget of a search")
    budget.add_argument("--max-depth", type=between(1, MAX_DEPTH), help="plies to look ahead at most")
    budget.add_argument(
        "--max-nodes", type=between(1), help="positions to visit at most (KINAROW_DEFAULT_NODES)"
    )
    budget.add_argument("--time-limit-ms", type=between(1), help="milliseconds to search at most")


def add_strength(parser: argparse.ArgumentParser) -> None:
    """How strong the engine plays."""
    parser.add_argument(
        "--level", type=between(1, MAX_LEVEL), default=MAX_LEVEL, help="playing strength, 10 is full"
    )
    parser.add_argument("--seed", type=between(0, MAX_SEED), help="makes a varied choice repeatable")


def rules_of(arguments: argparse.Namespace, rows: int, columns: int) -> Rules:
    """The rules that the options name, on a board of this size.

    Raises:
        InputError: they contradict themselves or the board.
    """
    return resolve(
        rows,
        columns,
        goal=arguments.goal,
        gravity=arguments.gravity,
        misere=arguments.misere,
        exact_goal=arguments.exact_goal,
        game=arguments.game,
    )


def position_of(arguments: argparse.Namespace, max_side: int = MAX_SIDE) -> Position:
    """The position that board, rules and side to move make.

    Raises:
        InputError: one of them is wrong.
    """
    grid = read_grid(arguments.board, rows=arguments.rows, columns=arguments.columns, max_side=max_side)
    rules = rules_of(arguments, grid.rows, grid.columns)
    to_move = None if arguments.to_move is None else read_side(arguments.to_move)
    return Position.checked(rules, grid.cells, to_move)


def limits_of(arguments: argparse.Namespace, settings: Settings, rules: Rules) -> "Limits":
    """The budget, with the service's default of nodes. Loads the kernels, so judge the board before."""
    from service.engine.search import Limits, solvable

    return Limits(
        max_nodes=arguments.max_nodes or settings.nodes_by_default(solvable(rules)),
        max_depth=arguments.max_depth,
        time_limit_ms=arguments.time_limit_ms,
    )


def between(low: int, high: int | None = None) -> Callable[[str], int]:
    """A reader of whole numbers in a range, for argparse."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r:.100} is no whole number") from None
        if number < low or (high is not None and number > high):
            span = f"at least {low}" if high is None else f"{low} to {high}"
            raise argparse.ArgumentTypeError(f"must be {span}, not {number}")
        return number

    return read
