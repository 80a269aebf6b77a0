"""The board's state is what the rules say as marks come and go, and foresees the cells that make fours."""

import random

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import SWAP_SIDES, Rules
from kinarow.solvers.large_boards.board import patterns
from kinarow.solvers.large_boards.board.kernel_answers import count_answers
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.records import kernels, load, new_state
from tests.support import oracle
from tests.support.large_boards import STATE_RULES, Board, board_of, new, snapshot
from tests.support.samples import sampled

EVERY_STATE = pytest.mark.parametrize("rules", [*STATE_RULES, Rules(20, 20, 5)], ids=str)


@EVERY_STATE
def test_taking_back_restores_the_state_and_order_does_not_matter(rules):
    rng = random.Random(5)
    board = new(rules)
    cells = rng.sample(range(rules.cells), min(40, rules.cells - 1))
    cells = [cell for cell in cells if not rules.blocked >> cell & 1]
    before = []
    for cell in cells:
        before.append(snapshot(board))
        put(*board, cell, rng.randrange(2))
    again = new(rules)
    load(*again, board.state.mark[: rules.cells])
    assert snapshot(again) == snapshot(board)
    for cell, state in zip(reversed(cells), reversed(before), strict=True):
        take_back(*board, cell)
        assert snapshot(board) == state


@EVERY_STATE
def test_a_position_needs_no_clean_memory(rules):
    rng = random.Random(11)
    cells = [3 if rules.blocked >> cell & 1 else rng.choices((0, 1, 2), (8, 1, 1))[0] for cell in range(rules.cells)]
    fresh, used = new(rules), new_state()
    used.view(np.ndarray).view(np.uint8)[:] = np.frombuffer(rng.randbytes(used.nbytes), np.uint8)
    again = Board(fresh.arrays[0], used)
    for board in fresh, again:
        load(*board, cells)
    assert snapshot(again) == snapshot(fresh)
    assert kernels.estimate(*again, 0) == kernels.estimate(*fresh, 0)


def test_the_same_marks_are_another_position_of_renju_where_the_other_side_began():
    marks = bytes(random.Random(3).choices((0, 1, 2), (8, 1, 1), k=RENJU.cells))
    began, answered = (
        board_of(Position(RENJU, cells, side)) for cells, side in ((marks, 1), (marks.translate(SWAP_SIDES), 2))
    )
    assert began.state.mark[: RENJU.cells].tolist() == answered.state.mark[: RENJU.cells].tolist()
    assert began.state.key != answered.state.key


def crowded(rules, rng, *, in_line):
    """A board that no game need lead to, with marks all over or mostly in a line: fours and closed runs are likely."""
    mixes, line = [rng.choice(("X.......", "X...", "XO...", "XX..", "XXX.", "XXXXXX.", "XXO.....", "XXXO...."))], set()
    if in_line:
        mixes, cell = ["XXXXO.", "XXX..O"], rng.randrange(rules.cells)
        across = [direction for direction in oracle.directions(rules) if direction[0]]
        line = {cell, *oracle.near(cell, rng.choice(across), rules.goal)}
    marks = (rng.choice(rng.choice(mixes) if cell in line or not line else ".......XO") for cell in range(rules.cells))
    return bytes(3 if rules.blocked >> cell & 1 else ".XO".index(mark) for cell, mark in enumerate(marks))


def stopping(rules, cells, side):
    """The moves of the other side after which this one, which can complete a line now, completes none next."""
    first = oracle.completing(rules, cells, side)[0]
    near = {first, *(cell for way in oracle.directions(rules) for cell in oracle.near(first, way, rules.goal + 1))}
    replies = {cell: oracle.put(rules, cells, cell, 3 - side) for cell in sorted(near) if not cells[cell]}
    return [cell for cell, after in replies.items() if not oracle.completing(rules, after, side)]


def expected_pattern(rules, cells, cell, side):
    """The cell pattern from four upwards or forbidden, None where the side can complete a line elsewhere already."""
    ends = oracle.completing(rules, cells, side)
    if ends:
        return patterns.FIVE_CELL if cell in ends else None
    if rules.renju and side == 1 and oracle.fault(rules, cells, cell) in ("overline", "double four"):
        return patterns.FORBIDDEN_CELL
    after = oracle.put(rules, cells, cell, side)
    if not oracle.completing(rules, after, side):
        return 0
    return patterns.FOUR_CELL if stopping(rules, after, side) else patterns.OPEN_FOUR_CELL


PLAIN = [rules for rules in STATE_RULES if rules.goal > 1 and not rules.gravity and not rules.caro and not rules.renju]
CARO = [
    Rules(*size, caro=True, exact_goal=exact_goal)
    for size in [(7, 8, 5), (6, 6, 4), (5, 7, 3), (2, 9, 6), (3, 4, 2), (1, 12, 5), (1, 14, 7)]
    for exact_goal in (False, True)
]
RENJU = Rules(9, 9, 5, renju=True)


@pytest.mark.parametrize("rules", [*PLAIN, *CARO, RENJU], ids=str)
@sampled("rounds", 12, 100)
def test_cell_patterns_from_four_upwards_are_what_the_rules_say(rules, rounds):
    """Boards are drawn until enough patterns were seen."""
    rng, seen, least = random.Random(str(rules)), set(), 4 * rounds if rules.renju else 2 * rounds
    wanted = {patterns.FORBIDDEN_CELL, patterns.FOUR_CELL, patterns.FIVE_CELL} if rules.renju else set()
    for number in range(50 * least):
        if number >= least and seen >= wanted and (seen - {0} or rules.goal > 9):
            break
        cells = crowded(rules, rng, in_line=number % 2)
        cells = cells.translate(SWAP_SIDES) if number % 4 == 3 else cells
        if any(oracle.line_cells(rules, cells, side) for side in (1, 2)):
            continue
        board = board_of(Position(rules, cells, 1))
        free = oracle.reachable(rules, cells)
        for cell in rng.sample(free, min(6, len(free))):
            for side in (1, 2):
                expected, found = (
                    expected_pattern(rules, cells, cell, side),
                    int(board.state.cell_pattern[cell, side - 1]),
                )
                if expected is None or (rules.renju and found in (patterns.DOUBLE_THREE_CELL, patterns.THREES_CELL)):
                    continue
                seen.add(expected)
                found = patterns.FOUR_CELL if found == patterns.FOUR_THREE_CELL else found
                kept = found >= patterns.FOUR_CELL or (rules.renju and found == patterns.FORBIDDEN_CELL)
                assert (found if kept else 0) == expected, (rules, cells, cell, side)
    assert seen >= wanted
    assert seen - {0} or rules.goal > 9


@pytest.mark.parametrize("size", [(3, 8, 5), (1, 9, 4), (1, 12, 5), (2, 10, 6)], ids=str)
@sampled("rounds", 500, 2000)
def test_the_answers_to_a_four_under_caro_are_those_that_stop_it(size, rounds):
    rules, rng = Rules(*size, caro=True), random.Random(f"{size} answers")
    several = 0
    for _ in range(rounds):
        cells = crowded(rules, rng, in_line=True)
        board = board_of(Position(rules, cells, 1))
        if board.state.count[0, patterns.FIVE_CELL] and not oracle.line_cells(rules, cells, 1):
            count = count_answers(*board, 0)
            assert sorted(board.state.answer[:count].tolist()) == stopping(rules, cells, 1), cells
            several += count > 1
    assert several
