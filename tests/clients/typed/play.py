"""A game of tic-tac-toe through the Python client of openapi-generator."""

import sys

from openapi_client import ApiClient, Configuration, MoveRequest, MovesRequest, PositionsApi

service = PositionsApi(ApiClient(Configuration(host=sys.argv[1])))
board = ["...", "...", "..."]
while (answer := service.move(MoveRequest(board=board))).move is not None:
    print(answer.move.tile)
    board = answer.board
print(answer.state, "/".join(board))
(place,) = service.moves(MovesRequest(requests=[MoveRequest(board=["XX"])])).answers
print(place.answer, place.problem.status)
