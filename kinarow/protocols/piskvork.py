"""The Piskvork (Gomocup) protocol between a manager of Gomoku matches and an engine, command by command.

The manager sends commands and waits for one line after each, except after ``INFO``. Lines that begin with ``MESSAGE``
may come at any time; they report the progress of a search. Coordinates are ``X,Y``: column and row from the top left
corner, from 0. ``Piskvork.answers`` computes the answers to a line; ``kinarow piskvork`` reads and writes the lines.
(Protocol: Petr Lastovicka, "Piskvork: the AI protocol", 2005, with Gomocup's bits for ``INFO rule`` and its
``SWAP2BOARD``.)
"""

import re
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from queue import SimpleQueue
from typing import Any

from kinarow import engine
from kinarow.engine import Question
from kinarow.errors import InputError
from kinarow.game.position import Position
from kinarow.game.rules import SWAP_SIDES, O, Rules, Side, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.play.levels import FULL_STRENGTH
from kinarow.protocols.piskvork_commands import UNKNOWN, CommandReader, ConversationEnd, ManagerCommand
from kinarow.score import Score
from kinarow.search.analysis import search_among
from kinarow.search.best_move import Listener, new_context, search, tables_within
from kinarow.search_types import (
    MOST_NODES,
    NANOSECONDS_PER_MS,
    Limits,
    SearchContext,
    SearchInfo,
    SearchResult,
    SearchStopped,
    Stop,
)
from kinarow.version import VERSION

GOAL = 5  # marks in a row; the protocol has no way to say another number
TURN_MS = 30_000  # default time for a move, as managers expect
AT_ONCE_MS = 100  # time for a move if the manager sets 0, which means as fast as possible
MARGIN_MS = 25  # unused part of a move's time, for the delay to the manager and the last poll of the clock
MARGIN_SHARE = 0.03  # margin as a share of a move's time; the larger margin applies, since delays grow with the time
MOVES_TO_COME = 20  # the remaining time of a match is divided by this number at every move
SCRIPT_MS = 300  # time for all unanswered commands once the input of a script has ended
MAX_WORD = 60  # most characters of the manager's text in an error
SHOWN_MOVES = 16  # moves of a principal variation in a message
REPLACED_NODES = 1000  # nodes of a second search, if the first was stopped before it had a move

MEMORY_BYTES = 200_000_000  # the smallest memory limit that is respected
OWN_BYTES = 72 << 20  # memory of the process without tables
GAME_SHARE, TABLE_SHARE = 1 / 2, 1 / 8
"""Shares of the memory for the game's transposition table and for each table of other searches; an analysis has three
of them at once."""
SMALLEST_TABLE = 4 << 20  # bytes of each table if the limit is below ``MEMORY_BYTES``

FREESTYLE, EXACT_FIVE, CONTINUOUS, RENJU, CARO = 0, 1, 2, 4, 8
_BITS = {EXACT_FIVE: "exactly five", CONTINUOUS: "continuous game", RENJU: "renju", CARO: "caro"}
_RULES: dict[int, dict[str, Any]] = {
    FREESTYLE: {},
    EXACT_FIVE: {"exact_goal": True},
    RENJU: {"renju": True},
    CARO: {"caro": True},
    CARO | EXACT_FIVE: {"caro": True, "exact_goal": True},
}
"""The supported rules by the number of ``INFO rule``."""

EVALUATION_SCALE = 1000  # an expected result of 1 in the evaluations of messages

STRENGTH_STEP = 10  # ``INFO strength`` goes to 100, levels go to 10

_KEYS = frozenset({
    "timeout_turn", "timeout_match", "time_left", "time_increment", "max_node", "max_depth", "thread_num", "strength",
    "rule", "max_memory", "hash_size",
})  # fmt: skip
"""The supported keys of ``INFO``."""

SWAP2_OFFERS = (
    ((0, 0), (1, 1), (2, -1)),
    ((0, 0), (-1, 0), (3, 2)),
    ((-3, -3), (-2, -3), (3, 3)),
    ((0, 0), (1, -1), (-3, 2)),
    ((-4, 0), (-4, 1), (-1, 3)),
    ((-5, -5), (-5, -3), (-2, -5)),
)
"""Openings of three stones, as column and row from the middle; the one with the most balanced score is offered."""

SWAP2_LEAST_SIDE = 13  # shortest side of a board on which the offers fit
_PAIR = re.compile(r"(\d{1,4}),(\d{1,4})")
_STONE = re.compile(r"(\d{1,4},\d{1,4}),([12])")
_NUMBER = re.compile(r"-?\d{1,18}")
_OWN, _THEIRS = 1, 2

Searcher = Callable[[Position, Limits, Stop, Listener], SearchResult]
"""Searches a position within limits and passes progress to the listener; the result has a legal move."""


Outcome = SearchResult | SearchInfo
"""The result of a search, or its last iteration if it was stopped."""


class _Refused(Exception):
    """A command can't be obeyed; the message says why."""


class _Silent(Exception):
    """The conversation has ended, so nobody waits for the answer."""


def search_alone(position: Position, limits: Limits, stop: Stop, listen: Listener) -> SearchResult:
    """Return the best move, independent of earlier searches, as ``POST /move`` does."""
    canonical = position.canonical()
    back = canonical.to_original
    result = search(canonical.position, limits, stop=stop, progress=lambda info: listen(info.mapped(back)))
    return result.mapped(back)


class GameSearcher:
    """Searches the positions of a game, which share a transposition table of at most ``most_bytes``."""

    def __init__(self, most_bytes: int | None = None) -> None:
        self.context: SearchContext | None = None
        self._most_bytes = most_bytes

    def __call__(self, position: Position, limits: Limits, stop: Stop, listen: Listener) -> SearchResult:
        """Return the best move."""
        if self.context is None or self.context.rules != position.rules:
            with _tables_within(self._most_bytes):
                self.context = new_context(position.rules)
        return search(position, limits, stop=stop, progress=listen, context=self.context)


def _tables_within(most_bytes: int | None) -> AbstractContextManager[None]:
    return nullcontext() if most_bytes is None else tables_within(most_bytes)


class Piskvork:
    """One conversation with a manager: its board, its limits, and the answers to its commands.

    ``max_nodes`` limits each move, which makes games repeatable if time doesn't run out. The default searcher is
    ``search_alone`` with a node limit, ``GameSearcher`` without.
    """

    def __init__(
        self, max_nodes: int = MOST_NODES, searcher: Searcher | None = None, ending: ConversationEnd | None = None
    ) -> None:
        self.ended = False  # True after END or the end of the input
        self._reader = CommandReader()
        self._max_nodes, self._searcher = max_nodes, searcher
        self._rules: Rules | None = None  # None before START
        self._cells = bytearray()  # 0 empty, 1 own, 2 the other side's
        # Set by INFO
        self._rule = FREESTYLE
        self._level = FULL_STRENGTH
        self._sent_max_nodes, self._sent_max_depth = MOST_NODES, MAX_CELLS
        self._threads = 1
        self._max_memory: int | None = None  # bytes of the process
        self._hash_size: int | None = None  # bytes of the table
        self._turn_ms, self._match_ms, self._increment_ms = TURN_MS, 0, 0
        self._left_ms: int | None = None
        self._left_is_old = False  # True if a move was made after the manager sent _left_ms
        # The present command and its search
        self._ending = ending or ConversationEnd()
        self._script_end_ns: int | None = None
        self._interrupt = Stop()
        self._read_ns = self._began_ns = 0
        self._reset_search()
        self._commands: dict[str, Callable[..., Iterator[str]]] = {
            "START": self._start,
            "RECTSTART": self._rect_start,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": self._board,
            "TAKEBACK": self._take_back,
            "INFO": self._info,
            "ABOUT": self._about,
            "END": self._end,
            "SWAP2BOARD": self._swap2_board,
            "STOP": self._ignore,
        }

    def answers(self, line: str, interrupt: Stop | None = None) -> Iterator[str]:
        """Yield the answers to a line, messages first; ``interrupt`` makes its search answer the best move so far."""
        for command in self._reader.read(line):
            yield from self.obey(command, interrupt)

    def obey(self, command: ManagerCommand, interrupt: Stop | None = None, read_ns: int | None = None) -> Iterator[str]:
        """Yield the answers to a command; its time runs from ``read_ns`` of ``time.monotonic_ns()``, by default now."""
        self._interrupt = interrupt or Stop()
        self._read_ns = time.monotonic_ns() if read_ns is None else read_ns
        if command.name == UNKNOWN:
            yield f"UNKNOWN command {_quoted(command.words[0])}"
            return
        try:
            yield from self._commands[command.name](*command.words)
        except _Refused as why:
            yield f"ERROR {why}"
        except _Silent:
            self.ended = True

    # --- the board ------------------------------------------------------------------------------------

    def _start(self, *words: str) -> Iterator[str]:
        """Begin a game on a square board; some front ends send width and height."""
        if len(words) not in (1, 2) or not all(re.fullmatch(r"\d{1,4}", word) for word in words):
            raise _Refused("START needs one number, the side of the board")
        return self._new_game(int(words[0]), int(words[-1]))

    def _rect_start(self, *words: str) -> Iterator[str]:
        pair = _PAIR.fullmatch(" ".join(words))
        if pair is None:
            raise _Refused("RECTSTART needs two numbers, WIDTH,HEIGHT")
        return self._new_game(int(pair[1]), int(pair[2]))

    def _new_game(self, columns: int, rows: int) -> Iterator[str]:
        """Empty the board, and load the kernels of all rules by a short search before any clock runs."""
        if not (min(rows, columns) >= 1 and GOAL <= max(rows, columns) <= MAX_SIDE):
            raise _Refused(f"unsupported size: a side may be {MAX_SIDE} at most, the longer one {GOAL} at least")
        self._rules = Rules(rows, columns, GOAL)
        self._clear()
        for fields in _RULES.values():
            position = Position.empty(replace(self._rules, **fields))
            search(position.play(0), Limits(max_nodes=1, time_limit_ms=TURN_MS))
        yield "OK"

    def _restart(self, *words: str) -> Iterator[str]:
        _check_empty("RESTART", words)
        self._clear()
        yield "OK"

    def _clear(self) -> None:
        self._cells = bytearray(self._started_rules().cells)
        if self._left_is_old:
            self._left_ms = None
        self._reset_search()

    def _reset_search(self) -> None:
        """Replace the searcher, so that earlier searches don't influence the next game."""
        shares = [each for each in (self._hash_size, self._table_bytes(GAME_SHARE)) if each is not None]
        default = search_alone if self._max_nodes < MOST_NODES else GameSearcher(min(shares, default=None))
        self._search = self._searcher or default

    def _begin(self, *words: str) -> Iterator[str]:
        self._started_rules()
        _check_empty("BEGIN", words)
        if any(self._cells):
            raise _Refused("BEGIN is for an empty board")
        return self._own_move(self._cells)

    def _turn(self, *words: str) -> Iterator[str]:
        """Mark the opponent's move and answer it."""
        place = " ".join(words)
        cell = self._cell(place, "TURN")
        if self._cells[cell]:
            raise _Refused(f"the cell {place} is taken")
        cells = self._cells.copy()
        cells[cell] = _THEIRS
        return self._own_move(cells)

    def _take_back(self, *words: str) -> Iterator[str]:
        place = " ".join(words)
        cell = self._cell(place, "TAKEBACK")
        if not self._cells[cell]:
            raise _Refused(f"the cell {place} is empty")
        self._cells[cell] = 0
        yield "OK"

    def _board(self, *stones: str) -> Iterator[str]:
        """Answer a board of stones such as ``X,Y,1``: 1 is own, 2 the opponent's."""
        cells = bytearray(self._started_rules().cells)
        for stone in stones:
            match = _STONE.fullmatch(stone)
            if match is None:
                raise _Refused(f"BOARD: {_quoted(stone)} is not X,Y,1 or X,Y,2")
            cell = self._cell(match[1], "BOARD")
            if cells[cell]:
                raise _Refused(f"BOARD: the cell {match[1]} is there twice")
            cells[cell] = int(match[2])
        return self._own_move(cells)

    # --- the opening with swaps ---------------------------------------------------------------------

    def _swap2_board(self, *places: str) -> Iterator[str]:
        """Offer three stones; after three or five stones answer ``SWAP`` to change sides, or a move to keep them."""
        stones = [self._cell(place, "SWAP2BOARD") for place in places]
        for place, stone in zip(places, stones, strict=True):
            if stones.count(stone) > 1:
                raise _Refused(f"SWAP2BOARD: the cell {place} is there twice")
        self._started_rules()
        if not stones:
            return self._offer()
        if len(stones) in (3, 5):
            return self._choose(stones)
        raise _Refused(f"SWAP2BOARD needs 0, 3 or 5 stones, not {len(stones)}")

    def _offer(self) -> Iterator[str]:
        """Offer the three stones with the most balanced score."""
        rules = self._playable_rules()
        if min(rules.rows, rules.columns) < SWAP2_LEAST_SIDE:
            raise _Refused(f"SWAP2BOARD needs a board with sides of {SWAP2_LEAST_SIDE} at least")
        limits = self._limits()
        assert limits.deadline_ns is not None
        middle = rules.rows // 2 * rules.columns + rules.columns // 2
        best: tuple[float, list[int]] | None = None
        for number, offer in enumerate(SWAP2_OFFERS):
            stones = [middle + row * rules.columns + column for column, row in offer]
            left_ms = (limits.deadline_ns - time.monotonic_ns()) // NANOSECONDS_PER_MS
            time_limit_ms = max(1, left_ms // (len(SWAP2_OFFERS) - number))
            nodes = max(1, limits.max_nodes // len(SWAP2_OFFERS))
            part = replace(limits, max_nodes=nodes, time_limit_ms=time_limit_ms)
            info = yield from self._evaluate(self._opening(stones), part)
            if best is None or abs(info.score.value) < best[0]:
                best = abs(info.score.value), stones
        assert best is not None
        yield " ".join(map(self._place, best[1]))

    def _choose(self, stones: list[int]) -> Iterator[str]:
        """Answer a move for the side to move, or ``SWAP`` if the other side is better."""
        info = yield from self._evaluate(self._opening(stones), self._limits())
        assert info.move is not None  # the game is not over
        yield "SWAP" if info.score.value < 0 else self._place(info.move)

    def _opening(self, stones: list[int]) -> Position:
        rules = self._playable_rules()
        cells = bytearray(rules.cells)
        for number, cell in enumerate(stones):
            cells[cell] = O if number % 2 else X
        try:
            return Position.from_cells(rules, bytes(cells))
        except InputError:
            raise _Refused("the game is over") from None

    def _evaluate(self, position: Position, limits: Limits) -> Generator[str, None, Outcome]:
        return (
            yield from self._run_search(position, lambda stop, listen: self._search(position, limits, stop, listen))
        )

    # --- the move -------------------------------------------------------------------------------------

    def _own_move(self, cells: bytearray) -> Iterator[str]:
        """Take these cells as the board; answer and mark a move. If the rules refuse the board, keep the old one."""
        before, self._cells = self._cells, cells
        try:
            position = self._position()
        except _Refused:
            self._cells = before
            raise
        if self._level == FULL_STRENGTH:
            info = yield from self._evaluate(position, self._limits())
        else:
            question = Question(position, self._limits(), self._level, wants_reasons=False)
            info = yield from self._run_search(position, lambda stop, listen: engine.move(question.with_stop(stop))[0])
        assert info.move is not None  # the game is not over
        self._cells[info.move] = _OWN
        self._left_is_old = True
        yield f"MESSAGE {self._summary(info)}"
        yield self._place(info.move)

    def _run_search(
        self, position: Position, work: Callable[[Stop, Listener], SearchResult]
    ) -> Generator[str, None, Outcome]:
        """Search in another thread and yield messages about its iterations; if stopped, return the last iteration."""
        stop = Stop()
        results: SimpleQueue[SearchInfo | None] = SimpleQueue()
        best: SearchInfo | None = None
        self._began_ns = time.monotonic_ns()
        memory = _tables_within(self._table_bytes(TABLE_SHARE))
        stopping = self._interrupt.also_stops(stop)
        with self._ending.also_stops(stop), stopping, memory, ThreadPoolExecutor(1, "search") as pool:
            try:
                future = pool.submit(work, stop, results.put)
                future.add_done_callback(lambda _: results.put(None))
                for info in iter(results.get, None):
                    self._check_wanted()
                    best = info
                    score, line = _score(info.score), self._line(info.line)
                    yield f"MESSAGE depth {info.depth} score {score} nodes {info.nodes} line {line}"
                    if info.depth >= self._sent_max_depth:
                        return info  # ignores a deeper iteration, even if it has already ended
                self._check_wanted()
                return future.result()
            except SearchStopped:
                self._check_wanted()
                # If the search was stopped before its first iteration, a short one gives a move.
                return best or search_among(position, Limits(REPLACED_NODES), position.legal_moves())
            finally:
                stop.set()

    def _check_wanted(self) -> None:
        if self._ending.is_silent:
            raise _Silent

    def _summary(self, info: Outcome) -> str:
        """Return the summary of a search in the format that managers parse from the last message before a move."""
        ms = max(1, (time.monotonic_ns() - self._began_ns) // NANOSECONDS_PER_MS)
        return (
            f"depth {info.depth}-{max(info.depth, len(info.line))} ev {_evaluation(info.score)} n {info.nodes}"
            f" n/ms {info.nodes // ms} tm {ms} pv {self._line(info.line)}"
        )

    def _line(self, moves: tuple[int, ...]) -> str:
        return " ".join(map(self._place, moves[:SHOWN_MOVES]))

    def _place(self, cell: int) -> str:
        row, column = divmod(cell, self._started_rules().columns)
        return f"{column},{row}"

    def _position(self) -> Position:
        """Return the position with the own side to move, which is X if both have as many stones."""
        rules = self._playable_rules()
        own, theirs = self._cells.count(_OWN), self._cells.count(_THEIRS)
        side: Side = X if own == theirs else O
        cells = bytes(self._cells) if side == X else bytes(self._cells).translate(SWAP_SIDES)
        try:
            position = Position.from_cells(rules, cells, side)
        except InputError:
            if own != theirs and own != theirs - 1:
                raise _Refused(f"{own} own stones and {theirs} others: it cannot be this side's move") from None
            raise _Refused("the game is over") from None
        if position.ending().state != "ongoing":
            raise _Refused("the game is over")
        return position

    def _limits(self) -> Limits:
        """Return the limits of a move: the time of a turn or a share of the match's time, minus the margin."""
        turn = self._turn_ms or AT_ONCE_MS
        left = self._left_ms
        if left is None and self._match_ms:
            left = self._match_ms
        if left is not None:
            share = max(left, 1) // MOVES_TO_COME + self._increment_ms + MARGIN_MS
            turn = min(turn, share, left)
        margin = min(turn / 2, max(MARGIN_MS, turn * MARGIN_SHARE))
        time_limit_ms = max(1, int(turn - margin))
        end_ns = self._read_ns + time_limit_ms * NANOSECONDS_PER_MS
        if self._ending.is_script:
            if self._script_end_ns is None:
                self._script_end_ns = time.monotonic_ns() + SCRIPT_MS * NANOSECONDS_PER_MS
            end_ns = min(end_ns, self._script_end_ns)
        max_nodes = min(self._max_nodes, self._sent_max_nodes)
        return Limits(max_nodes, time_limit_ms=time_limit_ms, deadline_ns=end_ns, threads=self._threads)

    def _table_bytes(self, share: float) -> int | None:
        """Return the size limit of a table with this share of the memory, or None."""
        if self._max_memory is None:
            return None
        if self._max_memory < MEMORY_BYTES:
            return SMALLEST_TABLE
        return int((self._max_memory - OWN_BYTES) * share)

    # --- the rest -------------------------------------------------------------------------------------

    def _info(self, *words: str) -> Iterator[str]:
        """Obey INFO, which has no answer except messages; ignore unknown keys."""
        key, text = words[0].lower() if words else "", " ".join(words[1:])
        if _NUMBER.fullmatch(text):
            yield from self._set_option(key, int(text))
        elif key in _KEYS:
            yield f"MESSAGE INFO {key} needs a whole number, not {_quoted(text)}"

    def _set_option(self, key: str, value: int) -> Iterator[str]:
        """Set the option of an INFO command."""
        match key:
            case "timeout_turn":
                self._turn_ms = max(0, min(value, 10**9))
            case "timeout_match":
                self._match_ms = max(0, value)
            case "time_left":
                self._left_ms, self._left_is_old = max(0, value), False
            case "time_increment":
                self._increment_ms = max(0, min(value, 10**9))
            case "max_node":
                self._sent_max_nodes = value if 0 < value < MOST_NODES else MOST_NODES
            case "max_depth":
                self._sent_max_depth = value if value > 0 else MAX_CELLS
            case "thread_num":
                self._threads = max(1, value)
            case "strength":
                self._level = max(1, min(FULL_STRENGTH, -(-value // STRENGTH_STEP)))
            case "rule":
                self._rule = value
                if self._rule not in _RULES:
                    yield f"MESSAGE rule {self._rule} ({self._rule_name()}) is not supported"
            case "max_memory":
                self._max_memory = value if value > 0 else None
                self._reset_search()
                if self._max_memory is not None and self._max_memory < MEMORY_BYTES:
                    yield f"MESSAGE max_memory is below {MEMORY_BYTES} bytes; the smallest tables are used"
            case "hash_size":
                self._hash_size = value << 10 if value > 0 else None
                self._reset_search()

    def _about(self, *words: str) -> Iterator[str]:
        _check_empty("ABOUT", words)
        yield f'name="kinarow", version="{VERSION}", author="kinarow contributors", country="-"'

    def _end(self, *words: str) -> Iterator[str]:
        self.ended = True
        return iter(())

    def _ignore(self, *words: str) -> Iterator[str]:
        return iter(())  # the interrupt stops a running search

    def _started_rules(self) -> Rules:
        if self._rules is None:
            raise _Refused("START or RECTSTART must come first")
        return self._rules

    def _playable_rules(self) -> Rules:
        """Return the rules of the game, with those of ``INFO rule``."""
        rules = self._started_rules()
        if self._rule not in _RULES:
            raise _Refused(f"rule {self._rule} ({self._rule_name()}) is not supported")
        return replace(rules, **_RULES[self._rule])

    def _rule_name(self) -> str:
        names = [name for bit, name in _BITS.items() if self._rule & bit]
        return " and ".join(names) if 0 < self._rule <= sum(_BITS) else "unknown"

    def _cell(self, text: str, command: str) -> int:
        rules = self._started_rules()
        pair = _PAIR.fullmatch(text)
        if pair is None:
            raise _Refused(f"{command} needs a cell, X,Y")
        column, row = int(pair[1]), int(pair[2])
        if column >= rules.columns or row >= rules.rows:
            raise _Refused(f"{command}: {column},{row} is not on the board of {rules.columns} x {rules.rows}")
        return row * rules.columns + column


def _check_empty(name: str, words: tuple[str, ...]) -> None:
    if words:
        raise _Refused(f"{name}: unexpected {_quoted(words[0])}")


def _quoted(text: str) -> str:
    shown = "".join(mark if mark.isprintable() else "?" for mark in text.strip())
    return f"'{shown[:MAX_WORD]}...'" if len(shown) > MAX_WORD else f"'{shown}'"


def _evaluation(score: Score) -> str:
    """Format a score: ``+M3`` is a win in 3 plies, ``-M4`` a loss in 4; other scores are in thousandths of a win."""
    if score.distance is None or score.outcome == "draw":
        return str(round(EVALUATION_SCALE * score.value))
    return f"{'+' if score.outcome == 'win' else '-'}M{score.distance}"


def _score(score: Score) -> str:
    if score.distance is None or score.outcome == "draw":
        return f"{score.value} ({score.outcome})" if score.proven else f"{score.value}"
    return f"{score.value} ({score.outcome} in {'at most ' * score.is_bound}{score.distance})"
