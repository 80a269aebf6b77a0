"""The exact solver for gravity boards that fit one word: proves value and distance, or bounds them."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from service.engine.geometry import geometry
from service.engine.kernels import word, word_gravity
from service.engine.kernels.control import new_control, poll_by_cost
from service.engine.position import Position
from service.engine.rules import Rules
from service.engine.solvers.tables import POOL
from service.engine.solvers.verdict import Verdict, read_verdict, words

GAMES_KEPT = 64
NODE_NS = 2_000
"""What a node costs at most."""


def fits(rules: Rules) -> bool:
    """Whether this solver knows the game."""
    return rules.gravity and word.fits(rules.rows, rules.columns)


@lru_cache(maxsize=GAMES_KEPT)
def _game(rules: Rules) -> tuple[Any, list[int]]:
    """The kernel's record of a game, which searches share, and the bit of each cell."""
    order = list(geometry(rules).move_order)
    game = word.new_game(
        rules.rows, rules.columns, rules.goal, True, rules.misere, rules.exact_goal, order=order
    )
    return game, word.word_bits(rules.rows, rules.columns)


def solve(position: Position, control: Any) -> Verdict:
    """Prove as much as the budget allows of an ongoing position."""
    game, places = _game(position.rules)
    state, result = word_gravity.new_state(), word_gravity.new_result()
    poll_by_cost(control, NODE_NS)
    own, opponent = words(position, places)
    size = word_gravity.table_size_hint(game, position.empties, int(control["node_limit"][0]))
    with POOL.borrow("gravity", size, word_gravity.LAST_GENERATION) as table:
        state["generation"] = table.generation
        word_gravity.solve(game[0], state[0], own, opponent, control[0], table.words, result[0])
    return read_verdict(result[0], places)


def values_of_many(rules: Rules, positions: Sequence[Position], table_words: int) -> list[int]:
    """The exact values of ongoing positions of one game, in turn, with one table for all: kin shares its work.

    Args:
        rules: a game that ``fits``, played by all of them.
        positions: any number.
        table_words: a power of two from 8 on; 2**27 (a gigabyte) holds 64 million proven bounds.
    """
    game, places = _game(rules)
    state, result = word_gravity.new_state(), word_gravity.new_result()
    table = np.zeros(table_words, np.uint64)
    control = new_control(np.iinfo(np.int64).max)
    state["generation"] = 1
    # Mirror images share an entry throughout, as from the empty board.
    word_gravity.prepare(game[0], state[0], table, np.uint64(0), np.uint64(0))
    values = []
    for position in positions:
        own, opponent = words(position, places)
        word_gravity.find_value(game[0], state[0], control[0], table, own, opponent, result[0])
        values.append(int(result["value"][0]))
    return values
