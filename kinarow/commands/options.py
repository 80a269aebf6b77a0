"""Options that several commands share, named like the fields of a request, and their readers."""

import argparse
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinarow.commands import FAILED as FAILED
from kinarow.cores import usable_cores
from kinarow.engine import Question
from kinarow.errors import InputError, one_line, quoted, several
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, RULES, Rule, Rules
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.play.levels import FULL_STRENGTH
from kinarow.reading.positions import read_allowed, read_position
from kinarow.reading.records import Record, read_record
from kinarow.reading.tables import COUNTINGS, MAX_RECORD
from kinarow.search_types import MAX_INTEGER, MOST_NODES, Limits

if TYPE_CHECKING:
    from kinarow.settings import Settings  # Pydantic takes a third of a second, and not every command needs it

MAX_TIME_MS = 10**9  # eleven days; the clock of a search takes no longer times
MAX_AT_ONCE = 1024

RULE_OPTIONS = ("game", *RULES)  # the options of ``add_rules``
RECORD = "a game as SGF, Piskvork's .psq, or moves such as 1.h8 2.g9"
BOARD = "rows from top to bottom with / between: X, O, . for an empty cell, and # for a blocked one; // between layers"


def add_rules(parser: argparse.ArgumentParser) -> None:
    """Add the options of the rules."""
    rules = parser.add_argument_group("rules")
    rules.add_argument("--game", help=f"a game by name: {', '.join(PRESETS)}")
    for name, rule in RULES.items():
        help_text = rule.words.partition(". ")[0].removesuffix(".").replace("`", "")
        rules.add_argument(f"--{name.replace('_', '-')}", default=None, help=help_text, **_argument_type(rule))


def _argument_type(rule: Rule) -> dict[str, Any]:
    """Return the keywords of ``add_argument`` that read a rule's value."""
    match rule.kind:
        case "integer":
            return {"type": int}
        case "switch":
            return {"action": argparse.BooleanOptionalAction}
        case "choice":
            return {"choices": rule.choices}
    return {"type": lambda text: text.split(","), "metavar": "NAMES"}


def add_position(parser: argparse.ArgumentParser, *, choose: bool = True) -> None:
    """Add the options of a position, and with ``choose`` also ``--only`` and ``--exclude``."""
    parser.add_argument(
        "board", nargs="?", help=f"{BOARD}; by default the empty board of --game, or of --rows, --columns and --goal"
    )
    parser.add_argument("--moves", help="moves to make on the board, or on an empty one: 4453, or h8h7i9")
    parser.add_argument("--first", help="side that makes the first of --moves, X or O")
    if choose:
        parser.add_argument("--only", metavar="MOVES", help="the only moves to choose from")
        parser.add_argument("--exclude", metavar="MOVES", help="moves to leave out")
    add_rules(parser)
    parser.add_argument("--to-move", help="side to move, X or O; by default the side with fewer marks")
    add_composed(parser)
    add_size(parser, "needed without a board, or if the board has no /")


def add_moves(parser: argparse.ArgumentParser) -> None:
    """Add ``--moves``, the way in which numbers in moves are counted."""
    parser.add_argument(
        "--moves",
        choices=COUNTINGS,
        help="what numbers are: tiles from 1, cells from 0, columns from 1, columns-from-0; or text such as 4453 or "
        "h8h7 (by default text, and in lists tiles)",
    )


def add_composed(parser: argparse.ArgumentParser) -> None:
    """Add ``--composed``, for positions that no game reaches."""
    parser.add_argument(
        "--composed", action="store_true", default=None, help="allow any number of marks (for puzzles); needs --to-move"
    )


def add_size(parser: argparse.ArgumentParser, when: str, kind: Callable[[str], int] = int) -> None:
    """Add the size of the board; ``when`` ends its help, such as "needed without a board"."""
    for name in ("rows", "columns", "layers"):
        parser.add_argument(f"--{name}", type=kind, help=f"number of {name}; {when}")


def add_budget(parser: argparse.ArgumentParser) -> None:
    """Add the limits of a search."""
    budget = parser.add_argument_group("budget of a search")
    budget.add_argument("--max-depth", type=between(1, MAX_CELLS), help="maximum plies to look ahead")
    budget.add_argument(
        "--max-nodes", type=between(1, MOST_NODES), help="maximum number of positions to visit (KINAROW_DEFAULT_NODES)"
    )
    budget.add_argument("--time-limit-ms", type=between(1, MAX_TIME_MS), help="maximum time in milliseconds")
    add_threads(budget)


def add_threads(parser: argparse._ActionsContainer) -> None:
    """Add the option that lets one search use several threads."""
    parser.add_argument(
        "--threads", type=between(0, MAX_AT_ONCE), default=1, help="maximum threads of a search (1); 0 for all cores"
    )


def add_strength(parser: argparse.ArgumentParser) -> None:
    """Add the options of the playing strength."""
    parser.add_argument(
        "--level",
        type=between(1, FULL_STRENGTH),
        default=FULL_STRENGTH,
        help="playing strength from 1 to 10 (10, full strength)",
    )
    parser.add_argument("--seed", type=between(0, MAX_INTEGER), help="seed of a level's random choice")


def add_at_once(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--processes`` or ``--searches``, the number that run at once."""
    parser.add_argument(
        f"--{what}",
        type=between(1, MAX_AT_ONCE),
        default=usable_cores(),
        help=f"number of {what} at once; by default one for each usable core",
    )


def position_of(arguments: argparse.Namespace, max_side: int = MAX_SIDE) -> Position:
    """Return the position that the options describe; raise ``InputError`` if one is wrong."""
    return read_position(fields_of(arguments), max_side)


def record_of(arguments: argparse.Namespace, max_side: int = MAX_SIDE) -> Record:
    """Read the game in the file ``record``; print to stderr how many other games of the file are ignored."""
    path: Path = arguments.record
    with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as file:
        data = file.read(MAX_RECORD + 1)
    record = read_record(data, fields_of(arguments), max_side, arguments.moves)
    if record.other_games:
        print(f"{path}: read the first game; {several(record.other_games, 'other game')} left out", file=sys.stderr)
    return record


def fields_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the given options by name, as the fields of a request."""
    return {name: value for name, value in vars(arguments).items() if value is not None}


def question_of(arguments: argparse.Namespace, settings: "Settings") -> Question:
    """Return the question that the options ask; raise ``InputError`` if one is wrong."""
    if getattr(arguments, "record", None) is None:
        position = position_of(arguments, settings.max_side)
    else:
        for name in ("board", "moves", "to_move"):
            if getattr(arguments, name) is not None:
                raise InputError(f"/{name}", "not together with --record")
        position = record_of(arguments, settings.max_side).position
    allowed = read_allowed(fields_of(arguments), position)
    limits = limits_of(arguments, settings, position.rules)
    top = getattr(arguments, "top", None)
    return Question(position, limits, arguments.level, arguments.seed, allowed, top)


def limits_of(arguments: argparse.Namespace, settings: "Settings", rules: Rules) -> Limits:
    """Return the limits, by default the nodes of the settings."""
    return Limits(
        max_nodes=arguments.max_nodes or settings.nodes_by_default(rules),
        max_depth=arguments.max_depth,
        time_limit_ms=arguments.time_limit_ms,
        threads=arguments.threads,
    )


def output_path(text: str) -> Path:
    """Read and check the path of an output file, as an argparse type: a bad path must fail before a long search."""
    path = Path(text)
    if path.is_dir() or not path.parent.is_dir():
        what = "it is a folder" if path.is_dir() else f"there is no folder {one_line(path.parent)}"
        raise argparse.ArgumentTypeError(f"{one_line(path)} cannot be written: {what}")
    return path


def between(low: int, high: int) -> Callable[[str], int]:
    """Return an argparse type for whole numbers from ``low`` to ``high``."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r:.100} is not a whole number") from None
        if not low <= number <= high:
            raise argparse.ArgumentTypeError(f"must be {low} to {high}, not {quoted(number)}")
        return number

    return read
