"""What a request's rule fields mean: presets, defaults, contradictions, and the bounds of every number."""

import itertools
import random
from collections.abc import Sequence
from dataclasses import replace
from typing import get_type_hints

import numpy as np
import pytest

from kinarow.errors import InputError, RuleError
from kinarow.game import renju
from kinarow.game.notation import write_move
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, RULES, Needs, RuleKeywords, Rules, Size
from kinarow.reading.rules import new_board_size, read_rules
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.solvers.large_boards.board.records import kernels
from tests.support import oracle
from tests.support.large_boards import board_of
from tests.support.positions import EVERY_GAME, RENJU_CASES
from tests.support.samples import sampled


def resolve(rows, columns, layers=1, **fields):
    return read_rules({"rows": rows, "columns": columns, "layers": layers, **fields}, Size(rows, columns, layers))


def refused(*size, **fields):
    """The problems of rules that are refused, by their pointers."""
    with pytest.raises(RuleError) as caught:
        resolve(*size, **fields)
    return dict(caught.value.problems)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_the_rule_fields_on_a_board_of_any_size(name):
    assert resolve(9, 8, game=name) == replace(PRESETS[name], rows=9, columns=8, layers=1)


def test_a_preset_may_be_repeated_by_fields_that_agree():
    sent = {"goal": 4, "gravity": True, "misere": False, "exact_goal": False}
    assert resolve(6, 7, game="connect-four", **sent) == Rules(6, 7, 4, gravity=True)


@pytest.mark.parametrize(
    ("game", "field", "value"),
    [
        ("connect-four", "goal", 5), ("connect-four", "gravity", False), ("tic-tac-toe", "misere", True),
        ("misere-tic-tac-toe", "misere", False), ("gomoku", "exact_goal", True),
        ("standard-gomoku", "exact_goal", False),
    ],
)  # fmt: skip
def test_a_preset_that_contradicts_a_field_names_both(game, field, value):
    problems = refused(9, 8, game=game, **{field: value})
    assert [*problems] == ["/game", f"/{field}"]
    assert all(game in detail for detail in problems.values())
    assert problems["/game"].endswith(f"; leave out game or {field}")


@pytest.mark.parametrize("game", ["chess", "", "tic_tac_tow", "x" * 10_000])
def test_an_unknown_preset_is_refused_with_the_known_ones(game):
    with pytest.raises(RuleError, match="standard-gomoku") as wrong:
        Position.from_moves("", game=game)
    ((pointer, detail),) = wrong.value.problems
    assert (pointer, len(detail) < 300) == ("/game", True)
    assert "/game" in refused(4, 3, game="gomoku")  # its goal is longer than the board


def test_goal_defaults_to_three_on_three_by_three_alone():
    assert resolve(3, 3) == Rules(3, 3, 3)
    assert resolve(3, 3, gravity=True, misere=True, exact_goal=True) == Rules(3, 3, 3, True, True, True)
    for size in [(3, 4), (4, 3), (1, 1), (25, 25)]:
        assert [*refused(*size)] == ["/goal"]


@pytest.mark.parametrize(
    ("size", "words"),
    [
        ((6, 7), '; 6 × 7 is the board of connect-four: send "game": "connect-four", or goal and gravity'),
        ((4, 4), '; 4 × 4 is the board of four-by-four: send "game": "four-by-four", or goal'),
        ((4, 4, 4), '; 4 × 4 × 4 is the board of qubic and score-four: send one of them as "game", or goal'),
        ((15, 15), "; 15 × 15 is the board of gomoku, standard-gomoku, caro and renju: send one of them"),
        ((7, 6), " on a 7 × 6 board; only 3 × 3 has a default"),
    ],
)
def test_a_missing_goal_names_the_games_of_that_size(size, words):
    assert refused(*size)["/goal"].startswith("goal is required" + words)


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (1, 7), (7, 1), (2, 9), (25, 25), (25, 24)])
def test_goal_goes_from_one_to_the_longest_side(rows, columns):
    longest = max(rows, columns)
    assert Rules(rows, columns, 1).cells == rows * columns
    assert resolve(rows, columns, goal=longest).goal == longest
    for goal in (0, -1, longest + 1, 10**30):
        assert [*refused(rows, columns, goal=goal)] == ["/goal"]


@pytest.mark.parametrize(("rows", "columns", "pointer"), [(0, 3, "/rows"), (26, 3, "/rows"), (3, 26, "/columns")])
def test_a_board_has_one_to_25_rows_and_columns(rows, columns, pointer):
    with pytest.raises(InputError) as caught:
        Rules(rows, columns, 3)
    assert caught.value.problems[0][0] == pointer


def test_a_new_board_has_the_size_that_is_said_or_that_of_its_game():
    assert new_board_size("connect-four", None, None) == (6, 7, 1)
    assert new_board_size("connect-four", None, 9) == (6, 9, 1)
    assert new_board_size(None, 4, 5) == (4, 5, 1)
    for game, rows, columns, pointers in [
        (None, None, None, ["/rows", "/columns"]),
        (None, 3, None, ["/columns"]),
        ("gomoku", None, 11, ["/rows", "/columns"]),
    ]:
        with pytest.raises(RuleError) as caught:
            new_board_size(game, rows, columns, 10)
        assert [pointer for pointer, _ in caught.value.problems] == pointers


def test_the_keywords_of_the_library_repeat_the_declared_rules():
    """A list is any sequence of texts there, a choice any text, and each may be missing; ``game`` names a preset."""
    written = {"integer": int, "switch": bool, "choice": str, "list": Sequence[str]}
    declared = {name: written[rule.kind] | None for name, rule in RULES.items()}
    size = dict.fromkeys(("rows", "columns", "layers"), int | None)
    assert get_type_hints(RuleKeywords) == declared | size | {"game": str | None}


def test_a_declaration_names_other_fields_and_says_every_value_in_words():
    fields = Rules(3, 3, 3).fields()
    for rule in RULES.values():
        assert {*rule.not_with} < {*fields} - {rule.name}
        assert rule.words.endswith(".")
        for value in {"switch": [True], "choice": rule.choices[1:], "list": [rule.choices[:2]]}.get(rule.kind, ()):
            assert rule.say(value)


@pytest.mark.parametrize("name", RULES)
def test_a_declared_rule_is_played(name):
    """Games that the oracle judges have it, and it changes moves or endings there."""
    games = [rules for rules in EVERY_GAME if getattr(rules, name) != RULES[name].default]
    assert games, "add games that have it to EVERY_GAME in tests/support/positions.py"
    if name == "goal":
        return
    rng = random.Random(name)
    for rules in rng.sample(games, len(games)):
        usual = replace(rules, **{name: RULES[name].default})
        for _ in range(20):
            position = Position.empty(rules)
            while position.ending().state == "ongoing":
                without = Position(usual, position.cells, position.to_move)
                if (position.legal_moves(), position.ending()) != (without.legal_moves(), without.ending()):
                    return
                position = position.play(rng.choice(position.legal_moves()))
            if Position(usual, position.cells, position.to_move).ending() != position.ending():
                return
    pytest.fail(f"{name} changes nothing: play it in Position or kernel_geometry.py")


@pytest.mark.parametrize("rules", [rules for rules in EVERY_GAME if rules.cells <= 64][::7], ids=repr)
def test_a_move_that_is_not_legal_is_barred_and_refused(rules):
    rng = random.Random(repr(rules))
    position = Position.empty(rules)
    while position.ending().state == "ongoing":
        allowed = [cell for cell in range(rules.cells) if position.barred(cell) is None]
        assert allowed == list(position.legal_moves())
        for cell in {*range(rules.cells)} - {*allowed}:
            with pytest.raises(ValueError, match="cannot be marked"):
                position.play(cell)
        position = position.play(rng.choice(allowed))


def test_needs_of_a_rule_are_told_and_refused(monkeypatch):
    needs = Needs(goal=4, no_blocked=True)
    monkeypatch.setitem(RULES, "misere", RULES["misere"]._replace(needs=needs))
    assert "Needs goal 4 and a board without `#`." in RULES["misere"].description
    Rules(5, 7, 4, misere=True)
    for goal, blocked, pointer in [(3, 0, "/goal"), (4, 1, "/board")]:
        with pytest.raises(RuleError) as caught:
            Rules(5, 7, goal, misere=True, blocked=blocked)
        problems = dict(caught.value.problems)
        assert ([*problems], len({*problems.values()})) == (["/misere", pointer], 1)
    assert RULES["renju"].needs == Needs(goal=5, no_blocked=True)


def test_what_determines_the_rules_leaves_out_defaults():
    """So that a new rule changes neither keys nor seeded choices of the games without it."""
    plain, special = Rules(4, 5, 3), Rules(4, 5, 3, misere=True, wrap="rows", blocked=6)
    assert plain.short_fields() == {"rows": 4, "columns": 5, "goal": 3}
    assert special.short_fields() == {"rows": 4, "columns": 5, "goal": 3, "misere": True, "wrap": "rows"}
    assert special.special_in_words == ["who completes a line loses", "each row is a ring"]
    for rules in (plain, special, *PRESETS.values()):
        assert eval(repr(rules)) == rules
        assert len(repr(rules)) < 100
    assert repr(plain) == "Rules(rows=4, columns=5, goal=3)"


def test_each_rule_changes_hash_repr_and_equality():
    values = {"integer": 2, "switch": True, "list": ("vertical",)}
    other = {name: values.get(rule.kind) or rule.choices[-1] for name, rule in RULES.items()}
    games = [Rules(5, 5, 5), *(Rules(**{"rows": 5, "columns": 5, "goal": 5, name: other[name]}) for name in RULES)]
    assert len({hash(rules) for rules in games}) == len({repr(rules) for rules in games}) == len(games)
    assert len({*games}) == len(games)


def test_which_rule_is_wrong_first_does_not_depend_on_the_process():
    """A set of names has another order in each process."""
    wrong = {"goal": 4, "gravity": True, "misere": True, "wrap": "rows", "caro": True, "renju": True}
    for first, second in itertools.combinations(wrong, 2):
        with pytest.raises(RuleError) as caught:
            read_rules({second: wrong[second], first: wrong[first], "game": "tic-tac-toe"}, Size(3, 3))
        assert caught.value.problems[-1][0] == f"/{first}"


@pytest.mark.parametrize("name", ["rows", "columns", "layers", "blocked", *RULES])
def test_a_field_of_another_type_is_refused_by_its_name(name):
    for value in ("3", 1.5, None, object()):
        if not (isinstance(value, str) and name in ("wrap", "marks", "directions")):
            with pytest.raises(TypeError, match=f"^{name} is "):
                Rules(**{"rows": 3, "columns": 3, "goal": 3, name: value})


def test_the_values_of_equal_rules_have_the_same_types():
    """Whole numbers of other libraries are numbers of Python, and directions a tuple in their order."""
    rules = Rules(np.int64(3), np.uint8(3), np.int8(2), directions=["vertical", "horizontal"])
    assert repr(rules) == repr(Rules(3, 3, 2, directions=("horizontal", "vertical")))
    rules = Rules(3, 3, 3, np.True_, np.False_, wrap=np.str_("rows"))
    assert repr(rules) == repr(Rules(3, 3, 3, gravity=True, wrap="rows"))
    for wrong in ({"directions": ("up",)}, {"blocked": 1 << 9}, {"blocked": -1}):
        with pytest.raises(RuleError):
            Rules(3, 3, 3, **wrong)


def faults(rules, cells):
    """Each forbidden cell and why; the oracle and the kernel, whoever is to move, name the same ones."""
    found = {cell: renju.foul_at(rules, cells, 1, cell) for cell in renju.forbidden_cells(rules, cells, 1)}
    assert found == oracle.faults(rules, cells), cells
    for to_move in (1, 2):
        board = board_of(Position(rules, cells, to_move))
        assert {cell for cell, mark in enumerate(cells) if not mark and kernels.is_forbidden(*board, cell)} == {*found}
    return found


@pytest.mark.parametrize("case", RENJU_CASES, ids=lambda case: case["name"])
def test_forbidden_cells_and_why(case):
    """On boards that the page is tried on too."""
    rows = case["board"].split("/")
    rules, cells = Rules(len(rows), len(rows[0]), 5, renju=True), bytes(".XO".index(mark) for mark in "".join(rows))
    assert {write_move(cell, rules): fault for cell, fault in faults(rules, cells).items()} == case["forbidden"]


@sampled("count", 80, 1500)
def test_forbidden_cells_are_those_of_the_oracle(count):
    """On boards in no order of play."""
    rng, kinds = random.Random("python"), set()
    for _ in range(count):
        rules = Rules(*rng.choice([(15, 15), (9, 9), (7, 12), (11, 10)]), 5, renju=True)
        marked, share = rng.uniform(0.1, 0.55), rng.choice((0.5, 0.6, 0.75))
        cells = bytes(rng.choices((0, 1, 2), (1 - marked, marked * share, marked * (1 - share)), k=rules.cells))
        kinds |= {*faults(rules, cells).values()}
    assert len(kinds) == 3


def test_a_side_that_may_not_move_ends_the_game_as_a_draw():
    """All that is free on this board of 1 × 7 would make an overline."""
    position = Position(Rules(1, 7, 5, renju=True), bytes([1, 1, 1, 0, 1, 1, 2]), 2)
    stuck = Position(Rules(2, 6, 5, renju=True), bytes([1, 1, 1, 0, 1, 1] + [2, 2, 1, 2, 2, 2]), 1)
    assert position.ending().state == "ongoing"
    assert stuck.beginner == 1
    assert stuck.ending().state == "drawn"
    answer = search(stuck, Limits(max_nodes=1000))
    assert (answer.move, answer.score.outcome) == (None, "draw")


def test_the_side_that_began_is_the_one_with_more_marks_and_else_the_one_to_move():
    rows = ["." * 9 for _ in range(9)]
    assert Position.from_rows(rows, renju=True, goal=5, to_move="O").beginner == 2
    assert Position.from_rows(["X" + "." * 8, *rows[1:]], renju=True, goal=5).beginner == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"goal": 4}, {"gravity": True}, {"misere": True}, {"exact_goal": True}, {"caro": True}, {"wrap": "rows"},
        {"directions": ["vertical"]}, {"board": "#....../......."},
    ],
)  # fmt: skip
def test_what_does_not_go_together_is_refused(fields):
    board = fields.pop("board", "......./.......")
    with pytest.raises(InputError) as refused:
        Position.from_text(board, **{"goal": 5, "renju": True, **fields})
    assert refused.value.problems[0][0] == "/renju"


def test_a_forbidden_move_is_refused_by_name():
    start = Position.from_rows(["." * 15] * 15, game="renju")
    game = "a1 a2 b1 b2 c1 c3 e1 e3 f1 f3"
    with pytest.raises(InputError, match="overline") as refused:
        start.after(game + " d1")
    assert refused.value.problems[0][0] == "/moves/10"
    with pytest.raises(ValueError, match="forbidden"):
        start.after(game).play(14 * 15 + 3)
