"""``GET /board.svg``, a picture of a position, and ``POST /tree``, the search tree of a small position."""

import time
from typing import Literal, NamedTuple

from flask import Blueprint, Response
from pydantic import MISSING

from kinarow.contract.answers import TreeAnswer
from kinarow.contract.json_text import dump
from kinarow.contract.queries import request_of
from kinarow.contract.questions import position_of, question_of
from kinarow.contract.requests import PictureRequest, TreeRequest, or_default
from kinarow.engine import Question, analysis
from kinarow.game import board_svg
from kinarow.game.notation import TILE
from kinarow.play.teaching import TreeTooLarge, tree
from kinarow.play.wording import short_score
from kinarow.reading.positions import read_start
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchClock, StoppedBy
from service.http.parsing import read_query, read_request
from service.http.responses import NO_STORE, client_has_etag, etag_of, json_response, not_modified, with_etag
from service.http.services import services
from service.settings import Settings
from service.telemetry.logs import note

MAX_TREE_NODES = 50_000  # each takes about 110 bytes of an answer
MEDIA_TYPE = "image/svg+xml"

blueprint = Blueprint("drawings", __name__)


@blueprint.get("/board.svg")
def get_picture() -> Response:
    """Return the position as SVG; with ``values`` also the value of each move."""
    shared = services()
    asked = request_of(PictureRequest, read_query())
    question = question_of(asked, shared.settings)
    last = _last_move(asked, shared.settings)
    tag = etag_of(f"board.svg {asked.values} {last}", question)
    if client_has_etag(tag):
        return not_modified(tag)
    texts: dict[int, str] = {}
    lasting = True
    if asked.values:
        with shared.disconnects.watch() as stop:
            answer, _ = analysis(question.with_stop(stop), shared.searches.ask)
        texts = {value.move: short_score(value.score.shown, proven=value.proven) for value in answer.moves}
        lasting = answer.stopped_by != "time"
    position, lit = question.position, question.position.ending().winning_cells
    picture = board_svg.picture(position.rules, position.cells, lit=lit, texts=texts, last=last)
    response = Response(picture, content_type=f"{MEDIA_TYPE}; charset=utf-8")
    if lasting:
        return with_etag(response, tag)
    response.headers["Cache-Control"] = NO_STORE
    return response


def _last_move(asked: PictureRequest, settings: Settings) -> int | None:
    if asked.moves is MISSING:
        return None
    start = read_start(asked.sent(), settings.max_side)
    return next((move for _, move in reversed(list(start.replay(asked.moves, first_cell=TILE)))), None)


class TreeResult(NamedTuple):
    """The encoded answer, or why there is no tree; with the fields that ``Searches`` needs of a result."""

    body: bytes | TreeTooLarge
    nodes: int
    elapsed_ms: float
    stopped_by: StoppedBy
    depth: None = None
    proven: Literal[False] = False


@blueprint.post("/tree")
def post_tree() -> Response:
    """Return the search tree. Equal requests at the same time share it; it is too large to be cached."""
    shared = services()
    settings = shared.settings
    asked = read_request(TreeRequest)
    position = position_of(asked, settings)
    max_depth = or_default(asked.max_depth, None)
    deadline_ns = time.monotonic_ns() + settings.max_time_ms * NANOSECONDS_PER_MS
    with shared.disconnects.watch() as stop:

        def grow(limits: Limits) -> TreeResult:
            clock = SearchClock()
            try:
                answer = tree(
                    position,
                    pruning=asked.pruning,
                    max_depth=max_depth,
                    max_nodes=MAX_TREE_NODES,
                    deadline_ns=limits.deadline_ns,
                    stop=stop,
                )
            except TreeTooLarge as too_large:
                # Not raised: each request that has joined this one would then grow the tree again.
                return TreeResult(too_large, too_large.nodes, clock.ms, "time" if too_large.by_time else "nodes")
            # Encoded in the slot, since it takes long; validating the answer would take five times as long.
            text = dump(TreeAnswer.model_construct(**answer))
            return TreeResult(text, answer["nodes"], clock.ms, "proof" if max_depth is None else "depth")

        question = Question(position, Limits(max_depth=max_depth, deadline_ns=deadline_ns), stop=stop)
        result, _ = shared.searches.ask(f"tree {asked.pruning}", question, grow, keep=False)
    if isinstance(result.body, TreeTooLarge):
        raise result.body
    note(nodes=result.nodes)
    return json_response(result.body)
