"""``kinarow review``: the grade of every move of a game in a file, as a table, or as the answer of ``POST /review``."""

import argparse
import sys
from pathlib import Path

from kinarow import engine
from kinarow.commands import options
from kinarow.commands.terminal import Paint, as_json, draw_board, interruptible
from kinarow.contract.answers import ReviewAnswer
from kinarow.engine import Question
from kinarow.errors import several
from kinarow.game.notation import side_name, write_move
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.play.review import Review, ReviewedMove, Summary, nodes_to_share
from kinarow.play.wording import short_score
from kinarow.reading.records import Record
from kinarow.score import Score
from kinarow.settings import load_settings

BEST_SHOWN = 5  # most best moves in a row of the table


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("record", metavar="FILE", type=Path, help=f"{options.RECORD}; - for standard input")
    options.add_rules(parser)
    options.add_size(parser, "by default that of the record or of --game")
    parser.add_argument("--first", help="side that begins, X or O, if the record does not say it")
    options.add_moves(parser)
    options.add_budget(parser)
    parser.add_argument("--json", action="store_true", help="print the answer of POST /review")


def run(arguments: argparse.Namespace) -> int:
    """Print the graded moves."""
    settings = load_settings()
    record = options.record_of(arguments, settings.max_side)
    question = Question(record.start, options.limits_of(arguments, settings, record.start.rules))
    shared_nodes = nodes_to_share(record.start.rules, arguments.max_nodes)
    graded = interruptible(
        lambda stop, _: engine.review(question.with_stop(stop), record.moves, shared_nodes=shared_nodes)
    )
    print(as_json(ReviewAnswer.of(graded, record)) if arguments.json else in_words(record, graded, Paint(sys.stdout)))
    return 0


def in_words(record: Record, graded: Review, paint: Paint) -> str:
    """Return the final board, the table of graded moves and a summary of each side."""
    position, record_says = graded.position, f"; the record says {record.result}" if record.result else ""
    last = record.moves[-1] if record.moves else None
    rows = [_row(number, move, graded.position.rules) for number, move in enumerate(graded.moves, 1)]
    parts = [
        draw_board(position, paint, bracketed=last, lit=position.ending().winning_cells),
        ", ".join(f"{side}: {name}" for side, name in record.players.items() if name),
        f"The game {_ending(position)}{record_says}.",
        "\n".join(["  no.     move  grade        value    better", *rows]),
        "\n".join(_side(side_name(side), summary) for side, summary in graded.summary.items() if summary.moves),
        f"Cut short by time: {several(cut, 'position')}; grades may change." if (cut := graded.cut_by_time) else "",
    ]
    return "\n\n".join(filter(None, parts))


def _ending(position: Position) -> str:
    if not position.is_over:
        return "is not over"
    return "is drawn" if position.winner is None else f"is won by {side_name(position.winner)}"


def _row(number: int, move: ReviewedMove, rules: Rules) -> str:
    best = [write_move(cell, rules) for cell in move.best_moves if cell != move.move]
    shown = ""
    if move.grade != "best" and best:
        more = " ..." if len(best) > BEST_SHOWN else ""
        shown = f"{_value(move.best_score)} with {' '.join(best[:BEST_SHOWN])}{more}"
    grade = move.grade if move.graded_by == "proof" or move.grade == "unclear" else f"{move.grade}?"
    made = f"{side_name(move.to_move)} {write_move(move.move, rules)}"
    return f"{number:>5}  {made:>7}  {grade:<11}  {_value(move.score):<7}  {shown}".rstrip()


def _value(score: Score) -> str:
    return score.outcome if score.proven else short_score(score.shown, proven=False)


def _side(name: str, summary: Summary) -> str:
    bad = {"inaccurate": summary.inaccuracies, "mistaken": summary.mistakes, "blundered": summary.blunders}
    counted = {"best": summary.best, **bad, "unclear": summary.unclear}
    listed = ", ".join(f"{count} {what}" for what, count in counted.items() if count)
    return f"{name}: of {several(summary.moves, 'move')} {listed}"
