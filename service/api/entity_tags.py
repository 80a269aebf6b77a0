"""Entity tags (ETag): made from everything that determines an answer, compared, and sent."""

from hashlib import blake2b

from flask import Response, request

from kinarow.engine import Question
from kinarow.version import VERSION

_TAG_BYTES = 12


def weak_tag(*parts: object) -> str:
    """A weak ETag made from everything that determines an answer."""
    digest = blake2b("|".join(map(str, parts)).encode(), digest_size=_TAG_BYTES)
    return f'W/"{digest.hexdigest()}"'


def tag_of(question: Question, route: str, engine_version: str) -> str:
    """The weak ETag of a route's answer: equal for all spellings of a request, different for other requests."""
    position, limits = question.position, question.limits
    # The fields one by one, so that the tag does not depend on the repr of a class.
    parts = (
        route, VERSION, engine_version,
        *position.rules.fields().values(),
        position.cells.hex(), position.to_move,
        limits.max_nodes, limits.max_depth, limits.time_limit_ms,
        question.level, question.seed, question.top, question.allowed,
    )  # fmt: skip
    return weak_tag(*parts)


def client_has(tag: str) -> bool:
    """Whether the request's ``If-None-Match`` names this weak ETag."""
    if "HTTP_IF_NONE_MATCH" not in request.environ:
        return False
    return request.if_none_match.contains_weak(tag.removeprefix('W/"').removesuffix('"'))


def tagged(response: Response, tag: str, cache_control: str) -> Response:
    """The response with its ETag and ``Cache-Control``."""
    response.headers["ETag"] = tag
    response.headers["Cache-Control"] = cache_control
    return response


def not_modified(tag: str, cache_control: str) -> Response:
    """The 304 for a client that has the answer."""
    return tagged(Response(status=304), tag, cache_control)
