"""Every failure as one shape: application/problem+json (RFC 9457), each kind listed once, here."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import quote

import structlog
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from service import logs
from service.admission import RETRY_AFTER_S, Busy, Gone
from service.engine.errors import InputError

MEDIA_TYPE = "application/problem+json"
PROBLEMS_PATH = "/problems"

MAX_ERRORS = 20
"""How many of a request's errors are listed."""
MAX_INSTANCE = 200
MAX_UNREAD_DETAIL = 200

CLIENT_GONE = 499
"""The status, nginx's, under which requests are counted whose client went away before the answer."""

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
MALFORMED_REQUEST = Kind(
    "malformed-request",
    400,
    "The request is no HTTP that this server reads",
    "The request line, a header or the framing of the body is not as HTTP/1.1 says.",
)
UNAUTHORIZED = Kind(
    "unauthorized",
    401,
    "A key is needed",
    "The service asks for a key, sent as `Authorization: Bearer KEY`, and the request has none that is known.",
)
NOT_FOUND = Kind("not-found", 404, "There is nothing here", "No resource has this path.")
METHOD_NOT_ALLOWED = Kind(
    "method-not-allowed",
    405,
    "This method is not allowed here",
    "The path exists, but not for this method; the header Allow lists those it takes.",
)
TOO_SLOW = Kind(
    "too-slow",
    408,
    "The request came too slowly",
    "No whole request arrived within the time that the server allows for it.",
)
BODY_TOO_LARGE = Kind(
    "body-too-large", 413, "The body is too large", "The body has more bytes than the server accepts."
)
LINE_TOO_LONG = Kind(
    "line-too-long",
    414,
    "The request line is too long",
    "The path and query are longer than the server accepts; POST takes longer boards.",
)
UNSUPPORTED_MEDIA_TYPE = Kind(
    "unsupported-media-type",
    415,
    "The body must be application/json",
    "Content-Type is missing or names something else than application/json in UTF-8, or the body is compressed.",
)
EXPECTATION_FAILED = Kind(
    "expectation-failed",
    417,
    "The expectation cannot be met",
    "The header Expect says something else than 100-continue.",
)
INVALID_REQUEST = Kind(
    "invalid-request",
    422,
    "The request is not valid",
    "A field is missing, unknown, of the wrong type or out of range, or the board is none that a game can stand "
    "at; `errors` names each place by JSON pointer.",
)
TOO_MANY_REQUESTS = Kind(
    "too-many-requests",
    429,
    "Too many requests",
    "An address asks more than its share, says the proxy in front of the service; the header Retry-After says in "
    "how many seconds to try again.",
)
HEADERS_TOO_LARGE = Kind(
    "headers-too-large",
    431,
    "The headers are too large",
    "There are more headers, or longer ones, than the server accepts.",
)
INTERNAL_ERROR = Kind(
    "internal-error",
    500,
    "Something went wrong in the service",
    "A fault of the service, which has been logged under the request's X-Request-ID.",
)
UNSUPPORTED_CODING = Kind(
    "unsupported-coding",
    501,
    "The transfer coding is not supported",
    "The header Transfer-Encoding names something else than chunked.",
)
UNAVAILABLE = Kind(
    "unavailable",
    503,
    "The service cannot answer now",
    "It is starting or about to stop, or as many searches run and wait as may; the header Retry-After says in how "
    "many seconds to try again.",
)

KINDS = (
    UNREADABLE_BODY,
    MALFORMED_REQUEST,
    UNAUTHORIZED,
    NOT_FOUND,
    METHOD_NOT_ALLOWED,
    TOO_SLOW,
    BODY_TOO_LARGE,
    LINE_TOO_LONG,
    UNSUPPORTED_MEDIA_TYPE,
    EXPECTATION_FAILED,
    INVALID_REQUEST,
    TOO_MANY_REQUESTS,
    HEADERS_TOO_LARGE,
    INTERNAL_ERROR,
    UNSUPPORTED_CODING,
    UNAVAILABLE,
)
# Of two kinds with one status the first is the one that the app itself may mean.
_BY_STATUS = {kind.status: kind for kind in reversed(KINDS)}


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


def _shown(members: _Members, errors: Problems, part: str = "") -> dict[str, Any]:
    """A problem as JSON data; ``part`` is the fragment for the part of the request that it is about."""
    instance = quote(request.path[:MAX_INSTANCE], errors="replace") + part
    body: dict[str, Any] = {**members._asdict(), "instance": instance}
    listed = [{"pointer": pointer, "detail": what} for pointer, what in errors]
    if listed:
        body["errors"] = listed
    return body


def _respond(members: _Members, errors: Problems, headers: dict[str, str]) -> Response:
    """A problem as a response; it must not be kept by any cache."""
    body = _shown(members, errors)
    # A lone surrogate of the input cannot be written as UTF-8: it becomes a question mark.
    text = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    response = Response(text + b"\n", members.status, content_type=MEDIA_TYPE)
    response.headers["Cache-Control"] = "no-store"
    response.headers.update(headers)
    return response


def _members(problem: Problem) -> _Members:
    kind = problem.kind
    return _Members(kind.type, kind.title, kind.status, problem.detail)


def respond(problem: Problem) -> Response:
    """A problem as the answer to the current request."""
    return _respond(_members(problem), problem.errors, problem.headers)


def problem_of(error: Exception) -> Problem:
    """The problem that a failure is; a fault of ours is logged as a whole, the client only told that it happened."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, InputError):
        return invalid(error.problems)
    if isinstance(error, Busy):
        return Problem(UNAVAILABLE, str(error), headers={"Retry-After": str(RETRY_AFTER_S)})
    structlog.get_logger().error(
        "unexpected failure",
        exc_info=error,
        path=request.path[:MAX_INSTANCE],
        request_id=logs.request_id(request.environ),
    )
    return Problem(INTERNAL_ERROR, "The failure has been logged under the X-Request-ID of this response.")


def as_data(error: Exception) -> dict[str, Any]:
    """The problem that a failure of the current request is, as JSON data."""
    problem = problem_of(error)
    return _shown(_members(problem), problem.errors)


def in_place(error: Exception, pointer: str) -> dict[str, Any]:
    """The problem that stands in the place of one of many answers.

    Args:
        error: why there is no answer.
        pointer: the JSON pointer to the part of the request that failed.
    """
    problem = problem_of(error)
    return _shown(_members(problem), problem.errors, f"#{pointer}")


def _on_gone(error: Gone) -> Response:
    """Nobody reads this answer; its status is what the log and the metrics tell."""
    return Response(status=CLIENT_GONE)


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


def _on_exception(error: Exception) -> Response:
    return respond(problem_of(error))


def install(app: Flask) -> None:
    """Make every failure of the app a problem."""
    app.register_error_handler(Gone, _on_gone)
    app.register_error_handler(HTTPException, _on_http_exception)
    app.register_error_handler(Exception, _on_exception)


def unread_response(kind: Kind, detail: str, request_id: str) -> bytes:
    """A whole HTTP answer to a request that could not be read, after which the connection is closed."""
    members = _Members(kind.type, kind.title, kind.status, detail[:MAX_UNREAD_DETAIL])
    body = json.dumps({**members._asdict(), "instance": "/"}).encode() + b"\n"
    head = (
        f"HTTP/1.1 {kind.status} {HTTPStatus(kind.status).phrase}",
        "Connection: close",
        f"Content-Type: {MEDIA_TYPE}",
        f"Content-Length: {len(body)}",
        "Cache-Control: no-store",
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        f"{logs.REQUEST_ID_HEADER}: {request_id}",
    )
    return "\r\n".join((*head, "", "")).encode() + body
