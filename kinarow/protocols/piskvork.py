"""The Piskvork (Gomocup) protocol between a manager of Gomoku matches and an engine, line by line.

The manager speaks first and waits for one line after each command except ``INFO``, which has no answer. Lines that
begin with ``MESSAGE`` may come at any time; they report the progress of a search. Coordinates are ``X,Y``: column
and row from the top left corner, from 0. ``Piskvork.answers`` computes the answers to a line; the command
``kinarow piskvork`` reads and writes the lines.
(Protocol: Petr Lastovicka, "Piskvork: the AI protocol", 2005, with Gomocup's bits for ``INFO rule`` and its
``SWAP2BOARD``; the commands that begin with YX: Kai Sun, "Yixin Protocol", as the boards that use it send them.)
"""

import re
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Any, TypeVar

import kinarow
from kinarow.cores import usable_cores
from kinarow.errors import InputError
from kinarow.game.position import SWAP_SIDES, Position
from kinarow.game.renju import forbidden_cells
from kinarow.game.rules import O, Rules, Side, X
from kinarow.game.size import MAX_CELLS, MAX_SIDE
from kinarow.score import Score
from kinarow.search.best_move import Listener, new_context, search
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
TURN_MS = 30_000  # the default time for a move; managers expect it
AT_ONCE_MS = 100  # the time for a move if the manager asks for one as fast as possible
MARGIN_MS = 25  # margin of a move's time, for the way to the manager and the last poll of the clock
MARGIN_SHARE = 0.03  # margin as a share of a move's time; the larger margin applies, since delays grow with the time
MOVES_TO_COME = 20  # number of moves over which the remaining time of a match is spread, at any stage of the game
MEMORY_NEEDED = 420 * 1024 * 1024  # bytes of the process with a full table; a manager that allows less gets an error
MAX_WORD = 60  # the most characters of the manager's text that an error repeats
SHOWN_MOVES = 16  # moves of a principal variation that a message shows
MAX_HASH_SIZE = 19  # as boards ask for it: the binary logarithm of the KiB that hold ``MEMORY_NEEDED``

FREESTYLE, EXACT_FIVE, CONTINUOUS, RENJU, CARO = 0, 1, 2, 4, 8
_BITS = {EXACT_FIVE: "exactly five", CONTINUOUS: "continuous game", RENJU: "renju", CARO: "caro"}
_RULES: dict[int, dict[str, Any]] = {
    FREESTYLE: {},
    EXACT_FIVE: {"exact_goal": True},
    RENJU: {"renju": True},
    CARO: {"caro": True},
    CARO | EXACT_FIVE: {"caro": True, "exact_goal": True},
}
"""The rules that are played here, by the number that ``INFO rule`` gives them."""

EVALUATION_SCALE = 1000  # a sure win in the evaluation of the last message before a move, where it is not proven

SWAP2, YXBOARD = "SWAP2BOARD", "YXBOARD"

YIXIN_RENJU = 2  # Renju for boards that send YX; for a Gomocup manager it is the bit of a continuous game

SWAP2_OFFERS = (
    ((0, 0), (1, 1), (2, -1)),
    ((0, 0), (-1, 0), (3, 2)),
    ((-3, -3), (-2, -3), (3, 3)),
    ((0, 0), (1, -1), (-3, 2)),
    ((-4, 0), (-4, 1), (-1, 3)),
    ((-5, -5), (-5, -3), (-2, -5)),
)
"""Openings of three stones, as columns and rows from the middle; the most balanced by a search is offered."""

SWAP2_LEAST_SIDE = 13  # the shorter side of a board on which the offers fit
_PAIR = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*")
_STONE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*(\d{1,4})\s*")
_OWN, _THEIRS = 1, 2

Searcher = Callable[[Position, Limits, Stop, Listener], SearchResult]
"""Searches a position within limits, with progress to the listener; returns a result with a legal move."""

Result = TypeVar("Result")


class _Refused(Exception):
    """A command cannot be carried out; the message says why."""


class Interrupt:
    """Stops the present or the next search of a line; another thread may set it at any time."""

    def __init__(self) -> None:
        self._set = False
        self._stop: Stop | None = None

    def set(self) -> None:
        """Stop the search, or the next one."""
        self._set = True
        if self._stop is not None:
            self._stop.set()

    def watch(self, stop: Stop) -> None:
        """Pass the interrupt on to a search that begins."""
        self._stop = stop
        if self._set:
            stop.set()


def search_alone(position: Position, limits: Limits, stop: Stop, listen: Listener) -> SearchResult:
    """The best move as ``POST /move`` answers it, independent of earlier searches."""
    canonical = position.canonical()
    back = canonical.to_original
    result = search(canonical.position, limits, stop=stop, progress=lambda info: listen(info.mapped(back)))
    return result.mapped(back)


class Remembering:
    """Searches the moves of a game with a memory of earlier searches, which makes the play stronger."""

    def __init__(self) -> None:
        self.context: SearchContext | None = None

    def __call__(self, position: Position, limits: Limits, stop: Stop, listen: Listener) -> SearchResult:
        """The best move that a search finds."""
        if self.context is None or self.context.rules != position.rules:
            self.context = new_context(position.rules)
        return search(position, limits, stop=stop, progress=listen, context=self.context)


class Piskvork:
    """One conversation with a manager: its board, its limits, and the answers to its commands.

    At most ``max_nodes`` for a move make a game repeatable where there is no time limit. The searcher finds the moves;
    by default it is ``search_alone`` with a limit of nodes, otherwise ``Remembering``.
    """

    def __init__(self, max_nodes: int = MOST_NODES, searcher: Searcher | None = None) -> None:
        self.ended = False  # whether the manager has sent END
        self._max_nodes, self._searcher = max_nodes, searcher
        self._forget()
        self._rules: Rules | None = None  # None before START
        self._cells = bytearray()  # 0 empty, 1 own, 2 the other side's
        # Stones that are being sent, one on each line until DONE
        self._set_up_command = ""  # that they follow: BOARD, YXBOARD or SWAP2BOARD
        self._stones: dict[int, int] = {}  # the owner of each cell, in the order of the lines
        self._stone_error = ""  # the first one
        # What INFO and commands with YX have set
        self._rule = FREESTYLE
        self._is_yixin = False  # whether a command with YX has come
        self._shows_best = False
        self._sent_max_nodes, self._sent_max_depth = MOST_NODES, MAX_CELLS
        self._threads = 1
        self._turn_ms, self._match_ms, self._increment_ms = TURN_MS, 0, 0
        self._left_ms: int | None = None
        self._left_is_old = False  # whether a move was made since the manager sent it
        # The last search
        self._interrupt = Interrupt()
        self._began_ns = 0
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
            "START": self._start,
            "RECTSTART": self._rect_start,
            "RESTART": self._restart,
            "BEGIN": self._begin,
            "TURN": self._turn,
            "BOARD": partial(self._set_up, "BOARD"),
            "TAKEBACK": self._take_back,
            "INFO": self._info,
            "ABOUT": self._about,
            "END": self._end,
            "SWAP2BOARD": partial(self._set_up, SWAP2),
            "YXBOARD": partial(self._set_up, YXBOARD),
            "YXNBEST": self._yx_n_best,
            "YXSHOWINFO": self._yx_show_info,
            "YXHASHCLEAR": self._yx_hash_clear,
            "YXSHOWFORBID": self._yx_show_forbidden,
            "YXSTOP": lambda rest: iter(()),  # no search is running here; ``Interrupt`` stops one
        }

    def answers(self, line: str, interrupt: Interrupt | None = None) -> Iterator[str]:
        """The answers to a line, each as soon as it is known; messages come before the answer, and an empty line has
        none.

        The interrupt stops a search of this line early; its best move so far is then the answer.
        """
        self._interrupt = interrupt or Interrupt()
        word, _, rest = line.strip().partition(" ")
        if not word[:1].isalpha() and self._set_up_command:
            self._stone(line.strip())
            return
        command = self._commands.get(word.upper())
        if word.upper() == "DONE" and self._set_up_command:
            command = self._done
        elif command is not None:
            self._set_up_command = ""  # another command: the manager has abandoned the BOARD
            self._is_yixin = self._is_yixin or word.upper().startswith("YX")
        if command is None:
            if word:
                yield f"UNKNOWN command {_quoted(word)}"
            return
        try:
            yield from command(rest.strip())
        except _Refused as why:
            yield f"ERROR {why}"

    # --- the board ------------------------------------------------------------------------------------

    def _start(self, rest: str) -> Iterator[str]:
        """A new game on a square board; some boards send width and height."""
        sizes = re.fullmatch(r"(\d{1,4})(?: +(\d{1,4}))?", rest)
        if sizes is None:
            raise _Refused("START needs one number, the side of the board")
        return self._new_game(int(sizes[1]), int(sizes[2] or sizes[1]))

    def _rect_start(self, rest: str) -> Iterator[str]:
        pair = _PAIR.fullmatch(rest)
        if pair is None:
            raise _Refused("RECTSTART needs two numbers, WIDTH,HEIGHT")
        return self._new_game(int(pair[1]), int(pair[2]))

    def _new_game(self, columns: int, rows: int) -> Iterator[str]:
        """An empty board; kernels and weights are loaded before any clock runs, by a search that no book answers."""
        if not (min(rows, columns) >= 1 and GOAL <= max(rows, columns) <= MAX_SIDE):
            raise _Refused(f"unsupported size: a side may be {MAX_SIDE} at most, the longer one {GOAL} at least")
        self._rules = Rules(rows, columns, GOAL)
        self._clear()
        position = Position.empty(replace(self._rules, **(self._rule_fields() or {})))
        search(position.play(0), Limits(max_nodes=1, time_limit_ms=TURN_MS))
        yield "OK"

    def _restart(self, rest: str) -> Iterator[str]:
        self._clear()
        yield "OK"

    def _clear(self) -> None:
        self._cells = bytearray(self._known_rules().cells)
        if self._left_is_old:
            self._left_ms = None
        self._forget()

    def _forget(self) -> None:
        """Forget the earlier searches, so that they do not influence the next game."""
        default = search_alone if self._max_nodes < MOST_NODES else Remembering()
        self._search = self._searcher or default

    def _begin(self, rest: str) -> Iterator[str]:
        self._known_rules()
        if any(self._cells):
            raise _Refused("BEGIN is for an empty board")
        return self._own_move(self._cells)

    def _turn(self, rest: str) -> Iterator[str]:
        """The other side has moved: mark it and answer."""
        cell = self._cell(rest, "TURN")
        if self._cells[cell]:
            raise _Refused(f"the cell {rest} is taken")
        cells = self._cells.copy()
        cells[cell] = _THEIRS
        return self._own_move(cells)

    def _take_back(self, rest: str) -> Iterator[str]:
        cell = self._cell(rest, "TAKEBACK")
        if not self._cells[cell]:
            raise _Refused(f"the cell {rest} is empty")
        self._cells[cell] = 0
        yield "OK"

    def _set_up(self, command: str, rest: str) -> Iterator[str]:
        """Begin a board, or the stones of an opening in turn: they follow, until ``DONE``."""
        self._known_rules()
        self._set_up_command, self._stones, self._stone_error = command, {}, ""
        return iter(())

    def _stone(self, line: str) -> None:
        """A stone of an opening: ``X,Y``; one of a board: ``X,Y,1`` an own one, ``X,Y,2`` the other side's."""
        if self._stone_error or not line:
            return
        try:
            if self._set_up_command == SWAP2:
                place, owner, name = line, _OWN, SWAP2
            else:
                match = _STONE.fullmatch(line)
                if match is None or int(match[3]) not in (_OWN, _THEIRS):
                    raise _Refused(f"BOARD: {_quoted(line)} is not X,Y,1 or X,Y,2")
                place, owner, name = f"{match[1]},{match[2]}", int(match[3]), "BOARD"
            cell = self._cell(place, name)
            if cell in self._stones:
                raise _Refused(f"{name}: the cell {place} is there twice")
            self._stones[cell] = owner
        except _Refused as why:
            self._stone_error = str(why)

    def _done(self, rest: str) -> Iterator[str]:
        """End a board: set it up, and move unless it came by ``YXBOARD``; or answer an opening."""
        command, self._set_up_command = self._set_up_command, ""
        if self._stone_error:
            raise _Refused(self._stone_error)
        if command == SWAP2:
            return self._swapped(list(self._stones))
        cells = bytearray(self._known_rules().cells)
        for cell, owner in self._stones.items():
            cells[cell] = owner
        if command != YXBOARD:
            return self._own_move(cells)
        self._cells = cells
        return iter(())

    # --- the opening with swaps ---------------------------------------------------------------------

    def _swapped(self, stones: list[int]) -> Iterator[str]:
        """Offer three stones, or choose after three or five: ``SWAP`` for the other side, a move for this one."""
        if not stones:
            return self._offer()
        if len(stones) in (3, 5):
            return self._choose(stones)
        raise _Refused(f"SWAP2BOARD needs 0, 3 or 5 stones, not {len(stones)}")

    def _offer(self) -> Iterator[str]:
        """Three stones after which neither side is much better, as the search sees it."""
        rules = self._playable_rules()
        if min(rules.rows, rules.columns) < SWAP2_LEAST_SIDE:
            raise _Refused(f"SWAP2BOARD needs a board with sides of {SWAP2_LEAST_SIDE} at least")
        limits = self._limits()
        part = replace(
            limits,
            max_nodes=max(1, limits.max_nodes // len(SWAP2_OFFERS)),
            time_limit_ms=max(1, (limits.time_limit_ms or AT_ONCE_MS) // len(SWAP2_OFFERS)),
        )
        middle = rules.rows // 2 * rules.columns + rules.columns // 2
        best: tuple[float, list[int]] | None = None
        for offer in SWAP2_OFFERS:
            stones = [middle + row * rules.columns + column for column, row in offer]
            info = yield from self._value(self._opening(stones), part)
            if best is None or abs(info.score.value) < best[0]:
                best = abs(info.score.value), stones
        assert best is not None
        yield " ".join(map(self._place, best[1]))

    def _choose(self, stones: list[int]) -> Iterator[str]:
        """Stay with the side to move and say its move, or swap where the other side is better."""
        position = self._opening(stones)
        info = yield from self._value(position, self._limits())
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

    def _value(self, position: Position, limits: Limits) -> Generator[str, None, SearchResult | SearchInfo]:
        return (yield from self._searched(position, lambda stop, listen: self._search(position, limits, stop, listen)))

    # --- the move -------------------------------------------------------------------------------------

    def _own_move(self, cells: bytearray) -> Iterator[str]:
        """Find a move on these cells, with messages about the search; mark it and answer it.

        Where there is no move to make, the board stays as it was.
        """
        before, self._cells = self._cells, cells
        try:
            position = self._position()
        except _Refused:
            self._cells = before
            raise
        info = yield from self._value(position, self._limits())
        yield self._summary(info)
        yield self._marked(info)

    def _yx_n_best(self, rest: str) -> Iterator[str]:
        """Value every move, list the N best in messages, and make the best one."""
        if not re.fullmatch(r"\d{1,4}", rest) or int(rest) < 1:
            raise _Refused("YXNBEST needs a number of moves, at least 1")
        position = self._position()
        limits = self._limits()
        answer = yield from self._searched(
            position, lambda stop, listen: kinarow.analyse(position, limits, stop=stop, progress=listen)
        )
        if isinstance(answer, kinarow.Analysis):
            for rank, value in enumerate(answer.moves[: int(rest)], 1):
                yield f"MESSAGE {rank}: score {_score(value.score)} line {self._line(value.line)}"
        yield self._summary(answer)
        yield self._marked(answer)

    def _marked(self, info: SearchResult | SearchInfo) -> str:
        assert info.move is not None  # the game is not over
        self._cells[info.move] = _OWN
        self._left_is_old = True
        return self._place(info.move)

    def _searched(
        self, position: Position, work: Callable[[Stop, Listener], Result]
    ) -> Generator[str, None, Result | SearchResult | SearchInfo]:
        """The result of a search in another thread, with messages of its iterations; if it was stopped, its best so
        far.
        """
        stop = Stop()
        self._interrupt.watch(stop)
        results: SimpleQueue[SearchInfo | None] = SimpleQueue()
        best: SearchInfo | None = None
        self._began_ns = time.monotonic_ns()
        with ThreadPoolExecutor(1, "search") as pool:
            try:
                future = pool.submit(work, stop, results.put)
                future.add_done_callback(lambda _: results.put(None))
                for info in iter(results.get, None):
                    best = info
                    yield from self._messages(info)
                    if info.depth >= self._sent_max_depth:
                        return info  # and nothing of a deeper search, however quickly that ends
                return future.result()
            except SearchStopped:
                # If the search was stopped before its first iteration, one node gives a legal move.
                return best or search(position, Limits(max_nodes=1))
            finally:
                stop.set()

    def _messages(self, info: SearchInfo) -> Iterator[str]:
        """The messages about an iteration: in words, and for boards that show the best move."""
        line = self._line(info.line)
        yield f"MESSAGE depth {info.depth} score {_score(info.score)} nodes {info.nodes} line {line}"
        if self._shows_best:
            yield f"MESSAGE REALTIME BEST {self._place(info.move)}"

    def _summary(self, info: SearchResult | SearchInfo) -> str:
        """The whole search in the form that programs read from the last message before a move."""
        ms = (time.monotonic_ns() - self._began_ns) // NANOSECONDS_PER_MS
        return (
            f"MESSAGE depth {info.depth}-{max(info.depth, len(info.line))} ev {_evaluation(info.score)} n {info.nodes}"
            f" n/ms {info.nodes // max(1, ms)} tm {ms} pv {self._line(info.line)}"
        )

    def _line(self, moves: tuple[int, ...]) -> str:
        return " ".join(map(self._place, moves[:SHOWN_MOVES]))

    def _place(self, cell: int) -> str:
        row, column = divmod(cell, self._known_rules().columns)
        return f"{column},{row}"

    def _position(self) -> Position:
        """The position with this side to move, X where it has as many stones as the other side."""
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
        """The limits of a move: its time or its share of the match's remaining time, minus the margin."""
        turn = self._turn_ms or AT_ONCE_MS
        left = self._left_ms
        if left is None and self._match_ms:
            left = self._match_ms
        if left is not None:
            share = max(left, 1) // MOVES_TO_COME + self._increment_ms + MARGIN_MS
            turn = min(turn, share, left)
        margin = min(turn / 2, max(MARGIN_MS, turn * MARGIN_SHARE))
        max_nodes = min(self._max_nodes, self._sent_max_nodes)
        return Limits(max_nodes, time_limit_ms=max(1, int(turn - margin)), threads=self._threads)

    # --- the rest -------------------------------------------------------------------------------------

    def _info(self, rest: str) -> Iterator[str]:
        """Read an INFO. The only answers are messages; unknown keys and unreadable values are ignored."""
        key, _, text = rest.partition(" ")
        if not re.fullmatch(r"-?\d{1,18}", text.strip()):
            return
        value = int(text)
        match key.lower():
            case "timeout_turn":
                self._turn_ms = max(0, min(value, 10**9))
            case "timeout_match":
                self._match_ms = max(0, value)
            case "time_left":
                self._left_ms = max(0, value)
                self._left_is_old = False
            case "time_increment":
                self._increment_ms = max(0, min(value, 10**9))
            case "max_node":
                self._sent_max_nodes = value if 0 < value < MOST_NODES else MOST_NODES
            case "max_depth":
                self._sent_max_depth = value if value > 0 else MAX_CELLS
            case "thread_num":
                self._threads = max(1, value)
            case "show_detail":
                self._shows_best = value > 0
            case "rule":
                self._rule = value
                if self._rule_fields() is None:
                    yield f"MESSAGE rule {self._rule} ({self._rule_name()}) is not supported"
            case "max_memory" if 0 < value < MEMORY_NEEDED:
                yield _MEMORY_NEEDED
            case "hash_size" if 0 < value < MEMORY_NEEDED >> 10:
                yield _MEMORY_NEEDED
            case _:
                pass  # game_type, evaluate, folder and unknown keys change nothing

    def _yx_show_info(self, rest: str) -> Iterator[str]:
        """Send the name and the limits of settings to a board; from now on also send the best move so far."""
        self._shows_best = True
        yield f"MESSAGE kinarow {VERSION}"
        yield f"MESSAGE INFO MAX_THREAD_NUM {usable_cores()}"
        yield f"MESSAGE INFO MAX_HASH_SIZE {MAX_HASH_SIZE}"

    def _yx_hash_clear(self, rest: str) -> Iterator[str]:
        self._forget()
        return iter(())

    def _yx_show_forbidden(self, rest: str) -> Iterator[str]:
        """The cells forbidden to the side that began, two digits for the column and two for the row of each."""
        rules = self._playable_rules()
        forbidden: list[int] = []
        if rules.renju:
            own, theirs = self._cells.count(_OWN), self._cells.count(_THEIRS)
            beginner: Side = X if own >= theirs else O
            forbidden = sorted(forbidden_cells(rules, bytes(self._cells), beginner))
        places = (divmod(cell, rules.columns) for cell in forbidden)
        yield f"FORBID {''.join(f'{column:02}{row:02}' for row, column in places)}."

    def _about(self, rest: str) -> Iterator[str]:
        yield f'name="kinarow", version="{VERSION}", author="kinarow contributors", country="-"'

    def _end(self, rest: str) -> Iterator[str]:
        self.ended = True
        return iter(())

    def _known_rules(self) -> Rules:
        if self._rules is None:
            raise _Refused("START or RECTSTART must come first")
        return self._rules

    def _playable_rules(self) -> Rules:
        """The rules of the game with the rule that INFO named."""
        rules = self._known_rules()
        fields = self._rule_fields()
        if fields is None:
            raise _Refused(f"rule {self._rule} ({self._rule_name()}) is not supported")
        return replace(rules, **fields)

    def _rule_fields(self) -> dict[str, Any] | None:
        """The fields that the number of ``INFO rule`` sets; None where these rules are not played."""
        if self._rule == YIXIN_RENJU and self._is_yixin:
            return _RULES[RENJU]
        return _RULES.get(self._rule)

    def _rule_name(self) -> str:
        names = [name for bit, name in _BITS.items() if self._rule & bit]
        return " and ".join(names) if 0 < self._rule <= sum(_BITS) else "unknown"

    def _cell(self, text: str, command: str) -> int:
        rules = self._known_rules()
        pair = _PAIR.fullmatch(text)
        if pair is None:
            raise _Refused(f"{command} needs a cell, X,Y")
        column, row = int(pair[1]), int(pair[2])
        if column >= rules.columns or row >= rules.rows:
            raise _Refused(f"{command}: {column},{row} is not on the board of {rules.columns} x {rules.rows}")
        return row * rules.columns + column


_MEMORY_NEEDED = f"MESSAGE up to {MEMORY_NEEDED >> 20} MiB of memory are needed"


def _quoted(text: str) -> str:
    shown = "".join(mark if mark.isprintable() else "?" for mark in text.strip())
    return f"'{shown[:MAX_WORD]}...'" if len(shown) > MAX_WORD else f"'{shown}'"


def _evaluation(score: Score) -> str:
    """A score as a whole number: ``+M3`` wins in 3 plies, ``-M4`` loses in 4; otherwise thousandths of a win."""
    if score.distance is None or score.outcome == "draw":
        return str(round(EVALUATION_SCALE * score.value))
    return f"{'+' if score.outcome == 'win' else '-'}M{score.distance}"


def _score(score: Score) -> str:
    if score.distance is None or score.outcome == "draw":
        return f"{score.value} ({score.outcome})" if score.proven else f"{score.value}"
    return f"{score.value} ({score.outcome} in {'at most ' * score.is_bound}{score.distance})"
