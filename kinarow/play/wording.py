"""Writes an answer as a sentence: the move in its game's notation, the reason and the value."""

from collections.abc import Callable

from kinarow.game.notation import name_move, side_name, write_move
from kinarow.game.position import Position
from kinarow.game.rules import other
from kinarow.score import Score
from kinarow.search_types import Code, MoveValue, Reason

LINE_SHOWN = 8  # most moves of a line in a sentence

_REASONS: dict[Code, Callable[[Reason, str], str]] = {
    "only_move": lambda reason, opponent: "the only legal move",
    "forced": lambda reason, opponent: "the only move that does not lose at once",
    "completes_line": lambda reason, opponent: "completing a line",
    "blocks_line": lambda reason, opponent: f"blocking a line of {opponent}",
    "double_threat": lambda reason, opponent: f"leaving {len(reason.cells)} cells to win at",
    "threatens_line": lambda reason, opponent: "threatening to complete a line",
    "avoids_line": lambda reason, opponent: "completing no line",
    "forces_line": lambda reason, opponent: f"leaving {opponent} only moves that complete a line",
    "longest_defence": lambda reason, opponent: "holding out longest",
}
"""The words of each reason, in the order in which they follow the move; reasons that repeat the score have none."""


def describe_move(position: Position, move: int, score: Score, reasons: tuple[Reason, ...]) -> str:
    """Describe a move, its reasons and its value, such as "X plays column 4: a draw with best play"."""
    side, opponent = side_name(position.to_move), side_name(other(position.to_move))
    by_code = {reason.code: reason for reason in reasons}
    why = [in_words(by_code[code], opponent) for code, in_words in _REASONS.items() if code in by_code]
    words = ", ".join([f"{side} plays {name_move(move, position.rules)}", *why])
    return f"{words}: {_value(side, score)}."


def describe_value(position: Position, value: MoveValue) -> str:
    """Describe a move, its value and best play after it, such as "column 4: a draw with best play; then 4 3 5"."""
    rules = position.rules
    words = f"{name_move(value.move, rules)}: {_value(side_name(position.to_move), value.score)}"
    after = " ".join(write_move(cell, rules) for cell in value.line[1:LINE_SHOWN])
    return f"{words}; then {after}" if after else words


def describe_ending(position: Position) -> str:
    """Return a sentence with the result of a finished game."""
    winner = position.ending().winner
    how = "a draw" if winner is None else f"{side_name(winner)} has won"
    return f"The game is over: {how}."


def short_score(shown: float, *, proven: bool) -> str:
    """Format a score for a cell of the board: proven scores as integers, estimates with two decimals."""
    if not proven:
        return f"{shown:+.2f}".replace("0.", ".")
    return f"{shown:+g}" if shown else "0"


def _value(side: str, score: Score) -> str:
    if score.outcome == "unknown":
        kind = "estimate" if score.expected is None else "expected result"
        return f"not decided, {kind} {score.shown:+.2f} for {side} between -1 and 1"
    if score.outcome == "draw":
        return "a draw with best play"
    verb = "wins" if score.outcome == "win" else "loses"
    if score.distance == 1:
        return f"{side} {verb} at once"
    return f"{side} {verb} in {'at most ' if score.is_bound else ''}{score.distance} plies"
