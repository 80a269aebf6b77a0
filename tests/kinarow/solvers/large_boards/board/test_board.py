"""The board's state: marks come and go, and its patterns are what the rules say."""

import random

import numpy as np
import pytest

from kinarow.solvers.large_boards.board import kernel_patterns as patterns
from kinarow.solvers.large_boards.board.kernel_marks import put, take_back
from kinarow.solvers.large_boards.board.records import copy_of, kernels, load
from kinarow.solvers.large_boards.search.records import new_board
from kinarow.solvers.large_boards.search.tunables import new_tunables
from tests.support import oracle
from tests.support.large_boards import STATE_RULES, snapshot
from tests.support.samples import sampled

TUNABLES = new_tunables()


def loaded(rules, board):
    record = new_board(*rules, TUNABLES)
    load(record, ["XO".find(mark) + 1 for row in board for mark in row])
    return record[0]


STATES = [
    *((rules, {}) for rules in STATE_RULES),
    *((STATE_RULES[exact], {"caro": True}) for exact in (False, True)),
    ((8, 9, 7, False, False, False), {"caro": True}),
    ((3, 4, 2, False, False, True), {"caro": True}),
    (STATE_RULES[0], {"beginner": 0}),
]
"""Rules of every kind; of a game with a beginner's restrictions, as in Renju, too."""


@pytest.mark.parametrize(("rules", "special"), STATES, ids=str)
def test_taking_back_restores_the_state_and_order_does_not_matter(rules, special):
    rng = random.Random(5)
    board = new_board(*rules, TUNABLES, **special)
    cells = rng.sample(range(rules[0] * rules[1]), min(40, rules[0] * rules[1] - 1))
    before = []
    for cell in cells:
        before.append(snapshot(board))
        put(board[0], cell, rng.randrange(2))
    again = new_board(*rules, TUNABLES, **special)
    load(again, np.where(board[0].mark > 0, board[0].mark, 0)[: rules[0] * rules[1]])
    assert snapshot(again) == snapshot(board)
    for cell, state in zip(reversed(cells), reversed(before), strict=True):
        take_back(board[0], cell)
        assert snapshot(board) == state


@pytest.mark.parametrize(("rules", "special"), [*STATES, ((20, 20, 5, False, False, False), {})], ids=str)
def test_the_memory_of_another_position_is_as_good_as_new(rules, special):
    rng = random.Random(11)
    empty = new_board(*rules, TUNABLES, **special)
    few, many = (rng.choices((0, 1, 2), (share, 1, 1), k=rules[0] * rules[1]) for share in (8, 1))
    used = copy_of(empty)
    load(used, many)
    kernels.bring_sums_up_to_date(used)
    boards = copy_of(empty, used), copy_of(empty)
    for board in boards:
        load(board, few)
    again, fresh = boards
    assert snapshot(again) == snapshot(fresh)
    assert kernels.estimate(again, 0) == kernels.estimate(fresh, 0)


@pytest.mark.parametrize("rules", [r for r in STATE_RULES if r[2] > 1 and not r[3]], ids=str)
@sampled("rounds", 1, 3)
def test_cell_patterns_from_four_upwards_are_what_the_rules_say(rules, rounds):
    rng = random.Random(7)
    rows, columns, goal, _, _, exact = rules

    def completing(board, mark):
        return {
            (r, c)
            for r, c in oracle.legal_moves(board, False)
            if oracle.completes_line(oracle.with_mark(board, (r, c), mark), r, c, goal, exact)
        }

    seen = set()
    for mix in ("X.......", "X...", "X..", "XO...", "XX.", "XXX.", "XXXXXX.", "XO....") * rounds:
        board = tuple("".join(rng.choice(mix) for _ in range(columns)) for _ in range(rows))
        record = loaded(rules, board)
        sample = oracle.legal_moves(board, False)
        for move in rng.sample(sample, min(12, len(sample))):
            for side, mark in enumerate("XO"):
                pattern = record.cell_pattern[move[0] * columns + move[1], side]
                before = completing(board, mark)
                if move in before:
                    expected = patterns.FIVE_CELL
                elif before:
                    continue
                else:
                    more = completing(oracle.with_mark(board, move, mark), mark) - before
                    expected = patterns.OPEN_FOUR_CELL if len(more) >= 2 else patterns.FOUR_CELL if more else 0
                seen.add(expected)
                if pattern == patterns.FOUR_THREE_CELL:
                    pattern = patterns.FOUR_CELL
                assert (pattern if pattern >= patterns.FOUR_CELL else 0) == expected
    assert goal > 9 or seen - {0}
