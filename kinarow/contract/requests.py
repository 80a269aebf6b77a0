"""The requests, as frozen and strict models that forbid unknown fields.

A field that was not sent, or sent as null, is ``MISSING``. ``kinarow.reading.positions`` checks what depends on
several fields, such as the shape of a board.
"""

from collections.abc import Collection
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, TypeVar

from pydantic import MISSING, ConfigDict, Field, ValidationError, WithJsonSchema, create_model
from pydantic_core import ErrorDetails

from kinarow.contract.model import Board, Game, Model, Moves, SentSide
from kinarow.contract.problems import MAX_ERRORS, invalid
from kinarow.errors import QUOTE_LIMIT, quoted
from kinarow.game.notation import MAX_DIGIT_COLUMNS
from kinarow.game.rules import DIRECTION_NAMES, RULES, Rule
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.play.levels import FULL_STRENGTH
from kinarow.reading.names import did_you_mean
from kinarow.reading.positions import POSITION_REQUIRED, lacks_position
from kinarow.reading.tables import MAX_RECORD
from kinarow.search_types import MAX_INTEGER


class Request(Model):
    """The base of all requests."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @classmethod
    def read(cls, data: object, hints: bool = True) -> Self:
        """Read the request in a JSON value.

        Raises:
            Problem: 422; it names every field that is wrong, and with ``hints`` says what was probably meant.
        """
        sent = data.keys() if isinstance(data, dict) else ()
        known = [name for name in cls.model_fields if name not in sent] if hints else []
        nulls: dict[str, str] = {}
        if isinstance(data, dict) and None in data.values():
            data, nulls = cls._without_nulls(data)
        left_out = 0
        if isinstance(data, dict) and len(data) > MAX_ERRORS:
            data, left_out = cls._few_unknown(data)
        problems = list(nulls.items())
        try:
            request = cls.model_validate(data)
        except ValidationError as wrong:
            problems += [each for each in _problems_of(wrong, known) if each[0] not in nulls]
        if isinstance(data, dict) and not nulls:
            # Where "did you mean board?" is asked already, it need not be said that the board is required.
            is_hinted = any(detail.endswith(("mean board?", "mean moves?", "mean record?")) for _, detail in problems)
            problems += [each for each in cls._missing(data) if not (is_hinted and "is required" in each[1])]
        if problems:
            raise invalid(problems, left_out)
        return request

    @classmethod
    def _few_unknown(cls, data: dict[str, object]) -> tuple[dict[str, object], int]:
        """Keep only as many unknown fields as an error lists, since each takes time; return how many are left out."""
        left_out = set(sorted(data.keys() - cls.model_fields.keys())[MAX_ERRORS + 1 :])
        return {name: value for name, value in data.items() if name not in left_out}, len(left_out)

    @classmethod
    def _missing(cls, data: dict[str, object]) -> list[tuple[str, str]]:
        """Return the errors about fields of which one is required, or only one allowed."""
        asks_about_position = "to_move" in cls.model_fields
        return [("/board", POSITION_REQUIRED)] if asks_about_position and lacks_position(data) else []

    @classmethod
    def _without_nulls(cls, data: dict[str, object]) -> tuple[dict[str, object], dict[str, str]]:
        """Drop nulls in optional fields, which send nothing; return the fields and the errors of other nulls."""
        optional = {name for name, field in cls.model_fields.items() if not field.is_required()} - _NEVER_NULL
        kept = {name: value for name, value in data.items() if value is not None or name not in optional}
        nulls = [name for name in cls.model_fields.keys() & _NEVER_NULL if name in kept and kept[name] is None]
        return kept, {f"/{name}": f"{name} is null; send a value, or leave the field out" for name in nulls}

    def sent(self) -> dict[str, object]:
        """Return the fields that were sent, in the model's order, so that all processes report the same error first."""
        sent = self.model_fields_set
        return {name: value for name, value in self.__dict__.items() if name in sent}


_NEVER_NULL = {"board", "moves", "record"}  # A client that means a position must not get the answer for the empty board

T = TypeVar("T")
D = TypeVar("D")


def or_default(value: T | MISSING, default: D) -> T | D:
    """Return the value of a field, or the default if it was not sent."""
    return default if value is MISSING else value


class NoFields(Request):
    """No fields."""


_DIRECTIONS = {"min_length": 1, "max_length": len(DIRECTION_NAMES), "examples": [["horizontal", "vertical"]]}
_CONSTRAINTS: dict[str, dict[str, Any]] = {
    "goal": {"ge": 1, "le": MAX_SIDE, "examples": [4]},
    "directions": {**_DIRECTIONS, "json_schema_extra": {"uniqueItems": True}},
}


def _rule_field(rule: Rule) -> tuple[Any, Any]:
    """Return the type and the default of a rule's field."""
    values: Any = {"integer": int, "switch": bool}.get(rule.kind) or Literal[rule.choices]
    field = Field(description=rule.description, **_CONSTRAINTS.get(rule.name, {}))
    return Annotated[list[values] if rule.kind == "list" else values, field] | MISSING, MISSING


if TYPE_CHECKING:
    _Declared = Model
else:
    _Declared = create_model("_Declared", __base__=Model, **{rule.name: _rule_field(rule) for rule in RULES.values()})

# Pydantic collects the fields of the last base first, so the bases stand in reverse order.


class RuleFields(_Declared):
    """The rules of a game, as ``Rules`` declares them."""

    game: Game | MISSING = MISSING
    """A game by its [name](guide/rules.html#games-with-a-name), which sets the rules and the size. Rule fields must
    agree, and a board of another size needs `rows` and `columns` too."""


class SizeFields(Model):
    """The size of the board."""

    rows: Annotated[int, Field(ge=1, le=MAX_SIDE)] | MISSING = MISSING
    """The number of rows, which must agree with `board`. Without a board it is required, unless `game` sets it."""
    columns: Annotated[int, Field(ge=1, le=MAX_SIDE)] | MISSING = MISSING
    """The number of columns, under the same conditions as `rows`."""
    layers: Annotated[int, Field(ge=1, le=MAX_SIDE, examples=[4])] | MISSING = MISSING
    """The number of layers, one above the other, with at most 625 cells together. Lines run in all 13 directions of
    space. By default that of `game`, else 1."""


class StartFields(Model):
    """A board, and the side that makes the first of the moves on it."""

    board: Annotated[Board, Field(examples=[["X.O", ".X.", "..O"]])] | MISSING = MISSING
    """The rows from top to bottom: `X`, `O`, `.` empty, `#` blocked. With `layers` the rows of all layers, the bottom
    one first. By default the empty board of the known size. [Also accepted](guide/api.html#also-accepted)."""
    first: SentSide | MISSING = MISSING
    """The side that makes the first of `moves`. By default the side to move on `board`, on an empty board `X`."""
    composed: bool | MISSING = MISSING
    """Whether `board` may have any number of marks of either side, as in a puzzle. Then send `to_move`, or with `moves`
    `first`. Not with `renju`, where the numbers of marks say who began."""


class PositionFields(StartFields):
    """A position, by its board or by its moves, and whose move it is."""

    moves: Moves | MISSING = MISSING
    """Moves to make on `board` in turn. With gravity and at most nine columns, the column of each from 1, as in
    `4453`; otherwise a letter for the column and the row from the bottom, as in `h8 h7 i9`.
    [Also accepted](guide/api.html#also-accepted)."""
    to_move: SentSide | MISSING = MISSING
    """The side to move, after `moves` if you send them. By default the side with fewer marks; with equal counts, the
    opponent of a side that has completed a line, else X. If O may start, always send it."""


class ChoiceFields(Model):
    """The moves among which the side to move may choose."""

    only: Annotated[Moves, Field(examples=["35"])] | MISSING = MISSING
    """The only moves that the side to move may choose, in the forms of `moves`."""
    exclude: Annotated[Moves, Field(examples=["4"])] | MISSING = MISSING
    """Moves that the side to move must not choose. Not together with `only`."""


class BudgetFields(Model):
    """Limits of a search that have the same effect on every machine."""

    max_depth: Annotated[int, Field(ge=1, le=MAX_CELLS)] | MISSING = MISSING
    """The maximum depth of the search in plies. A result that it proves within this depth is proven."""
    max_nodes: Annotated[int, Field(ge=1, le=MAX_INTEGER, examples=[100000])] | MISSING = MISSING
    """The maximum number of nodes. Every machine gives the same answer, unless the time limit ends the search first. A
    value above the server's limit is refused. The default is a server setting."""


class MoveRequest(BudgetFields, ChoiceFields, SizeFields, RuleFields, PositionFields, Request):
    """A position, its rules, and the limits of its search."""

    time_limit_ms: Annotated[int, Field(ge=1, le=MAX_INTEGER, examples=[500])] | MISSING = MISSING
    """The maximum time of the search in milliseconds. The server's own limit applies too."""
    level: Annotated[int, Field(ge=1, le=FULL_STRENGTH)] = FULL_STRENGTH
    """Playing strength. 10, the default, is full strength; lower levels play weaker and varied moves."""
    seed: Annotated[int, Field(ge=0, le=MAX_INTEGER)] | MISSING = MISSING
    """Makes a varied choice repeatable. At level 10 it chooses among `best_moves`."""


class AnalysisRequest(MoveRequest):
    """The fields of `/move`, and the number of moves to list."""

    top: Annotated[int, Field(ge=1, le=MAX_CELLS)] | MISSING = MISSING
    """The number of moves to list, best first. By default all."""


class PictureRequest(MoveRequest):
    """A position to be drawn."""

    values: bool = False
    """Whether to write the value of each move into its cell, by a search within the same limits. By default
    `false`."""


class ReviewRequest(BudgetFields, SizeFields, RuleFields, StartFields, Request):
    """A game that begins with the empty board or with a given one, or the record of a game."""

    moves: Moves | MISSING = MISSING
    """The moves of the game in turn. With gravity and at most nine columns, the column of each from 1, as in
    `4453`; otherwise a letter for the column and the row from the bottom, as in `h8 h7 i9`.
    [Also accepted](guide/api.html#also-accepted)."""
    record: Annotated[str, Field(max_length=MAX_RECORD, examples=["(;GM[4]SZ[15];B[hh];W[ih];B[hg])"])] | MISSING = (
        MISSING
    )
    """A game as programs keep it, in place of `board` and `moves`: SGF, Piskvork's `.psq`, or numbered
    moves. Its size counts, and its rules unless you send others. [Records](guide/api.html#records)."""

    @classmethod
    def _missing(cls, data: dict[str, object]) -> list[tuple[str, str]]:
        if "record" in data:
            return [(f"/{name}", "not with record") for name in ("board", "moves") if name in data]
        return [] if "moves" in data else [("/moves", "moves or record is required")]


class MovesRequest(Request):
    """Many requests of ``/move`` at once."""

    # Each is validated by itself, so that a bad one does not affect the others.
    requests: list[object]
    """Requests of `/move`. A server setting limits their number."""


class SolveRequest(Request):
    """A position of Connect Four, as clients of connect4.gamesolver.org send it; ``protocols.gamesolver`` reads it."""

    pos: Annotated[str, Field(json_schema_extra={"pattern": "^[1-9]*$"})] = ""
    """The columns of the moves so far, digits from 1 to 9. Empty or missing for the empty board."""
    rows: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_SIDE})] | MISSING = MISSING
    """Rows of the board, 6 by default."""
    columns: Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": MAX_DIGIT_COLUMNS})] | MISSING = MISSING
    """Columns of the board, 7 by default."""


class TreeRequest(SizeFields, RuleFields, PositionFields, Request):
    """A position whose search tree is small enough to be shown."""

    max_depth: Annotated[int, Field(ge=1, le=MAX_CELLS, examples=[3])] | MISSING = MISSING
    """The depth of the tree in plies. An unfinished position at that depth has the estimate of the line heuristic as
    its value. By default the tree goes to the end of the game."""
    pruning: bool = True
    """`true`, the default, for alpha-beta, which skips moves that cannot change the result; `false` for plain
    minimax."""


class PuzzleRequest(SizeFields, RuleFields, Request):
    """A game, and the choice of one of its puzzles."""

    seed: Annotated[int, Field(ge=0, le=MAX_INTEGER)] | MISSING = MISSING
    """Chooses the puzzle. By default each request gets another one."""
    max_plies: Annotated[int, Field(ge=1, le=MAX_CELLS)] | MISSING = MISSING
    """The maximum number of plies to the win."""


Name = Annotated[str, Field(min_length=1, max_length=100)]


class Players(Request):
    """The names of the players of a game."""

    X: Name
    O: Name  # noqa: E741 - the side's name


class JudgedGame(ReviewRequest):
    """A game whose players are judged."""

    players: Players


class JudgeRequest(BudgetFields, Request):
    """Games whose players are judged, and a budget for games without one."""

    moves_as: Literal["tiles", "cells", "columns", "columns-from-0", "text"] | MISSING = MISSING
    """What numbers in `moves` are: `tiles` from 1 (the default for lists), `cells` from 0, `columns` from 1,
    `columns-from-0`, or `text`."""

    games: Annotated[object, WithJsonSchema({"type": "string"})]
    """Games, as text with a JSON object on each line. Each has `players`, such as
    `{"X": "mine", "O": "kinarow-level-3"}`, and the fields of a review. Illegal moves are judged too."""


# ---------------------------------------------------------------- errors

_WHAT_IS_WANTED = {
    "int_type": "must be an integer",
    "float_type": "must be a number",
    "bool_type": "must be true or false",
    "string_type": "must be a string",
    "string_unicode": "must be Unicode text",
    "literal_error": "must be {expected}",
    "list_type": "must be a list",
    "greater_than_equal": "must be at least {ge}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must list at least {min_length}",
    "too_long": "must list at most {max_length}",
}


def _problems_of(wrong: ValidationError, known: Collection[str]) -> list[tuple[str, str]]:
    """Return the pointer and the detail of each error; ``known`` names the fields that a hint may suggest."""
    errors = wrong.errors(include_url=False)
    if len(errors) > MAX_ERRORS:
        # Finding similar names for thousands of unknown fields would cost more than a search.
        known = ()
    return [("".join(pointer_to(str(part)) for part in error["loc"]), _detail(error, known)) for error in errors]


def pointer_to(name: str) -> str:
    """Return the JSON pointer to a field of the request; a very long name is cut."""
    if len(name) > QUOTE_LIMIT:
        name = name[: QUOTE_LIMIT - 1] + "…"
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def _detail(error: ErrorDetails, known: Collection[str]) -> str:
    kind = error["type"]
    if kind == "missing":
        return f"{error['loc'][-1]} is required"
    if kind == "extra_forbidden":
        return f"unknown field{did_you_mean(str(error['loc'][-1]), known)}"
    if kind == "string_unicode" and not error["loc"]:
        return f"a field's name must be Unicode text, not {quoted(error['input'])}"
    if kind in ("model_type", "dict_type"):
        return f"{'' if error['loc'] else 'the body '}must be an object, not {quoted(error['input'])}"
    wanted = _WHAT_IS_WANTED.get(kind)
    if wanted is None:
        return error["msg"]
    context = error.get("ctx", {})
    return f"{wanted.format(**context)}, not {context.get('actual_length', quoted(error['input']))}"
