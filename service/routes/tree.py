"""``POST /tree``: the search of a small position, to draw."""

import time
from typing import Literal, NamedTuple

from flask import Blueprint, Response

from kinarow.contract.answers import TreeAnswer
from kinarow.contract.json_text import dump
from kinarow.contract.questions import position_of
from kinarow.contract.requests import TreeRequest, or_default
from kinarow.engine import Question
from kinarow.play.teaching import TreeTooLarge, tree
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, SearchClock, StoppedBy
from service.http.parsing import read_request
from service.http.responses import json_response
from service.http.services import services
from service.telemetry.logs import note

blueprint = Blueprint("tree", __name__)


class Grown(NamedTuple):
    """The text of a tree, or why there is none."""

    body: bytes | TreeTooLarge
    nodes: int
    elapsed_ms: float
    stopped_by: StoppedBy
    depth: None = None
    proven: Literal[False] = False


@blueprint.post("/tree")
def post_tree() -> Response:
    """The tree; equal requests at the same time share one, which is too large to be kept."""
    shared = services()
    settings = shared.settings
    asked = read_request(TreeRequest)
    position = position_of(asked, settings)
    max_depth = or_default(asked.max_depth, None)
    deadline_ns = time.monotonic_ns() + settings.max_time_ms * NANOSECONDS_PER_MS
    with shared.disconnects.watch() as stop:

        def grow(limits: Limits) -> Grown:
            clock = SearchClock()
            try:
                answer = tree(
                    position,
                    pruning=asked.pruning,
                    max_depth=max_depth,
                    max_nodes=settings.max_tree_nodes,
                    deadline_ns=limits.deadline_ns,
                    stop=stop,
                )
            except TreeTooLarge as too_large:
                # If it were raised, each request that has joined this one would grow the tree again.
                return Grown(too_large, too_large.nodes, clock.ms, "time" if too_large.by_time else "nodes")
            # Written here, too, since it takes long; to validate what was just made would take five times as long.
            text = dump(TreeAnswer.model_construct(**answer))
            return Grown(text, answer["nodes"], clock.ms, "proof" if max_depth is None else "depth")

        question = Question(position, Limits(max_depth=max_depth, deadline_ns=deadline_ns), stop=stop)
        grown, _ = shared.searches.ask(f"tree {asked.pruning}", question, grow, keep=False)
    if isinstance(grown.body, TreeTooLarge):
        raise grown.body
    note(nodes=grown.nodes)
    return json_response(grown.body)
