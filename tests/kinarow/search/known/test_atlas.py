"""The atlas: its entries agree with brute force, mean the same with sides exchanged, and answer at once."""

from dataclasses import replace
from functools import cache
from itertools import permutations

import pytest

import kinarow
from kinarow import score
from kinarow.commands.play import rules_in_words
from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.best_move import search
from kinarow.search.known import atlas
from kinarow.search_types import Limits
from tests.support import oracle
from tests.support.server import REPOSITORY
from training import atlas as builder

SMALL = [r for r in builder.boards() if r.plain and r.marks == "own" and r.cells <= (12 if r.gravity else 9)]


@pytest.mark.parametrize("rules", SMALL[::7], ids=str)
def test_small_entries_agree_with_brute_force(rules):
    assert kinarow.solved(rules).score.value == oracle.score(rules, bytes(rules.cells), 1)
    assert kinarow.solved(rules).score.exact


@pytest.mark.parametrize(
    "rules",
    [
        pytest.param(rules, marks=[pytest.mark.slow] if rules.cells > 16 else [], id=str(rules))
        for rules in builder.boards()
        if rules.marks == "shared"
    ],
)
def test_shared_marks_have_the_values_of_tables_of_all_sets_of_marks(rules):
    table = oracle.scores_of_all_marks(rules)
    entry = kinarow.solved(rules)
    assert entry.score.exact
    assert entry.score.value == table[0]
    for value in entry.first_moves:
        after = int(table[1 << value.move])
        assert value.score.value == (after > 0) - (after < 0) - after
    if rules.rows == 1 and rules.goal == 3 and not rules.misere:
        assert (entry.outcome == "win") == (grundy(rules.columns + 2) != 0)
        assert (entry.outcome == "loss") == (rules.columns in (6, 12, 22))


@cache
def grundy(heap):
    """The Grundy number of a heap in the octal game 0.007: three are taken away, and what is left may be two heaps."""
    reached = {grundy(first) ^ grundy(heap - 3 - first) for first in range(heap - 2)}
    return next(number for number in range(len(reached) + 1) if number not in reached)


@pytest.mark.parametrize(
    "rules", [Rules(3, 5, 3), Rules(4, 3, 3, wrap="rows"), Rules(3, 4, 4, misere=True, wrap="rows")]
)
def test_exchanged_sides_have_the_same_entry(rules):
    wrap = {"rows": "columns"}.get(rules.wrap, rules.wrap)
    turned = replace(rules, rows=rules.columns, columns=rules.rows, wrap=wrap)
    one, other = kinarow.solved(rules), kinarow.solved(turned)
    assert (one.score, one.tried_nodes) == (other.score, other.tried_nodes)
    for value in other.first_moves:
        child = search(Position.empty(turned).play(value.move), Limits())
        assert score.parent_score(child.score, turned.cells) == value.score


def test_a_board_in_space_has_the_entry_of_its_sides_in_any_order():
    answers = {
        kinarow.solved(Rules(*rows_columns, 3, layers=layers)).score
        for layers, *rows_columns in permutations((2, 3, 4))
    }
    assert len(answers) == 1
    tall = kinarow.solved(Rules(2, 2, 3, layers=3))
    for value in tall.first_moves:
        child = search(Position.empty(tall.rules).play(value.move), Limits())
        assert score.parent_score(child.score, tall.rules.cells).value == value.score.value


def test_an_entry_is_what_a_proof_says_now_and_survives_its_file():
    rules = Rules(4, 4, 3)
    entry, stored = builder.prove(rules, 20), atlas.find(rules)
    assert (entry.score, entry.line, entry.first_moves) == (stored.score, stored.line, stored.first_moves)
    assert atlas.read(atlas.write(entry)) == entry


def test_the_engine_answers_an_empty_board_from_the_atlas_as_a_search_would():
    for rules in (Rules(3, 3, 3), Rules(3, 4, 3), Rules(4, 3, 3), Rules(4, 4, 4, gravity=True)):
        answer, searched = kinarow.best_move(Position.empty(rules)), search(Position.empty(rules), Limits())
        assert answer.source == "atlas"
        assert (answer.score, answer.nodes) == (searched.score, 0)
        whole = kinarow.analyse(Position.empty(rules))
        assert (whole.source, whole.nodes, whole.score) == ("atlas", 0, answer.score)
        assert len(whole.moves) == len(Position.empty(rules).legal_moves())
        assert set(answer.best_moves) == {v.move for v in whole.moves if v.score == answer.score}


@pytest.mark.parametrize("asked", [{"max_depth": 3}, {"level": 5, "seed": 1}, {"only": [1, 2]}, {"exclude": [5]}])
def test_some_questions_are_not_put_to_the_atlas(asked):
    assert kinarow.best_move(Position.empty(Rules(3, 3, 3)), **asked).source != "atlas"


def test_blocked_cells_in_layers_are_a_list_of_rows_and_what_is_in_no_family_has_no_entry():
    hollow = kinarow.solved(Rules(3, 3, 3, layers=3, blocked=1 << 13))
    assert hollow.fields()["board"] == ["..."] * 4 + [".#."] + ["..."] * 4
    assert kinarow.solved(Rules(3, 3, 2)) is kinarow.solved(Rules(15, 15, 5)) is None


def test_the_guide_has_the_counts_and_names_every_open_board():
    guide = (REPOSITORY / "docs/atlas.md").read_text("utf-8")
    proven = [entry for entry in atlas.shipped().values() if entry.proven]
    checked = sum(entry.checked_by is not None for entry in proven)
    assert f"{len(proven)} of {len(atlas.shipped())} boards are proven, {checked} of these are checked" in guide
    unproven = [rules_in_words(rules) for rules, entry in atlas.shipped().items() if not entry.proven]
    assert [
        line[2:].split(":")[0] for line in guide.splitlines() if line.startswith("- ") and " nodes" in line
    ] == unproven
