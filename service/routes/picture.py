"""The route that draws a position: GET /board.svg."""

from typing import Any

from flask import Flask, Response, request

from kinarow.contract.parsing import parse_question
from kinarow.contract.schemas import PICTURE_REQUEST, check, fields_of
from kinarow.engine import analysis
from kinarow.game import board_svg
from kinarow.game.position import Position
from kinarow.game.position_fields import read_start
from kinarow.play.wording import short_score
from kinarow.version import engine_version
from service.http.query import QueryReader, types_of
from service.http.responses import NO_STORE, cacheable_for, client_has, not_modified, tag_of, tagged
from service.http.shared import Shared
from service.settings import Settings

MEDIA_TYPE = "image/svg+xml"


def install(app: Flask, shared: Shared) -> None:
    """Add the route to the app."""
    settings, recommender, _, disconnects, _ = shared
    query = QueryReader(types_of(fields_of(PICTURE_REQUEST)))
    cache_control = cacheable_for(settings)

    def get_picture() -> Response:
        fields = check(PICTURE_REQUEST, query.read(request.environ.get("QUERY_STRING", "")))
        question = parse_question(fields, settings)
        valued = fields.get("values", False)
        last = _last_move(fields, settings)
        tag = tag_of(question, f"board.svg {valued} {last}", engine_version())
        if client_has(tag):
            return not_modified(tag, cache_control)
        texts: dict[int, str] = {}
        lasting = True
        if valued:
            with disconnects.watch(request.environ) as stop:
                answer, _ = analysis(question.watched(stop), recommender.ask)
            texts = {value.move: short_score(value.score.shown, proven=value.proven) for value in answer.moves}
            lasting = answer.stopped_by != "time"
        response = Response(_drawn(question.position, texts, last), content_type=f"{MEDIA_TYPE}; charset=utf-8")
        if lasting:
            return tagged(response, tag, cache_control)
        response.headers["Cache-Control"] = NO_STORE
        return response

    app.add_url_rule("/board.svg", "get_picture", get_picture, methods=["GET"])


def _last_move(fields: dict[str, Any], settings: Settings) -> int | None:
    if "moves" not in fields:
        return None
    start: Position = read_start(fields, settings.max_side)
    return next((move for _, move in reversed(list(start.replay(fields["moves"])))), None)


def _drawn(position: Position, texts: dict[int, str], last: int | None) -> str:
    lit = position.ending().winning_cells
    return board_svg.picture(position.rules, position.cells, lit=lit, texts=texts, last=last)
