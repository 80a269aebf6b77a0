"""Random positions for the tests: legal games played out under any rules, stopped before they end."""

import random

import pytest
from hypothesis import strategies as st

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_SIDE
from tests.support.oracle import completes_line, judge

RULE_FLAGS = [(g, m, e) for g in (False, True) for m in (False, True) for e in (False, True)]
"""Gravity, misère and exact goal in every combination."""

SIDE = {1: "X", 2: "O"}
TRUTH = {1: "win", 0: "draw", -1: "loss"}


def flags_name(flags):
    """A readable name of a combination of rules, for the names of tests."""
    return "-".join(name for name, on in zip(("gravity", "misere", "exact"), flags, strict=True) if on) or "normal"


EVERY_RULE = pytest.mark.parametrize("flags", RULE_FLAGS, ids=flags_name)
"""A test with ``flags`` runs for each combination."""


def board_rows(position):
    """The position's board as the oracle takes it: a tuple of strings."""
    text = "".join(".XO"[mark] for mark in position.cells)
    width = position.rules.columns
    return tuple(text[i : i + width] for i in range(0, len(text), width))


def position_of(board, goal, *, to_move=None, gravity=False, misere=False, exact_goal=False):
    """The position of a board drawn with ``/`` between rows."""
    rows = board.split("/")
    rules = Rules(len(rows), len(rows[0]), goal, gravity, misere, exact_goal)
    cells = bytes(".XO".index(mark) for mark in "".join(rows))
    return Position.from_cells(rules, cells, None if to_move is None else "XO".index(to_move) + 1)


def judged(position):
    """The oracle's verdict on an ongoing position: outcome, plies to the end, the set of best cells."""
    rules = position.rules
    value, plies, best = judge(
        board_rows(position), SIDE[position.to_move], rules.goal, rules.gravity, rules.misere, rules.exact_goal
    )
    return TRUTH[value], plies, {row * rules.columns + column for row, column in best}


def true_value(position):
    """The value of an ongoing position by the oracle, on the scale of proven scores."""
    outcome, plies, _ = judged(position)
    cells = position.rules.cells
    return {"win": cells + 1 - plies, "draw": 0, "loss": plies - cells - 1}[outcome]


def true_move_value(position, move):
    """The value of a move by the oracle, for the side that makes it."""
    child = position.play(move)
    final = child.final_score()
    value = -(true_value(child) if final is None else int(final.value))
    return value - (value > 0) + (value < 0)


def random_rules(rng, max_cells):
    """Rules of a random size of at most so many cells, any goal and any flags."""
    while True:
        rows, columns = rng.randint(1, min(max_cells, MAX_SIDE)), rng.randint(1, min(max_cells, MAX_SIDE))
        if rows * columns <= max_cells:
            break
    return Rules(rows, columns, rng.randint(1, max(rows, columns)), *rng.choice(RULE_FLAGS))


def random_position(rng: random.Random, rules: Rules, marks: int) -> Position | None:
    """A position after so many random moves that end no game, or None where the game ended before."""
    position = Position.empty(rules)
    if rng.random() < 0.5:
        position = Position(rules, position.cells, 2)
    for _ in range(marks):
        safe = safe_children(position)
        if not safe:
            return None
        position = rng.choice(safe)
    return position if position.empties else None


def lively_position(rng: random.Random, flags) -> Position:
    """A position with much to choose from, of a size that plain minimax can look three plies into."""
    while True:
        rows, columns = rng.choice(((3, 5), (5, 3), (4, 4), (4, 5), (5, 4)))
        rules = Rules(rows, columns, rng.choice((3, 3, 4)), *flags)
        position = random_position(rng, rules, rules.cells - rng.randint(7, 13))
        if position is not None:
            return position


def safe_children(position):
    """The positions after each move that completes no line."""
    rules = position.rules
    children = []
    for move in position.legal_moves():
        child = position.play(move)
        if not completes_line(board_rows(child), *divmod(move, rules.columns), rules.goal, rules.exact_goal):
            children.append(child)
    return children


SMALL_SIZES = [(rows, columns) for rows in range(1, 13) for columns in range(1, 13) if rows * columns <= 12]
"""Every board of up to 12 cells; but for three, rows and columns differ."""


@st.composite
def small_positions(draw, flags=None, sizes=SMALL_SIZES, max_empties=9):
    """Ongoing positions with at most so many empty cells, reached by play under any rules."""
    rows, columns = draw(st.sampled_from(sizes))
    goal = draw(st.integers(1, max(rows, columns)))
    rules = Rules(rows, columns, goal, *(flags or draw(st.sampled_from(RULE_FLAGS))))
    position = Position(rules, bytes(rules.cells), draw(st.sampled_from((1, 2))))
    marks = draw(st.integers(max(0, rules.cells - max_empties), max(0, rules.cells - 1)))
    # The moves come from one seed: it is drawn at once, and a smaller number of marks is what shrinking should find.
    rng = random.Random(draw(st.integers(0, 2**32)))
    for _ in range(marks):
        children = safe_children(position)
        if not children:
            break
        position = rng.choice(children)
    return position if position.empties else Position(rules, bytes(rules.cells), 1)
