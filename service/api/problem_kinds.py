"""Problems (RFC 9457), and every kind of them, as ``problems.toml`` lists them. This module does not need Flask."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

MEDIA_TYPE = "application/problem+json"
PROBLEMS_PATH = "/problems"

BUSY_RETRY_AFTER_S = 1  # ``Retry-After`` of an answer that is refused for load, in seconds
MAX_ERRORS = 20  # the most errors of a request that its problem lists

Problems = Iterable[tuple[str, str]]  # pairs of a JSON pointer and what is wrong there


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


_TEXTS: dict[str, dict[str, Any]] = tomllib.loads(files("service.api").joinpath("problems.toml").read_text("utf-8"))


def _kind(name: str) -> Kind:
    return Kind(name, **_TEXTS[name])


UNREADABLE_BODY = _kind("unreadable-body")
MALFORMED_REQUEST = _kind("malformed-request")
UNAUTHORIZED = _kind("unauthorized")
NOT_FOUND = _kind("not-found")
METHOD_NOT_ALLOWED = _kind("method-not-allowed")
TOO_SLOW = _kind("too-slow")
BODY_TOO_LARGE = _kind("body-too-large")
LINE_TOO_LONG = _kind("line-too-long")
UNSUPPORTED_MEDIA_TYPE = _kind("unsupported-media-type")
INVALID_REQUEST = _kind("invalid-request")
TOO_MANY_REQUESTS = _kind("too-many-requests")
HEADERS_TOO_LARGE = _kind("headers-too-large")
CANCELLED = _kind("cancelled")
INTERNAL_ERROR = _kind("internal-error")
UNSUPPORTED_CODING = _kind("unsupported-coding")
UNAVAILABLE = _kind("unavailable")

KINDS = tuple(each for each in tuple(globals().values()) if isinstance(each, Kind))  # all, in their order


class Problem(Exception):
    """A failure that the HTTP contract describes.

    Attributes:
        kind: one of ``KINDS``.
        detail: what went wrong this time.
        errors: for input errors, pairs of JSON pointer and detail.
        headers: more response headers, such as ``Retry-After``.
        more: further members of the body.
    """

    def __init__(
        self,
        kind: Kind,
        detail: str,
        errors: Problems = (),
        headers: dict[str, str] | None = None,
        more: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.errors = errors
        self.headers = headers or {}
        self.more = more or {}

    def fields(self) -> dict[str, Any]:
        """The members of the problem's JSON, ``instance`` and ``more`` apart."""
        kind = self.kind
        fields = {"type": kind.type, "title": kind.title, "status": kind.status, "detail": self.detail}
        listed = [{"pointer": pointer, "detail": what} for pointer, what in self.errors]
        return {**fields, "errors": listed} if listed else fields


def invalid(errors: Problems) -> Problem:
    """The problem of a request that is JSON but not valid; at least one error."""
    listed = sorted(errors)
    detail = "; ".join(f"{pointer or 'body'}: {what}" for pointer, what in listed[:1])
    if len(listed) > 1:
        detail += f" (and {len(listed) - 1} more)"
    return Problem(INVALID_REQUEST, detail, listed[:MAX_ERRORS])
