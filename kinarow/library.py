"""The public functions. Their answers are those of the service, without reasons.

Each takes a ``Position``, or a board as text, as rows or as a NumPy array of 0 (empty), 1 (X), 2 or -1 (O) and 3
(blocked). With a board, the keywords are the rule fields (``goal=3``, ``game="connect-four"``), ``moves``, ``to_move``,
``first``, ``rows``, ``columns``, ``layers`` and ``composed``, as in ``Position.from_cells``. Without a position or
board, the empty board of the game is meant.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict, TypeVar, Unpack

from kinarow import engine
from kinarow.engine import Question
from kinarow.errors import SWITCH, WHOLE, InputError, check_type, shown
from kinarow.game.notation import CELL
from kinarow.game.position import BoardKeywords, Position
from kinarow.game.rules import RuleKeywords, Rules, check_fields
from kinarow.play.levels import FULL_STRENGTH
from kinarow.play.review import Progress, Review, nodes_to_share
from kinarow.reading import records
from kinarow.reading.boards import Array, without_arrays
from kinarow.reading.positions import read_allowed, read_position, read_start
from kinarow.reading.records import Record
from kinarow.reading.tables import COUNTINGS
from kinarow.search.best_move import Listener
from kinarow.search.known import atlas
from kinarow.search.known.atlas import Entry
from kinarow.search_types import Analysis, Limits, SearchResult, Stop

_USUAL_LIMITS = Limits()
_read_position = partial(read_position, first_cell=CELL)


class LimitKeywords(TypedDict, total=False):
    """The limits of a search, as keywords."""

    max_nodes: int
    max_depth: int | None
    time_limit_ms: int | None
    threads: int


class GameKeywords(BoardKeywords, LimitKeywords, total=False):
    """The fields that describe a game without its moves, and limits; ``None`` means not given."""

    first: str | int | None


class PositionKeywords(GameKeywords, total=False):
    """The fields that describe a position, and limits; ``None`` means not given."""

    moves: object


def best_move(
    position: Position | str | Sequence[object] | Array | None = None,
    limits: Limits | None = None,
    *,
    level: int = FULL_STRENGTH,
    seed: int | None = None,
    only: object = None,
    exclude: object = None,
    stop: Stop | None = None,
    **fields: Unpack[PositionKeywords],
) -> SearchResult:
    """Return the best move of a position and its value; below level 10, the move that the level makes.

    Args:
        position: a position, or a board as text, rows or a NumPy array; if the game is over, ``move`` is None.
        limits: the limits of the search, by default ``Limits()``; or pass single limits, such as ``max_nodes=1000``.
        level: playing strength, 1 to 10. 10 is full strength; lower levels play weaker, varied moves.
        seed: makes the choice of a weaker level repeatable; at level 10 it chooses among ``best_moves``.
        only: the moves to choose from, a text or a list as in ``Position.from_moves``, such as the ``best_moves`` of
            an earlier call.
        exclude: moves to leave out; pass either ``only`` or ``exclude``.
        stop: ends the search from another thread.
        fields: single limits; and the rules and the rest of the position, unless ``position`` is a ``Position``.

    Returns:
        The result. ``move`` and other cells count row by row from 0; ``row`` and ``column`` of the move count from 0,
        ``tile`` from 1. Scores are for the side to move.

    Raises:
        InputError: no game reaches the position, the level is not 1 to 10, the seed is negative, a limit is below 1,
            ``only`` or ``exclude`` names an impossible move, or they leave no move.
        TypeError: an argument has the wrong type or is given twice; the message says what to pass.
        SearchStopped: ``stop`` was set.

    >>> import kinarow
    >>> answer = kinarow.best_move("X.O/.X./..O", goal=3)
    >>> answer.move, answer.row, answer.column, answer.tile
    (5, 1, 2, 6)
    >>> kinarow.best_move(moves="4453", game="connect-four", max_nodes=100_000).outcome
    'loss'
    >>> position = kinarow.Position.from_text("X.O/.X./..O", goal=3)
    >>> answer = kinarow.best_move(position, kinarow.Limits(max_nodes=100_000))
    >>> answer.move, answer.score.value, answer.outcome, answer.distance, answer.proven
    (5, 0, 'draw', 5, True)
    >>> kinarow.best_move(position, exclude=[answer.move]).outcome
    'loss'
    """
    _check(level, seed)
    _check_calls(stop)
    where, within = _position_of(position, fields), _limits_of(limits, fields)
    allowed = _allowed(where, only, exclude)
    question = Question(where, within, level, seed, allowed, stop=stop, wants_reasons=False)
    return engine.move(question)[0]


def analyse(
    position: Position | str | Sequence[object] | Array | None = None,
    limits: Limits | None = None,
    *,
    only: object = None,
    exclude: object = None,
    stop: Stop | None = None,
    progress: Listener | None = None,
    live_moves: int = 0,
    **fields: Unpack[PositionKeywords],
) -> Analysis:
    """Return the best move and the value of every legal move, or of every allowed move.

    Args:
        position: as in ``best_move``; a finished game has no moves.
        limits: as in ``best_move``, for the search for the best move. The other moves together get as many nodes again;
            the time limit covers both.
        only: as in ``best_move``; only these moves are valued.
        exclude: as in ``best_move``; these moves are not valued.
        stop: ends the search from another thread.
        progress: called with each finished iteration of the first search.
        live_moves: the number of best moves in each call of ``progress``.
        fields: as in ``best_move``.

    Returns:
        The result, and all moves: first the chosen move, the others by score and tile.

    Raises:
        InputError, TypeError: as ``best_move``.
        SearchStopped: ``stop`` was set.

    >>> import kinarow
    >>> [(value.move, value.outcome) for value in kinarow.analyse("X.O/.X./..O", goal=3).moves]
    [(5, 'draw'), (1, 'loss'), (3, 'loss'), (6, 'loss'), (7, 'loss')]
    """
    _check_calls(stop, progress)
    where = _position_of(position, fields)
    check_type("live_moves", live_moves, WHOLE)
    question = Question(
        where,
        _limits_of(limits, fields),
        allowed=_allowed(where, only, exclude),
        stop=stop,
        progress=progress,
        live_moves=live_moves,
        wants_reasons=False,
    )
    answer, _ = engine.analysis(question)
    assert isinstance(answer, Analysis)
    return answer


def solved(rules: Rules) -> Entry | None:
    """Return the atlas entry for the empty board of a game, or None.

    The outcome ``unknown`` means that the board is open. Without gravity, an entry also covers the board with rows and
    columns exchanged.

    >>> import kinarow
    >>> entry = kinarow.solved(kinarow.Rules(3, 3, 3))
    >>> entry.outcome, [(value.move, value.outcome) for value in entry.first_moves]
    ('draw', [(0, 'draw'), (1, 'draw'), (4, 'draw')])
    """
    check_type("rules", rules, (Rules, "a kinarow.Rules"))
    entry = atlas.find(rules)
    if entry is None or entry.first_moves is None:
        return entry
    # With the size of the board each move knows its row and column.
    return replace(entry, first_moves=tuple(replace(value, size=rules.sides) for value in entry.first_moves))


def _allowed(position: Position, only: object, exclude: object) -> tuple[int, ...] | None:
    given = {name: moves for name, moves in (("only", only), ("exclude", exclude)) if moves is not None}
    return read_allowed(given, position, CELL) if given else None


def review(
    position: Position | str | Sequence[object] | Array | None = None,
    moves: object = None,
    limits: Limits | None = None,
    *,
    total_time_ms: int | None = None,
    stop: Stop | None = None,
    progress: Progress | None = None,
    **fields: Unpack[GameKeywords],
) -> Review:
    """Grade every move of a game, by searches of the positions before and after it.

    Args:
        position: the first position of the game, as in ``best_move``; by default the empty board.
        moves: the moves in their order, a text such as ``4453`` or a list, as in ``Position.from_moves``.
        limits: the limits of the search of each position, as in ``best_move``. Without ``max_nodes`` all positions of a
            board of more than 64 cells share 4,000,000 nodes equally, unless it can be solved.
        total_time_ms: a time limit for all searches together. ``cut_by_time`` of the review counts the searches that it
            has stopped, and ``stopped_by`` of their moves is ``time``; all other grades are the same in every review.
        stop: ends the searches from another thread.
        progress: called with each move and its index in the game as soon as it is graded, from the last move back.
        fields: as in ``best_move``.

    Returns:
        The moves with their grades, and the state of the game after the last move. Scores are for the side that moved.

    Raises:
        InputError: a move is impossible or comes after the end of the game (the pointer is ``/moves/i``), no game
            reaches the position, or a limit is below 1.
        TypeError: as ``best_move``.
        SearchStopped: ``stop`` was set.

    >>> import kinarow
    >>> graded = kinarow.review(moves="b2b1a3c3", game="tic-tac-toe")
    >>> [(move.move, move.grade, move.graded_by) for move in graded.moves]
    [(4, 'best', 'proof'), (7, 'mistake', 'proof'), (0, 'best', 'proof'), (2, 'inaccuracy', 'proof')]
    >>> graded.moves[1].outcome, graded.moves[1].best_outcome, graded.state
    ('loss', 'draw', 'ongoing')
    """
    if moves is None:
        given = "" if position is None else "; the first argument is where the game begins"
        raise TypeError(f"pass the moves as moves=, a text such as '4453' or a list{given}")
    _check_calls(stop, progress)
    if total_time_ms is not None:
        check_type("total_time_ms", total_time_ms, WHOLE)
        if total_time_ms < 1:
            raise InputError("/total_time_ms", f"total_time_ms is 1 or more, not {total_time_ms}")
    start, within = _position_of(position, fields, read_start), _limits_of(limits, fields)
    max_nodes = fields.get("max_nodes") if limits is None else limits.max_nodes
    shared_nodes = nodes_to_share(start.rules, max_nodes)
    question = Question(start, within, stop=stop, wants_reasons=False)
    graded = engine.review(question, moves, shared_nodes=shared_nodes, total_time_ms=total_time_ms, progress=progress)
    size = graded.position.rules.sides
    return replace(graded, moves=tuple(replace(move, size=size) for move in graded.moves))


def read_record(
    text: str | bytes, *, first: str | int | None = None, composed: bool = False, **fields: Unpack[RuleKeywords]
) -> Record:
    """Read a game's record: SGF, Piskvork's ``.psq`` or numbered moves with a result.

    Args:
        text: the whole text, or the bytes of a file, at most 1 MB. Of SGF, the main line of the first game is read;
            bytes are decoded as its ``CA`` says.
        first: the side that begins, ``X`` or ``O``, or 1 or 2, if the record doesn't say it.
        composed: True allows any number of stones of either side before the first move.
        fields: the game (``game="renju"``) or its rules, which override the record. SGF and ``.psq`` are Gomoku by
            default. A given size must be that of the record.

    Returns:
        The record: ``start``, ``moves`` (cells), ``position`` after them, ``players``, the ``result`` it claims, and
        ``other_games``, the number of ignored games of a collection.

    Raises:
        InputError: the text can't be read, or a move in it is illegal; the detail begins with line and column.
        TypeError: an argument has the wrong type or an unknown name.

    >>> import kinarow
    >>> record = kinarow.read_record("(;GM[4]SZ[15]PB[Ann]RE[B+];B[hh];W[ih])")
    >>> record.format, record.moves, record.players, record.result
    ('sgf', (112, 113), {'X': 'Ann', 'O': None}, 'B+')
    >>> kinarow.read_record("1. 4 4 2. 5 3", game="connect-four").position.board[-1]
    '..OXX..'
    """
    if not isinstance(text, str | bytes):
        raise TypeError(f"a record is a text, or the bytes of a file, not {shown(text)}")
    given = {**fields, "first": first, "composed": composed}
    check_fields(given, RuleKeywords.__optional_keys__ | {"first", "composed"})
    return records.read_record(text, given)


Rows = TypeVar("Rows")


def label(
    table: Rows,
    *,
    max_nodes: int | None = None,
    values: bool = False,
    empty_is_start: bool = False,
    prefix: str = "",
    error_column: str | None = None,
    composed: bool = False,
    moves_as: str | None = None,
    **fields: Unpack[RuleKeywords],
) -> Rows:
    """Add the value of each row's position to an Arrow table, as ``kinarow label`` does to a file.

    Ray's ``map_batches`` and Spark's ``mapInArrow`` can call it. Equal positions among 8,192 rows are valued once. The
    labels of a row depend on no other row. It needs the extra ``label``.

    Args:
        table: a pyarrow Table or RecordBatch with a column ``moves`` or ``board`` of texts, numbers or lists; with
            both, the moves start from the board. A column ``to_move`` sets the side to move, a column ``composed`` says
            which boards are composed.
        max_nodes: the nodes of each row's search; by default no limit on boards that an exact solver takes,
            otherwise that of ``Limits()``.
        values: also value every legal move.
        empty_is_start: read a row with only an empty text as the empty board; by default it is a bad row.
        prefix: the prefix of the new columns' names, except ``error_column``.
        error_column: the name of a column to add with the reason of each bad row.
        composed: True allows any number of marks of either side on all boards; then ``to_move`` is needed.
        moves_as: how moves are counted: ``tiles`` from 1, ``cells`` from 0, ``columns`` from 1, ``columns-from-0``, or
            ``text``; by default texts are ``text`` and lists are ``tiles``.
        fields: the rules, and the size of the board if there is no column ``board``.

    Returns:
        The table, of the same type, with new columns ``score``, ``outcome``, ``distance``, ``distance_is_bound``,
        ``proven``, ``best_moves`` (tiles, from 1) and ``best_moves_complete``; if ``values`` is True, also ``values``.
        A bad row has nulls.

    Raises:
        ImportError: pyarrow is not installed.
        InputError: the rules are invalid, the table has neither ``moves`` nor ``board``, or it has a column with the
            name of a new column.
        TypeError: an argument has the wrong type or an unknown name.

    >>> import kinarow, pyarrow
    >>> table = pyarrow.table({"moves": ["4453", "9"]})
    >>> kinarow.label(table, game="connect-four")["outcome"].to_pylist()
    ['loss', None]
    """
    try:
        import pyarrow  # noqa: F401 - an extra
    except ImportError as missing:
        raise ImportError("kinarow.label needs pyarrow: pip install 'kinarow[label]'") from missing
    from kinarow.labelling import rows

    if moves_as not in (None, *COUNTINGS):
        raise InputError("/moves_as", f"moves_as is one of {', '.join(COUNTINGS)}, not {moves_as!r}")
    check_type("values", values, SWITCH)
    check_type("empty_is_start", empty_is_start, SWITCH)
    check_type("prefix", "" if prefix is None else prefix, (str, "a text"))
    check_type("error_column", "" if error_column is None else error_column, (str, "the name of a column"))
    given = {name: value for name, value in {**fields, "composed": composed}.items() if value is not None}
    check_fields(given, RuleKeywords.__optional_keys__ | {"composed"})
    budget = None if max_nodes is None else _limits_of(None, {"max_nodes": max_nodes}).max_nodes
    labelled: Rows = rows.with_labels(
        rows.LabelOptions(given, budget, values, empty_is_start, moves_as), table, prefix or "", error_column
    )
    return labelled


def _check(level: int, seed: int | None) -> None:
    if seed is None and level is FULL_STRENGTH:
        return
    check_type("level", level, WHOLE)
    if not 1 <= level <= FULL_STRENGTH:
        raise InputError("/level", f"level is a whole number from 1 to {FULL_STRENGTH}, not {level}")
    if seed is not None:
        check_type("seed", seed, WHOLE)
        if seed < 0:
            raise InputError("/seed", f"seed is 0 or more, not {seed}")


def _check_calls(stop: object, progress: object = None) -> None:
    """Raise ``TypeError`` for a ``stop`` or ``progress`` of a wrong type, even if the search wouldn't use it."""
    if stop is not None:
        check_type("stop", stop, (Stop, "a kinarow.Stop"))
    if not (progress is None or callable(progress)):
        raise TypeError(f"progress is a function, not {shown(progress)}")


def _position_of(
    position: object, fields: Mapping[str, Any], read: Callable[[dict[str, Any]], Position] = _read_position
) -> Position:
    """Return the position of a call: a ``Position``, a board as text or rows, or None for the empty board."""
    if not fields and isinstance(position, Position):
        return position
    given = {name: value for name, value in fields.items() if value is not None}
    check_fields(given, PositionKeywords.__optional_keys__)
    described = {name: value for name, value in given.items() if name not in LimitKeywords.__optional_keys__}
    if isinstance(position, Position):
        if described:
            raise TypeError(f"a Position has its own rules and moves; pass {', '.join(described)} with a board only")
        return position
    if position is None:
        return read(described)
    position = without_arrays(position)
    if not isinstance(position, str | list | tuple):
        raise TypeError(f"pass a Position, or a board as text such as 'X.O/.X./..O' or as rows, not {shown(position)}")
    return read({"board": position, **described})


def _limits_of(limits: object, fields: Mapping[str, Any]) -> Limits:
    """Return the limits of a call, from ``limits`` or from single keywords."""
    if not fields and (limits is None or isinstance(limits, Limits)):
        return limits or _USUAL_LIMITS
    given = {name: fields[name] for name in LimitKeywords.__annotations__ if fields.get(name) is not None}
    if limits is None:
        return Limits(**given)
    if given:
        raise TypeError(f"give either limits or {', '.join(sorted(given))}")
    check_type("limits", limits, (Limits, "a kinarow.Limits, or give max_nodes=100_000"))
    assert isinstance(limits, Limits)
    return limits
