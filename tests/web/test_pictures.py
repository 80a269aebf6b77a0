"""The pictures of the page in the documentation: each view can be reached, and each has its picture."""

import pytest

from docs.screenshots import IMAGES, VIEWS, take


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_pictured(browser, site, tmp_path, name):
    """Both files are PNGs of one size, as their first 24 bytes say."""
    taken, kept = take(browser, site, name, tmp_path), IMAGES / f"{name}.png"
    assert taken.read_bytes()[:24] == kept.read_bytes()[:24]


def test_no_picture_of_the_page_is_left_over():
    assert {path.stem for path in IMAGES.glob("page*.png")} == set(VIEWS)
