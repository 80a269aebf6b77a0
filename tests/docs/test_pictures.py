"""The pictures of the documentation show what the code does, and the figures it quotes are the code's."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from tests.docs.pictures import FOLDER, PICTURES
from tests.support.samples import NODES_OF_EMPTY_BOARD
from tests.support.server import REPOSITORY

SEARCH_PAGE = REPOSITORY / "docs" / "how-the-search-works.md"


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_what_the_code_draws(name: str) -> None:
    """Drawn anew it is the file to the last letter: ``python -m tests.docs.pictures`` writes it."""
    drawn = PICTURES[name]()
    assert (FOLDER / name).read_text("utf-8") == drawn
    assert ElementTree.fromstring(drawn).find("{http://www.w3.org/2000/svg}title").text


def test_every_picture_is_shown_on_a_page() -> None:
    """A picture that no page shows is of no use."""
    pages = "".join(page.read_text("utf-8") for page in (REPOSITORY / "docs").glob("*.md"))
    assert [name for name in PICTURES if f"images/{name}" not in pages] == []


def test_the_node_counts_of_the_page_are_those_of_the_code() -> None:
    """The table of the page has a row for each way to search, with the number that the tests pin."""
    rows = re.findall(r"^\| ([\w -]+) \| ([\d,]+) \|", SEARCH_PAGE.read_text("utf-8"), re.MULTILINE)
    assert {name: int(nodes.replace(",", "")) for name, nodes in rows} == NODES_OF_EMPTY_BOARD
