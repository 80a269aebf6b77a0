"""The review of a finished game."""

import pytest

pytestmark = pytest.mark.needs("/review:")

GAME = "game=tic-tac-toe&moves=1.2.3.4.5.6.7&x=you&o=you"


def test_every_move_gets_its_grade_and_the_better_move_is_shown(sit_down, picture):
    table = sit_down(GAME)
    table.tab("Moves")
    table.press("Review this game")
    table.page.locator(".grade").first.wait_for()
    items = table.page.get_by_role("list", name="Moves").get_by_role("listitem")
    assert items.count() == 7
    assert "best" in items.nth(0).inner_text()
    assert "mistake" in items.nth(3).inner_text()
    items.nth(3).get_by_role("button").click()
    assert table.board() == ["XOX", "O..", "..."]
    assert "recommended" in table.cell("B2").get_attribute("aria-label")
    assert table.page.get_by_text("O A2: mistake").is_visible()
    picture(table, "graded")


def test_what_was_better_is_not_mixed_with_what_is_best_now(sit_down):
    table = sit_down(GAME)
    table.tab("Moves")
    table.press("Review this game")
    table.page.get_by_role("list", name="Moves").get_by_role("listitem").nth(2).get_by_role("button").click()
    assert table.page.locator(".pointer").count() > 0
    table.tab("Thinking")
    table.think_along()
    assert table.page.locator(".pointer").count() == 0


def test_a_review_belongs_to_one_game(sit_down):
    table = sit_down(GAME)
    table.tab("Moves")
    table.press("Review this game")
    table.page.locator(".grade").first.wait_for()
    table.press("Undo")
    table.cell("C3").click()
    assert table.page.locator(".move-list .grade").count() == 0


def test_a_game_from_a_position_set_up_cannot_be_reviewed(sit_down):
    table = sit_down("rows=3&columns=3&goal=3&board=X../.O./...&moves=3&x=you&o=you")
    table.tab("Moves")
    assert not table.page.get_by_role("button", name="Review").is_visible()
