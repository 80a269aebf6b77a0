"""Who plays: one choice beside the games, names that the browser keeps, and how many games each has won."""

import pytest

from tests.web.table import expect

SMALL, LARGE = [(320, 640), (390, 844), (844, 390), (1023, 768)], [(1024, 768), (1280, 720)]


def list_of(table):
    return table.page.get_by_role("combobox", name="Who plays", exact=True)


def choose(table, who: str) -> None:
    table.page.get_by_role("group", name="Who plays").get_by_role("button", name=who).click()


@pytest.mark.parametrize("size", [*SMALL, *LARGE], ids="{0[0]}x{0[1]}".format)
def test_the_choice_is_a_row_of_buttons_where_there_is_room_and_else_a_list(sit_down, size):
    table = sit_down(size=size)
    group = table.page.get_by_role("group", name="Who plays")
    if size in SMALL:
        expect(group).to_be_hidden()
        assert list_of(table).bounding_box()["height"] >= 44
        expect(list_of(table).locator("option:checked")).to_have_text("Computer · Medium")
        list_of(table).select_option("Computer · Easy")
    else:
        expect(list_of(table)).to_be_hidden()
        boxes = [button.bounding_box() for button in group.get_by_role("button").all()]
        assert {box["y"] for box in boxes} == {boxes[0]["y"]}
        assert min(box["height"] for box in boxes) >= 48
        assert boxes[0]["y"] + boxes[0]["height"] <= table.page.locator("#games ul").first.bounding_box()["y"]
        expect(group.get_by_role("button", pressed=True)).to_have_text("Computer · Medium")
        choose(table, "Computer · Easy")
    expect(table.page.get_by_label("Who plays Yellow")).to_have_value("2")
    table.expect_link("level=2")
    table.page.get_by_label("Who plays Yellow").select_option("8")
    expect(table.page.locator("#who select option:checked")).to_have_text("Computer")


def test_names_and_games_won_are_kept_and_never_in_the_address(sit_down):
    """They go with who has them when sides are swapped, and another name begins at nothing."""
    table = sit_down("game=tic-tac-toe")
    choose(table, "Two players here")
    first, second = table.page.get_by_label("Name: X"), table.page.get_by_label("Name: O")
    first.fill("Ada" + 30 * "a")
    expect(first).to_have_value("Ada" + 17 * "a")
    for field, name in ((first, "Ada"), (second, "Ben")):
        field.fill(name)
        field.press("Enter")
    for cell in ("a1", "b1", "a2", "b2", "a3"):
        table.cell(cell).click()
    expect(table.page.locator("#end-title")).to_have_text("Ada wins")
    won = table.page.locator("#won-x"), table.page.locator("#won-o")
    expect(won[0]).to_have_text("1 won")
    table.page.locator("#move-back").click()
    table.cell("a3").click()
    expect(won[0]).to_have_text("1 won")
    table.more("Swap sides")
    table.page.wait_for_url(lambda url: "Ada" not in url)
    table.reload()
    expect(first).to_have_value("Ben")
    expect(second).to_have_value("Ada")
    expect(won[0]).to_have_text("0 won")
    expect(won[1]).to_have_text("1 won")
    second.fill("Cleo")
    second.press("Enter")
    expect(won[1]).to_have_text("")


def test_games_against_the_computer_are_counted_by_themselves(sit_down):
    table = sit_down("game=tic-tac-toe&moves=a3a2b3b2")
    expect(table.page.get_by_label("Name: O")).to_be_hidden()
    table.cell("c3").click()
    expect(table.page.locator("#won-x")).to_have_text("1 won")
    table.open("game=tic-tac-toe&moves=a3a2b3b2&you=both")
    expect(table.page.locator("#won-x")).to_have_text("")
    table.open("game=tic-tac-toe&moves=a3a2b3b2&you=O")
    expect(table.page.locator("#won-o")).to_have_text("1 won")
