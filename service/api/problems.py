"""Every failure as one shape: application/problem+json (RFC 9457), each kind listed once, here."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service import logs
from service.engine.errors import InputError

MEDIA_TYPE = "application/problem+json"
PROBLEMS_PATH = "/problems"

MAX_ERRORS = 20
"""How many of a request's errors are listed."""
MAX_INSTANCE = 200

Problems = Iterable[tuple[str, str]]
"""Pairs of a JSON pointer and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of problem: the stable last part of its ``type``, its status, and what it means."""

    name: str
    status: int
    title: str
    meaning: str

    @property
    def type(self) -> str:
        """The ``type`` member: a link to the page that lists all kinds."""
        return f"{PROBLEMS_PATH}#{self.name}"


UNREADABLE_BODY = Kind(
    "unreadable-body",
    400,
    "The body cannot be read as JSON",
    "The body is empty, not UTF-8, not JSON (NaN and Infinity are none), names a field twice, is nested more "
    "than 16 deep or has a number of more than 20 digits.",
)
NOT_FOUND = Kind("not-found", 404, "There is nothing here", "No resource has this path.")
METHOD_NOT_ALLOWED = Kind(
    "method-not-allowed",
    405,
    "This method is not allowed here",
    "The path exists, but not for this method; the header Allow lists those it takes.",
)
BODY_TOO_LARGE = Kind(
    "body-too-large", 413, "The body is too large", "The body has more bytes than the server accepts."
)
UNSUPPORTED_MEDIA_TYPE = Kind(
    "unsupported-media-type",
    415,
    "The body must be application/json",
    "Content-Type is missing or names something else than application/json in UTF-8, or the body is compressed.",
)
INVALID_REQUEST = Kind(
    "invalid-request",
    422,
    "The request is not valid",
    "A field is missing, unknown, of the wrong type or out of range, or the board is none that a game can stand "
    "at; `errors` names each place by JSON pointer.",
)
INTERNAL_ERROR = Kind(
    "internal-error",
    500,
    "Something went wrong in the service",
    "A fault of the service, which has been logged under the request's X-Request-ID.",
)
UNAVAILABLE = Kind(
    "unavailable",
    503,
    "The service cannot answer now",
    "It is starting; the header Retry-After says in how many seconds to try again.",
)

KINDS = (
    UNREADABLE_BODY,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    BODY_TOO_LARGE,
    UNSUPPORTED_MEDIA_TYPE,
    INVALID_REQUEST,
    INTERNAL_ERROR,
    UNAVAILABLE,
)
_BY_STATUS = {kind.status: kind for kind in KINDS}


class Problem(Exception):
    """A failure with a place in the contract.

    Attributes:
        kind: which of ``KINDS``.
        detail: what went wrong this time.
        errors: for input errors where, as pairs of JSON pointer and detail; sorted and cut when shown.
        headers: more response headers, such as ``Retry-After``.
    """

    def __init__(
        self, kind: Kind, detail: str, errors: Problems = (), headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.errors = errors
        self.headers = headers or {}


def invalid(errors: Problems) -> Problem:
    """The problem of a request that is JSON but not valid; at least one error."""
    listed = sorted(errors)
    detail = "; ".join(f"{pointer or 'body'}: {what}" for pointer, what in listed[:1])
    if len(listed) > 1:
        detail += f" (and {len(listed) - 1} more)"
    return Problem(INVALID_REQUEST, detail, listed[:MAX_ERRORS])


class _Members(NamedTuple):
    """What a problem says beside its headers."""

    type: str
    title: str
    status: int
    detail: str


def _respond(members: _Members, errors: Problems, headers: dict[str, str]) -> Response:
    """A problem as a response; it must not be kept by any cache."""
    instance = quote(request.path[:MAX_INSTANCE], errors="replace")
    body: dict[str, Any] = {**members._asdict(), "instance": instance}
    listed = [{"pointer": pointer, "detail": what} for pointer, what in errors]
    if listed:
        body["errors"] = listed
    # A lone surrogate of the input cannot be written as UTF-8: it becomes a question mark.
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    response = Response(text + b"\n", members.status, content_type=MEDIA_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.headers.update(headers)
    return response


def respond(problem: Problem) -> Response:
    """A problem as the answer to the current request."""
    kind = problem.kind
    return _respond(
        _Members(kind.type, kind.title, kind.status, problem.detail), problem.errors, problem.headers
    )


def _on_input_error(error: InputError) -> Response:
    return respond(invalid(error.problems))


def _on_http_exception(error: HTTPException) -> Response:
    """Flask's own failures: no such path, wrong method, body too large and the like."""
    status = error.code or INTERNAL_ERROR.status
    headers = {}
    detail = error.description or error.name
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
        detail = f"This path takes {headers['Allow']}."
    kind = _BY_STATUS.get(status)
    if kind is None:
        return _respond(_Members("about:blank", error.name, status, detail), (), headers)
    if kind is NOT_FOUND:
        detail = "No resource has this path; /docs lists those there are."
    return respond(Problem(kind, detail, headers=headers))


def _on_any_exception(error: Exception) -> Response:
    """A fault of ours: the log gets the whole story, the client only that it happened."""
    structlog.get_logger().error(
        "unexpected failure",
        exc_info=error,
        path=request.path[:MAX_INSTANCE],
        request_id=logs.request_id(request.environ),
    )
    return respond(
        Problem(INTERNAL_ERROR, "The failure has been logged under the X-Request-ID of this response.")
    )


def install(app: Flask) -> None:
    """Make every failure of the app a problem."""
    app.register_error_handler(Problem, respond)
    app.register_error_handler(InputError, _on_input_error)
    app.register_error_handler(HTTPException, _on_http_exception)
    app.register_error_handler(Exception, _on_any_exception)
