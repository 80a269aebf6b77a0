"""``POST /tree``: the search of a small position, to draw."""

import time

from flask import Blueprint, Response

from kinarow.contract.json_text import dump
from kinarow.contract.requests import TreeRequest, or_default
from kinarow.game.position_fields import read_position
from kinarow.play.teaching import TreeTooLarge, tree
from kinarow.search_types import NANOSECONDS_PER_MS, Limits
from service.http.body import read_request
from service.http.responses import json_response
from service.http.services import services
from service.telemetry.logs import note

blueprint = Blueprint("tree", __name__)

_Grown = tuple[int, bytes] | TreeTooLarge  # the number of nodes and the answer, or why there is none


@blueprint.post("/tree")
def post_tree() -> Response:
    """The tree, grown in a search slot."""
    shared = services()
    settings = shared.settings
    asked = read_request(TreeRequest)
    position = read_position(asked.sent(), settings.max_side)

    limits = Limits(deadline_ns=time.monotonic_ns() + settings.max_time_ms * NANOSECONDS_PER_MS)
    pruning, max_depth = asked.pruning, or_default(asked.max_depth, None)

    def grow() -> _Grown:
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
            return too_large
        return answer["nodes"], dump(answer)  # in the search slot too, since it takes long

    with shared.disconnects.watch() as stop:
        key = (position.rules, position.cells, position.to_move, pruning, max_depth)
        grown, _ = shared.trees.get(key, lambda: shared.limiter.run(grow, stop), limits, stop)
    if isinstance(grown, TreeTooLarge):
        raise grown
    nodes, body = grown
    note(nodes=nodes)
    return json_response(body)
