"""The tables of words have the entries that the page uses, and the page is whole in each language."""

import json
import re
from typing import get_args

import pytest

from kinarow.contract.answers import KnownBy
from kinarow.game.rules import RULES
from service.http import words
from tests.support.page import ENGLISH, TABLES, WEB, forms
from tests.web.table import IN_PAGE, expect

_KEY = re.compile(r"[a-z]\w*\.[\w.≤≥-]+")


def places(entry) -> set[str]:
    """What is put into an entry; a form for one may leave its number out."""
    return set().union(*(re.findall(r"\{(\w+)\}", form) for form in forms(entry)))


def of_rules() -> set[str]:
    """The keys of each declared rule beside the goal: in the dialog of a new game, and of each of its values."""
    rules = [rule for rule in RULES.values() if rule.kind != "integer"]
    return {f"new.{rule.name}" for rule in rules} | {f"{rule.name}.{each}" for rule in rules for each in rule.choices}


def of_atlas() -> set[str]:
    sources = [WEB.parent / name for name in ("templates/atlas.html", "templates/missing.html", "routes/atlas.py")]
    said = set(re.findall(r'\bsay\("([^"]+)"[,)]', "".join(source.read_text("utf-8") for source in sources)))
    shapes = {f"atlas.{wrap}" for wrap in ("plain", *RULES["wrap"].choices) if wrap != "none"}
    switches = {f"atlas.{rule.name}" for rule in RULES.values() if rule.kind == "switch"}
    either = {f"atlas.{name}" for name in ("said.win", "said.loss", "said.draw")}
    either |= {f"atlas.{claim}.{side}" for claim in ("wins", "holds") for side in "XO"}
    either |= {f"atlas.by.{by}" for by in get_args(KnownBy) if by != "publication"}
    return said | shapes | switches | either


def used() -> tuple[set[str], list[re.Pattern[str]]]:
    """The keys in the scripts and the page, and patterns for those that are put together."""
    scripts = "".join(path.read_text("utf-8") for path in (WEB / "js").rglob("*.js"))
    said = re.findall(r'data-say="([^"]+)"', (WEB.parent / "templates" / "index.html").read_text("utf-8"))
    areas = {key.split(".")[0] for key in ENGLISH}
    quoted = [text for text in re.findall(r'"([^"\n]+)"', scripts) if _KEY.fullmatch(text)]
    composed = re.findall(r"`([a-z]\w*\.(?:[^`$]|\$\{[^`}?]*\})*)", scripts)
    keys = {text for text in quoted if text.split(".")[0] in areas} | of_rules() | of_atlas()
    keys |= {each.split("@")[0] for value in said for each in value.split()}
    keys |= set(re.findall(r'\bsay\("([^"]+)"', scripts))
    escaped = [re.escape(text) for text in composed if text.split(".")[0] in areas]
    return keys, [re.compile(re.sub(r"\\\$\\\{.*?\\\}", r"[\\w≤≥-]*", text)) for text in escaped]


def test_english_has_every_key_that_the_page_uses_and_no_other():
    keys, patterns = used()
    assert keys - ENGLISH.keys() == set()
    assert [key for key in ENGLISH.keys() - keys if not any(pattern.match(key) for pattern in patterns)] == []


@pytest.mark.parametrize("language", TABLES)
def test_a_table_has_entries_of_english_alone_with_its_places(language):
    table = TABLES[language]
    assert table.keys() <= ENGLISH.keys()
    assert [key for key in table if places(table[key]) != places(ENGLISH[key])] == []
    assert [key for key, entry in table.items() if not all(forms(entry))] == []
    assert [key for key, entry in table.items() if isinstance(entry, dict) and "other" not in entry] == []


NEVER_ONE = {
    "atlas.lead", "board.layers", "learn.tooLarge", "reason.double_threat", "review.graded",
    "thinking.lost", "thinking.lostAtMost", "told.lost", "told.wins", "told.won",
}  # fmt: skip


def test_a_number_that_may_be_one_has_a_form_for_one():
    many = re.compile(r"\{\w+\} (?:of \{all\} |empty )?(?:are|boards|cells|columns|days|layers|lines|moves|rows)\b")
    assert {key for key, entry in ENGLISH.items() if isinstance(entry, str) and many.search(entry)} == NEVER_ONE


def test_a_word_that_a_table_lacks_is_english(monkeypatch, tmp_path):
    (tmp_path / "web" / "words").mkdir(parents=True)
    for language, table in {"en": {"a": "one", "b": "two"}, "de": {"b": "zwei"}}.items():
        (tmp_path / "web" / "words" / f"{language}.json").write_text(json.dumps(table), "utf-8")
    monkeypatch.setattr(words, "files", lambda package: tmp_path)
    assert words.tables.__wrapped__()["de"] == {"a": "one", "b": "zwei"}


@pytest.mark.parametrize("language", TABLES)
def test_the_page_gets_its_own_words(language):
    table = words.page_words(language)
    assert table["page.play"] == TABLES[language]["page.play"]
    assert not [key for key in table if key.startswith("atlas.")]


def test_each_table_can_be_chosen():
    listed = re.search(r"LANGUAGES = \{(.*?)\}", (WEB / "js/shared/say.js").read_text("utf-8"), re.DOTALL)
    assert listed
    assert set(re.findall(r"(\w+): \"", listed[1])) == TABLES.keys()


def spoken(language: str) -> dict[str, str]:
    """What a table says, without the places for values, and without what is typed as it stands."""
    table = TABLES[language].items()
    return {key: re.sub(r"\{\w+\}", "", " ".join(forms(entry))) for key, entry in table if key != "apiKey.characters"}


def test_signs_stand_as_each_language_has_them():
    """French puts a space that does not break before : ; ? and !, Japanese has signs as wide as its letters."""
    broken = {key: words for key, words in spoken("fr").items() if re.search(r" [:;?!»]|« |'", words)}
    half = {key: words for key, words in spoken("ja").items() if re.search(r"[:;?!=()]", words)}
    assert (broken, half) == ({}, {})


@pytest.mark.parametrize("language", TABLES)
def test_what_stands_side_by_side_has_different_words(language):
    table = {**ENGLISH, **TABLES[language]}
    pairs = [("stage.undo", "say.cancel"), ("stage.restart", "stage.continue"), ("page.play", "learn.play")]
    assert [pair for pair in pairs if table[pair[0]] == table[pair[1]]] == []


@pytest.mark.parametrize("language", ["en", "fr", "ja"])
def test_the_atlas_calls_a_rule_as_the_page_does(language):
    table = TABLES[language]
    assert forms(table["rules.wins"])[-1].startswith(table["atlas.goal"])
    assert table["atlas.gravity"] == table["rules.gravity"]


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
    table.page.locator("#show-search").check()
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
