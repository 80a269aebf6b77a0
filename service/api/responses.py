"""Answers as responses: JSON, and for how long caches may keep it."""

import json
from typing import Any

from flask import Response
from pydantic_core import to_json
from werkzeug.datastructures import Headers

from service.api.headers import FOR_DATA, DataResponse
from service.settings import Settings

JSON_MEDIA_TYPE = "application/json"
NO_STORE = "no-store"
_JSON_HEADERS = Headers((("Content-Type", JSON_MEDIA_TYPE), *FOR_DATA))


def dump(answer: Any) -> bytes:
    """An answer as JSON text."""
    return to_json(answer) + b"\n"


def dump_with_quotes(answer: Any) -> bytes:
    """Like ``dump``, for an answer that may quote a lone surrogate of the input, which becomes a question mark."""
    return json.dumps(answer, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"


def json_reply(body: bytes, cache_control: str = NO_STORE) -> Response:
    """A JSON text as a response."""
    headers = _JSON_HEADERS.copy()
    headers.add("Cache-Control", cache_control)
    return DataResponse(body, headers=headers)


def cacheable_for(settings: Settings) -> str:
    """The ``Cache-Control`` of answers that never change; with API keys, shared caches must not keep them."""
    who = "private" if settings.known_api_keys.all else "public"
    return f"{who}, max-age={settings.max_age_s}"
