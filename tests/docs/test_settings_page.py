"""The page of settings lists every setting of the code, with its default and its range."""

import re
from typing import Any, Literal, get_args, get_origin

import pytest
from annotated_types import Ge, Gt, Le
from pydantic.fields import FieldInfo

from kinarow.settings import PREFIX
from service.settings import Settings
from tests.support.server import REPOSITORY

PAGE = (REPOSITORY / "docs" / "settings.md").read_text("utf-8")
ROW = re.compile(rf"^\| `{PREFIX}(\w+)` \|(.*)\|(.*)\|(.*)\|(.*)\|$", re.MULTILINE)
ROWS = {name.lower(): [cell.strip() for cell in cells] for name, *cells in ROW.findall(PAGE)}


def range_of(field: FieldInfo) -> str:
    """The range as the page writes it; empty for texts."""
    if field.annotation is bool:
        return "`true`, `false`"
    if get_origin(field.annotation) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(field.annotation))
    limits = [*field.metadata, *(limit for part in get_args(field.annotation) for limit in constraints(part))]
    low = next((limit.ge for limit in limits if isinstance(limit, Ge)), None)
    above = next((limit.gt for limit in limits if isinstance(limit, Gt)), None)
    high = next((limit.le for limit in limits if isinstance(limit, Le)), None)
    if above is not None:
        return f"above {above}, to {high:,}"
    if low is None:
        return ""
    return f"{low:,} or more" if high is None else f"{low:,} to {high:,}"


def constraints(annotation: Any) -> list[Any]:
    """The limits inside ``Annotated[int, Field(...)] | None``."""
    return [limit for each in get_args(annotation) for limit in getattr(each, "metadata", [])]


def test_every_setting_is_on_the_page_and_no_other() -> None:
    """A row each."""
    assert set(ROWS) == set(Settings.model_fields)


@pytest.mark.parametrize("name", Settings.model_fields)
def test_a_row_has_default_and_range_of_the_code_and_says_when_to_change_it(name: str) -> None:
    """Where the default is no fixed value, the page says in words what it is."""
    field = Settings.model_fields[name]
    shown, own_range, *words = ROWS[name]
    if isinstance(field.default, bool):
        assert shown == f"`{str(field.default).lower()}`"
    elif isinstance(field.default, int | float) or (isinstance(field.default, str) and field.default):
        assert shown == f"`{field.default}`"
    else:
        assert shown
        assert not shown.startswith("`")
    assert own_range == range_of(field)
    assert all(words)
