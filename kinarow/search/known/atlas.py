"""What the atlas knows of an empty board, and the entries that are shipped."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from kinarow import score
from kinarow.game.geometry import Permutation, geometry
from kinarow.game.position import Position
from kinarow.game.rules import DIRECTION_NAMES, NAMES, RULES, O, Rules, Wrap, X
from kinarow.reading.positions import read_position
from kinarow.score import Score
from kinarow.search_types import MoveValue, SearchResult, Valued

FILE = Path(__file__).parent / "data" / "atlas.jsonl"

ENTRIES_KEPT = 128  # games for which ``find`` caches its result: a look-up may canonicalise six boards

_PROOF_FIELDS = ("nodes", "tried_nodes", "seconds", "limit_s", "method")
_TURNED_WRAP: dict[Wrap, Wrap] = {"none": "none", "both": "both", "rows": "columns", "columns": "rows"}


class Check(NamedTuple):
    """A second source for an entry's outcome, and whether both agree."""

    source: str
    agrees: bool


@dataclass(frozen=True, slots=True)
class Entry(Valued):
    """What is known of an empty board; outcome and distance are those of the side that begins."""

    rules: Rules
    score: Score  # proven, or an estimate if the board is open
    line: tuple[int, ...]  # the principal variation; empty if the board is open
    # the value of every first move, one of each set of symmetric ones, in tile order; None unless all of them are
    # proven
    first_moves: tuple[MoveValue, ...] | None
    nodes: int | None  # positions visited by the proof of the outcome; None if the board is open
    tried_nodes: int  # all positions visited, including those for the first moves
    seconds: float  # processor time
    limit_s: int  # the time limit, in seconds
    method: str  # the solvers that may have taken part; ``book`` is the shipped opening book or strategy
    checked_by: Check | None = None  # a second source, or None
    # for X and O the evidence that the side wins, or at least draws; None if it loses or nothing is known.
    # ``docs/atlas.md`` lists the values of ``by``
    known_by: dict[str, dict[str, str] | None] = field(default_factory=lambda: dict.fromkeys(NAMES.values()))
    _result: SearchResult | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def complete(self) -> bool:
        """Whether the outcome and the value of every first move are proven."""
        return self.first_moves is not None

    def result(self) -> SearchResult | None:
        """Return the entry as the result of a search of the empty board; None if the board is open."""
        if self._result is None and self.proven:
            object.__setattr__(self, "_result", self._find_result())
        return self._result

    def _find_result(self) -> SearchResult:
        """Build the result, with all first moves that are proven to be best."""
        best = {self.line[0]}
        if self.score.exact and self.first_moves is not None:
            best |= {value.move for value in self.first_moves if value.score == self.score}
        board = geometry(self.rules)
        images = tuple(sorted({cell for move in best for cell in board.equal_cells(self.rules.empty_board, move)}))
        known = self.score.exact and self.first_moves is not None and all(v.score.exact for v in self.first_moves)
        complete = known or len(images) == self.rules.empty_board.count(0)
        best_moves = images if self.score.exact else self.line[:1]
        depth = self.distance or 0
        return SearchResult(self.line[0], self.score, self.line, best_moves, complete, depth, source="atlas")

    def mapped(self, permutation: Permutation, rules: Rules) -> "Entry":
        """Map the entry to other rules, on whose board the cell ``permutation[i]`` stands for cell ``i``."""
        moves = self.first_moves
        return replace(
            self,
            rules=rules,
            line=tuple(permutation[cell] for cell in self.line),
            first_moves=None if moves is None else tuple(value.mapped(permutation) for value in moves),
        )

    def fields(self) -> dict[str, Any]:
        """Return the entry as plain data for JSON, without its lines."""
        moves = self.first_moves
        return {
            **self.rules.fields(),
            **({"board": Position.empty(self.rules).board} if self.rules.blocked else {}),
            **_value_fields(self),
            "move": self.line[0] + 1 if self.line else None,
            "first_moves": moves and [{"tile": value.move + 1, **_value_fields(value)} for value in moves],
            **{name: getattr(self, name) for name in _PROOF_FIELDS},
            "checked_by": self.checked_by and self.checked_by._asdict(),
            "known_by": self.known_by,
        }


def _value_fields(value: Valued) -> dict[str, Any]:
    return {name: getattr(value, name) for name in ("outcome", "distance", "distance_is_bound")}


def write(entry: Entry) -> str:
    """Return an entry as a line of JSON, without rules that have their default; tiles count from 1."""
    fields = entry.rules.short_fields()
    fields |= {name: value for name, value in entry.fields().items() if name not in RULES and name != "layers"}
    fields["line"] = [cell + 1 for cell in entry.line]
    for stored, value in zip(fields["first_moves"] or (), entry.first_moves or (), strict=True):
        stored["line"] = [cell + 1 for cell in value.line]
    return json.dumps(fields, separators=(",", ":"))


def read(text: str) -> Entry:
    """Read a line that ``write`` has made; raise ``ValueError`` for any other."""
    fields = json.loads(text)
    names = ("rows", "columns", "layers", "board", *RULES)
    rules = read_position({name: fields[name] for name in names if name in fields}).rules
    moves, check = fields["first_moves"], fields["checked_by"]
    return Entry(
        rules,
        _read_score(fields, rules),
        _cells(fields),
        moves and tuple(MoveValue(move["tile"] - 1, _read_score(move, rules), _cells(move)) for move in moves),
        **{name: fields[name] for name in _PROOF_FIELDS},
        checked_by=check and Check(**check),
        known_by=fields["known_by"] if "known_by" in fields else dict.fromkeys(NAMES.values()),
    )


def _read_score(fields: dict[str, Any], rules: Rules) -> Score:
    """Return the score of an entry or a move from its fields; an estimate of 0 if the outcome is unknown."""
    distance, is_bound = fields["distance"], fields["distance_is_bound"]
    match fields["outcome"]:
        case "win":
            return score.win(rules.cells, distance, is_bound)
        case "loss":
            return score.loss(rules.cells, distance, is_bound)
        case "draw":
            return score.draw(distance)
    return score.estimate(0, 1)


def _cells(fields: dict[str, Any]) -> tuple[int, ...]:
    return tuple(tile - 1 for tile in fields["line"])


def read_all(lines: Iterable[str]) -> dict[Rules, Entry]:
    """Return the entries of a file by their rules; skip a line that was only partly written."""
    return {entry.rules: entry for entry in (read(line) for line in lines if line.endswith("}\n"))}


@cache
def shipped() -> dict[Rules, Entry]:
    """Return the entries in the package by their rules."""
    with FILE.open(encoding="utf-8") as lines:
        return read_all(lines)


@lru_cache(maxsize=ENTRIES_KEPT)
def find(rules: Rules) -> Entry | None:
    """Return the entry of a game's empty board, or None; the atlas may have it with rows and columns exchanged."""
    for turned, permutation in _turned(rules):
        canonical = Position.empty(turned).canonical()
        if entry := shipped().get(canonical.position.rules):
            return entry.mapped(canonical.to_original, turned).mapped(permutation, rules)
    return None


def of(position: Position) -> Entry | None:
    """Return the entry of a position with an empty board, or None."""
    return None if X in position.cells or O in position.cells else find(position.rules)


def _turned(rules: Rules) -> Iterator[tuple[Rules, Permutation]]:
    """Yield the game and, without gravity, its forms with exchanged sides, each with the original cell of each cell."""
    sides = rules.layers, rules.rows, rules.columns
    swap = {"horizontal": "vertical", "vertical": "horizontal"}
    for axes in permutations(range(3)):
        layers, rows, columns = (sides[axis] for axis in axes)
        if axes != (0, 1, 2) and (rules.gravity or (rules.layers == 1 and axes != (0, 2, 1))):
            continue
        cells = np.arange(rules.cells).reshape(sides).transpose(axes).ravel().tolist()
        directions = {swap.get(name, name) for name in rules.directions} if axes == (0, 2, 1) else rules.directions
        yield (
            replace(
                rules,
                layers=layers,
                rows=rows,
                columns=columns,
                wrap=_TURNED_WRAP[rules.wrap] if axes == (0, 2, 1) else rules.wrap,
                directions=tuple(name for name in DIRECTION_NAMES if name in directions),
                blocked=sum(1 << place for place, cell in enumerate(cells) if rules.blocked >> cell & 1),
            ),
            tuple(cells),
        )
