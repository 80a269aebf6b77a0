"""Judges named players by their games: the quality of their moves in each phase, and their ratings.

A side that ends a game with an illegal move loses. The 95 % intervals are Wilson's for shares, normal for means, and
bootstrapped over games for ratings.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean, stdev
from typing import Any, NamedTuple

import numpy as np

from kinarow.errors import InputError, NotationError, several
from kinarow.game import notation
from kinarow.game.position import Position
from kinarow.game.rules import X
from kinarow.play.review import Review, ReviewedMove
from kinarow.reading import moves as reading

Fields = dict[str, Any]

PHASES = ("opening", "middle", "end")  # thirds of the game, by the share of marked cells before a move
ALL = "all"
LEVEL = re.compile(r"kinarow-level-\d+")

_IN_TABLE = ("best", "keeps_value", "perfect", "good", "blunders", "lost")
KEPT_DROP = 0.1  # an unproven move keeps the value if the expected result drops by less
_Z = 1.96
_DECIMALS = 4

ELO = 400 / math.log(10)
RESAMPLES = 200
ITERATIONS = 10_000
SETTLED = 1e-6


class Judged(NamedTuple):
    """A game: the names of X and O, its graded legal moves, and the number of legal moves before each illegal move."""

    players: dict[str, str]
    review: Review
    illegal: Sequence[int]

    @property
    def loser(self) -> str | None:
        """The side whose illegal move ended the game, or None."""
        ended = self.review.state == "ongoing" and len(self.review.moves) in self.illegal
        return notation.side_name(self.review.position.to_move) if ended else None


def split_legal(moves: object, start: Position) -> tuple[Sequence[int], Sequence[int]]:
    """Return the cells of a game's legal moves, and for each illegal move the number of legal moves before it.

    After an illegal move the same side moves again. Moves after the end of the game are ignored. Raises ``InputError``
    if the text can't be split into moves, or the numbers of a list may be columns instead of tiles.
    """
    try:
        return [cell for _, cell in start.replay(moves, first_cell=notation.TILE)], ()
    except InputError as wrong:
        if not re.fullmatch(r"/moves/\d+", wrong.problems[0][0]):
            raise
    words = reading.as_list(moves)
    if words is None:
        text, _ = reading.split_result(str(moves))
        words = [word for word, _ in reading.words_of(text, start.rules)]
    position, cells, illegal = start, list[int](), list[int]()
    for word in words:
        if position.ending().state != "ongoing":
            break
        try:
            cells.append(position.find_move(reading.read_move(word, start.rules, ""), ""))
            position = position.play(cells[-1])
        except InputError:
            illegal.append(len(cells))
    if illegal and reading.columns_meant(moves, start.rules):
        wanted = "the numbers may be tiles or columns; say which by --moves (MCP: moves_as)"
        raise NotationError("/moves", wanted)
    return cells, illegal


class Report(NamedTuple):
    """The figures of each player by name, Elo ratings relative to the lowest kinarow level that played, and the number
    of searches cut short by time.
    """

    players: dict[str, Fields]
    elo: Fields | None
    cut_by_time: int = 0


def report(games: Sequence[Judged]) -> Report:
    """Return the figures of every player, and ratings if a kinarow level played."""
    moves: dict[tuple[str, str, str], list[ReviewedMove]] = defaultdict(list)
    illegal: Counter[tuple[str, str]] = Counter()
    played: Counter[str] = Counter()
    for game in games:
        played.update(game.players.values())
        for number, move in enumerate(game.review.moves):
            for each in (_phase(game.review, number), ALL):
                moves[game.players[notation.side_name(move.to_move)], each, move.graded_by].append(move)
        turns = [*(move.to_move for move in game.review.moves), game.review.position.to_move]
        for number in game.illegal:
            for each in (_phase(game.review, number), ALL):
                illegal[game.players[notation.side_name(turns[number])], each] += 1
    players = {
        name: {
            "games": played[name],
            "phases": {
                phase: {
                    "illegal": illegal[name, phase],
                    "by_proof": _figures(moves[name, phase, "proof"], illegal[name, phase]),
                    "by_estimate": _figures(moves[name, phase, "estimate"]),
                }
                for phase in (ALL, *PHASES)
            },
        }
        for name in sorted(played)
    }
    return Report(players, _elo(games), sum(game.review.cut_by_time for game in games))


def _phase(review: Review, number: int) -> str:
    """Return the phase of the game's move with this index."""
    position = review.position
    marks = position.rules.cells - position.empties - len(review.moves) + number
    return PHASES[min(len(PHASES) - 1, len(PHASES) * marks // position.rules.cells)]


def _figures(moves: Sequence[ReviewedMove], illegal: int | None = None) -> Fields:
    """Return the figures of graded moves; with ``illegal`` also Kaggle's, which count illegal moves as bad."""
    clear = [move for move in moves if move.grade != "unclear"]
    drops = [drop for move in clear if (drop := _drop(move)) is not None]
    best, kept = sum(move.grade == "best" for move in clear), sum(map(_keeps, clear))
    tries = 0 if illegal is None else len(clear) + illegal
    return {
        "moves": len(clear),
        "unclear": len(moves) - len(clear),
        "best": _share(best, len(clear)),
        "keeps_value": _share(kept, len(clear)),
        "perfect": _share(best, tries),
        "good": _share(kept, tries),
        "blunders": _share(sum(move.grade == "blunder" for move in clear), len(clear)),
        "lost": _mean(drops),
    }


def _drop(move: ReviewedMove) -> float | None:
    best, played = move.best_score.expected, move.score.expected
    return None if best is None or played is None else best - played


def _keeps(move: ReviewedMove) -> bool:
    if move.proven and move.best_score.proven:
        return move.outcome == move.best_outcome
    drop = _drop(move)
    return drop is not None and drop < KEPT_DROP


def _share(count: int, total: int) -> Fields | None:
    if not total:
        return None
    share, square = count / total, _Z * _Z / total
    middle = (share + square / 2) / (1 + square)
    margin = math.sqrt(share * (1 - share) * square + square * square / 4) / (1 + square)
    return {"count": count, **_rounded(share, max(0.0, middle - margin), min(1.0, middle + margin))}


def _mean(values: Sequence[float]) -> Fields | None:
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
    """Return ratings relative to the lowest kinarow level, of all players that games connect with it."""
    finished = [
        Game(game.players["X"], game.players["O"], score) for game in games if (score := _score(game)) is not None
    ]
    finished = [game for game in finished if game.first != game.second]
    levels = {name for game in finished for name in game[:2] if LEVEL.fullmatch(name)}
    if not levels:
        return None
    anchor = min(levels, key=lambda name: int(name.rpartition("-")[2]))
    reached = {anchor}
    while more := {name for game in finished if reached & {*game[:2]} for name in game[:2]} - reached:
        reached |= more
    rated = rate([game for game in finished if game.first in reached], anchor)
    return {name: {key: round(value) for key, value in rating._asdict().items()} for name, rating in rated.items()}


def _score(game: Judged) -> float | None:
    """Return the points of X; None if the game isn't over."""
    if game.loser is not None:
        return float(game.loser != "X")
    if game.review.state == "ongoing":
        return None
    return 0.5 if game.review.winner is None else float(game.review.winner == X)


class Game(NamedTuple):
    """A finished game; ``score`` is the first player's: 1, 0.5 or 0."""

    first: str
    second: str
    score: float


class Rating(NamedTuple):
    """A rating with its 95 % interval."""

    value: float
    low: float
    high: float


def ratings(games: Iterable[Game], anchor: str) -> dict[str, float]:
    """Return Bradley-Terry strengths on the Elo scale, with 0 for the anchor; a draw is half a win.

    Uses the minorisation of Hunter (MM algorithms for generalized Bradley-Terry models, 2004). Each pair that met gets
    a quarter of a win for both players in addition, so that a player who never lost has a finite rating. Games must
    connect the anchor with every other player, directly or through others.
    """
    scores: Counter[tuple[str, str]] = Counter()
    for first, second, score in games:
        scores[first, second] += score  # type: ignore[assignment]
        scores[second, first] += 1 - score  # type: ignore[assignment]
    players = sorted({anchor, *(first for first, _ in scores)})
    place = {player: index for index, player in enumerate(players)}
    won = np.zeros((len(players), len(players)))
    for (first, second), score in scores.items():
        won[place[first], place[second]] = score + 0.25
    met, wins = won + won.T, won.sum(axis=1)
    strength = np.ones(len(players))
    for _ in range(ITERATIONS):
        new = wins / np.maximum(1e-12, (met / (strength[:, None] + strength[None, :])).sum(axis=1))
        new /= new[place[anchor]]
        settled = np.abs(np.log(new / strength)).max() < SETTLED
        strength = new
        if settled:
            break
    return {player: ELO * math.log(strength[place[player]]) for player in players}


def rate(games: Sequence[Game], anchor: str) -> dict[str, Rating]:
    """Return the ratings with 95 % intervals by bootstrap over the games of each pair."""
    rng = np.random.default_rng(1)
    values = ratings(games, anchor)
    pairs: dict[frozenset[str], list[Game]] = {}
    for game in games:
        pairs.setdefault(frozenset((game.first, game.second)), []).append(game)
    samples = [
        ratings([met[i] for met in pairs.values() for i in rng.integers(len(met), size=len(met))], anchor)
        for _ in range(RESAMPLES)
    ]
    return {
        player: Rating(value, *map(float, np.quantile([sample[player] for sample in samples], [0.025, 0.975])))
        for player, value in values.items()
    }


def as_markdown(figures: Report) -> str:
    """Return the report as Markdown tables; a player without graded moves has one row, with the illegal moves."""
    if not figures.players:
        return "# Play, judged\n\nThere are no games.\n"
    lines = ["# Play, judged", "", "Each value with its 95 % interval.", ""]
    if figures.cut_by_time:
        cut = several(figures.cut_by_time, "position")
        lines[2] += f" The searches of {cut} were cut short by time: the next report may differ."
    lines += [
        "| player | phase | values | moves | best | keeps value | perfect | good | blunders | lost a move | illegal |"
    ]
    lines += ["| --- " * 11 + "|"]
    for name, player in figures.players.items():
        for phase, by in player["phases"].items():
            kinds = [kind for kind in ("proof", "estimate") if by[f"by_{kind}"]["moves"]]
            for kind in kinds or [""] * (phase == ALL or by["illegal"] > 0):
                shown = by[f"by_{kind or 'proof'}"]
                values = (_shown(shown[each]) for each in _IN_TABLE)
                cells = (_safe(name), phase, kind, shown["moves"], *values)
                # Illegal moves have no value, so only the first row of a phase counts them.
                lines.append(f"| {' | '.join(map(str, cells))} | {by['illegal'] if kind in ('', *kinds[:1]) else ''} |")
    if figures.elo:
        lines += ["", "| player | Elo |", "| --- | --- |"]
        for name, elo in figures.elo.items():
            lines.append(f"| {_safe(name)} | {elo['value']:+} ({elo['low']:+} to {elo['high']:+}) |")
    return "\n".join(lines) + "\n"


def _safe(name: str) -> str:
    """Escape a name for a Markdown table."""
    return " ".join(name.split()).replace("|", "\\|")


def _shown(figure: Fields | None) -> str:
    if figure is None:
        return ""
    interval = "" if figure["low"] is None else f" ({figure['low']:.3f} to {figure['high']:.3f})"
    return f"{figure['value']:.3f}{interval}"
