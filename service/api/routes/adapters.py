"""The routes for other front ends: an adapter translates each call, this module receives and answers it."""

from flask import Flask, Response, request

from service.adapters import kaggle
from service.api.request_body import JSON_TYPE, read_body
from service.api.responses import dump, json_reply
from service.api.schemas import check
from service.api.shared import Shared
from service.api.strict_json import parse


def install(app: Flask, shared: Shared) -> None:
    """Add the routes to the app."""
    settings, recommender, _, disconnects, _ = shared

    def post_kaggle_connectx() -> Response:
        """``POST /adapters/kaggle-connectx``; the content type may be missing."""
        environ = request.environ
        if not environ.get("CONTENT_TYPE"):
            environ = {**environ, "CONTENT_TYPE": JSON_TYPE}
        call = check(kaggle.CALL, parse(read_body(environ, settings)))
        with disconnects.watch(request.environ) as stop:
            return json_reply(dump(kaggle.act(call, recommender.ask, settings, stop)))

    app.add_url_rule(kaggle.PATH, "post_kaggle_connectx", post_kaggle_connectx, methods=["POST"])
