"""The page of the API names every field of the contract."""

import re

import pytest
import yaml

from service.api import problems
from tests.support.server import REPOSITORY

PAGE = (REPOSITORY / "docs" / "api.md").read_text("utf-8")
SCHEMAS = yaml.safe_load((REPOSITORY / "openapi.yaml").read_text("utf-8"))["components"]["schemas"]
TOLD_ELSEWHERE = {"Problem": {"title", "status", "instance"}, "ReviewedMove": {"best_score", "best_outcome"}}
"""Fields whose names say all there is."""


@pytest.mark.parametrize(
    "name",
    ["AnalysisRequest", "AnalysisAnswer", "Search", "Cell", "Reason", "TreeNode", "ReviewedMove", "Problem"],
)
def test_every_field_of_the_contract_is_on_the_page(name: str) -> None:
    """As a word between backticks."""
    fields = set(SCHEMAS[name]["properties"]) - TOLD_ELSEWHERE.get(name, set())
    assert {field for field in fields if f"`{field}`" not in PAGE} == set()


def test_every_status_of_an_error_is_on_the_page() -> None:
    """And none that no error has."""
    told = re.findall(r"^\| ([\d, ]+) \|", PAGE, re.MULTILINE)
    kinds = {kind.status for kind in vars(problems).values() if isinstance(kind, problems.Kind)}
    assert {int(status) for cell in told for status in cell.split(",")} == kinds
