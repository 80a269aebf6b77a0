"""``GET /board.svg``: a picture of a position."""

from flask import Blueprint, Response, request
from pydantic import MISSING

from kinarow.contract.queries import QueryReader
from kinarow.contract.questions import question_of
from kinarow.contract.requests import PictureRequest
from kinarow.engine import analysis
from kinarow.game import board_svg
from kinarow.game.notation import TILE
from kinarow.game.position_fields import read_start
from kinarow.play.wording import short_score
from service.http.responses import NO_STORE, cacheable, client_has, not_modified, tag_of
from service.http.services import services
from service.settings import Settings

MEDIA_TYPE = "image/svg+xml"

blueprint = Blueprint("picture", __name__)

_QUERY = QueryReader(PictureRequest)


@blueprint.get("/board.svg")
def get_picture() -> Response:
    """The position; with ``values`` also the value of each move."""
    shared = services()
    asked = _QUERY.read(request.query_string)
    question = question_of(asked, shared.settings)
    last = _last_move(asked, shared.settings)
    tag = tag_of(f"board.svg {asked.values} {last}", question)
    if client_has(tag):
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
        return cacheable(response, tag)
    response.headers["Cache-Control"] = NO_STORE
    return response


def _last_move(asked: PictureRequest, settings: Settings) -> int | None:
    if asked.moves is MISSING:
        return None
    start = read_start(asked.sent(), settings.max_side)
    return next((move for _, move in reversed(list(start.replay(asked.moves, first_cell=TILE)))), None)
