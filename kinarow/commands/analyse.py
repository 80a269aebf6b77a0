"""``kinarow analyse``: the value of every move, as a board and a table, or as the answer of ``POST /analysis``."""

import argparse
import json
import sys
from typing import Any

from kinarow import engine
from kinarow.commands import options
from kinarow.commands.terminal import Answer, Paint, drawn, effort, names, plies, watched
from kinarow.contract.answer_fields import analysis_fields
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_CELLS
from kinarow.play.wording import short_score
from kinarow.settings import load_settings

LINE_SHOWN = 10  # moves of a line in the table; ``--json`` has all


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command: the fields of a request, with hyphens."""
    options.add_position(parser)
    options.add_budget(parser)
    options.add_strength(parser)
    parser.add_argument("--top", type=options.between(1, MAX_CELLS), help="the number of moves to show, best first")
    parser.add_argument("--json", action="store_true", help="print the answer of POST /analysis")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer."""
    question = options.question_of(arguments, load_settings())
    position = question.position
    answer, known = watched(lambda stop, listen: engine.analysis(question.watched(stop, listen)))
    fields = analysis_fields(position, answer, known)
    if arguments.json:
        print(json.dumps(fields, indent=2))
    else:
        print(in_words(fields, position, Paint(sys.stdout)))
    return 0


def in_words(answer: Answer, position: Position, paint: Paint) -> str:
    """The answer of ``POST /analysis`` for a position in words, with values on the board that ``paint`` colours."""
    rules = position.rules
    if answer["move"] is None:
        won = {cell["tile"] - 1 for cell in answer["winning_cells"]}
        return f"{drawn(position, paint, lit=won)}\n\n{answer['text']}"
    texts = {value["tile"] - 1: short_score(shown(value), proven=value["proven"]) for value in answer["moves"]}
    best = {cell["tile"] - 1 for cell in answer["best_moves"]}
    board = drawn(position, paint, texts=texts, bracketed=answer["move"]["tile"] - 1, lit=best)
    parts = [board, "", answer["text"], *_about_best(answer, rules), "", *table(answer["moves"], rules)]
    return "\n".join([*parts, "", effort(answer["search"])])


def table(moves: list[dict[str, Any]], rules: Rules) -> list[str]:
    """The moves as lines of a table, the first line its heading."""
    lines = ["move   score  result                 line"]
    for value in moves:
        line = names(value["line"][:LINE_SHOWN], rules)
        more = " ..." if len(value["line"]) > LINE_SHOWN else ""
        move = write_move(value["tile"] - 1, rules)
        lines.append(f"{move:>4}{score_text(value):>8}  {_result(value):21}  {line}{more}".rstrip())
    return lines


def shown(value: dict[str, Any]) -> float:
    """The number for people: the score, of an estimate the expected result where it is known."""
    estimated = not value["proven"] and value["expected"] is not None
    number: float = value["expected" if estimated else "score"]
    return number


def score_text(value: dict[str, Any]) -> str:
    """A number with its sign; 0 is a proven draw, a number with a point an estimate."""
    number = shown(value)
    if value["outcome"] == "unknown":
        return f"{number:+.2f}"
    return f"{number:+}" if number else "0"


def _result(value: dict[str, Any]) -> str:
    if value["outcome"] == "unknown":
        return "not decided"
    return "draw" if value["outcome"] == "draw" else f"{value['outcome']} in {plies(value)}"


def _about_best(answer: Answer, rules: Rules) -> list[str]:
    if answer["move"] in answer["best_moves"] and len(answer["best_moves"]) == 1:
        return ["No other move is as good."] if answer["best_moves_complete"] else []
    known = "" if answer["best_moves_complete"] else ", perhaps others too"
    return [f"Best: {names(answer['best_moves'], rules)}{known}"]
