"""Plays a round robin between the playing levels and a random player, and rates them.

    python -m benchmarks.levels --minutes 38 --write

plays rounds of games in several processes until the time is over. In a round all pairs of players meet twice in every
game, once with either side beginning; ``--apart 3`` leaves out pairs that are more than three levels apart, of which
the stronger nearly always wins. Finished games are stored in a file, so that a stopped run continues; another engine or
other levels begin a new file. It prints the ratings for each game (Bradley-Terry on the Elo scale, level 1 at 0, with
95 % intervals bootstrapped over games), and each level's score against the next lower level and the third lower;
``--write`` writes docs/figures/levels.csv and docs/images/levels.svg.

    python -m benchmarks.levels --child 200

prints the shares of games that a child wins and draws against levels 1 to 6.
"""

import argparse
import csv
import math
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy as np

from benchmarks.figures import IMAGES, show_figures
from kinarow.game.position import Position
from kinarow.game.rules import Rules, X
from kinarow.game.tactics import completing_cells
from kinarow.play import levels
from kinarow.processes import end_with_parent
from kinarow.search.best_move import search
from kinarow.search_types import Limits
from kinarow.version import engine_version

GAMES = {
    "3 × 3, goal 3": Rules(3, 3, 3),
    "Connect Four 6 × 7": Rules(6, 7, 4, gravity=True),
    "9 × 9, goal 5": Rules(9, 9, 5),
}
RANDOM = 0
CHILD = -1
"""Takes 90 % of its wins and 60 % of the blocks that it needs, and otherwise moves at random."""
CHILD_TAKES, CHILD_BLOCKS = 0.9, 0.6
PLAYERS = (RANDOM, *levels.LEVELS, levels.FULL_STRENGTH)
"""The players by their level; 0 moves at random."""

FULL_NODES = 200_000
"""Node limit of a move at full strength."""

CONFIDENT = 1.96
"""Half the 95 % interval of a normal distribution, in standard errors."""
RESAMPLES = 200
QUEUE = 32
"""Games in the processes' queue."""
SHOW_EVERY_S = 10
ELO = 400 / math.log(10)
ITERATIONS = 5000
RECORD = Path(__file__).parent.parent / "build" / "levels.csv"
"""The default file of finished games."""


class Game(NamedTuple):
    """A finished game: its players, X's score (1, ½ or 0), and its seed."""

    name: str
    x: int
    o: int
    score: float
    seed: int = 0


def play(name: str, x: int, o: int, seed: int) -> Game:
    """Play one game; the same seed gives the same game."""
    rng = random.Random(seed)
    position = Position.empty(GAMES[name])
    while True:
        ending = position.ending()
        if ending.state != "ongoing":
            return Game(name, x, o, 0.5 if ending.winner is None else float(ending.winner == X), seed)
        player = x if position.to_move == X else o
        position = position.play(choose(position, player, rng))


def choose(position: Position, player: int, rng: random.Random) -> int:
    """Return the player's move."""
    if player == RANDOM:
        return rng.choice(position.legal_moves())
    if player == CHILD:
        wins, blocks = (completing_cells(position, side) for side in (position.to_move, 3 - position.to_move))
        seen = wins if wins and rng.random() < CHILD_TAKES else blocks if rng.random() < CHILD_BLOCKS else ()
        return rng.choice(seen or position.legal_moves())
    seed = rng.getrandbits(53)
    limits = Limits(max_nodes=FULL_NODES)
    form = position.canonical()
    canonical = form.position
    if player == levels.FULL_STRENGTH:
        result = _cached(("full", canonical), lambda: search(canonical, limits))
        move = levels.choose_among_best(canonical, result, seed).move
        assert move is not None
    else:
        options = _cached((player, canonical), lambda: levels.move_distribution(canonical, player, limits))
        move = levels.sample(canonical, player, options, seed)
    return form.to_original[move]


def child_table(games: int) -> str:
    """Return the table of games that a child wins and draws against the weaker levels, beginning every other game."""
    rows = [f"| level | {' | '.join(GAMES)} |", "| --- |" + " ---: |" * len(GAMES)]
    for level in range(1, 7):
        cells = []
        for name in GAMES:
            played = [play(name, *((CHILD, level) if seed % 2 else (level, CHILD)), seed) for seed in range(games)]
            scores = [game.score if game.x == CHILD else 1 - game.score for game in played]
            won, drawn = (scores.count(score) / games for score in (1, 0.5))
            cells.append(f"{won:.0%}, {drawn:.0%}")
        rows.append(f"| {level} | {' | '.join(cells)} |")
    return "\n".join(rows)


_memory: dict = {}
MEMORY_SIZE = 50_000


def _cached(key, compute: Callable):
    """Return the cached result for a key, or compute it; games often share their openings."""
    if key not in _memory:
        if len(_memory) >= MEMORY_SIZE:
            _memory.clear()
        _memory[key] = compute()
    return _memory[key]


def rounds(
    name: str, players: tuple[int, ...], most: int, seed: int, apart: int = len(PLAYERS)
) -> Iterator[tuple[str, int, int, int]]:
    """Yield ``(name, x, o, seed)`` of the games to play, in rounds of all pairs at most ``apart`` levels apart."""
    for number in range(most):
        for x in players:
            for o in players:
                if 0 < abs(x - o) <= apart:
                    # A game's seed doesn't depend on the other players.
                    yield name, x, o, seed << 32 | number << 8 | x << 4 | o


def load_games(path: Path) -> tuple[list[Game], TextIO]:
    """Return the games in a file and the file opened for more; a file of another engine is cleared."""
    heading = [engine_version(), repr(levels.LEVELS), str(FULL_NODES)]
    games: list[Game] = []
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            kept = csv.reader(file)
            if next(kept, None) == heading:
                # A stopped run may have left an incomplete line.
                whole = (row for row in kept if len(row) == len(Game._fields))
                games = [Game(row[0], int(row[1]), int(row[2]), float(row[3]), int(row[4])) for row in whole]
    path.parent.mkdir(parents=True, exist_ok=True)
    file = path.open("w", encoding="utf-8", newline="")
    csv.writer(file).writerows([heading, *games])
    file.flush()
    return games, file


def play_all(
    names: list[str],
    players: tuple[int, ...],
    seconds: float,
    most: int,
    seed: int,
    pool: ProcessPoolExecutor,
    record: Path,
    apart: int,
) -> list[Game]:
    """Play each game until its share of the time or its number of rounds is over."""
    games, file = load_games(record)
    known = {(game.name, game.seed) for game in games}
    end = time.monotonic() + seconds
    with file:
        for index, name in enumerate(names):
            now = time.monotonic()
            share = max(0.0, end - now) / (len(names) - index)
            every = rounds(name, players, most, seed, apart)
            waiting = (each for each in every if (name, each[-1]) not in known)
            for game in play_rounds(waiting, now + share, pool):
                games.append(game)
                csv.writer(file).writerow(game)
                file.flush()
            print(f"{time.monotonic() - now:6.0f} s  {name} done", file=sys.stderr, flush=True)
    return [game for game in games if game.name in names and {game.x, game.o} <= set(players)]


def play_rounds(waiting: Iterator[tuple[str, int, int, int]], end: float, pool: ProcessPoolExecutor) -> Iterator[Game]:
    """Play games in the pool's processes until there are no more or the time is over; yield them as they end."""
    count = 0
    running: set[Future[Game]] = set()
    started = shown = time.monotonic()
    while True:
        while len(running) < QUEUE and time.monotonic() < end:
            following = next(waiting, None)
            if following is None:
                break
            running.add(pool.submit(play, *following))
        if not running:
            return
        done, running = wait(running, return_when=FIRST_COMPLETED)
        for each in done:
            count += 1
            yield each.result()
        if time.monotonic() - shown > SHOW_EVERY_S:
            shown = time.monotonic()
            print(f"{shown - started:6.0f} s  {count} games", file=sys.stderr, flush=True)


Results = dict[tuple[int, int], np.ndarray]
"""For each pair ``(x, o)`` of players, the numbers of games that scored 0, ½ and 1 for X."""

SCORES = np.array([0.0, 0.5, 1.0])


def results(games: list[Game], name: str) -> Results:
    """Return the results of one kind of game."""
    found: Results = {}
    for game in games:
        if game.name == name:
            found.setdefault((game.x, game.o), np.zeros(3))[int(2 * game.score)] += 1
    return found


class Match(NamedTuple):
    """A player's score against another: number of games, mean, and half its 95 % interval."""

    games: int
    mean: float
    margin: float

    @property
    def better(self) -> bool:
        """True if the player is better at 95 % confidence."""
        return self.mean - self.margin > 0.5

    @property
    def worse(self) -> bool:
        """True if the player is worse at 95 % confidence."""
        return self.mean + self.margin < 0.5


def match(found: Results, player: int, other: int) -> Match | None:
    """Return the match of two players; None if they never met."""
    counts = found.get((player, other), np.zeros(3)) + found.get((other, player), np.zeros(3))[::-1]
    games = int(counts.sum())
    if not games:
        return None
    mean = float(counts @ SCORES) / games
    # One win and one loss more, so that the interval after only wins isn't empty.
    padded = counts + [1, 0, 1]
    n = padded.sum()
    variance = float(padded @ SCORES**2) / n - (float(padded @ SCORES) / n) ** 2
    return Match(games, mean, CONFIDENT * math.sqrt(variance / n))


def ratings(found: Results, players: tuple[int, ...]) -> dict[int, float]:
    """Return Bradley-Terry strengths on the Elo scale, level 1 at 0; a draw is half a win.

    Uses the minorisation of Hunter (MM algorithms for generalized Bradley-Terry models, 2004). Neighbours get a quarter
    of a win each in addition, so that a player who never lost has a finite rating.
    """
    place = {player: index for index, player in enumerate(players)}
    scored = np.zeros((len(players), len(players)))
    for (x, o), counts in found.items():
        scored[place[x], place[o]] += counts @ SCORES
        scored[place[o], place[x]] += counts @ SCORES[::-1]
    for index in range(len(players) - 1):
        scored[index, index + 1] += 0.25
        scored[index + 1, index] += 0.25
    met, won = scored + scored.T, scored.sum(axis=1)
    strength = np.ones(len(players))
    for _ in range(ITERATIONS):
        new = won / (met / (strength[:, None] + strength[None, :])).sum(axis=1)
        new /= new[place.get(1, 0)]
        settled = np.abs(np.log(new / strength)).max() < 1e-6
        strength = new
        if settled:
            break
    return {player: ELO * math.log(strength[place[player]]) for player in players}


class Rating(NamedTuple):
    """A rating with its 95 % interval."""

    value: float
    low: float
    high: float


def rated(found: Results, players: tuple[int, ...]) -> dict[int, Rating]:
    """Return the ratings for one game, with intervals bootstrapped over each match's results."""
    rng = np.random.default_rng(1)
    values = ratings(found, players)
    samples = []
    for _ in range(RESAMPLES):
        drawn = {pair: rng.multinomial(int(counts.sum()), counts / counts.sum()) for pair, counts in found.items()}
        samples.append(ratings(drawn, players))
    intervals = {player: np.quantile([sample[player] for sample in samples], [0.025, 0.975]) for player in players}
    return {player: Rating(values[player], *map(float, intervals[player])) for player in players}


def player_name(player: int) -> str:
    return "random" if player == RANDOM else str(player)


HEAD = (
    *("game", "games", "level", "rating", "low", "high"),
    *("against the level below", "margin", "against three below", "margin of three"),
)


def table(games: list[Game], players: tuple[int, ...]) -> list[tuple[str, ...]]:
    """Return the rows of docs/figures/levels.csv: ratings with 95 % intervals, and scores with margins."""
    rows = []
    for name in GAMES:
        found = results(games, name)
        if not found:
            continue
        ranks = rated(found, players)
        count = str(int(sum(counts.sum() for counts in found.values())))
        for player in players:
            scores: list[str] = []
            for step in (1, 3):
                met = match(found, player, player - step)
                scores += [f"{met.mean:.3f}", f"{met.margin:.3f}"] if met else ["", ""]
            rows.append((name, count, player_name(player), *(f"{value:.0f}" for value in ranks[player]), *scores))
    return rows


def failures(games: list[Game], players: tuple[int, ...]) -> list[str]:
    """Return a message for each pair of levels that isn't in the right order."""
    wrong = []
    for name in GAMES:
        found = results(games, name)
        values = ratings(found, players) if found else {}
        for player in players:
            if player > 1 and player - 1 in values and values[player] <= values[player - 1]:
                wrong.append(f"{name}: level {player} is not rated above {player - 1}")
            met = match(found, player, player - 3)
            if met and player > 3 and not met.better:
                wrong.append(f"{name}: level {player} is not surely better than {player - 3}: {met}")
            met = match(found, player, player - 1)
            if met and player > 1 and met.worse:
                wrong.append(f"{name}: level {player} is worse than {player - 1}: {met}")
    return wrong


def plot(games: list[Game], players: tuple[int, ...], path: Path) -> None:
    """Plot the ratings with their intervals, a line for each game."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "kinarow"
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 4.5))
    for shift, (name, marker) in enumerate(zip(GAMES, "os^", strict=True)):
        found = results(games, name)
        if not found:
            continue
        ranks = rated(found, players)
        places = [player + (shift - 1) * 0.08 for player in players]
        values = [ranks[player].value for player in players]
        below = [max(0.0, ranks[player].value - ranks[player].low) for player in players]
        above = [max(0.0, ranks[player].high - ranks[player].value) for player in players]
        axes.errorbar(places, values, yerr=[below, above], marker=marker, capsize=3, linewidth=1, label=name)
    axes.set_xticks(players, [player_name(player) for player in players])
    axes.set_xlabel("level")
    axes.set_ylabel("rating (Elo, level 1 = 0), 95 % interval")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})


def main() -> int:
    """Play and print; return 1 if the levels aren't in the right order."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=10, help="when to stop (default 10)")
    parser.add_argument("--rounds", type=int, default=400, help="stop a game after so many rounds (default 400)")
    parser.add_argument("--processes", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--games", nargs="*", choices=list(GAMES), default=list(GAMES))
    parser.add_argument("--players", nargs="*", type=int, choices=PLAYERS, default=list(PLAYERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--apart", type=int, default=len(PLAYERS), help="only players at most so many levels apart meet"
    )
    parser.add_argument("--record", type=Path, default=RECORD, help="where finished games are kept")
    parser.add_argument("--write", action="store_true", help="write the figures and the plot of the documentation")
    parser.add_argument("--child", type=int, metavar="GAMES", help="play a child instead, this many games a level")
    options = parser.parse_args()
    if options.child:
        print(child_table(options.child))
        return 0
    players = tuple(sorted(options.players))
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.processes, context, end_with_parent) as pool:
        games = play_all(
            options.games,
            players,
            options.minutes * 60,
            options.rounds,
            options.seed,
            pool,
            options.record,
            options.apart,
        )
    show_figures("levels", HEAD, table(games, players), write=options.write)
    if options.write:
        plot(games, players, IMAGES / "levels.svg")
    wrong = failures(games, players)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
