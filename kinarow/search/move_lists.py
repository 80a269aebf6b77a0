"""Searches of many moves of a large board: each kernel call takes a list of moves, and free cores take lists too.

Every move gets the same share of the nodes. Then the moves that are not proven share what the proven ones have left of
theirs, if that lets them look much further. So the values do not depend on the number of threads.
"""

from collections.abc import Iterable
from functools import partial
from itertools import islice
from typing import NamedTuple

from kinarow.cores import in_order
from kinarow.game.position import Position
from kinarow.score import Score
from kinarow.search.best_move import stopped_by, whole_line
from kinarow.search_types import MAX_LINE, Limits, Stop, StoppedBy
from kinarow.solvers import select

LIST_NODES = 4_000
"""The nodes of one list. They take about four milliseconds: the calls cost little, and cores end together."""

MUCH_FURTHER = 2
"""The second round searches with at least this many times the nodes of the first, since it begins anew."""


class Searched(NamedTuple):
    """The search of the position after a move, for its side to move; no score where it ended before it had one."""

    score: Score | None
    line: tuple[int, ...]
    nodes: int
    stopped_by: StoppedBy


def search_moves(position: Position, moves: list[int], nodes: int, limits: Limits, stop: Stop) -> dict[int, Searched]:
    """Search the positions after these moves, the most promising first; moves that no nodes are left for are missing.

    Args:
        position: one whose moves lead to positions that ``select.takes_lists``.
        nodes: the nodes of each search in the first round.
        limits: of all searches together, with a deadline in place of a time limit.

    Raises:
        SearchStopped: ``stop`` was set.
    """
    lists = _Lists(position, limits.deadline_ns, stop)
    found: dict[int, Searched] = {}
    left = limits.max_nodes
    while 0 < nodes <= left and len(found) < len(moves) and not limits.expired:
        searched = lists.search(moves[len(found) : len(found) + left // nodes], nodes)
        left -= sum(each.nodes for each in searched.values())
        found |= searched
    unproven = [move for move, each in found.items() if each.stopped_by == "nodes"]
    spared = min(left, nodes * len(moves) - (limits.max_nodes - left))  # by moves that took less than their share
    share = spared // max(1, len(unproven))
    if unproven and share >= MUCH_FURTHER * nodes:
        for move, again in lists.search(unproven, share).items():
            first = found[move]
            result = first if again.score is None else again
            found[move] = result._replace(nodes=first.nodes + again.nodes, stopped_by=again.stopped_by)
    return found


class _Lists:
    """Searches of moves of one position, by lists."""

    def __init__(self, position: Position, deadline_ns: int | None, stop: Stop) -> None:
        self._position, self._deadline_ns, self._stop = position, deadline_ns, stop
        self._searches = select.MoveSearches(position)

    def search(self, moves: list[int], nodes: int) -> dict[int, Searched]:
        """The results of these moves, each searched with at most ``nodes`` nodes."""
        size = max(1, LIST_NODES // nodes)
        calls = [
            partial(self._call, moves[begin : begin + size], nodes, len(moves) - begin)
            for begin in range(0, len(moves), size)
        ]
        return {move: searched for results in in_order(calls) for move, searched in results}

    def _call(self, moves: list[int], nodes: int, left: int, own: Stop) -> Iterable[tuple[int, Searched]]:
        """The results of one list; its moves and those of later lists, ``left`` in all, share the remaining time."""
        with self._stop.watching(own):
            own.check()
            searched = self._searches.search(moves, nodes, left, self._deadline_ns, own)
            own.check()
            return [(move, self._result(move, *each, own)) for move, each in zip(moves, searched, strict=True)]

    def _result(
        self, move: int, value: Score | None, line: tuple[int, ...], nodes: int, ended_by: str | None, stop: Stop
    ) -> Searched:
        if value is None:
            return Searched(None, (), nodes, "time" if ended_by == "time" else "nodes")
        reason = stopped_by(ended_by, value)
        if value.exact and value.outcome != "draw" and (value.distance or 0) > len(line):
            limits = Limits(deadline_ns=self._deadline_ns)
            line, in_time = whole_line(self._position.play(move), line, value, limits, stop=stop)
            if not in_time:
                reason = "time"
        return Searched(value, (move, *islice(line, MAX_LINE - 1)), nodes, reason)
