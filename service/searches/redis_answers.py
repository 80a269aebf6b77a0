"""The shared tier of the answer cache: it selects the answers worth sharing, and writes and reads their bytes.

Bytes from outside this process are checked: they must be JSON of exactly the right shape and fit the position;
otherwise they count as missing.
"""

import math
from dataclasses import dataclass, replace

from pydantic import TypeAdapter, ValidationError

from kinarow import score
from kinarow.engine import Found, Question
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY
from kinarow.play.levels import FULL_STRENGTH
from kinarow.score import MAX_ESTIMATE, Score
from kinarow.search_types import SearchResult
from service.searches.redis_store import RedisStore

SHARED_KINDS = ("move", "analysis")
"""Answers at full strength. The choices of levels are not shared: they are cheap, and rarely wanted twice."""

MIN_EMPTIES = 20  # positions with fewer empty cells are not shared: most are searched sooner than looked up
MIN_ELAPSED_MS = 1.0  # answers that took less time are not shared
_MAX_COUNT = 2**53


@dataclass(frozen=True, slots=True)
class _Envelope:
    """An answer with the name it was stored under; under any other name it is refused."""

    name: str
    answer: SearchResult


_ENVELOPE = TypeAdapter(_Envelope)


class RedisAnswers:
    """The shared tier of the cache of answers."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store

    def get(self, kind: str, question: Question, key: bytes) -> SearchResult | None:
        """The answer of a key, or None if the kind is not shared, it is missing, or it does not fit the position."""
        if not _is_shared(kind, question):
            return None
        data = self._store.get(key)
        return None if data is None else decode(data, self._store.name(key), question.position, kind)

    def put(self, kind: str, question: Question, key: bytes, result: Found) -> None:
        """Share an answer unless time ended its search: another machine might then give another."""
        if not _is_shared(kind, question) or not isinstance(result, SearchResult):
            return
        if result.stopped_by == "time" or result.elapsed_ms < MIN_ELAPSED_MS:
            return
        self._store.put(key, lambda: encode(result, self._store.name(key)))


def encode(answer: SearchResult, name: str) -> bytes:
    """An answer as bytes, to be stored under a name."""
    return _ENVELOPE.dump_json(_Envelope(name, answer), exclude_defaults=True)


def decode(data: bytes, name: str, position: Position, kind: str) -> SearchResult | None:
    """The answer in these bytes, or None if they are not a valid one of ``SHARED_KINDS`` for this position."""
    try:
        envelope = _ENVELOPE.validate_json(data, strict=True)
    except ValidationError:
        return None
    return _sound(envelope.answer, position, kind) if envelope.name == name else None


def _is_shared(kind: str, question: Question) -> bool:
    """Whether an answer is worth sharing."""
    of_all_moves = question.level == FULL_STRENGTH and question.allowed is None
    return kind in SHARED_KINDS and of_all_moves and question.position.empties >= MIN_EMPTIES


def _sound(result: SearchResult, position: Position, kind: str) -> SearchResult | None:
    """The answer with its scores as this process writes them, or None if it cannot be one for the position."""
    legal = position.legal_moves()
    value, values = _own_score(result.score, position), [_own_score(move.score, position) for move in result.moves]
    possible = (
        position.ending().state == "ongoing"
        and result.stopped_by != "time"
        and 0 <= result.depth <= position.rules.cells
        and 0 <= result.nodes <= _MAX_COUNT
        and 0 <= result.elapsed_ms < math.inf
        and result.move in legal
        and _is_line(result.line, result.move, position)
        and len(result.best_moves) > 0
        and list(result.best_moves) == sorted(set(result.best_moves).intersection(legal))
        and sorted(move.move for move in result.moves) == (list(legal) if kind == "analysis" else [])
        and all(_is_line(move.line, move.move, position) for move in result.moves)
        and all(_are_cells(reason.cells, position) for reason in result.reasons)
    )
    if value is None or None in values or not possible:
        return None
    moves = tuple(replace(move, score=own) for move, own in zip(result.moves, values, strict=True) if own is not None)
    return replace(result, score=value, moves=moves)


def _is_line(line: tuple[int, ...], move: int | None, position: Position) -> bool:
    """Whether a line begins with the move and marks different empty cells."""
    return (
        line[:1] == (move,)
        and len(set(line)) == len(line)
        and _are_cells(line, position)
        and all(position.cells[cell] == EMPTY for cell in line)
    )


def _are_cells(cells: tuple[int, ...], position: Position) -> bool:
    return all(0 <= cell < position.rules.cells for cell in cells)


def _own_score(claimed: Score, position: Position) -> Score | None:
    """The score as this process would write it, or None if no position of this board has such a score."""
    cells = position.rules.cells
    if claimed.outcome == "unknown":
        possible = (
            abs(claimed.value) <= MAX_ESTIMATE
            and claimed.distance is None
            and not claimed.is_bound
            and abs(claimed.calibrated or 0) <= 1
        )
        return replace(claimed, value=claimed.value + 0.0) if possible else None
    if not abs(claimed.value) <= cells:  # nor is NaN
        return None
    own = score.proven(int(claimed.value), cells, position.empties, claimed.is_bound)
    return own if own == claimed else None
