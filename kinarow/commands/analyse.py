"""``kinarow analyse``: the value of every move, as a board and a table, or as the answer of ``POST /analysis``."""

import argparse
import sys
from pathlib import Path

from kinarow import engine
from kinarow.commands import options
from kinarow.commands.terminal import Paint, as_json, draw_board, interruptible, moves_text, search_text
from kinarow.contract.answers import AnalysisAnswer, ValuedMove, ValueFields
from kinarow.errors import several
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_CELLS
from kinarow.play.wording import short_score
from kinarow.settings import load_settings

LINE_SHOWN = 10  # moves of a line in the table; ``--json`` has all


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser)
    parser.add_argument(
        "--record", metavar="FILE", type=Path, help=f"analyse the end of {options.RECORD}; - for standard input"
    )
    options.add_budget(parser)
    options.add_strength(parser)
    parser.add_argument("--top", type=options.between(1, MAX_CELLS), help="the number of moves to show, best first")
    parser.add_argument("--json", action="store_true", help="print the answer of POST /analysis")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer."""
    question = options.question_of(arguments, load_settings())
    position = question.position
    found, known = interruptible(lambda stop, listen: engine.analysis(question.with_stop(stop, listen)))
    answer = AnalysisAnswer.of(position, found, known)
    print(as_json(answer) if arguments.json else in_words(answer, position, Paint(sys.stdout)))
    return 0


def in_words(answer: AnalysisAnswer, position: Position, paint: Paint) -> str:
    """Return the board with the moves' values, the sentence about the best move, and the table of moves."""
    rules = position.rules
    if answer.move is None:
        won = {cell["tile"] - 1 for cell in answer.winning_cells}
        return f"{draw_board(position, paint, lit=won)}\n\n{answer.text}"
    texts = {value.tile - 1: short_score(shown_value(value), proven=value.proven) for value in answer.moves}
    best = {cell["tile"] - 1 for cell in answer.best_moves}
    board = draw_board(position, paint, texts=texts, bracketed=answer.move["tile"] - 1, lit=best)
    parts = [board, "", answer.text, *_about_best(answer, rules), "", *table(answer.moves, rules)]
    return "\n".join([*parts, "", search_text(answer.search)])


def table(moves: list[ValuedMove], rules: Rules) -> list[str]:
    """Return the lines of the table of moves, with its heading."""
    lines = ["move   score  result                 line"]
    for value in moves:
        line = moves_text(value.line[:LINE_SHOWN], rules)
        more = " ..." if len(value.line) > LINE_SHOWN else ""
        move = write_move(value.tile - 1, rules)
        lines.append(f"{move:>4}{score_text(value):>8}  {_result(value):21}  {line}{more}".rstrip())
    return lines


def shown_value(value: ValueFields) -> float:
    """Return the score; for an estimate the expected result, if known."""
    return value.score if value.proven or value.expected is None else value.expected


def score_text(value: ValueFields) -> str:
    """Format a score with its sign: estimates have a decimal point, proven scores none."""
    number = shown_value(value)
    if value.outcome == "unknown":
        return f"{number:+.2f}"
    return f"{number:+}" if number else "0"


def _result(value: ValueFields) -> str:
    if value.outcome == "unknown":
        return "not decided"
    plies = several(value.distance or 0, "ply", more="plies")
    return "draw" if value.outcome == "draw" else f"{value.outcome} in {'at most ' * value.distance_is_bound}{plies}"


def _about_best(answer: AnalysisAnswer, rules: Rules) -> list[str]:
    if answer.move in answer.best_moves and len(answer.best_moves) == 1:
        return ["No other move is as good."] if answer.best_moves_complete else []
    known = "" if answer.best_moves_complete else ", perhaps others too"
    return [f"Best: {moves_text(answer.best_moves, rules)}{known}"]
