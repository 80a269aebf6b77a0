"""The shared tier of the answer cache: which answers are worth sharing, and their bytes.

Bytes from outside this process are checked: they must be JSON of exactly the right shape and fit the position,
else they count as missing.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic import TypeAdapter, ValidationError

from kinarow import score
from kinarow.position import Position
from kinarow.rules import EMPTY, X
from kinarow.score import MAX_ESTIMATE, Score
from kinarow.search_types import MoveValue
from service.answers.answer import Answer

SHARED_KINDS = ("move", "analysis")
"""The questions at full strength; a level's choices are cheap, and spread over too many positions to meet again."""

MIN_EMPTIES = 20
"""Fewer empty cells are not asked for: most such boards are searched in less time than the asking takes."""

MIN_ELAPSED_MS = 1.0
"""Answers that were found sooner are not worth keeping for others."""

_MAX_COUNT = 2**53


class Bytes(Protocol):
    """A store of bytes that neither raises nor takes long."""

    def get(self, key: Hashable) -> bytes | None:
        """The bytes of a key, if there are any."""

    def put(self, key: Hashable, make: Callable[[], bytes]) -> None:
        """Have bytes written; they are made when it comes to that."""

    def name(self, key: Hashable) -> str:
        """The name that the store has for a key."""


@dataclass(frozen=True, slots=True)
class _Envelope:
    """A value with the name it is kept under, so that one found under another name is refused."""

    name: str
    answer: Answer


_ENVELOPE = TypeAdapter(_Envelope)


class SharedAnswers:
    """The shared tier of the cache of answers, for its keys ``(kind, rules, cells, limits)``.

    Args:
        store: where the bytes are.
    """

    def __init__(self, store: Bytes) -> None:
        self._store = store

    def get(self, key: Hashable) -> Any:
        """The answer to a question, if it is worth asking for, is there, and is one to this position."""
        form = _position(key)
        if form is None:
            return None
        found = self._store.get(key)
        return None if found is None else decode(found, self._store.name(key), form, _kind(key))

    def put(self, key: Hashable, value: Any) -> None:
        """Offer an answer that every machine would give: one that its time limit has not cut short."""
        if _position(key) is None or not isinstance(value, Answer):
            return
        if value.result.stopped_by == "time" or value.result.elapsed_ms < MIN_ELAPSED_MS:
            return
        self._store.put(key, lambda: encode(value, self._store.name(key)))


def encode(answer: Answer, name: str) -> bytes:
    """An answer as bytes, to be kept under a name."""
    return _ENVELOPE.dump_json(_Envelope(name, answer))


def decode(data: bytes, name: str, form: Position, kind: str) -> Answer | None:
    """The answer in these bytes, or None where they hold none to this question.

    Args:
        data: whatever was found.
        name: what it was found under.
        form: the canonical position that was asked about.
        kind: one of ``SHARED_KINDS``.
    """
    try:
        envelope = _ENVELOPE.validate_json(data, strict=True)
    except ValidationError:
        return None
    if envelope.name != name:
        return None
    return _checked(envelope.answer, form, kind)


def _kind(key: Any) -> str:
    """The first part of a key."""
    return str(key[0])


def _position(key: Any) -> Position | None:
    """The position of a key whose answer is worth sharing."""
    if key[0] not in SHARED_KINDS:
        return None
    _, rules, cells, *_ = key
    return Position(rules, cells, X) if cells.count(EMPTY) >= MIN_EMPTIES else None


def _checked(answer: Answer, form: Position, kind: str) -> Answer | None:
    """The same answer with its scores as this process writes them, or None if it does not fit the position."""
    result = answer.result
    legal = form.legal_moves()
    value = _score(result.score, form)
    if form.ending().state != "ongoing" or value is None or result.stopped_by == "time":
        return None
    if not (0 <= result.depth <= form.rules.cells and 0 <= result.nodes <= _MAX_COUNT):
        return None
    if not (math.isfinite(result.elapsed_ms) and result.elapsed_ms >= 0):
        return None
    if result.move not in legal or not _is_line(result.line, result.move, form):
        return None
    if list(result.best_moves) != sorted(set(result.best_moves).intersection(legal)) or not result.best_moves:
        return None
    if any(not _are_cells(reason.cells, form) for reason in answer.reasons):
        return None
    moves = _values(answer.moves, form)
    if moves is None or sorted(each.move for each in moves) != (list(legal) if kind == "analysis" else []):
        return None
    return Answer(replace(result, score=value), answer.reasons, moves)


def _values(values: tuple[MoveValue, ...], form: Position) -> tuple[MoveValue, ...] | None:
    """The values of moves, None if one does not fit."""
    sound = []
    for value in values:
        rescored = _score(value.score, form)
        if rescored is None or not _is_line(value.line, value.move, form):
            return None
        sound.append(replace(value, score=rescored))
    return tuple(sound)


def _is_line(line: tuple[int, ...], move: int | None, form: Position) -> bool:
    """Whether a line begins with the move and marks different empty cells."""
    return (
        line[:1] == (move,)
        and len(set(line)) == len(line)
        and _are_cells(line, form)
        and all(form.cells[cell] == EMPTY for cell in line)
    )


def _are_cells(cells: tuple[int, ...], form: Position) -> bool:
    return all(0 <= cell < form.rules.cells for cell in cells)


def _score(found: Score, form: Position) -> Score | None:
    """The score as this process would write it, None if there is no such score on this board."""
    cells, empties = form.rules.cells, form.empties
    if found.outcome == "unknown":
        fits = abs(found.value) <= MAX_ESTIMATE and found.distance is None and not found.is_bound
        fits = fits and abs(found.calibrated or 0) <= 1
        return replace(found, value=found.value + 0.0) if fits else None
    if found.distance is None or not 1 <= found.distance <= cells:
        return None
    if found.outcome == "draw":
        own = score.draw(empties)
    else:
        make = score.win if found.outcome == "win" else score.loss
        own = make(cells, found.distance, found.is_bound)
    return own if own == found else None
