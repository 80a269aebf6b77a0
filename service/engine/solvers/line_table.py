"""The solver for every board and every rule: iterative deepening over the line-table kernel."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from service.engine import score
from service.engine.geometry import geometry
from service.engine.heuristic import BASE, MAX_EXPONENT, line_weight
from service.engine.kernels import line_table as kernel
from service.engine.kernels.control import RUNNING, poll_by_cost
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.score import Score
from service.engine.solvers.finding import Finding
from service.engine.solvers.tables import POOL

MAX_LINE = 64
"""The most moves of a principal variation that an answer shows."""

GAMES_KEPT = 32
MIN_TABLE_BITS = 6
MAX_TABLE_BITS = 20
MAX_TABLE_BYTES = 48 << 20
TABLE_SHARE = 2
"""Entries for each node of the budget, so that few are overwritten."""

VISIT_NS = 5
"""What a node costs at most for each line through each cell: its moves are listed and ranked by them."""

ZOBRIST_SEED = 20_260_101


def estimate_scale(goal: int) -> float:
    """The heuristic value that becomes an estimate of one half: twenty lines that lack one mark."""
    return 2.0 * BASE ** min(max(goal - 1, 1), MAX_EXPONENT)


def to_score(value: int, cells: int, marks: int, complete: bool, rules: Rules) -> Score:
    """The kernel's absolute value as a score of a position with so many marks."""
    if value >= kernel.DECISIVE:
        return score.win(cells, kernel.WIN - value - marks)
    if value <= -kernel.DECISIVE:
        return score.loss(cells, kernel.WIN + value - marks)
    if complete:
        return score.draw(cells - marks)
    return score.estimate(value, estimate_scale(rules.goal))


@lru_cache(maxsize=GAMES_KEPT)
def _game(rules: Rules) -> Any:
    """The kernel's record of a game, built once."""
    game = np.zeros(1, kernel.GAME_DTYPE).view(np.recarray)
    record = game[0]
    board = geometry(rules)
    lines = [line for _, line in board.directed_lines] if rules.exact_goal else None
    members = [line.cells for line in lines] if lines else list(board.lines)
    flanks = [line.flanks if rules.exact_goal else () for line in lines] if lines else [()] * len(members)
    record["rows"], record["columns"], record["cells"] = rules.rows, rules.columns, rules.cells
    record["goal"], record["gravity"], record["misere"] = rules.goal, rules.gravity, rules.misere
    record["words"] = (rules.cells + 63) // 64
    record["lines"] = len(members)
    record["order"][: rules.cells] = board.move_order
    for name, owners in (("member", members), ("flank", flanks)):
        by_cell: list[list[int]] = [[] for _ in range(rules.cells)]
        for index, cells in enumerate(owners):
            for cell in cells:
                by_cell[cell].append(index)
        flat = [index for owned in by_cell for index in owned]
        record[name][: len(flat)] = flat
        record[f"{name}_start"][1 : rules.cells + 1] = np.cumsum([len(owned) for owned in by_cell])
    burden = -1 if rules.misere else 1
    record["weight"][:] = [burden * line_weight(marks) for marks in range(kernel.MAX_GOAL + 2)]
    record["zobrist"][:] = np.random.default_rng(ZOBRIST_SEED).integers(
        0, 2**64, size=record["zobrist"].shape, dtype=np.uint64
    )
    return game


def _new_state(game: Any, position: Position) -> Any:
    """The kernel's state with the marks of a position; side 0 is the one to move."""
    state = np.zeros(1, kernel.STATE_DTYPE).view(np.recarray)
    state["board"] = kernel.EMPTY_CELL
    state["alive"] = game["lines"]
    board = position.relative()
    for cell in np.flatnonzero(np.frombuffer(board, np.int8)).tolist():
        kernel.put(game[0], state[0], board[cell] - 1, cell)
    return state


def evaluate(position: Position) -> Score:
    """The value of an ongoing position without a search: a draw where no line is left, else the line heuristic."""
    rules = position.rules
    state = _new_state(_game(rules), position)
    dead = not state["alive"].any()
    return to_score(
        0 if dead else int(state["raw"][0]), rules.cells, rules.cells - position.empties, dead, rules
    )


def evaluations(position: Position) -> Callable[[int], Score]:
    """What ``evaluate`` says of the position after a legal move that does not end the game, for its side to move.

    Made for many moves of one position: all are estimated at once.
    """
    rules = position.rules
    game = _game(rules)
    found = np.zeros(rules.cells, np.int64)
    kernel.estimate_moves(game[0], _new_state(game, position)[0], found)
    estimates: list[int] = found.tolist()
    marks = rules.cells - position.empties + 1

    def after(move: int) -> Score:
        dead = estimates[move] == kernel.WIN
        return to_score(0 if dead else estimates[move], rules.cells, marks, dead, rules)

    return after


def table_bits(cells: int, node_limit: int, entry_words: int = 2 + kernel.EXTRA_WORDS) -> int:
    """The size of the table as a power of two entries: no more than the budget or the game can fill."""
    by_budget = (TABLE_SHARE * node_limit).bit_length()
    by_board = (3**cells).bit_length()
    by_memory = (MAX_TABLE_BYTES // (8 * entry_words)).bit_length() - 1
    return max(MIN_TABLE_BITS, min(MAX_TABLE_BITS, by_budget, by_board, by_memory))


def findings(position: Position, control: Any, max_depth: int | None) -> Iterator[Finding]:
    """Search an ongoing position deeper and deeper until a proof, ``max_depth`` or the end of the budget.

    Args:
        position: the position; its game must not be over.
        control: an array of one ``CONTROL_DTYPE`` record with the limits.
        max_depth: the last depth to search, or None.

    Yields:
        A finding after each finished iteration, and one more for an unfinished iteration that had
        already found a better move.
    """
    rules, empties = position.rules, position.empties
    game = _game(rules)
    state = _new_state(game, position)
    stride = 2 * int(game[0]["words"]) + kernel.EXTRA_WORDS
    size = 1 << table_bits(empties, int(control["node_limit"][0]), stride)
    deepest = min(empties, max_depth or empties)
    poll_by_cost(control, VISIT_NS * max(1, int(game[0]["member_start"][rules.cells])))
    with POOL.borrow(f"line table of {stride} words", size * stride) as table:
        state["generation"], state["table_mask"] = table.generation, size - 1
        for depth in range(1, deepest + 1):
            state["best"], state["horizon"] = -1, 0
            value = kernel.negamax(
                game[0], state[0], control[0], table.words, 0, 0, depth, -kernel.INFINITY, kernel.INFINITY
            )
            finished = control["reason"][0] == RUNNING
            move = int(state["best"][0])
            if move < 0 and finished:
                # The root itself was decided: no line is left for either side.
                move = next(cell for cell in position.geometry.move_order if cell in position.legal_moves())
            known = int(value if finished else state["value"][0])
            # An unfinished iteration has not seen every move, so it can prove a win but no loss.
            if move >= 0 and (finished or known > -kernel.DECISIVE):
                complete = finished and state["horizon"][0] == 0
                found = to_score(known, rules.cells, rules.cells - empties, complete, rules)
                line = _principal_variation(game, state, table.words, move, depth)
                yield Finding(move, found, line, depth if finished else depth - 1)
                if found.proven:
                    return
            if not finished:
                return


def _principal_variation(game: Any, state: Any, table: Any, move: int, depth: int) -> tuple[int, ...]:
    """The line that the table knows to follow a move, no longer than the search was deep."""
    line = [move]
    while len(line) < min(depth, MAX_LINE):
        side = (len(line) - 1) % 2
        if kernel.completes(game[0], state[0], side, line[-1]):
            break
        kernel.put(game[0], state[0], side, line[-1])
        cell = int(kernel.known_move(game[0], state[0], 1 - side, table))
        if cell < 0:
            kernel.take_back(game[0], state[0], side, line[-1])
            break
        line.append(cell)
    for ply in range(len(line) - 2, -1, -1):
        kernel.take_back(game[0], state[0], ply % 2, line[ply])
    return tuple(line)
