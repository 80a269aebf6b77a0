"""The types that several fields of requests and answers share, each with a JSON schema of its own.

A board and moves have many spellings, which ``kinarow.game.boards`` and ``kinarow.game.notation`` read. Each is one
type rather than a union, so that the pointers of errors name places in the request.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError
from typing_extensions import TypeAliasType

from kinarow.errors import NotationError
from kinarow.game.boards import MAX_BOARD_TEXT, read_side
from kinarow.game.notation import MAX_MOVES_TEXT, side_name
from kinarow.game.rules import PRESETS
from kinarow.game.size import MAX_CELLS, MAX_SIDE

MAX_INTEGER = 2**53 - 1  # the largest integer that every reader of JSON holds exactly

_ROWS: dict[str, Any] = {
    "type": "array",
    "minItems": 1,
    "maxItems": MAX_CELLS,
    # A space may stand after each cell.
    "items": {"type": "string", "maxLength": 2 * MAX_SIDE, "pattern": "^[XxOo0-9._ #-]+$"},
}
_LAYERS: dict[str, Any] = {
    "type": "array",
    "minItems": 2,
    "maxItems": MAX_SIDE,
    "items": {**_ROWS, "maxItems": MAX_SIDE},
}
_BOARD_TEXT: dict[str, Any] = {"type": "string", "maxLength": MAX_BOARD_TEXT, "pattern": r"^[XxOo0-9._ #/\r\n-]+$"}
BOARD_TEXT_SCHEMA: dict[str, Any] = {
    **_BOARD_TEXT,
    "description": "The rows with `/` or a line break between them, layers with `//` or an empty line.",
}
"""A board in a query, which is always text."""

Board = TypeAliasType(
    "Board",
    Annotated[
        object,
        WithJsonSchema(
            {
                "description": "The rows from top to bottom, or one string with `/` or a line break between the rows; "
                "with layers the rows of all layers, the bottom one first, or a list of rows for each layer, or one "
                "string with `//` or an empty line between layers.",
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

Moves = TypeAliasType(
    "Moves",
    Annotated[
        object,
        WithJsonSchema(
            {
                "description": "Moves in their order, as text or as a list of tiles, of `[row, column]` (with layers "
                "`[layer, row, column]`), of cells or of texts of one move.",
                "anyOf": [
                    {"type": "string", "maxLength": MAX_MOVES_TEXT},
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
        Literal["X", "O"], WithJsonSchema({"type": "string", "enum": ["X", "O"], "description": "A side by its mark."})
    ],
)


def _named(side: object) -> str:
    try:
        return side_name(read_side(side))
    except NotationError as wrong:
        raise PydanticCustomError("side", "{detail}", {"detail": wrong.problems[0][1]}) from None


SentSide = Annotated[Side, BeforeValidator(_named)]
"""A side as ``read_side`` takes it."""

Game = TypeAliasType(
    "Game",
    Annotated[str, WithJsonSchema({"type": "string", "enum": list(PRESETS), "description": "A game by its name."})],
)
