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
def test_levels_differ_as_claimed(game: str) -> None:
    """Each beats the one three below at 95 %, neighbours are swapped only within the error, and ratings rise."""
    found = dict(rows(game))
    below = {level: scores[0] for level, scores in found.items() if scores[0]}
    three = {level: scores[1] for level, scores in found.items() if scores[1]}
    assert list(below) == [str(level) for level in range(1, 11)]
    assert list(three) == [str(level) for level in range(3, 11)]
    assert all(mean + margin > 0.5 for mean, margin in below.values())
    assert all(mean - margin > 0.5 for level, (mean, margin) in three.items() if level != "3")
    rated = [int(value) for value in re.findall(r"^\| \w+ \| (-?\d+) \(", table(game), re.MULTILINE)]
    assert len(rated) == len(PLAYERS)
    assert rated == sorted(set(rated))
