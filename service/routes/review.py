"""``POST /review``: a grade for every move of a game."""

from flask import Blueprint, Response

from kinarow.contract.requests import ReviewRequest
from service.http import actions
from service.http.parsing import read_request

blueprint = Blueprint("review", __name__)


@blueprint.post("/review")
def post_review() -> Response:
    """The graded moves, or an event for each."""
    return actions.respond(read_request(ReviewRequest), "move")
