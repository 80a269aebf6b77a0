"""``GET /solve`` for clients of connect4.gamesolver.org, open to the pages of every origin."""

from flask import Blueprint, Response, request

from kinarow.contract.answers import Solved
from kinarow.contract.requests import SolveRequest, or_default
from kinarow.engine import Question
from kinarow.protocols import gamesolver
from service.http.parsing import QueryReader
from service.http.responses import cacheable, client_has, json_answer, not_modified, tag_of
from service.http.security import SOLVE_PATH
from service.http.services import services

blueprint = Blueprint("solve", __name__)

_QUERY = QueryReader(SolveRequest)


@blueprint.get(SOLVE_PATH)
def get_solve() -> Response:
    """The score of each column."""
    app = services()
    asked = _QUERY.read(request.query_string)
    rows, columns = or_default(asked.rows, None), or_default(asked.columns, None)
    position = gamesolver.read_position(asked.pos, rows, columns, app.settings.max_side)
    tag = tag_of(f"solve {asked.pos}", Question(position))
    if client_has(tag):
        return not_modified(tag)
    with app.disconnects.watch() as stop:
        most_ms, threads = app.settings.max_time_ms, app.settings.threads
        scores = gamesolver.scores(position, app.searches.ask, most_ms, stop, threads=threads)
    return cacheable(json_answer(Solved(pos=asked.pos, score=scores)), tag)
