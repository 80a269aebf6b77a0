"""The pictures of the page in the documentation: each view can be reached, and each has its picture."""

import shutil
import sys

import pytest

from tests.support.commands import package, run
from tests.support.server import REPOSITORY

IMAGES = REPOSITORY / "docs" / "images"


@pytest.mark.slow
def test_every_view_is_pictured(tmp_path):
    """Taken anew, each is a PNG of the same size, as its first 24 bytes say."""
    package("playwright.sync_api")
    if shutil.which("chromium") is None:
        pytest.skip("the page is pictured in Chromium: apt-get install chromium")
    run(sys.executable, "-m", "docs.screenshots", tmp_path, seconds=500)
    taken, kept = (
        {path.name: path.read_bytes()[:24] for path in folder.glob("page*.png")} for folder in (tmp_path, IMAGES)
    )
    assert taken == kept
