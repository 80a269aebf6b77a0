"""The base of requests and answers, and the types that their fields share.

The JSON schema of a type is its documented form. ``object`` fields take more forms, which ``kinarow.reading`` reads.
"""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, WithJsonSchema
from pydantic_core import PydanticCustomError

from kinarow.errors import NotationError
from kinarow.game.notation import side_name
from kinarow.game.rules import PRESETS
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.reading.boards import read_side


class Model(BaseModel):
    """A request or an answer. The docstring of a field is its description in the contract.

    The validator of a model is built when it is first used, since a command needs few of them.
    """

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, defer_build=True)


_ROW = {"type": "string", "pattern": "^[XO.#]+$", "maxLength": MAX_SIDE}
Board = Annotated[object, WithJsonSchema({"type": "array", "items": _ROW, "minItems": 1, "maxItems": MAX_CELLS})]
Moves = Annotated[object, WithJsonSchema({"type": "string"})]
Side = Literal["X", "O"]
Game = Annotated[str, WithJsonSchema({"type": "string", "enum": list(PRESETS)})]


def _named(side: object) -> str:
    try:
        return side_name(read_side(side))
    except NotationError as wrong:
        raise PydanticCustomError("side", "{detail}", {"detail": wrong.problems[0][1]}) from None


SentSide = Annotated[Side, BeforeValidator(_named)]
"""A side as ``read_side`` takes it."""
