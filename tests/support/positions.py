"""Positions of every game for tests, reached by random play that ends no game, and what the oracle says of them."""

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import strategies as st

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_SIDE
from tests.support import oracle

RULE_FLAGS = list(product((False, True), repeat=3))
"""Gravity, misère and exact goal in every combination."""


def flags_name(flags):
    """A readable name of a combination of rules, for the names of tests."""
    return "-".join(name for name, on in zip(("gravity", "misere", "exact"), flags, strict=True) if on) or "normal"


EVERY_RULE = pytest.mark.parametrize("flags", RULE_FLAGS, ids=flags_name)
"""A test with ``flags`` runs for each combination."""


def position_of(board, goal, **fields):
    """The position of a board drawn with ``/`` between rows and ``//`` between layers."""
    layers = board.split("//")
    rows = [list(row) for layer in layers for row in layer.split("/")]
    return Position.from_rows(rows, goal=goal, **({"layers": len(layers)} if len(layers) > 1 else {}), **fields)


# Games.


def space(layers, rows, columns):
    """The text of an empty board in space."""
    return "//".join(["/".join(["." * columns] * rows)] * layers)


def drawn(board, goal, wrap="none", directions=tuple(oracle.STEPS), **fields):
    """The rules of a game on a drawn board."""
    fields |= {} if "//" in board else {"wrap": wrap, "directions": directions}
    return position_of(board, goal, **fields).rules


UPRIGHT, SLANTED = ("horizontal", "vertical"), ("diagonal", "antidiagonal")
SHAPES = [
    drawn(*shape)
    for shape in (
        *((".../.../...", 3, wrap) for wrap in ("none", "rows", "columns", "both")),
        *(
            (board, goal, wrap)
            for board in ("..../..../....", "..../..../..../....", "...../...../...../.....")
            for goal in (3, 4)
            for wrap in ("none", "rows", "columns", "both")
        ),
        (".../.../...", 2, "both"), ("../..", 2, "both"), ("......", 3, "rows"), ("....", 4, "both", ("horizontal",)),
        ("./././././.", 5, "columns", ("vertical", "diagonal")), ("..../..../....", 3, "none", UPRIGHT),
        ("..../..../..../....", 3, "none", SLANTED), ("..../..../..../....", 3, "both", ("diagonal",)),
        (".../.../...", 3, "rows", ("vertical", "antidiagonal")), ("..../..../.##./.##.", 3),
        ("..../..../..../#..#", 3, "rows"), ("...../...../.#.#./##.##", 3, "both"),
        ("...#/...#/...#", 3, "both", ("horizontal", "diagonal")), (space(3, 3, 3), 3), (space(2, 3, 4), 3),
        (space(2, 3, 4), 2), (space(4, 2, 3), 4), (space(3, 1, 4), 3), (space(4, 4, 4), 4),
        (space(2, 3, 3).replace(".", "#", 2), 3),
    )
]  # fmt: skip
FLOATING = [drawn(".#.../..#../...#.", 3), drawn("#.../..#./...#/.#..", 3, "both")]
"""Shapes on which no mark can fall."""
CARO = [
    drawn(*shape, caro=True, exact_goal=exact_goal)
    for shape in (
        (".../.../...", 2), (".../.../...", 3), ("..../..../....", 1), ("..../..../....", 2), ("......", 2),
        ("........", 3), ("...../...../.....", 3), ("..../..../..../....", 2, "none", ("diagonal", "vertical")),
        ("...../.#.../...../...#.", 3), ("......./.......", 4), (space(1, 6, 7), 4), (space(1, 8, 8), 5),
    )
    for exact_goal in (False, True)
]  # fmt: skip
RENJU = [Rules(rows, columns, 5, renju=True) for rows, columns in ((5, 6), (6, 8), (3, 7))]
WITH_FLAGS = [
    replace(rules, gravity=gravity, misere=misere, exact_goal=exact_goal)
    for rules in (*SHAPES, *FLOATING)
    for gravity, misere, exact_goal in RULE_FLAGS
    if not (gravity and rules in FLOATING)
]
SHARED = [replace(rules, marks="shared") for rules in WITH_FLAGS]
EVERY_GAME = [*WITH_FLAGS, *CARO, *RENJU, *SHARED]

RENJU_CASES = json.loads(Path(__file__).with_name("renju_cases.json").read_text("utf-8"))["cases"]
"""Boards with their forbidden cells, for the library, the kernel and the page alike."""


# Random play.


def wander(rng, position, marks):
    """The position after ``marks`` random moves that complete no line, or fewer if every move would."""
    for _ in range(marks):
        board = position.rules, position.cells, position.to_move
        ends = set(oracle.completing(*board))
        quiet = [move for move in oracle.moves(*board) if move not in ends]
        if not quiet:
            break
        position = position.play(rng.choice(quiet))
    return position


def random_position(rng, rules, marks):
    """A position after ``marks`` random moves, or None where the game ended before."""
    start = Position(rules, Position.empty(rules).cells, 1 if rules.renju or rng.random() >= 0.5 else 2)
    position = wander(rng, start, marks)
    enough = start.empties - position.empties == marks
    return position if enough and oracle.moves(rules, position.cells, position.to_move) else None


def random_positions(rng, games, empties):
    """A position of each game with some number of empty cells between these two; none where the game ended before."""
    for rules in games:
        free = Position.empty(rules).empties
        position = random_position(rng, rules, max(0, free - rng.randint(*empties)))
        if position is not None:
            yield position


def mirrored_position(rng, rules, pairs):
    """X to move after O has answered ``pairs`` moves by their images: turned by half, or left for right under gravity.

    None where somebody completed a line, or the image is the cell itself.
    """
    position = Position.empty(rules)
    for _ in range(pairs):
        move = rng.choice(oracle.moves(rules, position.cells, 1))
        image = move - 2 * (move % rules.columns) + rules.columns - 1 if rules.gravity else rules.cells - 1 - move
        for each in (move, image):
            if each not in oracle.moves(rules, position.cells, position.to_move):
                return None
            position = position.play(each)
            if oracle.lines_through(rules, position.cells, each):
                return None
    return position


def random_rules(rng, max_cells, flags=None):
    """Rules of a random size of at most ``max_cells`` cells, any goal, and these or any flags."""
    while True:
        rows, columns = rng.randint(1, min(max_cells, MAX_SIDE)), rng.randint(1, min(max_cells, MAX_SIDE))
        if rows * columns <= max_cells:
            return Rules(rows, columns, rng.randint(1, max(rows, columns)), *(flags or rng.choice(RULE_FLAGS)))


def plain_positions(name, flags, count, max_cells, goals=(1, MAX_SIDE), max_empties=None):
    """``count`` random positions under these flags, of any size, the goal within these bounds where there is room."""
    rng, found = random.Random(f"{name} {flags}"), []
    while len(found) < count:
        rules = random_rules(rng, max_cells, flags)
        least = min(goals[0], rules.rows, rules.columns) if rules.cells > 1 else 1
        rules = replace(rules, goal=max(least, min(rules.goal, goals[1])))
        marks = rng.randint(max(0, rules.cells - (max_empties or rules.cells)), rules.cells - 1)
        position = random_position(rng, rules, marks)
        if position is not None:
            found.append(position)
    return found


def lively_position(rng, flags):
    """A position with much to choose from, of a size that plain minimax can look three plies into."""
    while True:
        rows, columns = rng.choice(((3, 5), (5, 3), (4, 4), (4, 5), (5, 4)))
        rules = Rules(rows, columns, rng.choice((3, 3, 4)), *flags)
        position = random_position(rng, rules, rules.cells - rng.randint(7, 13))
        if position is not None:
            return position


SMALL_SIZES = [(rows, columns) for rows in range(1, 13) for columns in range(1, 13) if rows * columns <= 12]
"""Every board of up to 12 cells; but for three, rows and columns differ."""


@st.composite
def small_positions(draw, flags=None, max_empties=9):
    """Ongoing positions with at most ``max_empties`` empty cells, reached by play under any rules."""
    rows, columns = draw(st.sampled_from(SMALL_SIZES))
    goal = draw(st.integers(1, max(rows, columns)))
    rules = Rules(rows, columns, goal, *(flags or draw(st.sampled_from(RULE_FLAGS))))
    start = Position(rules, bytes(rules.cells), draw(st.sampled_from((1, 2))))
    marks = draw(st.integers(max(0, rules.cells - max_empties), max(0, rules.cells - 1)))
    # The moves come from one seed: it is drawn at once, and a smaller number of marks is what shrinking should find.
    return wander(random.Random(draw(st.integers(0, 2**32))), start, marks)


# The truth.


def true_scores(position):
    """The score of each move by the oracle."""
    return oracle.scores(position.rules, position.cells, position.to_move)


def true_value(position):
    """The score of an ongoing position by the oracle."""
    return oracle.score(position.rules, position.cells, position.to_move)


def judged(position):
    """The oracle's verdict on an ongoing position: outcome, plies to the end, the set of best moves."""
    scores, best = true_scores(position), true_value(position)
    plies = position.rules.cells + 1 - abs(best) if best else position.empties
    return ("draw", "win", "loss")[(best > 0) - (best < 0)], plies, {move for move in scores if scores[move] == best}


def composed_position(rng, rules, empties):
    """A position with any numbers of marks, no line and about so many empty cells; None if it has none."""
    cells, share = rules.empty_board, rng.choice((0, 0.2, 0.5, 0.5, 0.8, 1))
    for _ in range(Position.empty(rules).empties - empties):
        places = oracle.reachable(rules, cells)
        after = oracle.put(rules, cells, rng.choice(places), 1 if rng.random() < share else 2)
        if not oracle.line_cells(rules, after, 1) and not oracle.line_cells(rules, after, 2):
            cells = after
    return Position.from_cells(rules, cells, rng.choice((1, 2)), composed=True) if 0 in cells else None
