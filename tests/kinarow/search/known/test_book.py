"""Opening books: what they say is what a fresh search says, and only where the rules are exactly theirs."""

import random
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.analysis import analyse
from kinarow.search.best_move import search
from kinarow.search.known import book, strategy
from kinarow.search_types import Limits
from tests.support.positions import RULE_FLAGS, judged, random_positions, true_value
from tests.support.samples import sampled
from training import book as builder

SMALL = Rules(3, 4, 3, gravity=True)
EVERY_FALL = pytest.mark.parametrize("rules", [Rules(3, 4, 3, *flags) for flags in RULE_FLAGS if flags[0]], ids=str)
SMALL_TABLE = 1 << 12
CONNECT_FOUR = Rules(6, 7, 4, gravity=True)


def small_book(rules, plies):
    parts = builder.parts(rules, plies)
    proven = [builder.prove(rules, part, SMALL_TABLE) if len(part) else [] for part in parts]
    return builder.assemble(rules, plies, proven)


def boards_of(positions):
    """The positions as an array: a row of cells for each, seen from the side to move."""
    return np.array([list(position.relative()) for position in positions], np.uint8)


def positions_to(rules, plies):
    """Every ongoing position that play reaches with at most ``plies`` marks."""
    level = {Position.empty(rules)}
    for _ in range(plies + 1):
        yield from level
        children = {position.play(move) for position in level for move in position.legal_moves()}
        level = {child for child in children if child.ending().state == "ongoing"}


@EVERY_FALL
def test_every_value_of_a_book_is_the_oracles(rules):
    made = small_book(rules, 5)
    for position in positions_to(rules, 5):
        value = made.value(position)
        assert value is not None
        assert value.value == true_value(position)


@EVERY_FALL
def test_a_book_bounds_the_values_where_it_ends_and_a_ply_later(rules):
    made = small_book(rules, 4)
    tight = 0
    for position in positions_to(rules, 6):
        bounds = made.bounds(position)
        marks = rules.cells - position.empties
        assert (bounds is None) == (marks not in (4, 5))
        assert (made.value(position) is None, made.moves(position) is None) == (marks > 4, marks > 3)
        if bounds is None:
            continue
        value = true_value(position)
        assert bounds.lower <= value <= bounds.upper
        assert judged(position)[2] <= set(bounds.candidates) <= set(position.legal_moves())
        tight += marks == 5 and bounds.lower == value
    assert tight > 20


def test_a_books_line_is_best_play_by_both():
    made = small_book(SMALL, 6)
    position = Position.empty(SMALL)
    expected = made.value(position).distance
    for move in made.line(position):
        known = made.moves(position)
        assert known[move] == max(known.values())
        position, expected = position.play(move), expected - 1
        if position.ending().state == "ongoing" and (value := made.value(position)):
            assert value.distance == expected


def test_no_two_positions_share_a_key_but_mirror_images_and_arrays_have_the_same_keys():
    positions, seen = list(positions_to(SMALL, 6)), {}
    for position in positions:
        seen.setdefault(book.key(position), set()).add(position.canonical().position.cells)
    assert len(seen) > 50
    assert all(len(forms) == 1 for forms in seen.values())
    assert book.keys(boards_of(positions), SMALL).tolist() == list(map(book.key, positions))


def assert_equal(one, other):
    assert one.plies == other.plies
    assert np.array_equal(one.keys, other.keys)
    assert np.array_equal(one.values, other.values)


def test_a_written_book_is_read_back_and_another_file_is_refused(tmp_path):
    made, path = small_book(SMALL, 3), tmp_path / "some.book"
    book.write(made, path)
    assert_equal(book.read(path, SMALL), made)
    whole = path.read_bytes()
    for content in (whole[:-30], b"", b"PK\x03\x04 no archive", b"\x93NUMPY", b"another format"):
        path.write_bytes(content)
        with pytest.raises(book.BookError, match=r"another version; training.book writes a new one$"):
            book.read(path, SMALL)


def test_a_damaged_book_is_refused_or_has_the_same_values(tmp_path):
    made, path, refused = small_book(SMALL, 3), tmp_path / "some.book", 0
    book.write(made, path)
    whole = path.read_bytes()
    for place in range(0, len(whole), 3):
        path.write_bytes(whole[:place] + bytes((whole[place] ^ 1,)) + whole[place + 1 :])
        try:
            again = book.read(path, SMALL)
        except book.BookError:
            refused += 1
            continue
        assert_equal(again, made)
    assert refused > 100


@pytest.mark.parametrize("rules", [Rules(3, 4, 3), Rules(9, 9, 4, gravity=True)], ids=["free", "too large"])
def test_no_book_is_made_for_boards_it_has_no_keys_for(rules):
    with pytest.raises(book.BookError):
        builder.parts(rules, 2)


def test_only_exactly_the_same_rules_have_the_shipped_book():
    assert book.shipped(CONNECT_FOUR) is not None
    for change in ({"gravity": False}, {"goal": 5}, {"rows": 7, "columns": 6}, {"misere": True}, {"exact_goal": True}):
        assert book.shipped(replace(CONNECT_FOUR, **change)) is None


@pytest.mark.parametrize("rules", [SMALL, Rules(3, 3, 3, gravity=True, misere=True, exact_goal=True)], ids=str)
def test_a_book_in_the_folder_is_that_of_the_rules_in_its_name(monkeypatch, tmp_path, rules):
    """As the guide says: put the file of a book into the folder, under the name that the command gave it."""
    book.write(small_book(rules, 1), tmp_path / book.file_name(rules))
    monkeypatch.setattr(book, "FOLDER", tmp_path)
    book._shipped.cache_clear()
    assert book.shipped(rules).rules == rules
    assert book.shipped(CONNECT_FOUR) is None
    book._shipped.cache_clear()


def test_boards_without_a_book_or_a_strategy_leave_nothing_in_memory():
    """Each mask of blocked cells makes rules of its own, and a request may send any."""
    masks = [Rules(6, 7, 4, gravity=True, blocked=mask) for mask in range(1, 2001)]
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for rules in masks:
        assert book.shipped(rules) is strategy.shipped(rules) is strategy.blocking(rules) is None
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 20_000


def test_the_empty_connect_four_board_is_won_in_41_by_the_centre_column():
    """And every first move has its known value; to a depth the search alone answers."""
    empty = Position.empty(CONNECT_FOUR)
    result = search(empty, Limits(max_nodes=1))
    assert (result.score.outcome, result.score.distance, result.move % 7) == ("win", 41, 3)
    assert (result.best_moves, result.best_moves_complete, result.nodes) == ((result.move,), True, 0)
    moves = analyse(empty, Limits(max_nodes=1)).moves
    known = {each.move % 7: (each.score.outcome, each.score.distance) for each in moves}
    assert [known[column] for column in range(4)] == [("loss", 40), ("loss", 42), ("draw", 42), ("win", 41)]
    assert all(known[column] == known[6 - column] for column in range(7))
    shallow = search(empty, Limits(max_nodes=10**6, max_depth=4))
    assert (shallow.nodes > 0, shallow.score.proven) == (True, False)


def random_openings(count, marks):
    return random_positions(random.Random(1_988 + marks), [CONNECT_FOUR] * count, (42 - marks, 42 - marks))


@sampled("count", 2, 20)
def test_a_sample_of_the_shipped_book_is_what_a_fresh_proof_says(count):
    shipped = book.shipped(CONNECT_FOUR)
    leaves = list(random_openings(count, shipped.plies))
    fresh = builder.prove(CONNECT_FOUR, boards_of(leaves), 1 << 22)
    assert [shipped.value(leaf).value for leaf in leaves] == fresh


def test_values_before_the_leaves_follow_from_those_after():
    shipped = book.shipped(CONNECT_FOUR)
    for marks in range(shipped.plies):
        for position in random_openings(20, marks):
            best = max(shipped.moves(position).values())
            assert shipped.value(position).value == best
