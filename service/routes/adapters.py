"""The interfaces of others: connect4.gamesolver.org's ``GET /solve``, and Kaggle's ConnectX.

``/solve`` is open to the pages of every origin. ``kaggle-environments`` can play against an agent's URL: it posts JSON
without a content type and reads ``{"action": column}``. It sends ``configuration`` (rows, columns, inarow, actTimeout
and more) and ``state.observation`` (the board as a flat list of 0, 1 and 2 from the top row, and the agent's mark).
"""

import time
from typing import Annotated, Literal

from flask import Blueprint, Response
from pydantic import MISSING, ConfigDict, Field

from kinarow import engine
from kinarow.contract.answers import Solved
from kinarow.contract.json_text import dump
from kinarow.contract.requests import Request
from kinarow.engine import Ask, Question
from kinarow.errors import InputError, several
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, NAMES, O, Rules, X
from kinarow.protocols import gamesolver
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, Stop
from service.http.parsing import JSON_TYPE, read_query, read_request
from service.http.responses import client_has_etag, etag_of, json_answer, json_response, not_modified, with_etag
from service.http.security import SOLVE_PATH
from service.http.services import services
from service.searches.limiter import Overloaded
from service.settings import Settings

PATH = "/adapters/kaggle-connectx"

TIME_SHARE = 0.7  # share of ``actTimeout`` that the search may use; the rest is for the network
MOST_SECONDS = 3600

_BOARD = "/state/observation/board"
_MARK = "/state/observation/mark"
_Whole = Annotated[int, Field(ge=1)]


class _Object(Request):
    """A JSON object whose other members are ignored."""

    model_config = ConfigDict(extra="ignore")


class Configuration(_Object):
    """The rules of ConnectX and the seconds for a move."""

    rows: _Whole = 6
    columns: _Whole = 7
    inarow: _Whole = 4
    act_timeout: Annotated[float, Field(ge=0, alias="actTimeout")] = 2


class Observation(_Object):
    """The cells from the top row (an empty list means an empty board), and the agent's mark."""

    board: list[Annotated[int, Field(ge=EMPTY, le=O)]]
    mark: Annotated[int, Field(ge=X, le=O)]


class State(_Object):
    """What the agent sees."""

    observation: Observation


class KaggleCall(_Object):
    """The body that ``kaggle-environments`` posts."""

    state: State
    configuration: Configuration = Configuration()
    environment: Literal["connectx"] | MISSING = MISSING


blueprint = Blueprint("adapters", __name__)


@blueprint.get(SOLVE_PATH)
def get_solve() -> Response:
    """Return the score of each column."""
    shared = services()
    moves, position = gamesolver.read_query(read_query(), shared.settings.max_side)
    tag = etag_of(f"solve {moves}", Question(position))
    if client_has_etag(tag):
        return not_modified(tag)
    with shared.disconnects.watch() as stop:
        most_ms, threads = shared.settings.max_time_ms, shared.settings.threads
        scores = gamesolver.scores(position, shared.searches.ask, most_ms, stop, threads)
    return with_etag(json_answer(Solved(pos=moves, score=scores)), tag)


@blueprint.post(PATH)
def post_kaggle_connectx() -> Response:
    """Return the agent's move; the content type may be missing."""
    shared = services()
    call = read_request(KaggleCall, default_type=JSON_TYPE)
    with shared.disconnects.watch() as stop:
        return json_response(dump(act(call, shared.searches.ask, shared.settings, stop)))


def act(call: KaggleCall, ask: Ask, settings: Settings, stop: Stop | None) -> dict[str, int]:
    """Return the agent's move, a legal one even if the service is overloaded; raise ``InputError`` for a bad board."""
    received = time.monotonic_ns()
    observation, configuration = call.state.observation, call.configuration
    rows, columns, goal = configuration.rows, configuration.columns, configuration.inarow
    most = settings.max_side
    for name, side in (("rows", rows), ("columns", columns)):
        if side > most:
            raise InputError(f"/configuration/{name}", f"at most {most} {name} are allowed here, not {side}")
    cells = bytes(observation.board or rows * columns)
    if len(cells) != rows * columns:
        raise InputError(_BOARD, f"the board has {several(len(cells), 'cell')}, rows and columns make {rows * columns}")
    if goal > max(rows, columns):  # no line fits
        return {"action": _middle_column(cells, columns)}
    position = _position(Rules(rows, columns, goal, gravity=True), cells, observation.mark)
    seconds = min(configuration.act_timeout, MOST_SECONDS)
    limits = Limits(
        max_nodes=settings.nodes_by_default(position.rules),
        time_limit_ms=settings.max_time_ms,
        deadline_ns=received + int(seconds * TIME_SHARE * 1000 * NANOSECONDS_PER_MS),
    )
    question = Question(position, limits, stop=stop)
    try:
        answer, _ = engine.move(question, ask)
    except Overloaded:
        # A search whose deadline has passed visits no node, so it needs no slot.
        answer, _ = engine.move(question.until(received), ask)
    move = answer.move
    assert move is not None, "a finished game was refused"
    return {"action": move % columns}


def _middle_column(cells: bytes, columns: int) -> int:
    """Return the free column nearest to the middle."""
    middle = (columns - 1) / 2
    free = [column for column in range(columns) if cells[column] == EMPTY]
    if not free:
        raise InputError(_BOARD, "the board is full: there is no move to make")
    return min(free, key=lambda column: (abs(column - middle), column))


def _position(rules: Rules, cells: bytes, mark: int) -> Position:
    try:
        position = Position.from_cells(rules, cells, X if mark == X else O)
    except InputError as error:
        pointer, detail = error.problems[0]
        raise InputError(_MARK if pointer == "/to_move" else _BOARD, detail) from None
    if position.ending().state != "ongoing":
        raise InputError(_BOARD, f"the game is over: {NAMES[position.to_move]} has no move to make")
    return position
