"""``kinarow move``: the best move on one board, in words or as the JSON answer of ``POST /move``."""

import argparse
import json

from kinarow import engine
from service.answers.answer_fields import move_fields
from service.commands import options
from service.commands.terminal import watched
from service.commands.words import Answer, drawn, effort, over, place, worth
from service.settings import load_settings


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command: the fields of a request, with hyphens."""
    options.add_position(parser)
    options.add_budget(parser)
    options.add_strength(parser)
    parser.add_argument("--json", action="store_true", help="print the answer of POST /move")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer.

    Raises:
        InputError: the board or a rule is wrong.
        SettingsError: a setting is impossible.
    """
    question = options.question_of(arguments, load_settings())
    answer, known = watched(lambda stop, _: engine.move(question.watched(stop)))
    fields = move_fields(question.position, answer, known)
    print(json.dumps(fields, indent=2) if arguments.json else in_words(fields))
    return 0


def in_words(answer: Answer) -> str:
    """The answer in words: the board with the move in brackets, and its value."""
    board = drawn(answer["board"], answer["move"])
    if answer["move"] is None:
        return f"{board}\n\n{over(answer)}"
    move = f"{answer['to_move']} plays {place(answer['move'])}"
    line = " ".join(str(cell["tile"]) for cell in answer["line"])
    return f"{board}\n\n{move}: {worth(answer)}.\nLine of tiles: {line}\n{effort(answer['search'])}"
