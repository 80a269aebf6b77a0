"""The guide is built from docs/ without a warning, small and whole."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
MOST_BYTES = 5_200_000


def test_the_guide_is_small(guide: Path) -> None:
    assert sum(path.stat().st_size for path in guide.rglob("*") if path.is_file()) < MOST_BYTES
    assert not [path for path in guide.rglob("*") if path.suffix in (".map", ".woff", ".woff2", ".ttf")]


def test_pages_load_nothing_from_elsewhere_and_every_link_leads_somewhere(guide: Path) -> None:
    """To a page of the guide, or of the service that shows it."""
    pages = list(guide.rglob("*.html"))
    assert len(pages) > 50
    service = {guide.parent, *(guide.parent / name for name in ("docs", "atlas", "web/css/site.css", "web/icon.svg"))}
    for page in pages:
        text = page.read_text("utf-8")
        loaded = re.findall(r'<(?:script|img|link)\b[^>]*(?:src|href)="([^"]+)"', text)
        assert [address for address in loaded if "//" in address] == [], page
        linked = re.findall(r'<a\b[^>]*href="([^"#?]+)', text)
        own = [address.partition("?")[0] for address in [*loaded, *linked] if not address.startswith(("http", "#"))]
        targets = {(page.parent / address).resolve() for address in own} - service
        assert [target for target in targets if not target.is_file()] == [], page
