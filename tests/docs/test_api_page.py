"""The page of the API names every field of the contract."""

import re

import pytest
import yaml

from kinarow.contract.problems import KINDS
from tests.support.server import REPOSITORY

PAGE = (REPOSITORY / "docs" / "api.md").read_text("utf-8")
SCHEMAS = yaml.safe_load((REPOSITORY / "openapi.yaml").read_text("utf-8"))["components"]["schemas"]
TOLD_ELSEWHERE = {"Problem": {"title", "status", "instance"}, "ReviewedMove": {"best_score", "best_outcome"}}
"""Fields whose names say all there is."""


@pytest.mark.parametrize(
    "name", ["AnalysisRequest", "AnalysisAnswer", "Search", "Cell", "Reason", "TreeNode", "ReviewedMove", "Problem"]
)
def test_every_field_of_the_contract_is_on_the_page(name: str) -> None:
    """As a word between backticks."""
    fields = set(SCHEMAS[name]["properties"]) - TOLD_ELSEWHERE.get(name, set())
    assert {field for field in fields if f"`{field}`" not in PAGE} == set()


PROXY_STATUS = 502


def test_the_ranges_of_the_page_are_those_of_the_contract() -> None:
    """Of every field of a request whose values are numbers between two that the page says."""
    told = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (\d+) to (\d+) \|", PAGE, re.MULTILINE)
    ranges = {name: (int(low), int(high)) for names, low, high in told for name in re.findall(r"\w+", names)}
    assert ranges.keys() >= {"goal", "rows", "columns", "max_depth", "level", "top"}
    fields = SCHEMAS["AnalysisRequest"]["properties"]
    assert ranges == {name: (fields[name]["minimum"], fields[name]["maximum"]) for name in ranges}


def test_every_reason_and_grade_is_on_the_page() -> None:
    """A front end shows them in its own words, so it must know them all."""
    codes = SCHEMAS["Reason"]["properties"]["code"]["enum"] + SCHEMAS["ReviewedMove"]["properties"]["grade"]["enum"]
    assert [code for code in codes if f"`{code}`" not in PAGE] == []


def test_every_status_of_an_error_is_on_the_page() -> None:
    """And none that no error has; the proxy has one of its own."""
    told = re.findall(r"^\| ([\d, ]+) \|", PAGE, re.MULTILINE)
    kinds = {kind.status for kind in KINDS}
    assert {int(status) for cell in told for status in cell.split(",")} == kinds | {PROXY_STATUS}


def test_refusals_are_quoted_as_the_service_says_them() -> None:
    """So that who looks for a message finds its answer."""
    quoted = re.findall(r"\*\*“([^”]+)”", (REPOSITORY / "docs" / "questions.md").read_text("utf-8"))
    sources = (path for package in ("kinarow", "service") for path in (REPOSITORY / package).rglob("*.py"))
    code = "".join(path.read_text("utf-8") for path in sources)
    assert len(quoted) > 3
    assert [words for words in quoted if words not in code] == []
