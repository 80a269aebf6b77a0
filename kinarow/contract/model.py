"""The base of requests and answers."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A request or an answer. The docstring of a field is its description in the contract.

    The validator of a model is built when it is first used, since a command needs few of them.
    """

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True, defer_build=True)
