"""The page in each language: it fits a phone, the choice is remembered, and no other language shows through."""

import re

import pytest

from tests.support.page import ENGLISH, TABLES, forms
from tests.web.table import IN_PAGE, expect

PHONE = (390, 844)
WIDTH = "document.documentElement.scrollWidth"


def pieces(entry) -> set[str]:
    return {part.strip(" .,:;") for form in forms(entry) for part in re.split(r"\{\w+\}", form)}


def fits(table) -> None:
    """Nothing is wider than the phone, and the head is whole."""
    assert table.page.evaluate(WIDTH) <= PHONE[0]
    assert all(left >= 0 and right <= PHONE[0] for left, right in table.page.evaluate(IN_PAGE["headPlaces"]))


@pytest.mark.parametrize("language", TABLES)
def test_each_language_fits_a_phone(sit_down, language):
    table = sit_down("game=connect-four&moves=4453&you=both", size=PHONE, locale=language)
    expect(table.page.locator("html")).to_have_attribute("lang", language)
    assert not any("/words/" in asked for asked in table.requests), "they come with the page"
    fits(table)
    table.page.locator("#more-button").click()
    fits(table)
    table.page.locator("#swap").click()
    table.page.locator("#keys").click()
    fits(table)
    table.page.locator("#developer").check()
    table.page.keyboard.press("Escape")
    table.page.get_by_role("switch").first.check()
    table.page.locator(".value-list li").first.wait_for()
    fits(table)
    table.page.keyboard.press("e")
    fits(table)
    table.open("view=learn")
    table.page.get_by_role("treeitem").first.wait_for()
    fits(table)


def test_a_language_that_is_chosen_is_remembered(sit_down):
    table = sit_down(locale="en-GB")
    table.press("Settings and keys")
    table.page.get_by_label("Language").select_option("vi")
    table.page.get_by_role("link", name=TABLES["vi"]["page.play"], exact=True).wait_for()
    table.reload()
    expect(table.page.locator("html")).to_have_attribute("lang", "vi")


def test_a_whole_game_in_spanish_shows_no_english_word(sit_down):
    spanish = TABLES["es"]
    own = " ".join(form for entry in spanish.values() for form in forms(entry))
    english = {piece for key in ENGLISH for piece in pieces(ENGLISH[key]) if len(piece) > 3 and piece not in own}
    shown = re.compile("|".join(rf"\b{re.escape(piece)}\b" for piece in english))
    table = sit_down("game=tic-tac-toe&you=both", locale="es-ES")
    for cell in ("b2", "a1", "c3", "a3", "a2", "c2", "b3", "b1", "c1"):
        table.cell(cell).click()
        assert not shown.search("\n".join(table.page.evaluate(IN_PAGE["textsShown"])))
    table.wait_for_status("Empate")
    table.press(spanish["review.game"])
    table.page.get_by_text(spanish["review.statistics"]).click()
    assert not shown.search("\n".join(table.page.evaluate(IN_PAGE["textsShown"])))
