"""Judges named players by files of their games: how good their moves are in each phase, and their ratings.

A line of a file is a game: the fields of ``POST /review`` and ``players``, the names of X and O. The moves after an
illegal one do not count, and who made it has lost. Intervals are of 95 %: by Wilson for shares, by the normal
distribution for means, and by bootstrap over games for ratings.
"""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean, stdev
from typing import Annotated, Any, NamedTuple

from pydantic import Field, TypeAdapter, with_config
from typing_extensions import TypedDict

from kinarow.errors import InputError
from kinarow.game.notation import side_name
from kinarow.game.rules import X
from kinarow.play.ratings import Game, rated
from kinarow.play.review import Review, ReviewedMove
from service.actions import Fields
from service.api.problem_kinds import invalid
from service.api.schemas import STRICT, check

PHASES = ("opening", "middle", "end")
"""The thirds of the board's cells that are full when a move is made."""

ALL = "all"
LEVEL = re.compile(r"kinarow-level-\d+")

KEPT_DROP = 0.1
"""A move whose value is not proven keeps it if the expected result drops by less."""

_Z = 1.96
_DECIMALS = 4
_WORD = re.compile(r"[a-z]+\d+", re.IGNORECASE)
_Name = Annotated[str, Field(min_length=1, max_length=100)]


@with_config(STRICT)
class Players(TypedDict):
    """The names of the players of a game."""

    X: _Name
    O: _Name  # noqa: E741 - the side's name


_PLAYERS: TypeAdapter[Any] = TypeAdapter(Players)


class Judged(NamedTuple):
    """A game with its grades, and the side that made an illegal move, if any."""

    players: dict[str, str]
    review: Review
    illegal: str | None


def read_line(line: str) -> tuple[dict[str, str], Fields]:
    """The players of a game and the fields of its review.

    Raises:
        Problem: the players are missing or wrong.
    """
    fields = json.loads(line)
    if not isinstance(fields, dict) or "players" not in fields:
        raise invalid([("/players", 'name the players: {"X": …, "O": …}')])
    return check(_PLAYERS, fields.pop("players")), fields


def legal_part(moves: Any, wrong: InputError) -> Any:
    """The moves before the illegal one that an error names; None if it names none."""
    place = re.fullmatch(r"/moves/(\d+)", wrong.problems[0][0])
    if place is None:
        return None
    number = int(place[1])
    if not isinstance(moves, str):
        return moves[:number]
    return "".join(_WORD.findall(moves)[:number]) if _WORD.search(moves) else moves.replace(" ", "")[:number]


def report(games: Sequence[Judged]) -> Fields:
    """The figures of every player, and the ratings where a level of kinarow is among them."""
    moves: dict[tuple[str, str, str], list[ReviewedMove]] = defaultdict(list)
    illegal: Counter[tuple[str, str]] = Counter()
    played: Counter[str] = Counter()
    for game in games:
        played.update(game.players.values())
        for phase, move in _by_phase(game.review):
            for each in (phase, ALL):
                moves[game.players[side_name(move.to_move)], each, move.graded_by].append(move)
        if game.illegal is not None:
            for each in (_phase(game.review, len(game.review.moves)), ALL):
                illegal[game.players[game.illegal], each] += 1
    players = {
        name: {
            "games": played[name],
            "phases": {
                phase: {
                    "illegal": illegal[name, phase],
                    **{f"by_{kind}": _figures(moves[name, phase, kind]) for kind in ("proof", "estimate")},
                }
                for phase in (ALL, *PHASES)
            },
        }
        for name in sorted(played)
    }
    return {"players": players, "elo": _elo(games)}


def _by_phase(review: Review) -> Iterator[tuple[str, ReviewedMove]]:
    for number, move in enumerate(review.moves):
        yield _phase(review, number), move


def _phase(review: Review, number: int) -> str:
    """The phase in which the game's move of this number, from 0, is made."""
    position = review.position
    marks = position.rules.cells - position.empties - len(review.moves) + number
    return PHASES[min(len(PHASES) - 1, len(PHASES) * marks // position.rules.cells)]


def _figures(moves: Sequence[ReviewedMove]) -> Fields:
    """How good some moves are; those without a grade are counted apart."""
    clear = [move for move in moves if move.grade != "unclear"]
    drops = [drop for move in clear if (drop := _drop(move)) is not None]
    return {
        "moves": len(clear),
        "unclear": len(moves) - len(clear),
        "best": _share(sum(move.grade == "best" for move in clear), len(clear)),
        "keeps_value": _share(sum(map(_keeps, clear)), len(clear)),
        "blunders": _share(sum(move.grade == "blunder" for move in clear), len(clear)),
        "lost": _mean(drops),
    }


def _drop(move: ReviewedMove) -> float | None:
    """What a move lost of the expected result."""
    best, played = move.best_score.expected, move.score.expected
    return None if best is None or played is None else best - played


def _keeps(move: ReviewedMove) -> bool:
    if move.proven and move.best_score.proven:
        return move.outcome == move.best_outcome
    drop = _drop(move)
    return drop is not None and drop < KEPT_DROP


def _share(count: int, total: int) -> Fields | None:
    """A share with Wilson's interval."""
    if not total:
        return None
    share, square = count / total, _Z * _Z / total
    middle = (share + square / 2) / (1 + square)
    margin = math.sqrt(share * (1 - share) * square + square * square / 4) / (1 + square)
    return {"count": count, **_rounded(share, max(0.0, middle - margin), min(1.0, middle + margin))}


def _mean(values: Sequence[float]) -> Fields | None:
    """A mean with the normal interval; without one for a single value."""
    if not values:
        return None
    mean = fmean(values)
    margin = _Z * stdev(values) / math.sqrt(len(values)) if len(values) > 1 else math.inf
    if math.isinf(margin):
        return {"value": round(mean, _DECIMALS), "low": None, "high": None}
    return _rounded(mean, mean - margin, mean + margin)


def _rounded(value: float, low: float, high: float) -> Fields:
    return {"value": round(value, _DECIMALS), "low": round(low, _DECIMALS), "high": round(high, _DECIMALS)}


def _elo(games: Iterable[Judged]) -> Fields | None:
    """The ratings of all who are connected by games with the lowest level of kinarow, which has 0."""
    finished = [
        Game(game.players["X"], game.players["O"], score) for game in games if (score := _score(game)) is not None
    ]
    finished = [game for game in finished if game.first != game.second]
    levels = sorted({name for game in finished for name in game[:2] if LEVEL.fullmatch(name)}, key=_level)
    if not levels:
        return None
    reached = {levels[0]}
    while more := {name for game in finished if reached & {*game[:2]} for name in game[:2]} - reached:
        reached |= more
    found = rated([game for game in finished if game.first in reached], levels[0])
    return {name: {key: round(value) for key, value in rating._asdict().items()} for name, rating in found.items()}


def _level(name: str) -> int:
    return int(name.rpartition("-")[2])


def _score(game: Judged) -> float | None:
    """What X scored; None where the game has not ended."""
    if game.illegal is not None:
        return float(game.illegal != "X")
    if game.review.state == "ongoing":
        return None
    return 0.5 if game.review.winner is None else float(game.review.winner == X)


def as_markdown(figures: Fields) -> str:
    """The report as tables."""
    names = ("best", "keeps_value", "blunders", "lost")
    lines = ["# Play, judged", "", "Each value with its 95 % interval.", ""]
    lines += ["| player | phase | values | moves | best | keeps value | blunders | lost a move | illegal |"]
    lines += ["| --- " * 9 + "|"]
    for name, player in figures["players"].items():
        for phase, by in player["phases"].items():
            for kind in ("proof", "estimate"):
                shown = by[f"by_{kind}"]
                if shown["moves"]:
                    cells = (name.replace("|", "\\|"), phase, kind, shown["moves"])
                    values = (_shown(shown[each]) for each in names)
                    lines.append("| " + " | ".join(map(str, (*cells, *values, by["illegal"]))) + " |")
    if figures["elo"]:
        lines += ["", "| player | Elo |", "| --- | --- |"]
        for name, elo in figures["elo"].items():
            lines.append(f"| {name} | {elo['value']:+} ({elo['low']:+} to {elo['high']:+}) |")
    return "\n".join(lines) + "\n"


def _shown(figure: Fields | None) -> str:
    if figure is None:
        return ""
    if figure["low"] is None:
        return f"{figure['value']:.3f}"
    return f"{figure['value']:.3f} ({figure['low']:.3f} to {figure['high']:.3f})"
