"""Playing levels: the probability of each move at a level below full strength, and the choice of a move by a seed.

A level is a row of ``LEVELS``: the depth and the nodes of its search, and how strictly it prefers better moves. It has
no time limit, so faster hardware hardly changes the strength. ``move_distribution`` gives every move a weight, which
depends on position, level and limits alone; ``sample`` chooses a move by a number made from the seed.

Every move gets a *regret*: 0 for the best-looking move, more for worse moves. The probability of a move is
proportional to ``exp(-regret / temperature)``. Regrets come from one of two sources:

- the *static value* of a move, without a search: the value of the lines through its cell for both sides, by the line
  heuristic. One unit of regret is a factor of ten, which is one more mark in a line;
- a *search* of the moves with the best static values. One unit of regret is the difference between the best and the
  worst estimate; a proven loss adds more the nearer it is.
"""

import hashlib
import math
import secrets
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Literal

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from kinarow import score
from kinarow.game.line_heuristic import WEIGHTS
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS, O, Rules, X, other
from kinarow.game.tactics import completing_cells, safe_moves, winning_moves
from kinarow.score import Score
from kinarow.search.analysis import search_among
from kinarow.search.best_move import complete_pv, deadline_ns, evaluate, load_before_time, search
from kinarow.search_types import MAX_LINE, Limits, SearchClock, SearchResult, Stop, StoppedBy, weakest_reason

RULES_HANDLED = frozenset({"gravity", "misere", "exact_goal", "wrap", "directions", "caro", "renju", "layers"})
"""The rules under which the lines through a move decide its static value; under others all moves have the same."""

FULL_STRENGTH = 10  # The level that makes the best move; lower levels make weaker, varied moves
SOLVED_CELLS = 16  # Up to this size every position is proven within the default limits, under all rules
SOLVED_GAMES = ("connect-four",)  # Larger games with the same property
_NAMES = {2: "Easy", 5: "Medium", 8: "Hard"}
SEED_BITS = 53


@dataclass(frozen=True, slots=True)
class Level:
    """The parameters of a level."""

    misses: float  # probability that it misses all winning moves; and again, all moves that don't lose immediately
    looks_ahead: float  # probability that it searches the moves, instead of using their static values
    depth: int  # plies of a search
    nodes: int  # node budget of all searched moves together
    temperature: float  # of regrets from a search: a move with this regret is e times less likely than the best
    static_temperature: float  # of regrets from static values


LEVELS: dict[int, Level] = {
    1: Level(0.5, 0.0, depth=0, nodes=0, temperature=1.0, static_temperature=15.0),
    2: Level(0.3, 0.0, depth=0, nodes=0, temperature=1.0, static_temperature=1.5),
    3: Level(0.15, 0.15, depth=2, nodes=2_000, temperature=0.5, static_temperature=0.7),
    4: Level(0.05, 0.3, depth=2, nodes=2_000, temperature=0.4, static_temperature=0.5),
    5: Level(0.0, 0.5, depth=3, nodes=4_000, temperature=0.3, static_temperature=0.4),
    6: Level(0.0, 0.65, depth=4, nodes=8_000, temperature=0.25, static_temperature=0.3),
    7: Level(0.0, 0.8, depth=4, nodes=16_000, temperature=0.2, static_temperature=0.3),
    8: Level(0.0, 0.9, depth=6, nodes=32_000, temperature=0.12, static_temperature=0.3),
    9: Level(0.0, 0.97, depth=8, nodes=150_000, temperature=0.06, static_temperature=0.3),
}
"""The levels below full strength, weakest first."""

WIDE_CELLS = 64  # On larger boards levels only consider cells near marks, as people do
REACH = 2  # The distance from a mark that counts as near, in king's moves
CANDIDATES = 12  # Number of searched moves, those with the best static values
LOSS_REGRET = 2.0
"""A loss in n plies adds LOSS_REGRET × LOSS_FADE^n to the regret of the worst move that isn't a proven loss."""
LOSS_FADE = 0.8  # Below 1, since weak players underrate distant losses
SLOWER_WIN_REGRET = 0.1  # Regret for each ply by which a win is slower than the quickest win
WEIGHT_UNITS = 1 << 32  # The weight of probability 1; integers, so that rounding doesn't depend on the machine
VALUE_NODES = 20_000  # Most nodes for finding the best move, and again for valuing the chosen move
CHOICE_SHARE = 0.5
"""Share of a request's nodes and time for the choice. The rest finds the best move and values the chosen one; an
analysis has all nodes of the request for that, see ``after_choice``."""


def level_name(level: int, rules: Rules) -> str | None:
    """Return a level's name, or None; full strength is "Perfect" if every position is proven quickly."""
    if level < FULL_STRENGTH:
        return _NAMES.get(level)
    is_solved = (rules.cells <= SOLVED_CELLS and rules.within(RULES_HANDLED | {"marks"})) or any(
        rules == PRESETS[game] for game in SOLVED_GAMES
    )
    return "Perfect" if is_solved else "Strongest"


@dataclass(frozen=True, slots=True)
class MoveDistribution:
    """The probability with which a level makes each move."""

    weights: tuple[tuple[int, int], ...]  # (move, weight) in tile order; positive weights, about WEIGHT_UNITS in total
    nodes: int  # of all its searches
    elapsed_ms: float  # of all its searches
    stopped_by: StoppedBy  # the worst reason of its searches
    depth: None = None  # the searches look at several positions
    proven: Literal[False] = False  # a distribution has no outcome


def move_distribution(position: Position, level: int, limits: Limits, *, stop: Stop | None = None) -> MoveDistribution:
    """Return the probability of each move at a level from 1 to 9, using at most ``CHOICE_SHARE`` of the limits."""
    load_before_time(position, limits)
    clock = SearchClock()
    player = LEVELS[level]
    part = limits.part(max_nodes=int(limits.max_nodes * CHOICE_SHARE), time_limit_ms=limits.share_ms(CHOICE_SHARE))
    if part.time_limit_ms is not None:
        part = part.part(deadline_ns=deadline_ns(part))  # the searches share the time, which begins now
    near = _near(position)
    wins = {move: 0.0 for move in winning_moves(position) if move in near}
    others = [move for move in near if move not in wins]
    likely = dict.fromkeys(near, 0.0)
    left = (player.misses if others else 0.0) if wins else 1.0
    _add(likely, 1 - left, wins, 1.0)
    nodes = 0
    stopped_by: StoppedBy = "proof"
    if left:
        regrets = _static_regrets(position)
        static = {move: regrets[move] for move in others}
        safe = {move: static[move] for move in safe_moves(position) if move in static} or static
        searched, nodes, stopped_by = _searched(position, player, safe, part, stop)
        careful = left * (1 - player.misses)
        ahead = careful * player.looks_ahead if searched else 0.0
        careless = static
        if not position.rules.misere and completing_cells(position, other(position.to_move)):
            careless = {move: static[move] for move in others if move not in safe} or static  # it blocks no line
        _add(likely, left - careful, careless, player.static_temperature)
        _add(likely, careful - ahead, safe, player.static_temperature)
        _add(likely, ahead, searched, player.temperature)
    counted = ((move, round(part * WEIGHT_UNITS)) for move, part in likely.items())
    weights = tuple((move, weight) for move, weight in counted if weight)
    return MoveDistribution(weights, nodes, clock.ms, stopped_by)


def restrict(distribution: MoveDistribution, allowed: tuple[int, ...]) -> MoveDistribution:
    """Restrict a distribution to the allowed moves; return a uniform one if none of them has a weight."""
    weights = tuple((move, weight) for move, weight in distribution.weights if move in allowed)
    return replace(distribution, weights=weights or tuple((move, 1) for move in allowed))


def new_seed() -> int:
    """Return a random seed that a JSON number holds exactly."""
    return secrets.randbits(SEED_BITS)


def sample(position: Position, level: int, distribution: MoveDistribution, seed: int) -> int:
    """Return the move that the seed draws from the distribution."""
    total = sum(weight for _, weight in distribution.weights)
    left = seeded_number(position, level, seed) * total >> 64
    for move, weight in distribution.weights:
        left -= weight
        if left < 0:
            return move
    raise AssertionError("the weights add up to their total")


_ALWAYS_IN_SEEDS = ("rows", "columns", "goal", "gravity", "misere", "exact_goal")
"""Other rules are hashed only if they aren't the default, so that a new rule changes no seeded choice."""


def seeded_number(position: Position, level: int, seed: int) -> int:
    """Return a pseudo-random 64-bit number: BLAKE2b of the rules, the board, the level and the seed.

    The board is hashed too, so that a game with one seed isn't lucky or unlucky at every move.
    """
    first, last = _rules_in_seeds(position.rules)
    text = f"{first},{int(level)},{int(seed)}:".encode() + position.relative() + last
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


@lru_cache(maxsize=64)
def _rules_in_seeds(rules: Rules) -> tuple[str, bytes]:
    """Return the hashed texts of the rules, before and after the board."""
    first = ",".join(str(int(getattr(rules, name))) for name in _ALWAYS_IN_SEEDS)
    last = "" if rules.plain else f":{rules.wrap},{','.join(rules.directions)}"
    for name, value in rules.special().items():
        if name not in (*_ALWAYS_IN_SEEDS, "wrap", "directions"):
            last += f":{name if value is True else value}"
    return first, last.encode()


def choose_among_best(position: Position, result: SearchResult, seed: int) -> SearchResult:
    """Return the full-strength result with the move that the seed draws from its ``best_moves``."""
    move = move_among_best(position, result, seed)
    if move is None or move == result.move:
        return result
    return replace(result, move=move, line=_line_of(position, result, move))


def move_among_best(position: Position, result: SearchResult, seed: int) -> int | None:
    """Return the move that the seed draws from ``best_moves``; None if the game is over."""
    best = result.best_moves
    if len(best) < 2:
        return result.move
    return best[(seeded_number(position, FULL_STRENGTH, seed) * len(best)) >> 64]


def _line_of(position: Position, result: SearchResult, move: int) -> tuple[int, ...]:
    """Return the line of an equally good move; if it is symmetric to the result's move, map the result's line."""
    for permutation in position.geometry.stabiliser(position.cells):
        if result.move is not None and permutation[result.move] == move:
            return tuple(permutation[cell] for cell in result.line)
    line, _ = complete_pv(position, (move,), result.score, Limits())
    return line


def value_of_choice(
    position: Position, move: int, limits: Limits, *, stop: Stop | None = None, allowed: tuple[int, ...] | None = None
) -> SearchResult:
    """Return the score and line of a chosen move, using the rest of the limits.

    Its ``best_moves`` are the best known moves among ``allowed``, in tile order; None allows all.
    """
    left = limits.max_nodes - int(limits.max_nodes * CHOICE_SHARE)
    for_best = min(left // 2, VALUE_NODES)
    time_each = limits.share_ms((1 - CHOICE_SHARE) / 2)
    best = None
    if for_best:
        part = limits.part(max_nodes=for_best, time_limit_ms=time_each)
        among = search if allowed is None else partial(search_among, allowed=allowed)
        best = among(position, part, stop=stop)
        if best.move == move:
            return best
        if move in best.best_moves:
            return replace(best, move=move, line=_line_of(position, best, move))
    rest = limits.part(max_nodes=min(left - for_best, VALUE_NODES), time_limit_ms=time_each)
    own = _after(position, move, rest, stop)
    return own if best is None else _with_best_moves(move, own, best)


def _with_best_moves(move: int, own: SearchResult, best: SearchResult) -> SearchResult:
    """Return the chosen move's result with the best moves and the cost of the position's search added."""
    best_moves, complete = best.best_moves, best.best_moves_complete
    if own.score.value > best.score.value:
        best_moves, complete = own.best_moves, own.best_moves_complete
    elif own.score.exact and best.score.exact and own.score.value == best.score.value:
        best_moves, complete = tuple(sorted({move, *best.best_moves})), own.best_moves_complete
    return with_cost(replace(own, best_moves=best_moves, best_moves_complete=complete), best)


def with_cost(result: SearchResult, other: SearchResult | MoveDistribution) -> SearchResult:
    """Add the nodes and the time of another search, or of a choice, to the result."""
    return replace(
        result,
        nodes=result.nodes + other.nodes,
        elapsed_ms=result.elapsed_ms + other.elapsed_ms,
        stopped_by=weakest_reason((result.stopped_by, other.stopped_by)),
    )


def after_choice(limits: Limits) -> Limits:
    """Return the limits of the analysis after a choice: the remaining time, and all nodes of the request.

    ``max_nodes`` limits the analysis alone; the choice may use ``CHOICE_SHARE`` of as many in addition.
    """
    return limits.part(time_limit_ms=limits.share_ms(1 - CHOICE_SHARE))


def _add(likely: dict[int, float], part: float, regrets: dict[int, float], temperature: float) -> None:
    """Distribute the probability ``part`` among the moves by their regrets; add it to ``likely``."""
    if not part:
        return
    least = min(regrets.values())
    weights = {move: math.exp((least - regret) / temperature) for move, regret in regrets.items()}
    total = sum(weights.values())
    for move, weight in weights.items():
        likely[move] += part * weight / total


def _near(position: Position) -> tuple[int, ...]:
    """Return the moves that a level considers, in tile order.

    On boards of more than ``WIDE_CELLS`` these are the legal moves within ``REACH`` of a mark, or of the centre of an
    empty board. On smaller boards, or if there are no such moves, they are all legal moves.
    """
    rules, legal = position.rules, position.legal_moves()
    if rules.cells <= WIDE_CELLS:
        return legal
    sides = (rules.layers, rules.rows, rules.columns)
    cells = np.frombuffer(position.cells, np.uint8).reshape(sides)
    near = (cells == X) | (cells == O)
    if not near.any():
        centre = [slice((side - 1) // 2, side // 2 + 1) for side in sides]
        if rules.gravity:
            centre[0 if rules.layers > 1 else 1] = slice(None)
        near[tuple(centre)] = True
    for axis, ring in enumerate((False, rules.wraps_columns, rules.wraps_rows)):
        beyond = [(REACH, REACH) if each == axis else (0, 0) for each in range(3)]
        padded = np.pad(near, beyond, "wrap" if ring else "constant")
        near = sliding_window_view(padded, 2 * REACH + 1, axis).any(-1)
    return tuple(move for move in legal if near.flat[move]) or legal


def _static_regrets(position: Position) -> dict[int, float]:
    """Return a regret for each legal move by its static value, in factors of ten; only differences count.

    A line without a mark of the other side is worth what the line heuristic gives it with one more mark. In misère the
    move on the least valuable lines is the best.
    """
    if not position.rules.within(RULES_HANDLED):
        return dict.fromkeys(position.legal_moves(), 0.0)  # the line heuristic doesn't support the rules
    lines = position.geometry.line_array
    marks = np.frombuffer(position.relative(), np.int8)[lines]
    own, opposing = (marks == 1).sum(axis=1), (marks == 2).sum(axis=1)
    gain = np.where(opposing == 0, WEIGHTS[own + 1], 0) + np.where(own == 0, WEIGHTS[opposing + 1], 0)
    worth = np.bincount(lines.ravel(), gain.repeat(position.rules.goal), position.rules.cells).tolist()
    sign = 1 if position.rules.misere else -1
    return {move: sign * math.log10(1 + worth[move]) for move in position.legal_moves()}


def _searched(
    position: Position, player: Level, safe: dict[int, float], part: Limits, stop: Stop | None
) -> tuple[dict[int, float], int, StoppedBy]:
    """Search the best-looking safe moves; return ``(regrets, nodes, stopped_by)``.

    The regrets are empty if there is only one move, or if the budget doesn't suffice for all of them.
    """
    depth = min(player.depth, part.max_depth or player.depth)
    # Symmetric moves have the same value; search only the smallest.
    symmetries = position.geometry.stabiliser(position.cells)
    candidates = sorted(safe, key=lambda move: (safe[move], move))[:CANDIDATES]
    firsts = {move: min(permutation[move] for permutation in symmetries) for move in candidates}
    different = list(dict.fromkeys(firsts.values()))
    nodes_each = min(player.nodes, part.max_nodes) // len(different)
    if depth < 1 or len(safe) < 2 or not nodes_each:
        return {}, 0, "proof"
    each = part.part(max_nodes=nodes_each, max_depth=depth, time_limit_ms=part.share_ms(1 / len(different)))
    results: dict[int, SearchResult] = {}
    nodes = 0
    for move in different:
        if part.expired:
            return {}, nodes, "time"
        results[move] = _after(position, move, each, stop)
        nodes += results[move].nodes
    regrets = _regrets({move: after.score for move, after in results.items()})
    stopped_by = weakest_reason(after.stopped_by for after in results.values())
    return {move: regrets[first] for move, first in firsts.items()}, nodes, stopped_by


def _after(position: Position, move: int, limits: Limits, stop: Stop | None) -> SearchResult:
    """Search the position after a move, one ply less deep; return the result for the side that moves."""
    child = position.play(move)
    if limits.max_depth == 1 and child.ending().state == "ongoing":
        after = SearchResult(None, evaluate(child), (), (), best_moves_complete=False, stopped_by="depth")
    else:
        if limits.max_depth is not None:
            limits = limits.part(max_depth=max(1, limits.max_depth - 1), threads=1)
        after = search(child, limits, stop=stop)
    return replace(
        after,
        move=move,
        score=score.parent_score(after.score, position.rules.cells),
        line=(move, *after.line)[:MAX_LINE],
        best_moves=(move,),
        best_moves_complete=False,
        depth=after.depth + 1,
        source="book" if after.source == "book" else "search",
    )


def _regrets(values: dict[int, Score]) -> dict[int, float]:
    wins = [value.distance for value in values.values() if value.outcome == "win" and value.distance is not None]
    open_ = [value.value for value in values.values() if value.outcome in ("draw", "unknown")]
    spread = max(open_, default=0.0) - min(open_, default=0.0)
    below_win = 1.0 if wins else 0.0
    regrets = {}
    for move, value in values.items():
        if value.outcome == "win":
            assert value.distance is not None
            regrets[move] = min(1.0, SLOWER_WIN_REGRET * (value.distance - min(wins)))
        elif value.outcome == "loss":
            assert value.distance is not None
            regrets[move] = below_win + 1.0 + LOSS_REGRET * LOSS_FADE**value.distance
        else:
            regrets[move] = below_win + ((max(open_) - value.value) / spread if spread else 0.0)
    return regrets
