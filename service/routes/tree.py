"""``POST /tree``: the search of a small position, to draw."""

import time
from functools import partial

from flask import Blueprint, Response

from kinarow.contract.json_text import dump
from kinarow.contract.questions import position_of
from kinarow.contract.requests import TreeRequest, or_default
from kinarow.play.teaching import TreeTooLarge, tree
from kinarow.search_types import NANOSECONDS_PER_MS, Limits
from service.http.parsing import read_request
from service.http.responses import json_response
from service.http.services import services
from service.telemetry.logs import note

blueprint = Blueprint("tree", __name__)


@blueprint.post("/tree")
def post_tree() -> Response:
    """The tree, grown in a search slot; equal requests at the same time share one."""
    app = services()
    settings = app.settings
    asked = read_request(TreeRequest)
    position = position_of(asked, settings)
    pruning, max_depth = asked.pruning, or_default(asked.max_depth, None)
    key = (position.rules, position.cells, position.to_move, pruning, max_depth)
    limits = Limits(deadline_ns=time.monotonic_ns() + settings.max_time_ms * NANOSECONDS_PER_MS)
    with app.disconnects.watch() as stop:

        def grow() -> tuple[int, bytes] | TreeTooLarge:
            try:
                answer = tree(
                    position,
                    pruning=pruning,
                    max_depth=max_depth,
                    max_nodes=settings.max_tree_nodes,
                    deadline_ns=limits.deadline_ns,
                    stop=stop,
                )
            except TreeTooLarge as too_large:
                return too_large  # if it were raised, each request that has joined this one would grow the tree again
            return answer["nodes"], dump(answer)  # in the search slot too, since it takes long

        grown, _ = app.trees.get(key, partial(app.limiter.run, grow, stop), limits, stop)
    if isinstance(grown, TreeTooLarge):
        raise grown
    nodes, body = grown
    note(nodes=nodes)
    return json_response(body)
