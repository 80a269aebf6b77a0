"""How strong the large-board search is: far stronger than the line-count solver, a solver without threats."""

from collections.abc import Sequence

import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.solvers.common.budget import Budget
from kinarow.solvers.line_counts.solver import iterate
from training.arena import GOAL, match
from training.kernel_player import KernelPlayer

GAMES = 20
NODES = 2000
LEAST_SCORE = 0.9


class DepthLimitedPlayer:
    """Asks the line-count solver for moves, at a fixed number of nodes a move."""

    def move(self, size: int, exact: bool, moves: Sequence[int]) -> int:
        """The move of the deepest iteration; see ``arena.Player``."""
        position = Position.empty(Rules(size, size, GOAL, exact_goal=exact))
        for cell in moves:
            position = position.play(cell)
        *_, last = iterate(position, Budget(NODES), None)
        return last.move


@pytest.mark.slow
def test_it_beats_the_line_count_solver():
    """Twenty games from balanced openings at equal nodes, the same on every machine."""
    tally = match(KernelPlayer(NODES), DepthLimitedPlayer(), GAMES)
    assert tally.score >= LEAST_SCORE, str(tally)
