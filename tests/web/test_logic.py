"""The tests of the page's logic under Node; each file of ``js/`` runs as one test."""

import pytest

from tests.web.logic import FOLDER, run


@pytest.mark.parametrize("file", sorted(path.name for path in FOLDER.glob("*.test.mjs")))
def test_logic(file):
    run("--test", file)
