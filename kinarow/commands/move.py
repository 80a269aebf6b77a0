"""``kinarow move``: the best move on one board, in words or as the JSON answer of ``POST /move``."""

import argparse
import sys

from kinarow import engine
from kinarow.commands import options
from kinarow.commands.terminal import Paint, as_json, draw_board, interruptible, moves_text, search_text
from kinarow.contract.answers import MoveAnswer
from kinarow.game.position import Position
from kinarow.settings import load_settings


def add_options(parser: argparse.ArgumentParser) -> None:
    options.add_position(parser)
    options.add_budget(parser)
    options.add_strength(parser)
    parser.add_argument("--json", action="store_true", help="print the answer of POST /move")


def run(arguments: argparse.Namespace) -> int:
    """Print the answer."""
    question = options.question_of(arguments, load_settings())
    found, known = interruptible(lambda stop, _: engine.move(question.with_stop(stop)))
    answer = MoveAnswer.of(question.position, found, known)
    print(as_json(answer) if arguments.json else in_words(answer, question.position))
    return 0


def in_words(answer: MoveAnswer, position: Position) -> str:
    """Return the board with the move in brackets, its value, its line and the cost of the search."""
    if answer.move is None:
        return f"{position}\n\n{answer.text}"
    cell = answer.move["tile"] - 1
    board = draw_board(position.play(cell), Paint(sys.stdout), bracketed=cell)
    line = moves_text(answer.line, position.rules)
    return f"{board}\n\n{answer.text}\nLine: {line}\n{search_text(answer.search)}"
