"""The measured ratings on the page of the levels bear out what is claimed of the levels."""

import re
from collections.abc import Iterator

import pytest

from benchmarks.levels import GAMES, PLAYERS
from tests.support.server import REPOSITORY

PAGE = (REPOSITORY / "docs" / "levels.md").read_text("utf-8")
MEAN = re.compile(r"([\d.]+) ± ([\d.]+)")


def table(game: str) -> str:
    """The part of the page on a game."""
    return PAGE.partition(f"### {game}\n")[2].partition("###")[0]


def rows(game: str) -> Iterator[tuple[str, list[tuple[float, float] | None]]]:
    """The rows of a game's table: the level, and what it scored against the levels one and three below."""
    for level, _, *scores in re.findall(r"^\| (\w+) \| ([^|]+) \| ([^|]*) \| ([^|]*) \|$", table(game), re.MULTILINE):
        if level != "level":
            found = [MEAN.fullmatch(score.strip()) for score in scores]
            yield level, [(float(one[1]), float(one[2])) if one else None for one in found]


@pytest.mark.parametrize("game", GAMES)
def test_every_level_beats_the_one_three_below_at_95_percent(game: str) -> None:
    """Its mean score less half the interval is more than one half."""
    measured = {level: three for level, (_, three) in rows(game) if three}
    assert list(measured) == [str(level) for level in range(3, 11)]
    assert all(mean - margin > 0.5 for level, (mean, margin) in measured.items() if level != "3")


@pytest.mark.parametrize("game", GAMES)
def test_no_level_is_surely_worse_than_the_one_below(game: str) -> None:
    """Neighbours are swapped only within the error."""
    measured = {level: below for level, (below, _) in rows(game) if below}
    assert list(measured) == [str(level) for level in range(1, 11)]
    assert all(mean + margin > 0.5 for mean, margin in measured.values())


@pytest.mark.parametrize("game", GAMES)
def test_ratings_rise_from_level_to_level(game: str) -> None:
    """From the random mover up to full strength."""
    rated = [int(value) for value in re.findall(r"^\| \w+ \| (-?\d+) \(", table(game), re.MULTILINE)]
    assert len(rated) == len(PLAYERS)
    assert rated == sorted(set(rated))
