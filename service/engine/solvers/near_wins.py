"""Wins and losses within a few plies on boards past one word, with their exact distance, for small goals."""

from functools import lru_cache
from typing import Any

from service.engine import score
from service.engine.geometry import geometry
from service.engine.kernels import near_wins as kernel
from service.engine.kernels.control import OUT_OF_NODES, RUNNING, poll_by_cost
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers.finding import Finding
from service.engine.solvers.tables import POOL

BOARDS_KEPT = 8
TABLE_BITS = 13
LAST_GENERATION = (1 << 40) - 1
ORDER = (1, 2, 3, 4, 5, 6, 7, 9, 11, 8, 10)
"""The distances asked for in turn; long wins of the side to move come before long losses, which need no asking then."""

NODE_NS = 1_000
LINE_VISIT_NS = 100
"""What a node costs at most, and besides for each line that bears a mark: forks are looked for in pairs of these."""

LINE_NODES = 2000
"""The principal variation may cost so many nodes beyond as many again as the proof took."""


def fits(rules: Rules) -> bool:
    """Whether the kernel knows the game: free placement, small goal, nothing else special."""
    return rules.goal <= kernel.MAX_GOAL and not (rules.gravity or rules.misere or rules.exact_goal)


@lru_cache(maxsize=BOARDS_KEPT)
def _empty_board(rules: Rules) -> Any:
    board = geometry(rules)
    return kernel.new_board(rules.cells, rules.goal, list(board.lines), board.move_order)


def _load(position: Position) -> Any:
    """The kernel's record of a position: side 0 is the one to move."""
    board = _empty_board(position.rules).copy()
    for cell, mark in enumerate(position.relative()):
        if mark:
            kernel.put(board[0], mark - 1, cell)
    kernel.set_symmetries(board, position.geometry.stabiliser(position.cells))
    return board


def find(position: Position, control: Any, nodes: int) -> Finding | None:
    """The proof that an ongoing position is won or lost within ``kernel.MAX_ASKED`` plies; None if it is not, or
    the nodes do not suffice.

    Args:
        position: one whose rules ``fits`` accepts.
        control: the budget of the whole search; what is spent here is counted in it.
        nodes: what may be spent here at most.
    """
    record = control[0]
    whole = int(record["node_limit"])
    record["node_limit"] = min(whole, int(record["nodes"]) + nodes)
    marks = position.rules.cells - position.empties
    touched = min(len(position.geometry.lines), kernel.MAX_THROUGH * marks)
    poll_by_cost(control, NODE_NS + LINE_VISIT_NS * touched)
    with POOL.borrow("near wins", kernel.ENTRY_WORDS << TABLE_BITS, LAST_GENERATION) as table:
        found = _ask(position, record, table)
    if found is not None:
        found = _with_line(position, found, record, whole)
    record["node_limit"] = whole
    _forgive(record, whole)
    return found


def _forgive(record: Any, whole: int) -> None:
    """Forget that a part of the nodes was spent while some of the whole are left."""
    if record["reason"] == OUT_OF_NODES and record["nodes"] < whole:
        record["reason"] = RUNNING


def _ask(position: Position, record: Any, table: Any) -> Finding | None:
    """Ask for a win of the side to move within an odd number of plies and of its opponent within an even one."""
    board = _load(position)
    cells = position.rules.cells
    holding = next(cell for cell in position.geometry.move_order if position.cells[cell] == 0)
    for plies in ORDER:
        if plies > position.empties:
            continue
        attacker = 1 - plies % 2
        board["generation"] = 2 * table.generation + attacker
        yes = kernel.ends_within(board[0], record, table.words, plies, attacker)
        if record["reason"] != RUNNING:
            return None
        move = int(board[0]["root_move"])
        if yes and attacker == 0:
            return Finding(move, score.win(cells, plies), (move,), plies)
        if yes:
            return Finding(holding, score.loss(cells, plies), (holding,), plies)
        if attacker == 1 and move >= 0:
            holding = move
    return None


def _with_line(position: Position, found: Finding, record: Any, whole: int) -> Finding:
    """The finding with the best play that follows, as far as a small budget of its own goes."""
    record["node_limit"] = min(whole, 2 * int(record["nodes"]) + LINE_NODES)
    line = [found.move]
    left = found.depth - 1
    while left > 0:
        position = position.play(line[-1])
        with POOL.borrow("near wins", kernel.ENTRY_WORDS << TABLE_BITS, LAST_GENERATION) as table:
            move = _best(position, left, record, table)
        if move is None:
            break
        line.append(move)
        left -= 1
    return Finding(found.move, found.score, tuple(line), found.depth)


def _best(position: Position, plies: int, record: Any, table: Any) -> int | None:
    """A best move of a position that is known to end in so many plies; None when the budget ended."""
    wins = plies % 2 == 1
    asked = plies if wins else plies - 2
    if asked == 0:
        return next(cell for cell in position.geometry.move_order if position.cells[cell] == 0)
    board = _load(position)
    board["generation"] = 2 * table.generation
    kernel.ends_within(board[0], record, table.words, asked, 0 if wins else 1)
    move = int(board[0]["root_move"])
    return move if record["reason"] == RUNNING and move >= 0 else None
