"""Searches of many moves of a large board: each kernel call takes a list of moves, and free cores take lists too.

Every move gets the same share of the nodes. Then the moves that are not proven share what the proven ones have left of
theirs, if that lets them look much further. So the values do not depend on the number of threads.
"""

from collections.abc import Callable
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

from kinarow.cores import in_order
from kinarow.game.position import Position
from kinarow.score import Score
from kinarow.search.best_move import stopped_by, whole_line
from kinarow.search_types import MAX_LINE, Limits, Stop, StoppedBy
from kinarow.solvers import select

LIST_NODES = 8_000
"""The nodes of one list. They take about six milliseconds: the calls cost little, and cores end together."""

MUCH_FURTHER = 2
"""The second round searches with at least this many times the nodes of the first, since it begins anew."""


class Searched(NamedTuple):
    """The search of the position after a move, for its side to move; no score where it ended before it had one."""

    score: Score | None
    line: tuple[int, ...]
    nodes: int
    stopped_by: StoppedBy


class MoveLists:
    """Searches of the positions after moves, by lists; a helper may search some ahead. See ``select.takes_lists``."""

    def __init__(self, position: Position, stop: Stop) -> None:
        self._position, self._stop = position, stop
        self._ahead: dict[tuple[int, int], Searched] = {}  # by the move and the nodes of its search

    @cached_property
    def _searches(self) -> select.MoveSearches:
        return select.MoveSearches(self._position)

    def search(self, moves: list[int], nodes: int, limits: Limits) -> dict[int, Searched]:
        """Return the results of moves, the most promising first; moves that no nodes are left for are missing.

        ``nodes`` are those of each search in the first round, ``limits`` those of all, with a deadline. Raises
        ``SearchStopped``.
        """
        found: dict[int, Searched] = {}
        left = limits.max_nodes
        while 0 < nodes <= left and len(found) < len(moves) and not limits.expired:
            searched = self._round(moves[len(found) : len(found) + left // nodes], nodes, limits.deadline_ns)
            left -= sum(each.nodes for each in searched.values())
            found |= searched
        unproven = [move for move, each in found.items() if each.stopped_by == "nodes"]
        spared = min(left, nodes * len(moves) - (limits.max_nodes - left))  # by moves that took less than their share
        share = spared // max(1, len(unproven))
        if unproven and share >= MUCH_FURTHER * nodes:
            for move, again in self._round(unproven, share, limits.deadline_ns).items():
                first = found[move]
                result = first if again.score is None else again
                found[move] = result._replace(nodes=first.nodes + again.nodes, stopped_by=again.stopped_by)
        return found

    def search_ahead(self, moves: list[int], nodes: int, helper: Stop) -> None:
        """Search moves in a helper until all are done; raise ``SearchStopped`` if the helper was stopped."""
        for call in self._calls([move for move in moves if (move, nodes) not in self._ahead], nodes, None):
            self._ahead |= {(move, nodes): searched for move, searched in call(helper)}

    def _round(self, moves: list[int], nodes: int, deadline_ns: int | None) -> dict[int, Searched]:
        found = {move: self._ahead[move, nodes] for move in moves if (move, nodes) in self._ahead}
        for results in in_order(self._calls([move for move in moves if move not in found], nodes, deadline_ns)):
            found |= results
        return {move: found[move] for move in moves}

    def _calls(
        self, moves: list[int], nodes: int, deadline_ns: int | None
    ) -> list[Callable[[Stop], list[tuple[int, Searched]]]]:
        """Return the searches by lists; moves of one list and of later ones share the remaining time."""
        size = max(1, LIST_NODES // nodes)
        return [
            partial(self._call, moves[begin : begin + size], nodes, len(moves) - begin, deadline_ns)
            for begin in range(0, len(moves), size)
        ]

    def _call(
        self, moves: list[int], nodes: int, left: int, deadline_ns: int | None, own: Stop
    ) -> list[tuple[int, Searched]]:
        limits = Limits(deadline_ns=deadline_ns)
        with self._stop.also_stops(own):
            own.check()
            if limits.expired:
                return [(move, Searched(None, (), 0, "time")) for move in moves]
            searched = self._searches.search(moves, nodes, left, deadline_ns, own)
            own.check()
            return [(move, self._result(move, each, limits, own)) for move, each in zip(moves, searched, strict=True)]

    def _result(self, move: int, found: select.FoundAfterMove, limits: Limits, stop: Stop) -> Searched:
        value, line, nodes, ended_by = found
        if value is None:
            return Searched(None, (), nodes, "time" if ended_by == "time" else "nodes")
        reason = stopped_by(ended_by, value)
        if value.exact and value.outcome != "draw" and (value.distance or 0) > len(line):
            line, in_time = whole_line(self._position.play(move), line, value, limits, stop=stop)
            if not in_time:
                reason = "time"
        return Searched(value, (move, *islice(line, MAX_LINE - 1)), nodes, reason)
