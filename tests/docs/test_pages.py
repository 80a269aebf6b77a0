"""The pages and their pictures say what the code, the contract and the measurements say."""

import csv
import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import yaml

from benchmarks.levels import GAMES
from kinarow.contract.problems import KINDS
from kinarow.game.rules import PRESETS, RULES, Rules
from service.settings import Settings
from tests.support.commands import run
from tests.support.samples import NODES_OF_EMPTY_BOARD
from tests.support.server import REPOSITORY


def test_the_games_of_the_rules_are_the_presets() -> None:
    text = (REPOSITORY / "docs" / "rules.md").read_text("utf-8")
    shown = {}
    lines = re.findall(r"^\| `([a-z-]+)` \| (\d+) × (\d+) \|[^|]*\| `([a-z_]+: [^`]*)` \|$", text, re.MULTILINE)
    for name, rows, columns, fields in lines:
        rules = json.loads("{" + re.sub(r"(\w+):", r'"\1":', fields) + "}")
        shown[name] = Rules(int(rows), int(columns), **rules)
    assert shown == PRESETS


API = (REPOSITORY / "docs" / "api.md").read_text("utf-8")


def test_the_tables_are_those_of_the_code() -> None:
    """``python -m docs.tables`` writes them."""
    run(sys.executable, "-m", "docs.tables", "--check")


RULES_TABLE = (REPOSITORY / "docs" / "rules.md").read_text("utf-8").partition("<!-- end: rules -->")[0]


@pytest.mark.parametrize("name", RULES)
def test_the_reference_of_the_fields_has_values_and_default_of_a_rule(name: str) -> None:
    (values, default), *others = re.findall(
        rf"^\| (?:`\w+`, )*`{name}`(?:, `\w+`)* \| ([^|]+) \| ([^|]+) \|", API, re.M
    )
    assert not others
    ((written, by_default),) = re.findall(rf"^\| `{name}` \| ([^|]+) \| ([^|]+) \|", RULES_TABLE, re.MULTILINE)
    assert values.startswith(written)
    assert default == by_default


SCHEMAS = yaml.load((REPOSITORY / "openapi.yaml").read_bytes(), yaml.CSafeLoader)["components"]["schemas"]
TOLD_ELSEWHERE = {"Problem": {"title", "status", "instance"}, "ReviewedMove": {"best_score", "best_outcome"}}
"""Fields whose names say all there is."""


def test_every_field_reason_and_grade_of_the_contract_is_on_the_page() -> None:
    """As a word between backticks; a front end shows reasons and grades in its own words, so it must know them all."""
    shown = ("AnalysisRequest", "AnalysisAnswer", "Search", "Cell", "Reason", "TreeNode", "ReviewedMove", "Problem")
    words = {word for name in shown for word in SCHEMAS[name]["properties"].keys() - TOLD_ELSEWHERE.get(name, set())}
    for model, field in (("Reason", "code"), ("ReviewedMove", "grade")):
        words |= set(SCHEMAS[model]["properties"][field]["enum"])
    assert {word for word in words if f"`{word}`" not in API} == set()


def test_the_ranges_of_the_page_are_those_of_the_contract() -> None:
    """Of every field of a request whose values are numbers between two that the page says."""
    told = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| (\d+) to (\d+) \|", API, re.MULTILINE)
    ranges = {name: (int(low), int(high)) for names, low, high in told for name in re.findall(r"\w+", names)}
    assert ranges.keys() >= {"goal", "rows", "columns", "max_depth", "level", "top"}
    fields = SCHEMAS["AnalysisRequest"]["properties"]
    assert ranges == {name: (fields[name]["minimum"], fields[name]["maximum"]) for name in ranges}


def test_every_status_of_an_error_is_on_the_page() -> None:
    """And none that no error has; the proxy has one of its own, 502."""
    told = re.findall(r"^\| ([\d, ]+) \|", API, re.MULTILINE)
    assert {int(status) for cell in told for status in cell.split(",")} == {kind.status for kind in KINDS} | {502}


def test_refusals_are_quoted_as_the_service_says_them() -> None:
    """So that who looks for a message finds its answer."""
    quoted = re.findall(r"\*\*“([^”]+)”", (REPOSITORY / "docs" / "questions.md").read_text("utf-8"))
    sources = (path for package in ("kinarow", "service") for path in (REPOSITORY / package).rglob("*.py"))
    code = "".join(path.read_text("utf-8") for path in sources)
    assert len(quoted) > 3
    assert [words for words in quoted if words not in code] == []


def test_every_setting_is_in_one_table_and_says_when_to_change_it() -> None:
    listed = re.findall(
        r"^\| `KINAROW_(\w+)` \|", (REPOSITORY / "docs" / "settings.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(listed) == sorted(name.upper() for name in Settings.model_fields)
    for name, field in Settings.model_fields.items():
        assert re.fullmatch(r"[^\n].+\n\nChange it when .+\.", field.description or "", re.DOTALL), name


LEVELS = list(csv.DictReader((REPOSITORY / "docs/figures/levels.csv").read_text("utf-8").splitlines()))


@pytest.mark.parametrize("game", GAMES)
def test_levels_differ_as_claimed(game: str) -> None:
    """Each beats the one three below at 95 %, neighbours are swapped only within the error, and ratings rise."""
    rows = [row for row in LEVELS if row["game"] == game]
    assert [row["level"] for row in rows] == ["random", *map(str, range(1, 11))]
    for row in rows[1:]:
        assert float(row["against the level below"]) + float(row["margin"]) > 0.5
    for row in rows[4:]:
        assert float(row["against three below"]) - float(row["margin of three"]) > 0.5
    rated = [int(row["rating"]) for row in rows]
    assert rated == sorted(set(rated))


MOST_LOST = 8  # clients that are under way when every worker is killed at once


def table_of_faults(name):
    """The cells of the table between two comments of this name."""
    page = (REPOSITORY / "docs" / "operating.md").read_text("utf-8")
    lines = page.partition(f"<!-- {name} -->")[2].partition(f"<!-- /{name} -->")[0].strip().splitlines()
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_fault_that_is_gone_through_has_its_line_and_only_a_killed_worker_costs_anything():
    rows = table_of_faults("faults")
    sources = [path.read_text("utf-8") for path in (REPOSITORY / "tests" / "system" / "resilience").glob("test_*.py")]
    named = {name for text in sources for name in re.findall(r'faults\.report\(\s*"([^"]+)"', text)}
    assert named
    assert named - {row[0] for row in rows} == set()
    assert len(rows) >= 10
    for name, sent, lost, recovery in rows:
        assert int(sent.replace(",", "")) > 0
        assert int(lost) == 0 or (name.startswith("SIGKILL") and int(lost) <= MOST_LOST), name
        assert recovery == "none needed" or recovery.endswith(" s")


SEARCH_PAGE = REPOSITORY / "docs" / "how-the-search-works.md"


def test_pictures_are_what_the_code_draws_and_are_shown(tmp_path: Path) -> None:
    """Drawn anew each is the file to the last letter: ``python -m docs.pictures`` writes it."""
    run(sys.executable, "-m", "docs.pictures", tmp_path)
    pages = "".join(page.read_text("utf-8") for page in (REPOSITORY / "docs").glob("*.md"))
    drawn = sorted(tmp_path.iterdir())
    assert len(drawn) > 10
    for picture in drawn:
        assert picture.read_text("utf-8") == (REPOSITORY / "docs" / "images" / picture.name).read_text("utf-8")
        assert ElementTree.parse(picture).find("{http://www.w3.org/2000/svg}title").text
        assert f"images/{picture.name}" in pages


def test_the_node_counts_of_the_page_are_those_of_the_code() -> None:
    """The table of the page has a row for each way to search, with the number that the tests pin."""
    rows = re.findall(r"^\| ([\w -]+) \| ([\d,]+) \|", SEARCH_PAGE.read_text("utf-8"), re.MULTILINE)
    assert {name: int(nodes.replace(",", "")) for name, nodes in rows} == NODES_OF_EMPTY_BOARD


def test_the_bounds_that_can_be_switched_off_are_those_of_the_kernels() -> None:
    table = re.findall(r"^\|.*\| ([^|]+) \|$", (REPOSITORY / "docs" / "bounds.md").read_text("utf-8"), re.MULTILINE)
    named = {
        (solver.strip().replace(" ", "_"), switch)
        for cell in table
        for solver, _, switches in (part.partition(":") for part in cell.split(";"))
        for switch in re.findall(r"`(OFF_\w+)`", switches)
    }
    declared = {
        (path.parent.name, switch)
        for path in (REPOSITORY / "kinarow" / "solvers").rglob("*.py")
        for switch in re.findall(r"^(OFF_\w+) = ", path.read_text("utf-8"), re.MULTILINE)
    }
    assert named == declared
