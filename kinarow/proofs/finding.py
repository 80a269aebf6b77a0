"""Searches for proofs that ``check_proof`` can check: a strategy of one side, by blocking or by the engine's values."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinarow.game.geometry import geometry
from kinarow.game.position import Position
from kinarow.game.rules import BLOCKED, EMPTY, Rules, Side, other
from kinarow.proofs import check_proof
from kinarow.search.bulk import bulk_values
from kinarow.search_types import SearchStopped, Stop
from kinarow.solvers.common.budget import NO_LIMIT, Budget
from kinarow.solvers.common.capacity import WORD_BITS
from kinarow.solvers.maker_breaker import solver as maker_breaker
from kinarow.solvers.maker_breaker.layout import MAX_LINES
from kinarow.version import engine_version

ARGUMENTS = ("pairing", "follow-up", "mirror", "strategy stealing")
BLOCKING_NODES = 20_000  # of a search that proves that a mark blocks every line
BLOCKING_SHARES = (100, 10, 1)  # all marks are tried with a hundredth of these nodes, then a tenth, then all
MOST_BLOCKING = 1_000_000  # most decisions of a proof by blocking
MOST_AVOIDING = 50_000  # most decisions of a proof in misère without values
MOST_DECISIONS = 50_000_000
MOST_BLOCKS = 4  # blocking marks that are compared; the one with the least work or the smallest zone is chosen
MOST_TRIED = 6  # equal moves that are compared; the one that leads to the fewest new positions is chosen

Node = tuple[int, int, int, int, tuple[int, ...]]
# A position: the marks of prover and opponent, the cells that complete a line for each, and the views.
Values = tuple[NDArray[np.float64], NDArray[np.bool_]]  # scores and best moves of positions with the prover to move


class Proof(NamedTuple):
    """A proof: the object of its first line, and a byte for each decision."""

    head: dict[str, Any]
    decisions: bytes

    def to_bytes(self) -> bytes:
        """Return the bytes of the file."""
        return json.dumps(self.head, separators=(",", ":")).encode() + b"\n" + self.decisions


class NotFound(Exception):
    """The claim is wrong, or the limits didn't suffice."""


def game_of(position: Position) -> tuple[dict[str, Any], check_proof.Game]:
    """Return the rules for a proof of the position, and the checker's game."""
    rules = position.rules.short_fields()
    if "directions" in rules:
        rules["directions"] = list(rules["directions"])
    return rules, check_proof.Game(rules, position.board)


def head_of(position: Position, side: Side, wins: bool, by: str, decisions: int) -> dict[str, Any]:
    """Return the first line of a proof."""
    return {
        "rules": game_of(position)[0],
        "board": position.board,
        "to_move": "XO"[position.to_move - 1],
        "side": "XO"[side - 1],
        "claim": "win" if wins else "not-lose",
        "by": by,
        "decisions": decisions,
        "engine": engine_version(),
    }


def by_argument(position: Position, side: Side, wins: bool) -> Proof | None:
    """Return a proof without decisions, or None if no argument proves the claim."""
    _, game = game_of(position)
    marks = _marks(position, side)
    for by in ARGUMENTS:
        if game.holds(by, *marks, position.to_move == side, wins):
            return Proof(head_of(position, side, wins, by, 0), b"")
    return None


def _marks(position: Position, side: Side) -> tuple[int, int]:
    return position.marks(side), position.marks(other(side))


def prove(
    position: Position,
    side: Side,
    wins: bool,
    value: "Valuer | None" = None,
    *,
    most: int = MOST_DECISIONS,
    stop: Stop | None = None,
) -> Proof:
    """Prove that a side wins, or doesn't lose; raise ``NotFound`` with the reason.

    Tries blocking, and in misère avoiding lines, before the engine's values, since they need no search. ``value``
    searches many positions at once, by default in this process. ``most`` limits the decisions.
    """
    found = by_argument(position, side, wins)
    if found is not None:
        return found
    _, game = game_of(position)
    if not (wins or game.gravity or game.misere or game.shared):
        try:
            return by_blocking(position, side, most=min(most, MOST_BLOCKING), stop=stop)
        except NotFound:
            pass
    if game.misere and not (wins or game.gravity or game.shared):
        try:
            return by_moves(position, side, False, misere_draw_moves, most=min(most, MOST_AVOIDING), stop=stop)
        except (NotFound, check_proof.Unproven):
            pass
    return by_moves(position, side, wins, value or values_of, most=most, stop=stop)


def by_blocking(
    position: Position, side: Side, *, most: int = MOST_BLOCKING, nodes: int = BLOCKING_NODES, stop: Stop | None = None
) -> Proof:
    """Prove that a side doesn't lose because it blocks every line."""
    _, game = game_of(position)
    search = _Blocking(game, most, nodes, stop)
    windows = game.windows(*_marks(position, side))
    if not search.holds(windows, maker_moves=position.to_move != side, nodes=10 * nodes):
        raise NotFound("no strategy by blocking within the limit of nodes")
    (search.breaker if position.to_move == side else search.maker)(windows)
    return Proof(head_of(position, side, False, "blocking", len(search.decisions)), bytes(search.decisions))


class _Blocking(check_proof.Replay):
    """Replays a proof by blocking as the checker does, and makes its decisions: those proven with the least work."""

    def __init__(self, game: check_proof.Game, most: int, nodes: int, stop: Stop | None) -> None:
        super().__init__(game, False, self._next)
        self.most, self.nodes, self.budget, self.stop = most, nodes, Budget(NO_LIMIT), stop or Stop()
        self.windows: tuple[int, ...] = ()
        self.decisions, self.read = bytearray(), 0  # read: the number that the checker has read

    def breaker(self, windows: tuple[int, ...]) -> int:
        """Return the zone with the prover to move."""
        self.windows = windows
        return super().breaker(windows)

    def _next(self) -> int:
        if self.read == len(self.decisions):
            _go_on(self.stop)
            self.decisions += bytes(self._choice())
            if len(self.decisions) > self.most:
                raise NotFound(f"the proof would need more than {self.most} decisions")
        self.read += 1
        return self.decisions[self.read - 1]

    def _choice(self) -> list[int]:
        windows = self.windows
        if check_proof.pairing(windows) is not None:
            return [check_proof.PAIRING]
        cells = sorted({cell for window in windows for cell in check_proof.bits(window)})
        rests = {cell: tuple(window for window in windows if not window >> cell & 1) for cell in cells}
        cells.sort(key=lambda cell: sum(4.0 ** -window.bit_count() for window in rests[cell]))
        zones = ((check_proof.pairing(rests[cell]), cell) for cell in cells)
        cell = _least_of_few((zone.bit_count(), cell) for zone, cell in zones if zone is not None)
        if cell is not None:
            return [check_proof.MARK_AND_PAIRING, cell]
        for share in BLOCKING_SHARES:
            work = ((self.work(rests[cell], self.nodes // share), cell) for cell in cells)
            cell = _least_of_few((nodes, cell) for nodes, cell in work if nodes is not None)
            if cell is not None:
                return [cell]
        raise NotFound("no strategy by blocking within the limit of nodes")

    def work(self, windows: tuple[int, ...], nodes: int) -> int | None:
        """Return the nodes that prove that the opponent, to move, completes no window; None if more are needed."""
        before = self.budget.nodes
        return self.budget.nodes - before if self.holds(windows, maker_moves=True, nodes=nodes) else None

    def holds(self, windows: tuple[int, ...], *, maker_moves: bool, nodes: int) -> bool:
        """Return True if the engine proves that the opponent completes no window."""
        cells = sorted({cell for window in windows for cell in check_proof.bits(window)})
        place = {cell: index for index, cell in enumerate(cells)}
        if len(cells) > WORD_BITS or len(windows) > MAX_LINES:
            raise NotFound("the board is too large for a proof by blocking")
        lines = [sum(1 << place[cell] for cell in check_proof.bits(window)) for window in windows]
        game = maker_breaker.new_game(lines, len(cells))
        return maker_breaker.blocks(game, self.budget, maker_moves=maker_moves, nodes=nodes)[0]


def _least_of_few(marks: Iterator[tuple[int, int]]) -> int | None:
    few = islice(marks, MOST_BLOCKS)
    return min(few, key=itemgetter(0), default=(0, None))[1]


def _go_on(stop: Stop) -> None:
    if stop.is_set():
        raise SearchStopped


def by_moves(
    position: Position, side: Side, wins: bool, value: "Valuer", *, most: int = MOST_DECISIONS, stop: Stop | None = None
) -> Proof:
    """Prove by the values of the prover's positions, level by level: all after its next mark, then the next."""
    _, game = game_of(position)
    search = _Walk(game, wins, most, stop)
    node = search.begin(*_marks(position, side))
    level = list(search.needing([node])) if position.to_move == side else list(search.after(node))
    while level:
        level = search.settle(level, value, position.rules, side)
    (search.prover if position.to_move == side else search.opponent)(*node)
    return Proof(head_of(position, side, wins, "moves", len(search.decisions)), bytes(search.decisions))


class _Walk(check_proof.Replay):
    """Replays a proof against every reply as the checker does; stores the decision for each least view."""

    def __init__(self, game: check_proof.Game, wins: bool, most: int, stop: Stop | None) -> None:
        super().__init__(game, wins, self._next)
        self.chosen: dict[int, list[int]] = {}
        self.met: set[int] = set()
        self.at: tuple[int, ...] = ()
        self.most, self.stop = most, stop or Stop()
        self.decisions, self.read = bytearray(), 0

    def prover(self, own: int, other: int, mine: int, theirs: int, views: tuple[int, ...]) -> int:
        """Return the most plies to the end, with the prover to move."""
        self.at = views
        return super().prover(own, other, mine, theirs, views)

    def _next(self) -> int:
        """Return the next decision; where all are read, first append those chosen for this position."""
        if self.read == len(self.decisions):
            self.decisions += bytes(self.turned(self.at, self.chosen[min(self.at)]))
        self.read += 1
        return self.decisions[self.read - 1]

    def turned(self, views: tuple[int, ...], codes: list[int]) -> list[int]:
        """Map decisions from a position to its least view, or back."""
        image = self.images[views.index(min(views))]
        return [code if code >= check_proof.PAIRING else image[code] for code in codes]

    def settled(self, node: Node, codes: list[int]) -> None:
        self.chosen[min(node[4])] = self.turned(node[4], codes)

    def play(self, node: Node, cell: int) -> Node:
        """Return the position after a mark of the prover."""
        own, other, mine, theirs, views = node
        own |= 1 << cell
        mine, views = self.completing(own, other, cell, mine), self.seen(views, 0, cell)
        return (own, own, mine, mine, views) if self.game.shared else (own, other, mine, theirs, views)

    def reply(self, node: Node, cell: int) -> Node:
        """Return the position after a mark of the opponent."""
        own, other, mine, theirs, views = node
        other |= 1 << cell
        theirs, views = self.completing(other, own, cell, theirs), self.seen(views, 1, cell)
        return (other, other, theirs, theirs, views) if self.game.shared else (own, other, mine, theirs, views)

    def needing(self, nodes: Iterable[Node], met: set[int] | None = None) -> Iterator[Node]:
        """Follow forced moves from these positions; yield each new position in which the prover has a choice.

        ``met`` has the keys to skip, and gets the new ones; by default those of the whole proof.
        """
        met = self.met if met is None else met
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            own, other, mine, theirs, views = node
            legal, key = self.game.legal(own | other), min(views)
            if key in self.met or key in met or not legal:
                continue
            if not self.game.misere and mine & legal:
                continue
            met.add(key)
            blocks = 0 if self.game.misere else theirs & legal
            if blocks & blocks - 1:
                raise NotFound("the opponent completes a line")
            if blocks:
                waiting += self.replies(self.play(node, blocks.bit_length() - 1))
            else:
                yield node

    def replies(self, node: Node) -> Iterator[Node]:
        """Yield the positions after each reply that the checker examines."""
        own, other, mine, theirs, _ = node
        legal = self.game.legal(own | other)
        if not self.game.misere and mine & legal:
            legal &= mine
            if legal & legal - 1:
                return
        for cell in check_proof.bits(legal):
            if not (self.game.misere and theirs >> cell & 1):
                yield self.reply(node, cell)

    def after(self, node: Node, met: set[int] | None = None) -> Iterator[Node]:
        """Yield the next positions that need a decision, after a position with the opponent to move."""
        return self.needing(self.replies(node), met)

    def settle(self, level: list[Node], value: "Valuer", rules: Rules, side: Side) -> list[Node]:
        """Decide all positions of a level; return the next level."""
        open_nodes, later = list[Node](), list[Node]()
        if len(self.chosen) + len(level) > self.most:
            raise NotFound(f"it would need more than {self.most} decisions")
        for node in level:
            _go_on(self.stop)
            leaf = self._leaf(node)
            if leaf:
                self.settled(node, leaf)
            else:
                open_nodes.append(node)
        scores, best = value(rules, boards_of(rules, self.game, open_nodes, side), side)
        if (scores < self.wins).any():
            raise NotFound("the search does not confirm the claim")
        for node, moves in zip(open_nodes, best, strict=True):
            _go_on(self.stop)
            cell = self._least(node, np.flatnonzero(moves).tolist())
            self.settled(node, [cell])
            later += self.after(self.play(node, cell))
        return later

    def _leaf(self, node: Node) -> list[int]:
        own, other = node[:2]
        game = self.game
        if game.gravity and not game.shared and (found := find_follow_up(game, own, other, self.wins)):
            return [check_proof.FOLLOW_UP, *found, check_proof.FOLLOW_UP]
        images = ([check_proof.mapped(image, of) for of in (own, other)] for image in self.images)
        if not self.wins and all(game.holds("pairing", mine, theirs, True, False) for mine, theirs in images):
            return [check_proof.PAIRING]
        return []

    def _least(self, node: Node, moves: list[int]) -> int:
        """Return the move that leads to the fewest new positions."""
        own, other = node[:2]

        def weight(cell: int) -> int:
            lines = (line for line, _ in self.game.through[cell])
            return sum(8 ** (line & own).bit_count() for line in lines if not line & other)

        moves = sorted(moves, key=lambda cell: (-weight(cell), cell))[:MOST_TRIED]
        if len(moves) == 1:
            return moves[0]
        new = {cell: sum(1 for _ in self.after(self.play(node, cell), set())) for cell in moves}
        return min(moves, key=new.__getitem__)


def find_follow_up(game: check_proof.Game, own: int, other: int, wins: bool) -> list[int]:
    """Return a mark and pairs of crossed cells with which follow-up proves the claim; an empty list if none do."""
    stacks = game.stacks(own | other)
    if sum(map(len, stacks)) % 2 == 0:
        return []
    for index, (cell, *rest) in enumerate(stacks):
        marked = own | 1 << cell
        lines = [line for line, ends in game.lines if not line & marked and not ends & other]
        others = [*stacks[:index], rest, *stacks[index + 1 :]]
        for crossed in _crossings([] if game.misere else lines, other, others, []):
            if game.holds("follow-up", marked, other, False, wins, crossed):
                return [cell, *crossed]
    return []


def _crossings(lines: list[int], theirs: int, stacks: list[list[int]], pairs: list[int]) -> Iterator[list[int]]:
    """Yield lists of paired cells up to which stacks cross, such that the opponent can't complete a line."""
    if any(not line & ~theirs and all(pair & ~line for pair in pairs) for line in lines):
        return
    if not stacks:
        yield []
        return
    one, *others = stacks
    if len(one) % 2 == 0:
        yield from _crossings(lines, theirs | sum(1 << cell for cell in one[::2]), others, pairs)
    for index, two in enumerate(others):
        if len(two) % 2 == len(one) % 2:
            left = [*others[:index], *others[index + 1 :]]
            for height in range(2 - len(one) % 2, min(len(one), len(two)) + 1, 2):
                lower = [*one[:height], *two[:height], *one[height::2], *two[height::2]]
                new = [1 << a | 1 << b for a, b in zip(one[:height], two, strict=False)]
                for more in _crossings(lines, theirs | sum(1 << cell for cell in lower), left, pairs + new):
                    yield [one[height - 1], two[height - 1], *more]


def boards_of(rules: Rules, game: check_proof.Game, nodes: list[Node], side: Side) -> NDArray[np.int8]:
    """Return positions as an array for ``bulk_values``, with a row of cells for each."""
    cells = np.zeros((len(nodes), rules.cells), np.int8)
    for row, (own, opponent, *_) in zip(cells, nodes, strict=True):
        row[list(check_proof.bits(opponent))] = other(side)
        row[list(check_proof.bits(own))] = 1 if game.shared else side
    cells[:, list(check_proof.bits(rules.blocked))] = BLOCKED
    return cells


def values_of(rules: Rules, boards: NDArray[np.int8], side: Side, stop: Stop | None = None) -> Values:
    """Return scores and best moves of positions in which ``side`` is to move; an unproven score counts as a loss."""
    values = bulk_values(boards, rules, to_move=[side] * len(boards), composed=True, moves="best", stop=stop)
    return np.where(values["proven"], values["score"], -rules.cells), values["best_moves"]


def misere_draw_moves(rules: Rules, boards: NDArray[np.int8], side: Side) -> Values:
    """Return moves that fill the fewest own lines, claiming that they draw in misère; the checker finds out."""
    lines = np.array(
        [[cell in line.cells for cell in range(rules.cells)] for _, line in geometry(rules).directed_lines]
    )
    best = np.zeros(boards.shape, np.bool_)
    for row, cells in zip(best, boards, strict=True):
        marks = (lines & (cells == side)).sum(1)
        weights = np.where(marks < rules.goal - 1, 9.0 * 10.0**marks, 1e9) * ~(lines & (cells == other(side))).any(1)
        row[np.argmin(np.where(cells == EMPTY, weights @ lines, np.inf))] = True
    return np.zeros(len(boards)), best


Valuer = Callable[[Rules, NDArray[np.int8], Side], Values]
