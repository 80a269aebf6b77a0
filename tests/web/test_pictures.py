"""Pictures of the page for the documentation, taken anew with every run."""

import pytest

WIDTH, HEIGHT = 1280, 900
GAME = "game=connect-four&moves=39.32.25.38.37.40.30.33.31.18&x=you&o=computer"


def test_the_picture_of_the_page(sit_down, screenshots):
    """``docs/images/page.png`` is a copy of it: a game reviewed, and every move's value on the board."""
    table = sit_down(GAME, size=(WIDTH, HEIGHT))
    table.tab("Moves")
    table.press("Review the moves so far")
    table.page.locator(".grade").first.wait_for()
    table.tab("Thinking")
    table.think_along()
    table.page.mouse.move(0, 0)
    table.page.screenshot(path=screenshots / "page.png")


@pytest.mark.needs("/tree:")
def test_the_picture_of_the_tree(sit_down, screenshots):
    table = sit_down("view=learn", size=(WIDTH, HEIGHT), dark=True)
    table.page.get_by_role("treeitem").first.wait_for()
    table.page.screenshot(path=screenshots / "tree.png")
