"""The pages say of every rule what the code declares."""

import re

import pytest

from kinarow.game.rules import RULES
from tests.docs.tables import default, with_tables, written
from tests.support.server import REPOSITORY

API = (REPOSITORY / "docs" / "api.md").read_text("utf-8")


def test_the_tables_are_those_of_the_code() -> None:
    """``python -m tests.docs.examples docs/rules.md`` writes them."""
    page = (REPOSITORY / "docs" / "rules.md").read_text("utf-8")
    assert "<!-- begin: rules -->" in page
    assert with_tables(page) == page


@pytest.mark.parametrize("name", RULES)
def test_the_reference_of_the_fields_has_values_and_default_of_a_rule(name: str) -> None:
    """In a row of one rule or of several that are alike."""
    (values, shown), *others = re.findall(rf"^\| (?:`\w+`, )*`{name}`(?:, `\w+`)* \| ([^|]+) \| ([^|]+) \|", API, re.M)
    assert not others
    assert values.startswith(written(RULES[name]))
    assert shown == default(RULES[name])
