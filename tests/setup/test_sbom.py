"""The bill of materials names everything that serving is made of, once, with version and licence."""

import json
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def bill():
    done = subprocess.run(
        [sys.executable, "-m", "service.cli", "sbom"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return json.loads(done.stdout)


def test_it_is_cyclonedx_of_this_application(bill):
    assert (bill["bomFormat"], bill["specVersion"], bill["version"]) == ("CycloneDX", "1.6", 1)
    assert bill["metadata"]["component"]["type"] == "application"
    assert bill["metadata"]["component"]["name"] == "kinarow"


def test_it_lists_all_that_the_lock_for_serving_holds_in_the_version_that_is_installed(bill):
    pinned = re.findall(
        r"^([a-z0-9-]+)==", (ROOT / "requirements" / "serve.txt").read_text("utf-8"), re.MULTILINE
    )
    listed = {component["purl"] for component in bill["components"]}
    assert len(pinned) > 10
    assert [name for name in pinned if f"pkg:pypi/{name}@{version(name)}" not in listed] == []


def test_it_lists_nothing_that_only_developers_need(bill):
    names = {component["name"].lower() for component in bill["components"]}
    assert not names & {"pytest", "ruff", "mypy", "locust", "playwright", "hypothesis", "schemathesis"}
    assert len(names) == len(bill["components"])


def test_every_entry_has_a_version_and_a_licence(bill):
    for component in (bill["metadata"]["component"], *bill["components"]):
        assert component["version"]
        assert component["bom-ref"] == component["purl"]
        assert component["licenses"], component["name"]


def test_what_depends_on_what_refers_to_entries_and_reaches_all_of_them(bill):
    known = {component["bom-ref"] for component in (bill["metadata"]["component"], *bill["components"])}
    needs = {each["ref"]: each["dependsOn"] for each in bill["dependencies"]}
    assert set(needs) == known
    reached, waiting = set(), [bill["metadata"]["component"]["bom-ref"]]
    while waiting:
        each = waiting.pop()
        if each not in reached:
            reached.add(each)
            waiting.extend(needs[each])
    assert reached == known


def test_what_is_shipped_along_is_listed_as_the_notices_say(bill):
    notices = (ROOT / "THIRD_PARTY_NOTICES.md").read_text("utf-8")
    (shipped,) = [component for component in bill["components"] if component["purl"].startswith("pkg:npm/")]
    assert f"`{shipped['name']}` {shipped['version']}" in notices
