"""Reads the JSON bodies of requests into the models of the contract."""

import re
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl

from flask import request

from kinarow.contract.json_text import parse, unreadable_body
from kinarow.contract.problems import (
    BODY_TOO_LARGE,
    TOO_SLOW,
    UNSUPPORTED_CODING,
    UNSUPPORTED_MEDIA_TYPE,
    Problem,
    invalid,
)
from kinarow.contract.requests import MoveRequest, MovesRequest, Request, ReviewRequest
from kinarow.errors import quoted
from service.http.services import services
from service.searches.threads import time_limit
from service.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

JSON_TYPE = "application/json"
_CHARSETS = {"utf-8", "utf8", "us-ascii"}
_PLAIN_LENGTH = re.compile("[0-9]+")
_LENGTH_DIGITS = 12  # a Content-Length with more digits is refused as too large without being parsed

_NO_LENGTH = "The request says no length of a body; send Content-Length, or Transfer-Encoding: chunked."
_OF_MOVES = (MovesRequest, ReviewRequest)
"""Requests whose query may not have the fields of ``/move`` either: they belong in the body's parts."""

R = TypeVar("R", bound=Request)


def read_request(model: type[R], *, default_type: str = "") -> R:
    """Return the request's body as a model; raise the problem 400 if it isn't JSON, 422 if a field is wrong."""
    return model.read(parse(read_body(services().settings, model, default_type=default_type)))


def read_body(settings: Settings, model: type[Request], *, default_type: str = "") -> bytes:
    """Return the bytes of the current request's JSON body.

    ``default_type`` stands for a missing ``Content-Type``. The ``Problem`` is 422 if the query has a field of the
    model, 415 if the body isn't declared as uncompressed JSON in UTF-8, 501 for a transfer coding other than
    ``chunked``, 413 if the body is too large, 408 if it arrives too slowly, 400 if it ends early or has no length.
    """
    environ = request.environ
    if query := environ.get("QUERY_STRING"):
        fields = model.model_fields.keys() | (MoveRequest.model_fields if model in _OF_MOVES else {}).keys()
        if misplaced := fields & dict(parse_qsl(query, keep_blank_values=True)).keys():
            raise invalid((f"/{name}", "send it in the body") for name in misplaced)
    declared = environ.get("CONTENT_TYPE") or default_type
    if declared != JSON_TYPE:
        _check_type(declared)
    coding = environ.get("HTTP_CONTENT_ENCODING")
    if coding and coding.lower() != "identity":
        raise Problem(UNSUPPORTED_MEDIA_TYPE, f"Content-Encoding {quoted(coding)} is not supported; leave it out.")
    return _read_bytes(environ, settings)


def read_query() -> bytes:
    """Return the query of the current request; raise the problem 400 if it has a body other than ``{}``."""
    environ = request.environ
    has_body = (environ.get("CONTENT_LENGTH") or "0") != "0" or "HTTP_TRANSFER_ENCODING" in environ
    if has_body and _read_bytes(environ, services().settings).strip() not in (b"", b"{}"):
        raise unreadable_body("GET reads no body; send it by POST.")
    return request.query_string


def _read_bytes(environ: "WSGIEnvironment", settings: Settings) -> bytes:
    """Return the body, read from the ``environ``: Werkzeug's reader is slow and truncates chunked bodies."""
    max_bytes = settings.max_body_bytes
    transfer = environ.get("HTTP_TRANSFER_ENCODING")
    if transfer and transfer.strip().lower() != "chunked":
        # gunicorn takes other codings before "chunked" and leaves it to the app to undo them.
        raise Problem(UNSUPPORTED_CODING, f"Transfer-Encoding {quoted(transfer)} is not supported; send chunked.")
    length = environ.get("CONTENT_LENGTH") or ""
    has_length = _PLAIN_LENGTH.fullmatch(length) is not None
    if not has_length and not environ.get("wsgi.input_terminated"):
        raise unreadable_body(_NO_LENGTH)  # ``wsgi.input_terminated``: the server ends the stream of a chunked body
    size = max_bytes + 1 if not has_length or len(length) > _LENGTH_DIGITS else int(length)
    body = b""
    if not has_length or size <= max_bytes:
        try:
            with time_limit(settings.receive_s):
                body = environ["wsgi.input"].read(size)
        except TimeoutError:
            raise Problem(TOO_SLOW, f"The body did not arrive within {settings.receive_s:g} s.") from None
        except Exception:
            # Each server raises its own exceptions for a body that ends early or is chunked wrongly.
            raise unreadable_body("The body ended early or is not valid chunked encoding.") from None
    if max(len(body), size if has_length else 0) > max_bytes:
        raise Problem(BODY_TOO_LARGE, f"The body has more than {max_bytes} bytes.")
    if not body and not has_length and not transfer:
        raise unreadable_body(_NO_LENGTH)
    if has_length and len(body) < size:
        raise unreadable_body("The body is shorter than its Content-Length says.")
    return body


def _check_type(declared: str) -> None:
    media_type, *parameters = (part.strip() for part in declared.split(";"))
    if media_type.lower() != JSON_TYPE:
        what = quoted(declared) if declared else "missing"
        raise Problem(UNSUPPORTED_MEDIA_TYPE, f"Content-Type is {what}; send application/json.")
    for name, _, value in (parameter.partition("=") for parameter in parameters):
        charset = value.strip(' "')
        if name.strip().lower() == "charset" and charset.lower() not in _CHARSETS:
            raise Problem(
                UNSUPPORTED_MEDIA_TYPE, f"The charset {quoted(charset)} is not supported; send JSON in UTF-8."
            )
