"""The fields of every request and answer: types, ranges and examples. Their descriptions stand in ``fields.toml``.

Requests are typed dictionaries: a field that was not sent is absent, and no field may be ``null``.
Answers are plain data built elsewhere; their models here document them, and the tests check answers
against them.
"""

import json
from collections import ChainMap
from collections.abc import Collection
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, WithJsonSchema, with_config
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import ErrorDetails
from typing_extensions import TypeAliasType, TypedDict

from kinarow.contract.problem_kinds import MAX_ERRORS, invalid
from kinarow.contract.words import WORDS
from kinarow.errors import QUOTE_LIMIT, quoted
from kinarow.game.notation import MAX_DIGIT_COLUMNS, MAX_MOVES_TEXT
from kinarow.game.position_fields import POSITION_REQUIRED, lacks_position
from kinarow.game.rules import DIRECTION_NAMES, PRESETS, Direction, Rules, Wrap
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.play.levels import FULL_STRENGTH
from kinarow.play.reasons import Code
from kinarow.search_types import Source

MAX_INTEGER = 2**53 - 1  # the largest integer that every reader of JSON holds exactly
_ROWS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": MAX_CELLS,
    "items": {"type": "string", "maxLength": MAX_SIDE, "pattern": "^[Xx1Oo2._ 0#-]+$"},
}
_LAYERS: dict[str, Any] = {
    "type": "array",
    "minItems": 2,
    "maxItems": MAX_SIDE,
    "items": {**_ROWS, "maxItems": MAX_SIDE},
}
_BOARD_TEXT: dict[str, Any] = {
    "type": "string",
    # A separator before each row, and one more before each layer.
    "maxLength": 2 * MAX_CELLS + MAX_SIDE,
    "pattern": "^[Xx1Oo2._ 0#/-]+$",
}
BOARD_TEXT_SCHEMA: dict[str, Any] = {**_BOARD_TEXT, "description": "The rows with `/` between them, layers with `//`."}
"""The board in a query, which is always text."""

Board = TypeAliasType(
    "Board",
    Annotated[
        Any,
        WithJsonSchema(
            {
                "description": "The rows from top to bottom, or one string with `/` between the rows; with layers "
                "the rows of all layers, the bottom one first, or a list of rows for each layer, or one string with "
                "`//` between layers.",
                "anyOf": [_ROWS, _LAYERS, _BOARD_TEXT],
            }
        ),
    ],
)
"""A board in the OpenAPI document. ``kinarow.game.notation`` reads more spellings; the field's
description names them."""

Side = TypeAliasType(
    "Side",
    Annotated[
        Literal["X", "O", "x", "o"],
        WithJsonSchema({"type": "string", "enum": ["X", "O"], "description": "A side by its mark."}),
    ],
)

_INDEX = {"type": "integer", "minimum": 0, "maximum": MAX_SIDE - 1}
_TILE = {"type": "integer", "minimum": 1, "maximum": MAX_CELLS}
MOVES_TEXT_SCHEMA: dict[str, Any] = {"type": "string", "maxLength": MAX_MOVES_TEXT}
"""Moves in a query, which are always text."""

Moves = TypeAliasType(
    "Moves",
    Annotated[
        Any,
        WithJsonSchema(
            {
                "description": "Moves in their order, as text or as a list of tiles, of `[row, column]` (with layers "
                "`[layer, row, column]`) or of cells.",
                "anyOf": [
                    MOVES_TEXT_SCHEMA,
                    {"type": "array", "maxItems": MAX_CELLS, "items": _TILE},
                    {
                        "type": "array",
                        "maxItems": MAX_CELLS,
                        "items": {"type": "array", "minItems": 2, "maxItems": 3, "items": _INDEX},
                    },
                    {
                        "type": "array",
                        "maxItems": MAX_CELLS,
                        "items": {
                            "type": "object",
                            "required": ["column"],
                            "additionalProperties": False,
                            "properties": {"layer": _INDEX, "row": _INDEX, "column": _INDEX, "tile": _TILE},
                        },
                    },
                ],
            }
        ),
    ],
)
"""Moves in the OpenAPI document; a list may mix the forms. ``kinarow.game.notation`` reads them."""

MOVES_AS_TEXT = (
    "With gravity and at most nine columns: a digit for each column, counted from 1, such as `4453`. On other boards: "
    "for each move a letter for the column from `a` and a number for the row counted from the bottom, such as "
    "`h8 h7 i9`. Spaces and commas may stand between moves."
)
MOVES_IN_WORDS = (
    f"Send text or a list. Text: {MOVES_AS_TEXT[0].lower()}{MOVES_AS_TEXT[1:]} List: tiles, `[row, column]`, cells of "
    'an answer, or with gravity `{"column": c}` with c from 0. With layers there is no text; a list has tiles, '
    '`[layer, row, column]`, cells, or with gravity `{"row": r, "column": c}`.'
)

Game = TypeAliasType(
    "Game",
    Annotated[str, WithJsonSchema({"type": "string", "enum": list(PRESETS), "description": "A game by its name."})],
)


def _size(preset: Rules) -> str:
    layers = f" × {preset.layers} layers" if preset.layers > 1 else ""
    return f"{preset.rows} × {preset.columns}{layers}"


def _in_words(preset: Rules) -> str:
    special = [name if value is True else f"{name} {value}" for name, value in preset.special().items()]
    return ", ".join([f"goal {preset.goal}", *special])


STRICT = ConfigDict(extra="forbid", strict=True)


class RuleFields(TypedDict, total=False):
    """The rules of a game."""

    goal: Annotated[int, Field(ge=1, le=MAX_SIDE, examples=[4])]
    gravity: bool
    misere: bool
    exact_goal: bool
    wrap: Wrap
    directions: Annotated[
        list[Direction],
        Field(
            min_length=1,
            max_length=len(DIRECTION_NAMES),
            examples=[["horizontal", "vertical"]],
            json_schema_extra={"uniqueItems": True},
        ),
    ]
    caro: bool
    renju: bool
    game: Annotated[
        Game,
        Field(
            description="A preset that sets all fields of the rules; a field sent beside it must agree. "
            + "; ".join(f"`{name}`: {_in_words(preset)}" for name, preset in PRESETS.items())
            + ". Without a board it also sets the size. Other common names work too, such as `connect4` and `ttt`."
        ),
    ]


class SizeFields(TypedDict, total=False):
    """The size of the board."""

    rows: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_SIDE,
            description="The number of rows. It must agree with the rows of `board`. A flat `board` needs it, and so "
            "does a request without a board, unless `game` sets the size. rows × columns of the presets are "
            + "; ".join(f"`{name}`: {_size(game)}" for name, game in PRESETS.items())
            + ".",
        ),
    ]
    columns: Annotated[int, Field(ge=1, le=MAX_SIDE)]
    layers: Annotated[
        int,
        Field(
            ge=1,
            le=MAX_SIDE,
            description="How many layers the board has, one above the other; a board has at most "
            f"{MAX_CELLS} cells. Lines run in all 13 directions of space. By default 1, or what `game` says.",
            examples=[4],
        ),
    ]


class StartFields(TypedDict, total=False):
    """A board, and moves made on it."""

    board: Annotated[Board, Field(examples=[["X.O", ".X.", "..O"], "X.O/.X./..O"])]
    first: Side


class PositionFields(StartFields, total=False):
    """A position, by its board or by its moves, and whose move it is."""

    moves: Annotated[
        Moves,
        Field(
            description="The moves that lead to the position, made in turn from `board` on, or from the empty board. "
            + MOVES_IN_WORDS,
            examples=["4453", [5, 1, 9], [[1, 1], [0, 0]]],
        ),
    ]
    to_move: Side


class ChoiceFields(TypedDict, total=False):
    """The moves among which the side to move may choose."""

    only: Annotated[Moves, Field(examples=["35"])]
    exclude: Annotated[Moves, Field(examples=["4"])]


class BudgetFields(TypedDict, total=False):
    """Limits of a search that have the same effect on every machine."""

    max_depth: Annotated[int, Field(ge=1, le=MAX_CELLS)]
    max_nodes: Annotated[int, Field(ge=1, le=MAX_INTEGER, examples=[100000])]


@with_config(STRICT)
class MoveRequest(PositionFields, RuleFields, SizeFields, ChoiceFields, BudgetFields, total=False):
    """A position, its rules, and the limits of its search."""

    time_limit_ms: Annotated[int, Field(ge=1, le=MAX_INTEGER, examples=[500])]
    level: Annotated[int, Field(ge=1, le=FULL_STRENGTH)]
    seed: Annotated[int, Field(ge=0, le=MAX_INTEGER)]


@with_config(STRICT)
class AnalysisRequest(MoveRequest, total=False):
    """The fields of `/move`, and the number of moves to list."""

    top: Annotated[int, Field(ge=1, le=MAX_CELLS)]


@with_config(STRICT)
class PictureRequest(MoveRequest, total=False):
    """A position to be drawn."""

    values: bool


@with_config(STRICT)
class NoFields(TypedDict):
    """No fields."""


class Cell(TypedDict):
    """A cell: `layer`, `row` and `column` count from 0, `tile` from 1, row by row and layer by layer."""

    layer: NotRequired[Annotated[int, Field(ge=0, lt=MAX_SIDE)]]
    row: Annotated[int, Field(ge=0, lt=MAX_SIDE)]
    column: Annotated[int, Field(ge=0, lt=MAX_SIDE)]
    tile: Annotated[int, Field(ge=1, le=MAX_CELLS)]


class ScoreFields(TypedDict):
    """A number to sort by."""

    score: Annotated[float, Field(ge=-MAX_CELLS - 1, le=MAX_CELLS + 1)]


class ResultFields(TypedDict):
    """How the game ends under perfect play."""

    outcome: Literal["win", "draw", "loss", "unknown"]
    distance: Annotated[int, Field(ge=0, le=MAX_CELLS)] | None
    distance_is_bound: bool


class ValueFields(ScoreFields, ResultFields):
    """The value of a move."""

    proven: bool
    expected: Annotated[float, Field(ge=-1, le=1)] | None


_Line = Annotated[list[Cell], Field(max_length=64)]


class Reason(TypedDict):
    """One fact about the chosen move."""

    code: Code
    cells: list[Cell]


class EndingFields(TypedDict):
    """The state of a game."""

    state: Literal["ongoing", "won", "drawn"]
    winner: Side | None
    winning_cells: list[Cell]


class After(EndingFields):
    """The state after `move`: it tells a front end that the move has ended the game."""


class Search(TypedDict):
    """The cost of the answer, and its source."""

    depth: Annotated[int, Field(ge=0)]
    nodes: Annotated[int, Field(ge=0)]
    elapsed_ms: Annotated[float, Field(ge=0)]
    stopped_by: Literal["proof", "depth", "nodes", "time"]
    source: Source
    cached: bool


Rows = Annotated[
    list[Annotated[str, Field(pattern="^[XO.#]+$", max_length=MAX_SIDE)]], Field(min_length=1, max_length=MAX_CELLS)
]
"""The board of an answer."""


class _Chosen(TypedDict):
    move: Cell | None


class MoveAnswer(_Chosen, ValueFields, EndingFields):
    """The chosen move and its value, from the view of the side to move."""

    to_move: Side
    line: _Line
    best_moves: list[Cell]
    best_moves_complete: bool
    reasons: list[Reason]
    text: Annotated[str, Field(examples=["X plays column 4, blocking a line of O: a draw with best play."])]
    board: Rows
    after: After
    search: Search


class ValuedMove(Cell, ValueFields):
    """One legal move and its value, from the view of the side to move."""

    line: _Line


class AnalysisAnswer(MoveAnswer):
    """The answer of `/move`, the value of every legal move, and the line heuristic."""

    moves: Annotated[list[ValuedMove], Field(max_length=MAX_CELLS)]
    static_evaluation: int


class AnalysisProgress(ValueFields):
    """The result of an iteration of the search; the data of an event `progress`."""

    depth: Annotated[int, Field(ge=0, le=MAX_CELLS)]
    nodes: Annotated[int, Field(ge=0)]
    line: _Line
    moves: list[ValuedMove]


class FieldError(TypedDict):
    """One error of a request, and its place."""

    pointer: str
    detail: str


class Problem(TypedDict):
    """A failure (RFC 9457)."""

    type: str
    title: str
    status: Annotated[int, Field(ge=400, le=599)]
    detail: str
    instance: str
    errors: NotRequired[Annotated[list[FieldError], Field(min_length=1)]]


class Health(TypedDict):
    """Whether the process is alive, or the service is ready."""

    status: Literal["ok", "ready"]


class Solved(TypedDict):
    """The score of each column."""

    pos: str
    score: Annotated[
        list[Annotated[int, Field(ge=-MAX_CELLS, le=MAX_CELLS)]], Field(min_length=1, max_length=MAX_DIGIT_COLUMNS)
    ]


class Version(TypedDict):
    """The running versions."""

    name: Literal["kinarow"]
    version: str
    engine: str


MOVE_REQUEST: TypeAdapter[MoveRequest] = TypeAdapter(MoveRequest)
PICTURE_REQUEST: TypeAdapter[PictureRequest] = TypeAdapter(PictureRequest)
ANALYSIS_REQUEST: TypeAdapter[AnalysisRequest] = TypeAdapter(AnalysisRequest)
NO_FIELDS: TypeAdapter[NoFields] = TypeAdapter(NoFields)


def _words_of(model: type[Any]) -> dict[str, str]:
    """The descriptions of a model's fields by name, those of its bases too."""
    inherited = [_words_of(base) for base in getattr(model, "__orig_bases__", ())]
    return dict(ChainMap(WORDS.get(model.__name__, {}), *inherited))


class Described(GenerateJsonSchema):
    """JSON schemas with the descriptions of ``fields.toml``."""

    def typed_dict_schema(self, schema: Any) -> dict[str, Any]:
        """The schema of a model."""
        made = super().typed_dict_schema(schema)
        for name, words in _words_of(schema["cls"]).items():
            made["properties"][name]["description"] = words
        return made


def json_schema(adapter: TypeAdapter[Any], mode: JsonSchemaMode = "validation") -> dict[str, Any]:
    """The JSON schema of a model, with descriptions."""
    return adapter.json_schema(schema_generator=Described, mode=mode)


@cache
def fields_of(adapter: TypeAdapter[Any]) -> dict[str, dict[str, Any]]:
    """The JSON schema of each field of a request, by name."""
    properties: dict[str, dict[str, Any]] = json_schema(adapter)["properties"]
    return properties


def check(adapter: TypeAdapter[Any], data: Any) -> dict[str, Any]:
    """The fields of a request, each of the right type and range; fields that were not sent are absent.

    Every field that is wrong is in the ``Problem``, 422.
    """
    problems: list[tuple[str, str]] = []
    try:
        fields: dict[str, Any] = adapter.validate_python(data)
    except ValidationError as failure:
        known = fields_of(adapter)
        errors = failure.errors(include_url=False)
        if len(errors) > MAX_ERRORS:
            # Looking for names similar to thousands of unknown ones would cost more than a search.
            known = {}
        problems = [(_pointer(error), _detail(error, known)) for error in errors]
    moves_are_wrong = any(pointer == "/moves" for pointer, _ in problems)
    if (
        isinstance(data, dict)
        and not moves_are_wrong
        and {"board", "moves"} <= fields_of(adapter).keys()
        and lacks_position(data)
    ):
        problems.append(("/board", POSITION_REQUIRED))
    if problems:
        raise invalid(problems)
    return fields


def _pointer(error: ErrorDetails) -> str:
    return "".join(pointer_to(str(part)) for part in error["loc"])


def pointer_to(name: str) -> str:
    """The JSON pointer to a field of the request; a very long name is cut."""
    if len(name) > QUOTE_LIMIT:
        name = name[: QUOTE_LIMIT - 1] + "…"
    return f"/{name.replace('~', '~0').replace('/', '~1')}"


def _as_sent(value: object) -> str:
    """A value of the wrong type as JSON writes it: ``true`` and ``null`` rather than ``True`` and ``None``."""
    return json.dumps(value) if value is None or isinstance(value, bool) else quoted(value)


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
    "too_short": "must have at least {min_length}",
    "too_long": "must have at most {max_length}",
}
_CLOSE_ENOUGH = 0.7

_OTHER_NAMES = {
    "to_move": ("player", "turn", "side", "side_to_move", "current_player"),
    "level": ("difficulty", "strength", "skill"),
    "board": ("state", "grid", "squares", "cells"),
    "moves": ("history", "pgn", "sequence", "pos"),
    "goal": ("win_length", "k", "connect", "n_in_a_row"),
    "columns": ("width",),
    "rows": ("height",),
    "max_depth": ("depth",),
    "time_limit_ms": ("timeout", "time"),
}
"""What other services call a field."""

_MEANT = {other: name for name, others in _OTHER_NAMES.items() for other in others}


def did_you_mean(name: str, known: Collection[str]) -> str:
    """A suggestion for an unknown name, to be appended to an error: the known name that people mean by it, if any."""
    if name in _MEANT:
        meant = [_MEANT[name]] if _MEANT[name] in known else []
    else:
        meant = get_close_matches(name[:QUOTE_LIMIT], known, 1, _CLOSE_ENOUGH)
    return f"; did you mean {meant[0]}?" if meant else ""


def _detail(error: ErrorDetails, known: Collection[str]) -> str:
    """The error in the words of the HTTP contract instead of Pydantic's."""
    kind = error["type"]
    if kind == "missing":
        return f"{error['loc'][-1]} is required"
    if kind == "extra_forbidden":
        return f"unknown field{did_you_mean(str(error['loc'][-1]), known)}"
    if kind == "string_unicode" and not error["loc"]:
        return f"a field's name must be Unicode text, not {_as_sent(error['input'])}"
    if kind == "dict_type":
        return f"{'' if error['loc'] else 'the body '}must be an object, not {quoted(error['input'])}"
    wanted = _WHAT_IS_WANTED.get(kind)
    if wanted is None:
        return error["msg"]
    return f"{wanted.format(**error.get('ctx', {}))}, not {_as_sent(error['input'])}"
