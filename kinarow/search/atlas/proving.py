"""Proves an empty board: its outcome, then the value of every first move."""

import math
import time
from dataclasses import replace

from kinarow.game.position import Position
from kinarow.game.rules import Rules
from kinarow.search.analysis import analyse
from kinarow.search.atlas.entries import Entry
from kinarow.search.best_move import WHOLE_LINE, load, search
from kinarow.search_types import MOST_NODES, Limits, MoveValue, SearchResult
from kinarow.solvers import select


def prove(rules: Rules, seconds: int) -> Entry:
    """What can be proven of an empty board within the time, by the wall clock: a third is for the first moves."""
    position = Position.empty(rules)
    load(position)
    began, started = time.monotonic(), time.process_time()
    result = search(position, Limits(MOST_NODES, time_limit_ms=seconds * 2000 // 3))
    tried_nodes, moves = result.nodes, None
    left_ms = math.floor((began + seconds - time.monotonic()) * 1000)
    if result.proven and left_ms > 0:
        analysed = analyse(position, Limits(MOST_NODES, time_limit_ms=left_ms), first=result)
        result, tried_nodes = replace(analysed.result, nodes=result.nodes, source=result.source), analysed.nodes
        moves = _one_of_each_orbit(position, analysed.moves)
    return Entry(
        rules,
        result.score,
        result.line if result.proven else (),
        moves,
        result.nodes if result.proven else None,
        tried_nodes,
        round(time.process_time() - started, 3),
        seconds,
        _method(position, result),
    )


def _one_of_each_orbit(position: Position, values: tuple[MoveValue, ...]) -> tuple[MoveValue, ...] | None:
    """The values of moves of which no two are symmetric, in tile order; None if one of them is not proven.

    Lines are kept where answers must have them to the end of the game.
    """
    if not all(value.proven for value in values):
        return None
    symmetries = position.geometry.stabiliser(position.cells)
    first = {min(symmetry[value.move] for symmetry in symmetries) for value in values}
    kept = sorted((value for value in values if value.move in first), key=lambda value: value.move)
    return tuple(replace(value, line=value.line if _ends_soon(value) else value.line[:1]) for value in kept)


def _ends_soon(value: MoveValue) -> bool:
    return value.outcome != "draw" and value.distance is not None and value.distance <= WHOLE_LINE


def _method(position: Position, result: SearchResult) -> str:
    if result.source == "book":
        return "book"
    solvers = select.needed(position, Limits())
    return ", ".join(name.replace("_", " ") for name in solvers if name != "line_counts")
