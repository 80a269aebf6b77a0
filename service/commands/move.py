"""``kinarow move``: the best move on one board, in words or as the JSON that ``POST /move`` answers."""

import argparse
import json
from collections.abc import Callable
from typing import Any

from service.engine.notation import read_grid, read_side
from service.engine.position import Position
from service.engine.rules import PRESETS, resolve
from service.settings import Settings, load_settings

MAX_DEPTH = 625
MAX_SEED = 2**53 - 1
MAX_LEVEL = 10

Answer = dict[str, Any]


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command: the fields of a request, with hyphens."""
    flag: dict[str, Any] = {"action": argparse.BooleanOptionalAction, "default": None}
    parser.add_argument("board", help="rows from top to bottom with / between: X, O, and . for an empty cell")
    parser.add_argument("--goal", type=int, help="marks in a row that end the game; may be left out on 3 x 3")
    parser.add_argument("--gravity", **flag, help="marks fall to the lowest empty row of a column")
    parser.add_argument("--misere", **flag, help="completing a line loses")
    parser.add_argument("--exact-goal", **flag, help="a longer run is no line")
    parser.add_argument("--game", help=f"a game by name instead: {', '.join(PRESETS)}")
    parser.add_argument("--to-move", help="X or O; by default the side with fewer marks")
    parser.add_argument("--rows", type=int, help="1 says that a board without / is a single row")
    parser.add_argument("--columns", type=int, help="1 says that a board without / is a single column")
    parser.add_argument("--max-depth", type=_between(1, MAX_DEPTH), help="plies to look ahead at most")
    parser.add_argument(
        "--max-nodes", type=_between(1), help="positions to visit at most (KINAROW_DEFAULT_NODES)"
    )
    parser.add_argument("--time-limit-ms", type=_between(1), help="milliseconds to search at most")
    parser.add_argument(
        "--level", type=_between(1, MAX_LEVEL), default=MAX_LEVEL, help="playing strength, 10 is full"
    )
    parser.add_argument("--seed", type=_between(0, MAX_SEED), help="makes a varied choice repeatable")
    parser.add_argument("--json", action="store_true", help="print the answer of POST /move")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer.

    Raises:
        InputError: the board or a rule is wrong.
        SettingsError: a setting is impossible.
    """
    settings = load_settings()
    answer = recommend(arguments, settings)
    print(json.dumps(answer, indent=2) if arguments.json else in_words(answer))
    return 0


def recommend(arguments: argparse.Namespace, settings: Settings) -> Answer:
    """The answer to what the options ask."""
    grid = read_grid(
        arguments.board, rows=arguments.rows, columns=arguments.columns, max_side=settings.max_side
    )
    rules = resolve(
        grid.rows,
        grid.columns,
        goal=arguments.goal,
        gravity=arguments.gravity,
        misere=arguments.misere,
        exact_goal=arguments.exact_goal,
        game=arguments.game,
    )
    to_move = None if arguments.to_move is None else read_side(arguments.to_move)
    position = Position.checked(rules, grid.cells, to_move)

    # The board is judged before the kernels are loaded, so that a mistake is told at once.
    from service.engine.search import Limits, solvable
    from service.recommender import Recommender

    limits = Limits(
        max_nodes=arguments.max_nodes or settings.nodes_by_default(solvable(rules)),
        max_depth=arguments.max_depth,
        time_limit_ms=arguments.time_limit_ms,
    )
    return Recommender(cache_size=0).move(position, limits, level=arguments.level, seed=arguments.seed)


def in_words(answer: Answer) -> str:
    """The answer as a person reads it: the board with the move in brackets, and what it is worth."""
    board = _drawn(answer["board"], answer["move"])
    if answer["move"] is None:
        return f"{board}\n\n{_over(answer)}"
    cell = answer["move"]
    move = f"{answer['to_move']} plays row {cell['row']}, column {cell['column']} (tile {cell['tile']})"
    line = " ".join(str(cell["tile"]) for cell in answer["line"])
    search = answer["search"]
    effort = (
        f"Searched {search['nodes']:,} nodes to depth {search['depth']} in {search['elapsed_ms']:,.1f} ms,"
        f" stopped by {search['stopped_by']}."
    )
    return f"{board}\n\n{move}: {_worth(answer)}.\nLine of tiles: {line}\n{effort}"


def _drawn(rows: list[str], move: dict[str, int] | None) -> str:
    """The board with a space around every cell and brackets around the move."""
    lines = []
    for index, row in enumerate(rows):
        cells = [f" {mark} " for mark in row]
        if move is not None and move["row"] == index:
            cells[move["column"]] = f"[{row[move['column']]}]"
        lines.append("".join(cells).rstrip())
    return "\n".join(lines)


def _over(answer: Answer) -> str:
    """How a finished game ended."""
    if answer["winner"] is None:
        return "The game is over: a draw."
    return f"The game is over: {answer['winner']} has won."


def _worth(answer: Answer) -> str:
    """The score in words."""
    side, score = answer["to_move"], answer["score"]
    if answer["outcome"] == "unknown":
        return f"not decided within the budget, estimate {score:+} for {side} (between -1 and 1)"
    if answer["outcome"] == "draw":
        return "a draw with best play (score 0)"
    verb = "wins" if answer["outcome"] == "win" else "loses"
    plies = f"{answer['distance']} {'ply' if answer['distance'] == 1 else 'plies'}"
    return f"{side} {verb} in {'at most ' * answer['distance_is_bound']}{plies} (score {score})"


def _between(low: int, high: int | None = None) -> Callable[[str], int]:
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
