"""The static evaluation is what the contract says: a sum over the lines that one side alone has marked."""

import random

from kinarow.game.line_heuristic import static_evaluation
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from tests.support import contract
from tests.support.positions import EVERY_RULE


@EVERY_RULE
def test_it_is_the_sum_over_all_lines_under_every_rule(flags):
    rng = random.Random(str(flags))
    for _ in range(60):
        rows, columns = rng.randint(1, 7), rng.randint(1, 8)
        goal = rng.randint(1, max(rows, columns))
        cells = bytes(rng.choice((0, 0, 0, 1, 2)) for _ in range(rows * columns))
        position = Position(Rules(rows, columns, goal, *flags), cells, rng.choice((1, 2)))
        board = [list(row) for row in position.board]
        request = {"board": board, "goal": goal, "to_move": "XO"[position.to_move - 1]}
        expected = contract.static_evaluation(contract.Asked(request))
        assert static_evaluation(position) == expected
        assert static_evaluation(Position(Rules(rows, columns, goal), cells, position.to_move)) == expected


def test_long_lines_count_no_more_than_ten_to_the_twelfth():
    rules = Rules(1, 25, 20)
    cells = bytes([1] * 19 + [0] * 6)
    # Six lines begin at columns 0 to 5 and hold 19 down to 14 marks: all count the most.
    assert static_evaluation(Position(rules, cells, 1)) == 6 * 10**12
    assert static_evaluation(Position(rules, cells, 2)) == -6 * 10**12
