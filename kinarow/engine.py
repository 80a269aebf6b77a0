"""The library's calls: each searches the canonical form of a position and maps the answer back.

So symmetric positions get the same answer, and the HTTP service gives the same one.
"""

from dataclasses import replace

from kinarow.errors import InputError
from kinarow.game.position import Canonical, Position
from kinarow.game.position_fields import read_allowed
from kinarow.play import levels
from kinarow.play import review as game_review
from kinarow.play.levels import FULL_STRENGTH
from kinarow.play.review import Progress, Review
from kinarow.search import analysis
from kinarow.search.analysis import Analysis
from kinarow.search.search import Listener, search
from kinarow.search_types import Limits, SearchResult, Stop


def best_move(
    position: Position,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    level: int = FULL_STRENGTH,
    seed: int | None = None,
    only: object = None,
    exclude: object = None,
    stop: Stop | None = None,
) -> SearchResult:
    """The best move of a position and how good it is; below level 10, the move that the level makes.

    Args:
        position: any position; if the game is over, ``move`` is None.
        limits: the limits of the search.
        level: playing strength, 1 to 10. 10 is full strength; lower levels play weaker, varied moves.
        seed: makes a varied choice repeatable; at level 10 it chooses among ``best_moves``.
        only: the moves to choose among: a text or a list as ``Position.from_moves`` takes it, in which a whole
            number is a tile from 1. The answer speaks of these moves alone.
        exclude: the moves not to choose; give at most one of the two.
        stop: ends the search from another thread.

    Returns:
        The result. Cells are counted row by row from 0, scores are for the side to move.

    Raises:
        InputError: the level is not 1 to 10, the seed is negative, or ``only`` or ``exclude`` names an impossible
            move or leaves none.
        SearchStopped: ``stop`` was set.

    >>> import kinarow
    >>> position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
    >>> answer = kinarow.best_move(position, kinarow.Limits(max_nodes=100_000))
    >>> answer.move, answer.score.value, answer.outcome, answer.distance, answer.proven
    (5, 0, 'draw', 5, True)
    >>> kinarow.best_move(position, exclude=[6]).outcome
    'loss'
    """
    _check(level, seed)
    canonical, allowed = _canonical(position, only, exclude)
    form = canonical.position
    if level < FULL_STRENGTH and form.ending().state == "ongoing":
        result = _move_of_level(form, limits, level, seed, allowed, stop)
    else:
        if allowed is None:
            result = search(form, limits, stop=stop)
        else:
            result = analysis.search_among(form, limits, allowed, stop=stop)
        if seed is not None:
            result = levels.among_best(form, result, seed)
    return result.mapped(canonical.to_original)


def _move_of_level(
    form: Position,
    limits: Limits,
    level: int,
    seed: int | None,
    allowed: tuple[int, ...] | None,
    stop: Stop | None,
) -> SearchResult:
    """The move of a level below full strength in an ongoing position, with its value."""
    distribution = levels.move_distribution(form, level, limits, stop=stop)
    if allowed is not None:
        distribution = levels.restricted(distribution, allowed)
    chosen = levels.sample(form, level, distribution, levels.new_seed() if seed is None else seed)
    value = levels.value_of_choice(form, chosen, limits, stop=stop, allowed=allowed)
    return levels.with_choice_cost(value, distribution)


def analyse(
    position: Position,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    only: object = None,
    exclude: object = None,
    stop: Stop | None = None,
    progress: Listener | None = None,
    live_moves: int = 0,
) -> Analysis:
    """The best move and the value of every legal move, or of every allowed one.

    Args:
        position: any position; a finished one has no moves.
        limits: the limits of the search for the best move. The other moves get a second budget of as many nodes;
            the time limit bounds both.
        only: as in ``best_move``; only these moves are valued.
        exclude: the same.
        stop: ends the search from another thread.
        progress: called with each finished iteration of the first search.
        live_moves: the number of best moves so far in each iteration, 0 for none.

    Returns:
        The result, and all moves: the chosen one first, then by score and tile.

    Raises:
        InputError: ``only`` or ``exclude`` names an impossible move or leaves none.
        SearchStopped: ``stop`` was set.

    >>> import kinarow
    >>> position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
    >>> [(value.move, value.outcome) for value in kinarow.analyse(position).moves]
    [(5, 'draw'), (1, 'loss'), (3, 'loss'), (6, 'loss'), (7, 'loss')]
    """
    canonical, allowed = _canonical(position, only, exclude)
    back = canonical.to_original
    listener = None if progress is None else lambda info: progress(info.mapped(back))
    found = analysis.analyse(
        canonical.position, limits, stop=stop, progress=listener, live_moves=live_moves, allowed=allowed
    )
    result = found.result.mapped(back)
    values = [value.mapped(back) for value in found.moves]
    values.sort(key=lambda value: (value.move != result.move, -value.score.value, value.move))
    return replace(found, result=result, moves=tuple(values))


def _canonical(position: Position, only: object, exclude: object) -> tuple[Canonical, tuple[int, ...] | None]:
    """The canonical form, and its allowed moves; None for all."""
    if only is None and exclude is None:
        return position.canonical(), None
    given = {"only": only, "exclude": exclude}
    fields = {name: moves for name, moves in given.items() if moves is not None}
    allowed = read_allowed(fields, position)
    return (position.canonical(), None) if allowed is None else position.canonical_among(allowed)


def review(
    position: Position,
    moves: object,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    *,
    total_time_ms: int | None = None,
    stop: Stop | None = None,
    progress: Progress | None = None,
) -> Review:
    """A grade for every move of a game, by searches of the positions before and after it.

    Args:
        position: where the game begins, such as ``Position.from_moves("", game="connect-four")``.
        moves: the moves in their order, a text such as ``4453`` or a list; see ``kinarow.game.notation``.
        limits: what the search of each position may spend.
        total_time_ms: bounds all searches together; each may use an equal part of what those before it have left.
        stop: ends the searches from another thread.
        progress: is told of each move as soon as it is graded, the last move of the game first.

    Returns:
        The moves with their grades, and how the game stands after the last. Scores are for the side that moved.

    Raises:
        InputError: a move is not possible, or comes after the end of the game; the pointer is ``/moves/i``.
        SearchStopped: ``stop`` was set.

    >>> import kinarow
    >>> start = kinarow.Position.from_moves("", game="tic-tac-toe")
    >>> graded = kinarow.review(start, "b2b1a3c3")
    >>> [(move.move, move.grade, move.graded_by) for move in graded.moves]
    [(4, 'best', 'proof'), (7, 'mistake', 'proof'), (0, 'best', 'proof'), (2, 'inaccuracy', 'proof')]
    >>> graded.moves[1].outcome, graded.moves[1].best_outcome, graded.state
    ('loss', 'draw', 'ongoing')
    """
    return game_review.review(
        position,
        moves,
        limits,
        search=best_move,
        total_time_ms=total_time_ms,
        stop=stop,
        progress=progress,
    )


def _check(level: int, seed: int | None) -> None:
    """Refuse a level or a seed out of range."""
    if not 1 <= level <= FULL_STRENGTH:
        raise InputError("/level", f"level is a whole number from 1 to {FULL_STRENGTH}, not {level}")
    if seed is not None and seed < 0:
        raise InputError("/seed", f"seed is 0 or more, not {seed}")
