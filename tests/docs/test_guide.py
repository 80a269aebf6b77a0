"""The guide that the service shows is what ``make guide`` builds from docs/, small and whole."""

import filecmp
import re
import sys
from pathlib import Path

import pytest

from tests.support.commands import run
from tests.support.server import REPOSITORY

GUIDE = REPOSITORY / "service" / "guide"
MOST_BYTES = 4_500_000
BUILD = ("--builder", "html", "--fresh-env", "--fail-on-warning", "--keep-going", "--quiet")
PAGES = sorted(GUIDE.rglob("*.html"))


def differences(comparison: "filecmp.dircmp[str]") -> list[str]:
    """The names that are in one folder only or differ, folders below included."""
    names = [*comparison.left_only, *comparison.right_only]
    same, *_ = filecmp.cmpfiles(comparison.left, comparison.right, comparison.common_files, shallow=False)
    names += set(comparison.common_files) - set(same)
    return names + [name for below in comparison.subdirs.values() for name in differences(below)]


@pytest.mark.slow
def test_the_guide_is_built_from_the_pages(tmp_path: Path) -> None:
    """Built anew, with warnings as errors, it is the same to the last byte: ``make guide`` writes it."""
    command = (sys.executable, "-m", "sphinx", *BUILD, "--doctree-dir", tmp_path / "doctrees")
    run(*command, REPOSITORY / "docs", tmp_path / "guide", seconds=300)
    assert sorted(differences(filecmp.dircmp(tmp_path / "guide", GUIDE))) == [], "run make guide"


def test_the_guide_is_small() -> None:
    """It is in every wheel, and in the history at every change."""
    assert sum(path.stat().st_size for path in GUIDE.rglob("*") if path.is_file()) < MOST_BYTES
    assert not [path for path in GUIDE.rglob("*") if path.suffix in (".map", ".woff", ".woff2", ".ttf")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(GUIDE).as_posix())
def test_a_page_loads_nothing_from_elsewhere(page: Path) -> None:
    """And every page that it links to is part of the guide, or of the service that shows it."""
    text = page.read_text("utf-8")
    loaded = re.findall(r'<(?:script|img|link)\b[^>]*(?:src|href)="([^"]+)"', text)
    assert [address for address in loaded if "//" in address] == []
    linked = re.findall(r'<a\b[^>]*href="([^"#?]+)', text)
    own = [address.partition("?")[0] for address in [*loaded, *linked] if not address.startswith(("http", "#"))]
    targets = {(page.parent / address).resolve() for address in own} - {GUIDE.parent, GUIDE.parent / "docs"}
    assert [target for target in targets if not target.is_file()] == []
