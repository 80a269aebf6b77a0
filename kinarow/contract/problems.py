"""Problems (RFC 9457), and every kind of them in the order in which the documentation lists them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

MEDIA_TYPE = "application/problem+json"
PROBLEMS_PATH = "/problems"

BUSY_RETRY_AFTER_S = 1  # ``Retry-After`` of an answer that is refused for load, in seconds
MAX_ERRORS = 20  # the most errors of a request that its problem lists

Problems = Iterable[tuple[str, str]]  # pairs of a JSON pointer and what is wrong there


@dataclass(frozen=True, slots=True)
class ProblemType:
    """One kind of problem: the stable last part of its ``type``, its status, and what it means."""

    name: str
    status: int
    title: str
    meaning: str

    @property
    def type(self) -> str:
        """The ``type`` member: a link to the page that lists all kinds."""
        return f"{PROBLEMS_PATH}#{self.name}"


UNREADABLE_BODY = ProblemType(
    "unreadable-body", 400, "The body cannot be read as JSON",
    "The body is empty, sent by GET, not UTF-8, not JSON (NaN and Infinity are not JSON), names a field twice, is "
    "nested more than 16 deep or has a number of more than 20 digits.",
)  # fmt: skip
MALFORMED_REQUEST = ProblemType(
    "malformed-request", 400, "The request is not valid HTTP",
    "The header Host is missing, or the request line, another header or the framing of the body breaks the rules of "
    "HTTP/1.1. Unless only Host is missing, the proxy sends this problem; without a proxy, the server sends a short "
    "HTML page and closes the connection.",
)  # fmt: skip
UNTRUSTED_HOST = ProblemType(
    "untrusted-host", 400, "The host is not trusted",
    "The header Host names a host that the service does not trust. The setting `KINAROW_TRUSTED_HOSTS` lists those "
    "that it trusts; without it, a service on a loopback address trusts IP addresses and the names of its machine.",
)  # fmt: skip
UNAUTHORIZED = ProblemType(
    "unauthorized", 401, "A key is needed",
    "The service requires a key, sent as `Authorization: Bearer KEY`; the request has no key, or an unknown one.",
)  # fmt: skip
NOT_FOUND = ProblemType("not-found", 404, "No such resource", "No resource has this path.")
METHOD_NOT_ALLOWED = ProblemType(
    "method-not-allowed", 405, "This method is not allowed here",
    "The path exists, but not for this method; the header Allow lists its methods.",
)  # fmt: skip
TOO_SLOW = ProblemType(
    "too-slow", 408, "The request came too slowly",
    "The request did not arrive completely within the server's time limit.",
)  # fmt: skip
BODY_TOO_LARGE = ProblemType(
    "body-too-large", 413, "The body is too large", "The body has more bytes than the server accepts."
)
LINE_TOO_LONG = ProblemType(
    "line-too-long", 414, "The request line is too long",
    "The path and query are longer than the proxy accepts; send long requests by POST. Without a proxy, the server "
    "sends a short HTML page.",
)  # fmt: skip
UNSUPPORTED_MEDIA_TYPE = ProblemType(
    "unsupported-media-type", 415, "The body must be application/json",
    "Content-Type is missing or is not application/json in UTF-8, or the body is compressed.",
)  # fmt: skip
INVALID_REQUEST = ProblemType(
    "invalid-request", 422, "The request is not valid",
    "A field is missing, unknown, of the wrong type or out of range, or no game can reach the board; `errors` names "
    "each place by JSON pointer.",
)  # fmt: skip
TOO_MANY_REQUESTS = ProblemType(
    "too-many-requests", 429, "Too many requests",
    "The proxy limits the rate of requests from one address, and this address exceeds it; the header Retry-After says "
    "after how many seconds to try again.",
)  # fmt: skip
HEADERS_TOO_LARGE = ProblemType(
    "headers-too-large", 431, "The headers are too large",
    "There are more headers, or longer ones, than the proxy accepts. Without a proxy, the server sends a short HTML "
    "page.",
)  # fmt: skip
CANCELLED = ProblemType(
    "cancelled", 499, "The request was cancelled",
    "Another request cancelled this one. Only `kinarow jsonl` sends this problem.",
)  # fmt: skip
INTERNAL_ERROR = ProblemType(
    "internal-error", 500, "Something went wrong in the service",
    "The service has a fault; its log names it under the request's X-Request-ID.",
)  # fmt: skip
UNSUPPORTED_CODING = ProblemType(
    "unsupported-coding", 501, "The transfer coding is not supported",
    "The header Transfer-Encoding names another coding than chunked.",
)  # fmt: skip
UNAVAILABLE = ProblemType(
    "unavailable", 503, "The service cannot answer now",
    "The service is starting or stopping, or its searches and their queue are full; the header Retry-After says after "
    "how many seconds to try again.",
)  # fmt: skip

KINDS = (
    UNREADABLE_BODY, MALFORMED_REQUEST, UNTRUSTED_HOST, UNAUTHORIZED, NOT_FOUND, METHOD_NOT_ALLOWED, TOO_SLOW,
    BODY_TOO_LARGE, LINE_TOO_LONG, UNSUPPORTED_MEDIA_TYPE, INVALID_REQUEST, TOO_MANY_REQUESTS, HEADERS_TOO_LARGE,
    CANCELLED, INTERNAL_ERROR, UNSUPPORTED_CODING, UNAVAILABLE,
)  # fmt: skip


class Problem(Exception):
    """A failure that the HTTP contract describes.

    Attributes:
        kind: one of ``KINDS``.
        detail: what went wrong this time.
        problems: for input errors, pairs of JSON pointer and detail.
        headers: more response headers, such as ``Retry-After``.
    """

    def __init__(
        self, kind: ProblemType, detail: str, problems: Problems = (), headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.problems = problems
        self.headers = headers or {}

    def fields(self) -> dict[str, Any]:
        """Return the members of the problem's JSON, ``instance`` apart."""
        kind = self.kind
        fields = {"type": kind.type, "title": kind.title, "status": kind.status, "detail": self.detail}
        listed = [{"pointer": pointer, "detail": what} for pointer, what in self.problems]
        return {**fields, "errors": listed} if listed else fields


def invalid(errors: Problems, more: int = 0) -> Problem:
    """Return the problem of a request that is JSON but not valid; ``more`` errors are not listed."""
    listed = sorted(errors)
    detail = "; ".join(f"{pointer or 'body'}: {what}" for pointer, what in listed[:1])
    more += len(listed) - 1
    if more:
        detail += f" (and {more} more)"
    return Problem(INVALID_REQUEST, detail, listed[:MAX_ERRORS])
