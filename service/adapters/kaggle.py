"""Kaggle's ConnectX: answers the call that ``kaggle-environments`` makes to an agent given by its URL.

The package posts JSON without a content type: ``configuration`` (rows, columns, inarow, actTimeout and more)
and ``state.observation`` (the board as one flat list of 0, 1 and 2 row by row from the top, and the agent's
mark), and reads ``{"action": column}``. Other members are ignored.
"""

import time
from typing import Any

from kinarow import engine
from kinarow.engine import Ask, Question
from kinarow.errors import InputError, quoted
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY, NAMES, O, Rules, X
from kinarow.search_types import NANOSECONDS_PER_MS, Limits, Stop
from service.answers.overload import Overloaded
from service.settings import Settings

PATH = "/adapters/kaggle-connectx"
GAME = "connectx"

# The defaults of ConnectX for missing fields of its configuration.
ROWS, COLUMNS, IN_A_ROW, ACT_TIMEOUT_S = 6, 7, 4, 2

TIME_SHARE = 0.7
"""Share of ``actTimeout`` for the search; the rest is for the network."""

_BOARD = "/state/observation/board"
_MARK = "/state/observation/mark"


def act(call: Any, ask: Ask, settings: Settings, stop: Stop | None) -> dict[str, Any]:
    """The agent's move.

    An overloaded service still answers with a legal move, because a refusal would lose the game.

    Raises:
        InputError: the body is not a call of ConnectX.
        SearchStopped: ``stop`` was set.
    """
    received = time.monotonic_ns()
    configuration = _object(call, "configuration", "", required=False)
    observation = _object(_object(call, "state", ""), "observation", "/state")
    _check_game(call)
    rows = _side(configuration, "rows", ROWS, settings.max_side)
    columns = _side(configuration, "columns", COLUMNS, settings.max_side)
    goal = _integer(configuration, "inarow", IN_A_ROW)
    seconds = _seconds(configuration)
    cells = _cells(observation, rows * columns)
    mark = observation.get("mark")
    if type(mark) is not int or mark not in (X, O):
        raise InputError(_MARK, f"mark is 1 or 2, not {quoted(mark)}")
    if goal > max(rows, columns):
        return {"action": _any_column(cells, columns)}
    position = _position(Rules(rows, columns, goal, gravity=True), cells, X if mark == X else O)
    limits = Limits(
        max_nodes=settings.nodes_by_default(position.rules),
        time_limit_ms=settings.max_time_ms,
        deadline_ns=received + int(seconds * TIME_SHARE * 1000 * NANOSECONDS_PER_MS),
    )
    question = Question(position, limits, stop=stop)
    try:
        answer, _ = engine.move(question, ask)
    except Overloaded:
        # A search whose time is over visits no node, so it need not wait.
        answer, _ = engine.move(question.until(received), ask)
    move = answer.result.move
    assert move is not None, "a finished game was refused"
    return {"action": move % columns}


def _object(parent: Any, name: str, pointer: str, *, required: bool = True) -> dict[str, Any]:
    """A member that is an object; empty if it is optional and missing."""
    if not isinstance(parent, dict):
        raise InputError(pointer, f"must be an object, not {quoted(parent)}")
    if name not in parent:
        if required:
            raise InputError(f"{pointer}/{name}", f"{name} is required")
        return {}
    member = parent[name]
    if not isinstance(member, dict):
        raise InputError(f"{pointer}/{name}", f"must be an object, not {quoted(member)}")
    return member


def _check_game(call: dict[str, Any]) -> None:
    game = call.get("environment", GAME)
    if game != GAME:
        raise InputError("/environment", f"only {GAME} is played here, not {quoted(game)}")


def _integer(configuration: dict[str, Any], name: str, default: int) -> int:
    value = configuration.get(name, default)
    if type(value) is not int or value < 1:
        raise InputError(f"/configuration/{name}", f"must be an integer of at least 1, not {quoted(value)}")
    return value


def _side(configuration: dict[str, Any], name: str, default: int, most: int) -> int:
    value = _integer(configuration, name, default)
    if value > most:
        raise InputError(f"/configuration/{name}", f"at most {most} {name} are allowed here, not {value}")
    return value


def _seconds(configuration: dict[str, Any]) -> float:
    """``actTimeout``, at most an hour."""
    value = configuration.get("actTimeout", ACT_TIMEOUT_S)
    if type(value) not in (int, float) or not value >= 0:
        raise InputError("/configuration/actTimeout", f"must be a number of seconds, not {quoted(value)}")
    return min(float(value), 3600.0)


def _cells(observation: dict[str, Any], count: int) -> bytes:
    board = observation.get("board")
    if not isinstance(board, list):
        raise InputError(_BOARD, f"must be a list of 0, 1 and 2, not {quoted(board)}")
    if not board:
        return bytes(count)
    if len(board) != count:
        raise InputError(_BOARD, f"the board has {len(board)} cells, rows and columns make {count}")
    for index, cell in enumerate(board):
        if type(cell) is not int or not EMPTY <= cell <= O:
            raise InputError(f"{_BOARD}/{index}", f"a cell is 0, 1 or 2, not {quoted(cell)}")
    return bytes(board)


def _any_column(cells: bytes, columns: int) -> int:
    """The open column nearest to the middle, for boards without any line, where every move draws."""
    middle = (columns - 1) / 2
    free = [column for column in range(columns) if cells[column] == EMPTY]
    if not free:
        raise InputError(_BOARD, "the board is full: there is no move to make")
    return min(free, key=lambda column: (abs(column - middle), column))


def _position(rules: Rules, cells: bytes, mark: Any) -> Position:
    """The position; errors point into the call."""
    try:
        position = Position.from_cells(rules, cells, mark)
    except InputError as error:
        pointer, detail = error.problems[0]
        raise InputError(_MARK if pointer == "/to_move" else _BOARD, detail) from None
    if position.ending().state != "ongoing":
        raise InputError(_BOARD, f"the game is over: {NAMES[position.to_move]} has no move to make")
    return position
