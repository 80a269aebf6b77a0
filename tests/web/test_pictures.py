"""The pictures of the page in the documentation: each view can be reached, and each has its picture."""

import pytest

from tests.web.pictures import IMAGES, VIEWS, take


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_pictured(browser, site, screenshots, name):
    taken = take(browser, site, name, screenshots).read_bytes()
    kept = (IMAGES / f"{name}.png").read_bytes()
    assert _size(taken) == _size(kept)


def test_no_picture_of_the_page_is_left_over():
    assert {path.stem for path in IMAGES.glob("page*.png")} == set(VIEWS)


def _size(png: bytes) -> bytes:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return png[16:24]
