"""Matches at five in a row: each opening is played with both colours, and the results are rated."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kinarow.game.position import Position
from training.games import FREE, rules_of

GOAL = 5
OPENINGS = Path(__file__).with_name("openings.txt")
_ELO_SCALE = 400.0
_Z_95 = 1.96


class Player(Protocol):
    """A player of matches."""

    def move(self, size: int, rule: int, moves: Sequence[int]) -> int:
        """Return the next cell (row * size + column) after these moves from the empty board."""


@dataclass(frozen=True)
class Game:
    """A finished game; ``result`` is 1 if the first player won, 0 for a draw, -1 if the second won."""

    result: int
    moves: tuple[int, ...]
    why: str


@dataclass(frozen=True)
class Tally:
    """Wins, draws and losses of the first player."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def plus(self, result: int) -> "Tally":
        """Return the tally with one more game."""
        return Tally(self.wins + (result > 0), self.draws + (result == 0), self.losses + (result < 0))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The first player's points per game, 0 to 1; 0.5 before the first game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.5

    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the score; with draws it is wider than needed."""
        if not self.games:
            return 0.0, 1.0
        weight = _Z_95 * _Z_95 / self.games
        middle = (self.score + weight / 2) / (1 + weight)
        half = _Z_95 / (1 + weight) * math.sqrt(self.score * (1 - self.score) / self.games + weight / (4 * self.games))
        return max(0.0, middle - half), min(1.0, middle + half)

    def __str__(self) -> str:
        low, high = self.interval()
        return (
            f"+{self.wins} ={self.draws} -{self.losses}, score {self.score:.3f}, "
            f"Elo {elo(self.score):+.0f} ({elo(low):+.0f} to {elo(high):+.0f})"
        )


def elo(score: float) -> float:
    """Return the Elo difference at which this score is expected; infinite for 0 and 1."""
    if score <= 0 or score >= 1:
        return math.copysign(math.inf, score - 0.5)
    return -_ELO_SCALE * math.log10(1 / score - 1)


def read_openings(size: int, path: Path = OPENINGS) -> list[tuple[int, ...]]:
    """Return the openings that fit a square board, as cells; a line has moves ``x,y`` from the centre, as Gomocup's."""
    centre = size // 2
    openings = []
    for line in path.read_text("utf-8").splitlines():
        places = [tuple(int(part) + centre for part in move.split(",")) for move in line.split(", ")]
        if all(0 <= x < size and 0 <= y < size for x, y in places):
            openings.append(tuple(y * size + x for x, y in places))
    return openings


def play(first: Player, second: Player, size: int, rule: int, opening: Sequence[int], first_begins: bool) -> Game:
    """Play a game from an opening; ``first_begins`` is True if the first player makes the next move."""
    position = Position.empty(rules_of(size, GOAL, rule))
    for cell in opening:
        position = position.play(cell)
    moves = list(opening)
    players = (first, second) if first_begins else (second, first)
    while not position.is_over:
        mover = players[(len(moves) - len(opening)) % 2]
        sign = 1 if mover is first else -1
        cell = mover.move(size, rule, tuple(moves))
        if cell not in position.legal_moves():
            return Game(-sign, tuple(moves), f"forfeit: illegal cell {cell}")
        moves.append(cell)
        position = position.play(cell)
    if position.winner is not None:
        return Game(sign, tuple(moves), "five")
    return Game(0, tuple(moves), "full board" if len(moves) == size * size else "no legal move")


def pairings(openings: Sequence[Sequence[int]], games: int) -> Iterator[tuple[int, Sequence[int], bool]]:
    """Yield ``(number, opening, first_begins)`` for each game: all openings with both colours, in rounds."""
    for number in range(games):
        yield number, openings[number // 2 % len(openings)], number % 2 == 0


def match(first: Player, second: Player, games: int, size: int, report: Callable[[int, Game, Tally], None]) -> Tally:
    """Play an even number of games of freestyle Gomoku; call ``report`` after each."""
    tally = Tally()
    for number, opening, first_begins in pairings(read_openings(size), games):
        game = play(first, second, size, FREE, opening, first_begins)
        tally = tally.plus(game.result)
        report(number, game, tally)
    return tally
