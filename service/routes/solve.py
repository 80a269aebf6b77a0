"""The route for clients of connect4.gamesolver.org: GET /solve, open to the pages of every origin."""

from flask import Flask, Response, request

from kinarow.contract.problem_kinds import BUSY_RETRY_AFTER_S, UNAVAILABLE, Problem
from kinarow.protocols import gamesolver
from kinarow.version import VERSION, engine_version
from service.http.headers import ANY_ORIGIN, EXPOSED_HEADERS
from service.http.query import QueryReader
from service.http.responses import cacheable_for, client_has, dump, json_reply, not_modified, tagged, weak_tag
from service.http.shared import Shared


def install(app: Flask, shared: Shared) -> None:
    """Add the route to the app."""
    settings, recommender, _, disconnects, _ = shared
    query = QueryReader({"pos": "string", "rows": "integer", "columns": "integer"}, frozenset({"pos"}))
    cache_control = cacheable_for(settings)

    def get_solve() -> Response:
        fields = query.read(request.environ.get("QUERY_STRING", ""))
        position = gamesolver.read_position(fields, settings.max_side)
        rules = position.rules
        tag = weak_tag("solve", VERSION, engine_version(), rules.rows, rules.columns, fields.get("pos", ""))
        if client_has(tag):
            return not_modified(tag, cache_control)
        try:
            with disconnects.watch(request.environ) as stop:
                scores = gamesolver.scores(position, recommender.ask, settings.max_time_ms, stop)
        except gamesolver.TimeOver:
            raise Problem(
                UNAVAILABLE,
                "The time did not suffice to prove every column. The proven columns are kept: ask again.",
                headers={"Retry-After": str(BUSY_RETRY_AFTER_S)},
            ) from None
        return tagged(json_reply(dump({"pos": fields.get("pos", ""), "score": scores})), tag, cache_control)

    def open_to_all(response: Response) -> Response:
        """Let pages of any origin read the answer and its errors."""
        if request.path == "/solve":
            response.headers["Access-Control-Allow-Origin"] = ANY_ORIGIN
            response.headers["Access-Control-Expose-Headers"] = EXPOSED_HEADERS
        return response

    app.add_url_rule("/solve", "get_solve", get_solve, methods=["GET"])
    app.after_request(open_to_all)
