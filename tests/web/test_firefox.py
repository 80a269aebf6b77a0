"""A visit to all views in Firefox."""

import pytest

from tests.support.firefox import READY, SIZE


@pytest.mark.slow
def test_a_visit_to_all_views(firefox, site):
    address = site.rstrip("/")
    firefox.open(f"{address}/#game=tic-tac-toe&level=10")
    firefox.wait(READY)
    assert firefox.ask("document.querySelector('#board').clientHeight") >= 0.75 * SIZE["height"]
    firefox.click("[data-cell='4']")
    firefox.wait("document.querySelectorAll('[role=gridcell][aria-disabled]').length === 2")
    firefox.click("[name=thinkAlong]")
    firefox.wait("document.querySelectorAll('.value-list li').length === 5")
    firefox.click("#hint")
    firefox.wait("document.querySelector('.pointer')")

    firefox.open(f"{address}/?game=tic-tac-toe&moves=a3c1b2c3a1&you=both")
    firefox.wait(READY)
    firefox.click("#review")
    firefox.wait("document.querySelectorAll('.move-list .best').length")

    firefox.click("#keys")
    firefox.wait("document.querySelector('#keys-dialog').open")
    firefox.click("#keys-dialog .primary")
    firefox.click("#new-game")
    firefox.wait("document.querySelector('#setup').open")
    firefox.click("#setup-cancel")
    firefox.click("#more-button")
    firefox.click("#edit")
    firefox.wait("document.querySelector('#editor').checkVisibility()")
    firefox.click("#edit-cancel")

    firefox.click("#to-learn")
    firefox.wait("document.querySelectorAll('[role=treeitem]').length")
    firefox.click("#step-last")
    firefox.wait("document.querySelector('.node.best')")
    firefox.click("#to-puzzles")
    firefox.wait("document.querySelector('#puzzle').checkVisibility() && document.querySelector('#puzzle p')")
    firefox.open(f"{address}/#game=qubic")
    firefox.wait("document.querySelector('#space').checkVisibility() && document.querySelector('#space *')")

    for path, content in (("atlas", ".atlas td a"), ("docs", ".opblock")):
        firefox.open(f"{address}/{path}")
        firefox.wait(f"document.querySelector('{content}')")
    assert firefox.errors == []
