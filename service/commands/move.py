"""``kinarow move``: the best move on one board, in words or as the JSON answer of ``POST /move``."""

import argparse
import json

from service.answers.recommender import Recommender
from service.commands import options
from service.commands.terminal import watched
from service.commands.words import Answer, drawn, effort, over, place, worth
from service.settings import Settings, load_settings


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
    answer = recommend(arguments, load_settings())
    print(json.dumps(answer, indent=2) if arguments.json else in_words(answer))
    return 0


def recommend(arguments: argparse.Namespace, settings: Settings) -> Answer:
    """The answer for the options."""
    position = options.position_of(arguments, settings.max_side)
    allowed = options.allowed_of(arguments, position)
    limits = options.limits_of(arguments, settings, position.rules)
    recommender = Recommender(cache_size=0)
    return watched(
        lambda stop, _: recommender.move(
            position, limits, level=arguments.level, seed=arguments.seed, allowed=allowed, stop=stop
        )
    ).fields()


def in_words(answer: Answer) -> str:
    """The answer in words: the board with the move in brackets, and its value."""
    board = drawn(answer["board"], answer["move"])
    if answer["move"] is None:
        return f"{board}\n\n{over(answer)}"
    move = f"{answer['to_move']} plays {place(answer['move'])}"
    line = " ".join(str(cell["tile"]) for cell in answer["line"])
    return f"{board}\n\n{move}: {worth(answer)}.\nLine of tiles: {line}\n{effort(answer['search'])}"
