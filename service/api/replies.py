"""An answer as a response: JSON that no cache keeps."""

import json
from typing import Any

from flask import Response
from pydantic_core import to_json

JSON_MEDIA_TYPE = "application/json"
NO_STORE = "no-store"


def dump(answer: Any) -> bytes:
    """An answer as JSON text."""
    return to_json(answer) + b"\n"


def dump_with_quotes(answer: Any) -> bytes:
    """The same for an answer that may quote half a character of the input: it becomes a question mark."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def json_reply(body: bytes, cache_control: str = NO_STORE) -> Response:
    """A JSON text as a response."""
    response = Response(body, content_type=JSON_MEDIA_TYPE)
    response.headers["Cache-Control"] = cache_control
    return response
