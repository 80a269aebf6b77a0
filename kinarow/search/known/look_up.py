"""Looks up values that are known without a search, in opening books, strategies and the atlas.

Each source knows a few games, named by its files. A search with a depth cutoff uses none.
"""

from collections.abc import Iterator
from functools import lru_cache

from kinarow.game.position import Position
from kinarow.game.rules import O, Rules, X
from kinarow.score import Score
from kinarow.search.known import atlas, book, strategy
from kinarow.search_types import KnownBounds, SearchResult

RULES_KEPT = 256

Shipped = book.Book | strategy.Strategy | strategy.Blocking


@lru_cache(maxsize=RULES_KEPT)
def shipped(rules: Rules) -> Shipped | None:
    """Return the book or the strategy in the package for exactly these rules, or None."""
    return book.shipped(rules) or strategy.shipped(rules) or strategy.blocking(rules)


def look_up(position: Position) -> SearchResult | KnownBounds | None:
    """Return the result that a book or a strategy has for an ongoing position, or bounds on its value, or None."""
    source = shipped(position.rules)
    return source.known(position) if source else None


def value(position: Position) -> tuple[Score, Iterator[int]] | None:
    """Return the value and the principal variation of an ongoing position in a book; None without one."""
    opening = book.shipped(position.rules)
    value = opening and opening.value(position)
    return (value, opening.line(position)) if opening and value else None


def entry(position: Position) -> atlas.Entry | None:
    """Return the atlas entry for an empty board; None if a book or a winning strategy is shipped for its rules."""
    if X in position.cells or O in position.cells or isinstance(shipped(position.rules), book.Book | strategy.Strategy):
        return None
    return atlas.of(position)


def may_know(position: Position) -> bool:
    """Return True if a book or the atlas probably has the position; cheaper than the look-up itself."""
    opening = book.shipped(position.rules)
    if opening is not None and position.rules.cells - position.empties < opening.plies:
        return True
    return atlas.of(position) is not None
