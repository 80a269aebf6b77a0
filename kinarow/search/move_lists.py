"""Searches of many moves on a large board: each kernel call searches a list of moves, and free cores search lists too.

Every move gets the same number of nodes. A second round divides the nodes that proven moves left unused among the
unproven ones, if that is ``MUCH_FURTHER`` times as many each. The values do not depend on the number of threads.
"""

from collections.abc import Callable
from functools import cached_property, partial
from itertools import islice
from typing import NamedTuple

from kinarow.cores import in_order
from kinarow.game.position import Position
from kinarow.score import Score
from kinarow.search.best_move import complete_pv, stopped_by
from kinarow.search_types import MAX_LINE, Limits, Stop, StoppedBy
from kinarow.solvers import select

LIST_NODES = 8_000
"""The nodes of one list, about six milliseconds: calls cost little beside that, and all cores end about together."""

MUCH_FURTHER = 2
"""The second round searches from the start, so it needs at least this many times the nodes of the first."""


class Searched(NamedTuple):
    """The result of searching the position after a move."""

    score: Score | None  # for the side to move after the move; None if the search ended before its first iteration
    line: tuple[int, ...]  # the principal variation, beginning with the move itself; empty without a score
    nodes: int
    stopped_by: StoppedBy


class MoveLists:
    """Searches positions after moves, in lists; needs ``select.can_batch_moves``. A helper may search ahead."""

    def __init__(self, position: Position, stop: Stop) -> None:
        self._position, self._stop = position, stop
        self._ahead: dict[tuple[int, int], Searched] = {}  # by the move and the nodes of its search

    @cached_property
    def _searches(self) -> select.MoveSearches:
        return select.MoveSearches(self._position)

    def search(self, moves: list[int], nodes: int, limits: Limits) -> dict[int, Searched]:
        """Search moves, given the most promising first; moves for which no nodes are left are missing from the result.

        Each search of the first round gets ``nodes`` nodes; ``limits`` has the nodes of all searches, and their
        deadline. Raises ``SearchStopped``.
        """
        found: dict[int, Searched] = {}
        left = limits.max_nodes
        while 0 < nodes <= left and len(found) < len(moves) and not limits.expired:
            searched = self._round(moves[len(found) : len(found) + left // nodes], nodes, limits.deadline_ns)
            left -= sum(each.nodes for each in searched.values())
            found |= searched
        unproven = [move for move, each in found.items() if each.stopped_by == "nodes"]
        spared = min(left, nodes * len(moves) - (limits.max_nodes - left))  # nodes of the first round left unused
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
        """Search each move with ``nodes`` nodes, unless a helper has; return the results in the order of ``moves``."""
        found = {move: self._ahead[move, nodes] for move in moves if (move, nodes) in self._ahead}
        for results in in_order(self._calls([move for move in moves if move not in found], nodes, deadline_ns)):
            found |= results
        return {move: found[move] for move in moves}

    def _calls(
        self, moves: list[int], nodes: int, deadline_ns: int | None
    ) -> list[Callable[[Stop], list[tuple[int, Searched]]]]:
        """Return one call for each list; it divides the remaining time among its own and all later moves."""
        size = max(1, LIST_NODES // nodes)
        return [
            partial(self._call, moves[begin : begin + size], nodes, len(moves) - begin, deadline_ns)
            for begin in range(0, len(moves), size)
        ]

    def _call(
        self, moves: list[int], nodes: int, left: int, deadline_ns: int | None, own: Stop
    ) -> list[tuple[int, Searched]]:
        """Search one list; ``left`` counts its moves and all later ones, ``own`` stops this call alone."""
        limits = Limits(deadline_ns=deadline_ns)
        with self._stop.also_stops(own):
            own.check()
            if limits.expired:
                return [(move, Searched(None, (), 0, "time")) for move in moves]
            searched = self._searches.search(moves, nodes, left, deadline_ns, own)
            own.check()
            return [(move, self._result(move, each, limits, own)) for move, each in zip(moves, searched, strict=True)]

    def _result(self, move: int, found: select.FoundAfterMove, limits: Limits, stop: Stop) -> Searched:
        """Convert a result of the kernel, and continue the line of a near win or loss to the end of the game."""
        value, line, nodes, ended_by = found
        if value is None:
            return Searched(None, (), nodes, "time" if ended_by == "time" else "nodes")
        reason = stopped_by(ended_by, value)
        if value.exact and value.outcome != "draw" and (value.distance or 0) > len(line):
            line, in_time = complete_pv(self._position.play(move), line, value, limits, stop=stop)
            if not in_time:
                reason = "time"
        return Searched(value, (move, *islice(line, MAX_LINE - 1)), nodes, reason)
