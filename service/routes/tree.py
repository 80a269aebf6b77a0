"""The route that draws the search of a small position: POST /tree."""

import time
from typing import Any

from flask import Flask, Response, request

from kinarow.contract.game_schemas import TREE_REQUEST
from kinarow.contract.schemas import check
from kinarow.contract.strict_json import parse
from kinarow.game.position import Position
from kinarow.game.position_fields import read_position
from kinarow.play.teaching import tree
from kinarow.search_types import NANOSECONDS_PER_MS, Stop
from service.http.body import read_body
from service.http.responses import dump, json_reply
from service.http.shared import Shared
from service.telemetry.logs import note


def install(app: Flask, shared: Shared) -> None:
    """Add the route to the app."""
    settings, _, limiter, disconnects, _ = shared

    def grow(position: Position, fields: dict[str, Any], stop: Stop) -> tuple[int, bytes]:
        """The nodes of the tree, and the whole answer as text."""
        answer = tree(
            position,
            pruning=fields.get("pruning", True),
            max_depth=fields.get("max_depth"),
            max_nodes=settings.max_tree_nodes,
            deadline_ns=time.monotonic_ns() + settings.max_time_ms * NANOSECONDS_PER_MS,
            stop=stop,
        )
        return answer["nodes"], dump(answer)

    def post_tree() -> Response:
        fields = check(TREE_REQUEST, parse(read_body(request.environ, settings)))
        position = read_position(fields, settings.max_side)
        with disconnects.watch(request.environ) as stop:
            nodes, body = limiter.run(lambda: grow(position, fields, stop), stop)
        note(request.environ, nodes=nodes)
        return json_reply(body)

    app.add_url_rule("/tree", "post_tree", post_tree, methods=["POST"])
