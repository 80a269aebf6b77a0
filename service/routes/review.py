"""``POST /review``: a grade for every move of a game."""

from flask import Blueprint, Response

from kinarow.contract.game_schemas import REVIEW_REQUEST
from kinarow.contract.schemas import check
from kinarow.contract.strict_json import parse
from service.http import actions
from service.http.body import read_body

blueprint = Blueprint("review", __name__)


@blueprint.post("/review")
def post_review() -> Response:
    """The graded moves, or an event for each."""
    return actions.respond("review", check(REVIEW_REQUEST, parse(read_body())), "move")
