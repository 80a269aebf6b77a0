"""The route that draws the search of a small position: POST /tree."""

import time
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request

from service.admission import Admission
from service.api.bodies import parse, read_body
from service.api.clients import Clients
from service.api.game_schemas import TREE_REQUEST
from service.api.questions import position_asked
from service.api.readiness import Readiness
from service.api.replies import dump, json_reply
from service.api.schemas import check
from service.engine.position import Position
from service.logs import note
from service.settings import Settings

if TYPE_CHECKING:
    from service.engine.search import Stop

_NANOSECONDS_PER_MS = 1_000_000


def install(
    app: Flask, settings: Settings, readiness: Readiness, admission: Admission, clients: Clients
) -> None:
    """Add the route to the app."""

    def grow(position: Position, fields: dict[str, Any], stop: "Stop") -> tuple[int, bytes]:
        """The nodes of the tree, and the whole answer as text."""
        # The module needs the kernels, which are there once the engine is.
        from service.engine.reference import tree

        answer = tree(
            position,
            pruning=fields.get("pruning", True),
            max_depth=fields.get("max_depth"),
            max_nodes=settings.max_tree_nodes,
            deadline_ns=time.monotonic_ns() + settings.max_time_ms * _NANOSECONDS_PER_MS,
            stop=stop,
        )
        return answer["nodes"], dump(answer)

    def post_tree() -> Response:
        """``POST /tree``."""
        fields = check(TREE_REQUEST, parse(read_body(request.environ, settings.max_body_bytes)))
        readiness.engine()
        position = position_asked(fields, settings)
        with clients.watch(request.environ) as stop:
            nodes, body = admission.run(lambda: grow(position, fields, stop), stop)
        note(request.environ, nodes=nodes)
        return json_reply(body)

    app.add_url_rule("/tree", "post_tree", post_tree, methods=["POST"])
