"""How strong the large-board search is: never much weaker than its earlier self, whose frozen copy it meets here."""

import hashlib
from pathlib import Path

from benchmarks.arena import match
from benchmarks.kernel_player import KernelPlayer

EARLIER = "tests.earlier"
GAMES = 40
NODES = 2000
LEAST_SCORE = 0.35


def test_the_earlier_self_is_frozen():
    """The opponent is the one that was chosen: a change of it would move the gate."""
    digest = hashlib.sha256()
    for source in sorted((Path(__file__).parents[1] / "earlier").glob("*.py")):
        digest.update(source.read_bytes())
    assert digest.hexdigest()[:16] == "e121480418e6e207"


def test_the_search_is_no_weaker_than_its_earlier_self():
    """Forty games from balanced openings at equal nodes, the same on every machine."""
    tally = match(KernelPlayer(NODES), KernelPlayer(NODES, EARLIER), GAMES)
    assert tally.score >= LEAST_SCORE, str(tally)
