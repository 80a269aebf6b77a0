"""``POST /tree``: the search of a small position, to draw."""

import time

from flask import Blueprint, Response

from kinarow.contract.requests import TreeRequest, or_default
from kinarow.contract.strict_json import dump
from kinarow.game.position_fields import read_position
from kinarow.play.teaching import tree
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from service.http.body import read_request
from service.http.responses import json_response
from service.http.services import services
from service.telemetry.logs import note

blueprint = Blueprint("tree", __name__)


@blueprint.post("/tree")
def post_tree() -> Response:
    """The tree, grown in a search slot."""
    shared = services()
    settings = shared.settings
    asked = read_request(TreeRequest)
    position = read_position(asked.sent(), settings.max_side)

    def grow(stop: Stop) -> tuple[int, bytes]:
        """The number of nodes, and the answer as text, since writing it takes long too."""
        answer = tree(
            position,
            pruning=asked.pruning,
            max_depth=or_default(asked.max_depth, None),
            max_nodes=settings.max_tree_nodes,
            deadline_ns=time.monotonic_ns() + settings.max_time_ms * NANOSECONDS_PER_MS,
            stop=stop,
        )
        return answer["nodes"], dump(answer)

    with shared.disconnects.watch() as stop:
        nodes, body = shared.limiter.run(lambda: grow(stop), stop)
    note(nodes=nodes)
    return json_response(body)
