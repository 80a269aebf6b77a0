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


_TEXTS: dict[str, dict[str, Any]] = tomllib.loads(
    files("kinarow.contract").joinpath("problems.toml").read_text("utf-8")
)

KINDS = tuple(Kind(name, **texts) for name, texts in _TEXTS.items())  # in the order of ``problems.toml``
_BY_NAME = {kind.name: kind for kind in KINDS}

UNREADABLE_BODY = _BY_NAME["unreadable-body"]
UNTRUSTED_HOST = _BY_NAME["untrusted-host"]
UNAUTHORIZED = _BY_NAME["unauthorized"]
NOT_FOUND = _BY_NAME["not-found"]
METHOD_NOT_ALLOWED = _BY_NAME["method-not-allowed"]
TOO_SLOW = _BY_NAME["too-slow"]
BODY_TOO_LARGE = _BY_NAME["body-too-large"]
LINE_TOO_LONG = _BY_NAME["line-too-long"]
UNSUPPORTED_MEDIA_TYPE = _BY_NAME["unsupported-media-type"]
INVALID_REQUEST = _BY_NAME["invalid-request"]
TOO_MANY_REQUESTS = _BY_NAME["too-many-requests"]
CANCELLED = _BY_NAME["cancelled"]
INTERNAL_ERROR = _BY_NAME["internal-error"]
UNSUPPORTED_CODING = _BY_NAME["unsupported-coding"]
UNAVAILABLE = _BY_NAME["unavailable"]


class Problem(Exception):
    """A failure that the HTTP contract describes.

    Attributes:
        kind: one of ``KINDS``.
        detail: what went wrong this time.
        errors: for input errors, pairs of JSON pointer and detail.
        headers: more response headers, such as ``Retry-After``.
    """

    def __init__(self, kind: Kind, detail: str, errors: Problems = (), headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.errors = errors
        self.headers = headers or {}

    def fields(self) -> dict[str, Any]:
        """The members of the problem's JSON, ``instance`` apart."""
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
