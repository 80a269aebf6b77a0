"""``kinarow analyse``: the value of every move, as a board and a table, or as the answer of ``POST /analysis``."""

import argparse
import json
import sys
from typing import Any

from kinarow import engine
from kinarow.game.rules import MAX_CELLS
from kinarow.play.wording import short_score
from service.answers.answer_fields import analysis_fields
from service.commands import options
from service.commands.terminal import Paint, watched
from service.commands.words import Answer, board_of, effort, over, place, plies, worth
from service.settings import load_settings

LINE_SHOWN = 10
"""Moves of a line in the table; ``--json`` has all."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command: the fields of a request, with hyphens."""
    options.add_position(parser)
    options.add_budget(parser)
    options.add_strength(parser)
    parser.add_argument(
        "--top", type=options.between(1, MAX_CELLS), help="the number of moves to show, best first"
    )
    parser.add_argument("--json", action="store_true", help="print the answer of POST /analysis")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer.

    Raises:
        InputError: the board or a rule is wrong.
        SettingsError: a setting is impossible.
    """
    question = options.question_of(arguments, load_settings())
    position = question.position
    answer, known = watched(lambda stop, listen: engine.analysis(question.watched(stop, listen)))
    fields = analysis_fields(position, answer, known)
    if arguments.json:
        print(json.dumps(fields, indent=2))
    else:
        print(in_words(fields, position.rows, Paint(sys.stdout), position.rules.layers))
    return 0


def in_words(answer: Answer, rows: list[str], paint: Paint, layers: int = 1) -> str:
    """The answer in words.

    Args:
        answer: of ``POST /analysis``.
        rows: the board before the move, layer by layer.
        paint: colours it.
        layers: how many there are.
    """
    if answer["move"] is None:
        won = frozenset(cell["tile"] - 1 for cell in answer["winning_cells"])
        return f"{board_of(rows, {}, paint, lit=won, layers=layers)}\n\n{over(answer)}"
    texts = {
        value["tile"] - 1: short_score(value["score"], proven=value["proven"]) for value in answer["moves"]
    }
    best = frozenset(cell["tile"] - 1 for cell in answer["best_moves"])
    board = board_of(rows, texts, paint, bracketed=answer["move"]["tile"] - 1, lit=best, layers=layers)
    choice = f"{answer['to_move']} plays {place(answer['move'])}: {worth(answer)}."
    parts = [
        board,
        "",
        choice,
        *_about_best(answer),
        "",
        *table(answer["moves"]),
        "",
        effort(answer["search"]),
    ]
    return "\n".join(parts)


def table(moves: list[dict[str, Any]]) -> list[str]:
    """The moves as lines of a table, the first line its heading."""
    deep = bool(moves) and "layer" in moves[0]
    lines = [f"tile{'  layer' * deep}  row  column   score  result                 line of tiles"]
    for value in moves:
        line = " ".join(str(cell["tile"]) for cell in value["line"][:LINE_SHOWN])
        more = " ..." if len(value["line"]) > LINE_SHOWN else ""
        lines.append(
            f"{value['tile']:4}{format(value['layer'], '7') if deep else ''}{value['row']:5}{value['column']:8}"
            f"{score_text(value):>8}  {_result(value):21}  {line}{more}".rstrip()
        )
    return lines


def score_text(value: dict[str, Any]) -> str:
    """A score with its sign; 0 is a proven draw, a number with a point an estimate."""
    score = value["score"]
    if value["outcome"] == "unknown":
        return f"{score:+.4f}"
    return f"{score:+}" if score else "0"


def _result(value: dict[str, Any]) -> str:
    if value["outcome"] == "unknown":
        return "not decided"
    return "draw" if value["outcome"] == "draw" else f"{value['outcome']} in {plies(value)}"


def _about_best(answer: Answer) -> list[str]:
    """One sentence on equally good moves, if there are any."""
    best = [str(cell["tile"]) for cell in answer["best_moves"]]
    if answer["move"] in answer["best_moves"] and len(best) == 1:
        return ["No other move is as good."] if answer["best_moves_complete"] else []
    known = "" if answer["best_moves_complete"] else ", perhaps others too"
    return [f"Best: {' '.join(best)}{known}"]
