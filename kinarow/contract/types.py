"""The types that several fields of requests and answers share, each with a JSON schema of its own.

A board and moves have many spellings, which ``kinarow.game.boards`` and ``kinarow.game.notation`` read. Each is one
type rather than a union, so that the pointers of errors name places in the request.
"""

from typing import Annotated, Any, Literal

from pydantic import WithJsonSchema
from typing_extensions import TypeAliasType

from kinarow.game.notation import MAX_MOVES_TEXT
from kinarow.game.rules import PRESETS
from kinarow.game.size import MAX_CELLS, MAX_SIDE

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
"""A board in a query, which is always text."""

Board = TypeAliasType(
    "Board",
    Annotated[
        object,
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

_INDEX = {"type": "integer", "minimum": 0, "maximum": MAX_SIDE - 1}
_TILE = {"type": "integer", "minimum": 1, "maximum": MAX_CELLS}
_FORMS_OF_A_MOVE: list[dict[str, Any]] = [
    _TILE,
    {"type": "string"},
    {"type": "array", "minItems": 2, "maxItems": 3, "items": _INDEX},
    {
        "type": "object",
        "required": ["column"],
        "additionalProperties": False,
        "properties": {"layer": _INDEX, "row": _INDEX, "column": _INDEX, "tile": _TILE},
    },
]
MOVES_TEXT_SCHEMA: dict[str, Any] = {"type": "string", "maxLength": MAX_MOVES_TEXT}
"""Moves in a query, which are always text."""

Moves = TypeAliasType(
    "Moves",
    Annotated[
        object,
        WithJsonSchema(
            {
                "description": "Moves in their order, as text or as a list of tiles, of `[row, column]` (with layers "
                "`[layer, row, column]`), of cells or of texts of one move.",
                "anyOf": [
                    MOVES_TEXT_SCHEMA,
                    *({"type": "array", "maxItems": MAX_CELLS, "items": form} for form in _FORMS_OF_A_MOVE),
                ],
            }
        ),
    ],
)
"""A list may mix the forms."""

Side = TypeAliasType(
    "Side",
    Annotated[
        Literal["X", "O", "x", "o"],
        WithJsonSchema({"type": "string", "enum": ["X", "O"], "description": "A side by its mark."}),
    ],
)

Game = TypeAliasType(
    "Game",
    Annotated[str, WithJsonSchema({"type": "string", "enum": list(PRESETS), "description": "A game by its name."})],
)
