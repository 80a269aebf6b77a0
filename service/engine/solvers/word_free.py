"""The exact solver for boards of at most 64 cells without gravity: proves value and distance, or bounds them."""

from functools import lru_cache
from typing import Any

from service.engine.geometry import geometry
from service.engine.kernels import word_free as kernel
from service.engine.kernels import word_free_lines as lines
from service.engine.kernels.control import OUT_OF_NODES, RUNNING, poll_by_cost
from service.engine.kernels.proof_table import table_words
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers import blocking
from service.engine.solvers.tables import POOL
from service.engine.solvers.verdict import Verdict, read_verdict, words

SPACES_KEPT = 64
MAX_TABLE_BITS = 20
"""At most 2^20 buckets of 64 bytes: above, memory of its own for every search costs more than it saves."""

NODE_NS = 4_000
"""What a node costs at most: in misere plans are made."""

FIRST_NODES = 20_000
"""What the kernel may spend before the weaker game is asked: small boards and near wins need no more."""

BLOCKING_SHARE = 8
"""Each of the two questions of the weaker game may use this part of the nodes: one in eight."""

DRAW_LINE = 8
"""So many moves of a drawn game's line are shown where the weaker game proved it."""


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return not rules.gravity and lines.fits(rules.rows, rules.columns)


@lru_cache(maxsize=SPACES_KEPT)
def _space(rules: Rules) -> tuple[Any, list[int]]:
    """The kernel's record of a game to copy for a search, and the bit of each cell."""
    places = lines.word_bits(rules.rows, rules.columns)
    space = lines.new_space(
        rules.rows, rules.columns, rules.goal, rules.misere, rules.exact_goal, bits=places
    )
    # Among equal moves the engine's own fixed order decides.
    space["order"][0, : rules.cells] = [places[cell] for cell in geometry(rules).move_order]
    return space, places


def solve(position: Position, control: Any) -> Verdict:
    """Prove as much as the budget allows of an ongoing position.

    1. The kernel alone, for so few nodes that nothing else could be quicker.
    2. Can either side complete a line at all, if the other only blocks? If neither can, it is a draw.
    3. The kernel with what that has shown.
    """
    if not blocking.fits(position):
        return _kernel(position, control)
    whole = int(control["node_limit"][0])
    control["node_limit"] = min(whole, int(control["nodes"][0]) + FIRST_NODES)
    verdict = _kernel(position, control)
    control["node_limit"] = whole
    settled = (
        verdict.exact and control["reason"][0] == RUNNING
    )  # else the first of equal moves is not known yet
    if settled or not _goes_on(control):
        return verdict
    share = whole // BLOCKING_SHARE
    safe, move = blocking.never_completes(position, control, opponent_builds=True, nodes=share)
    if not _goes_on(control):
        return verdict
    harmless, _ = blocking.never_completes(position, control, opponent_builds=False, nodes=share)
    if not _goes_on(control):
        return verdict
    if safe and harmless:
        return _draw(position, control, move)
    first, cells = verdict, position.rules.cells
    verdict = _kernel(position, control, 0 if safe else -cells, 0 if harmless else cells)
    if first.exact and not verdict.exact:
        return first
    if safe and not verdict.exact and verdict.lower == 0 and move is not None:
        return Verdict(0, verdict.upper, move, (move,))
    return verdict


def _goes_on(control: Any) -> bool:
    """Whether some of the whole budget is left; a smaller one that was spent is forgotten."""
    if control["reason"][0] == OUT_OF_NODES and control["nodes"][0] < control["node_limit"][0]:
        control["reason"] = RUNNING
    return bool(control["reason"][0] == RUNNING)


def _kernel(position: Position, control: Any, least: int | None = None, most: int | None = None) -> Verdict:
    """What the kernel proves, the value being known to lie from ``least`` to ``most``."""
    template, places = _space(position.rules)
    space = template.copy()
    if least is not None:
        space["least"] = least
    if most is not None:
        space["most"] = most
    result = kernel.new_result()
    poll_by_cost(control, NODE_NS)
    own, opponent = words(position, places)
    size = min(MAX_TABLE_BITS, kernel.table_size_hint(position.empties, position.rules.misere))
    with POOL.borrow("free placement", table_words(size)) as table:
        kernel.solve(space[0], own, opponent, control[0], table.words, result[0])
    return read_verdict(result[0], places)


def _draw(position: Position, control: Any, move: int | None) -> Verdict:
    """The verdict of a proven draw, with a line of moves that keep it as far as a small budget goes.

    Args:
        position: neither side completes a line in it against mere blocking.
        control: the budget of the whole search.
        move: one that keeps the draw, None if all do.
    """
    whole = int(control["node_limit"][0])
    control["node_limit"] = min(whole, 2 * int(control["nodes"][0]))
    line: list[int] = []
    while len(line) < DRAW_LINE and position.ending().state == "ongoing":
        found = _first_safe(position, control)
        if found is None:
            break
        line.append(found)
        position = position.play(found)
    control["node_limit"] = whole
    _goes_on(control)
    if not line:
        line = [move if move is not None else next(iter(_in_order(position)))]
    return Verdict(0, 0, line[0], tuple(line))


def _first_safe(position: Position, control: Any) -> int | None:
    """The first move in the fixed order after which the opponent surely completes no line; None if unknown."""
    for move in _in_order(position):
        child = position.play(move)
        if child.empties == 0:
            return move
        left = int(control["node_limit"][0] - control["nodes"][0])
        if left < 1 or not _goes_on(control):
            return None
        if blocking.never_completes(child, control, opponent_builds=False, nodes=left)[0]:
            return move
    return None


def _in_order(position: Position) -> list[int]:
    """The legal moves in the fixed order."""
    legal = set(position.legal_moves())
    return [cell for cell in position.geometry.move_order if cell in legal]
