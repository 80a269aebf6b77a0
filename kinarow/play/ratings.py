"""Elo ratings of players from their games, by maximum likelihood."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

ELO = 400 / math.log(10)
RESAMPLES = 200
ITERATIONS = 10_000
SETTLED = 1e-6


class Game(NamedTuple):
    """A finished game; ``score`` is the first player's: 1, 0.5 or 0."""

    first: str
    second: str
    score: float


class Rating(NamedTuple):
    """A rating with its 95 % interval."""

    value: float
    low: float
    high: float


def ratings(games: Iterable[Game], anchor: str) -> dict[str, float]:
    """Return Bradley-Terry strengths on the Elo scale, with 0 for the anchor; a draw is half a win.

    Uses the minorisation of Hunter (MM algorithms for generalized Bradley-Terry models, 2004). Each pair that met gets
    a quarter of a win for both players in addition, so that a player who never lost has a finite rating. Games must
    connect the anchor with every other player, directly or through others.
    """
    scores: Counter[tuple[str, str]] = Counter()
    for first, second, score in games:
        scores[first, second] += score  # type: ignore[assignment]
        scores[second, first] += 1 - score  # type: ignore[assignment]
    players = sorted({anchor, *(first for first, _ in scores)})
    place = {player: index for index, player in enumerate(players)}
    won = np.zeros((len(players), len(players)))
    for (first, second), score in scores.items():
        won[place[first], place[second]] = score + 0.25
    met, wins = won + won.T, won.sum(axis=1)
    strength = np.ones(len(players))
    for _ in range(ITERATIONS):
        new = wins / np.maximum(1e-12, (met / (strength[:, None] + strength[None, :])).sum(axis=1))
        new /= new[place[anchor]]
        settled = np.abs(np.log(new / strength)).max() < SETTLED
        strength = new
        if settled:
            break
    return {player: ELO * math.log(strength[place[player]]) for player in players}


def rate(games: Sequence[Game], anchor: str) -> dict[str, Rating]:
    """Return the ratings with 95 % intervals by bootstrap over the games of each pair."""
    rng = np.random.default_rng(1)
    values = ratings(games, anchor)
    pairs: dict[frozenset[str], list[Game]] = {}
    for game in games:
        pairs.setdefault(frozenset((game.first, game.second)), []).append(game)
    samples = [
        ratings([met[i] for met in pairs.values() for i in rng.integers(len(met), size=len(met))], anchor)
        for _ in range(RESAMPLES)
    ]
    return {
        player: Rating(value, *map(float, np.quantile([sample[player] for sample in samples], [0.025, 0.975])))
        for player, value in values.items()
    }
