"""The interface of connect4.gamesolver.org: the score of each column of a Connect Four position.

A client sends the columns of the moves so far, from 1, and gets ``{"pos": "4453", "score": [-5, …]}``. If the m-th mark
of the game wins, the winner's score is ``(cells + 2 - m) // 2`` and the loser's is its negative. A draw is 0, a full
column 100.
"""

import time

from kinarow import engine
from kinarow.contract.problems import BUSY_RETRY_AFTER_S, UNAVAILABLE, Problem
from kinarow.contract.queries import request_of
from kinarow.contract.requests import SolveRequest, or_default
from kinarow.engine import Ask, Question
from kinarow.errors import InputError, quoted
from kinarow.game.notation import MAX_DIGIT_COLUMNS
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, Rules
from kinarow.reading.rules import new_board_size
from kinarow.score import Score, parent_score
from kinarow.search.best_move import has_exact_solver
from kinarow.search_types import MOST_NODES, NANOSECONDS_PER_MS, Limits, Stop

GAME = PRESETS["connect-four"]

FULL = 100  # the score of a full column, and of every column of a finished game


def read_query(query: bytes, max_side: int) -> tuple[str, Position]:
    """Read a query such as ``pos=4453``; return its moves and the position after them.

    Raises ``Problem`` for a wrong query, ``InputError`` for a wrong move, or if no exact solver takes the board.
    """
    asked = request_of(SolveRequest, query)
    moves = asked.pos
    size = new_board_size("connect-four", or_default(asked.rows, None), or_default(asked.columns, None), max_side)
    rows, columns = size.rows, size.columns
    if not 1 <= columns <= MAX_DIGIT_COLUMNS:
        raise InputError("/columns", f"columns is 1 to {MAX_DIGIT_COLUMNS}, not {columns}")
    if rows < 1 or max(rows, columns) < GAME.goal:
        raise InputError("/rows", f"four in a row needs a side of {GAME.goal}, the board is {rows} × {columns}")
    rules = Rules(rows, columns, GAME.goal, gravity=True)
    if not has_exact_solver(rules):
        raise InputError("/rows", f"a board of {rows} × {columns} is too large for the exact solver")
    if strange := moves.strip("123456789"):
        raise InputError("/pos", f"pos has only columns from 1 to {columns}, not {quoted(strange[0])}")
    try:
        return moves, Position.empty(rules).after(moves)
    except InputError as wrong:
        pointer, detail = wrong.problems[0]
        number = int(pointer.rsplit("/", 1)[-1]) + 1 if pointer[-1].isdigit() else len(moves)
        raise InputError("/pos", f"move {number}: {detail}") from None


def scores(position: Position, ask: Ask, max_time_ms: int, stop: Stop, threads: int) -> list[int]:
    """Return the proven score of each column for the side to move; full columns and finished games score ``FULL``.

    Raises the ``Problem`` 503 after ``max_time_ms``, and ``SearchStopped`` if ``stop`` was set.
    """
    rules = position.rules
    scores = [FULL] * rules.columns
    if position.ending().state != "ongoing":
        return scores
    limits = Limits(MOST_NODES, deadline_ns=time.monotonic_ns() + max_time_ms * NANOSECONDS_PER_MS, threads=threads)
    marks = rules.cells - position.empties
    in_time = True
    for move in position.legal_moves():
        answer, _ = engine.move(Question(position.play(move), limits, stop=stop), ask)
        value = parent_score(answer.score, rules.cells)
        if value.exact:
            scores[move % rules.columns] = _gamesolver_score(value, marks, rules.cells)
        else:
            in_time = False
    if not in_time:
        raise Problem(
            UNAVAILABLE,
            "Not every column was proven in time. Try again: proven columns are cached.",
            headers={"Retry-After": str(BUSY_RETRY_AFTER_S)},
        )
    return scores


def _gamesolver_score(value: Score, marks: int, cells: int) -> int:
    """Return the score of a move from its exact value and the number of marks before it, for the side that moves."""
    if value.outcome == "draw":
        return 0
    assert value.distance is not None
    points = (cells + 2 - (marks + value.distance)) // 2
    return points if value.outcome == "win" else -points
