"""The Piskvork (Gomocup) protocol: lines from a manager of Gomoku matches in, lines for it out.

The manager speaks first and waits for one line after each command, but after ``INFO``, which has no answer.
Coordinates are ``X,Y``: column and row from the top left corner, from 0. What a line asks for is worked out
by ``Piskvork.answers``; who reads and writes the lines is the command ``kinarow piskvork``.
(Protocol: Petr Lastovicka, "Piskvork: the AI protocol", 2005, with the Gomocup rules for ``INFO rule``.)
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from service.engine.errors import InputError
from service.engine.position import O, Position, Side, X
from service.engine.rules import MAX_SIDE, Rules
from service.engine.search import Limits, Memory, search
from service.recommender import Recommender
from service.version import VERSION

GOAL = 5
"""Marks in a row; the protocol has no way to say another number."""

TURN_MS = 30_000
"""The time for a move where the manager has named none: as long as its players expect."""

AT_ONCE_MS = 100
"""The time for a move where the manager asks for one as fast as possible."""

MARGIN_MS = 40
"""Kept back from the time for a move, for the way to the manager and the last look at the clock."""

MARGIN_SHARE = 0.03
"""The part of a move's time that is kept back where that is more: a slow machine is slow in proportion."""

MOVES_TO_COME = 20
"""How many moves the time left for a match is spread over, whatever has been played."""

NO_NODE_LIMIT = 10**15

MEMORY_NEEDED = 420 * 1024 * 1024
"""Bytes the process takes with a full table on the largest board; less cannot be promised to a manager."""

MAX_WORD = 60
"""Characters of the other side's text that an error repeats."""

FREESTYLE, EXACT_FIVE, CONTINUOUS = 0, 1, 2
_RULES = {FREESTYLE: "freestyle", EXACT_FIVE: "exactly five", 4: "renju", 8: "caro"}

_PAIR = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*")
_STONE = re.compile(r"\s*(\d{1,4})\s*,\s*(\d{1,4})\s*,\s*(\d{1,4})\s*")
_OWN, _THEIRS = 1, 2

Chooser = Callable[[Position, Limits], int]
"""From a position and limits to a legal cell."""


class _Refused(Exception):
    """What was asked cannot be done; the message says why."""


def choose(position: Position, limits: Limits) -> int:
    """The best move that the recommender finds, the same as ``POST /move`` answers."""
    move = _RECOMMENDER.searched(position, limits).move
    assert move is not None  # the game is not over
    return move


_RECOMMENDER = Recommender(cache_size=0)


class Remembering:
    """Chooses the moves of a game with what its earlier searches found, which makes it the stronger player."""

    def __init__(self) -> None:
        self._memory: Memory | None = None

    def __call__(self, position: Position, limits: Limits) -> int:
        """The best move that a search finds."""
        if self._memory is None or self._memory.rules != position.rules:
            self._memory = Memory(position.rules)
        move = search(position, limits, memory=self._memory).move
        assert move is not None  # the game is not over
        return move


class Piskvork:
    """One conversation with a manager: the board and the limits it has told, and the answers it gets.

    Args:
        max_nodes: nodes for a move at most, at least 1; with it alone a game is the same on every machine.
        chooser: what finds the moves; by default ``choose`` with a limit of nodes, else ``Remembering``.

    Attributes:
        ended: the manager has said ``END``.
    """

    def __init__(self, max_nodes: int = NO_NODE_LIMIT, chooser: Chooser | None = None) -> None:
        self.ended = False
        self._max_nodes = max_nodes
        self._chooser = chooser
        self._forget()
        self._rules: Rules | None = None
        self._cells = bytearray()  # 0 empty, 1 own, 2 the other side's
        self._pending: bytearray | None = None  # the cells of a BOARD that is not done
        self._wrong = ""  # what was wrong with it first
        self._rule = FREESTYLE
        self._turn_ms = TURN_MS
        self._match_ms = 0
        self._left_ms: int | None = None
        self._commands: dict[str, Callable[[str], Iterator[str]]] = {
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
        }

    def answers(self, line: str) -> Iterator[str]:
        """What to answer to one line, in order; a ``MESSAGE`` may go before the answer itself.

        Args:
            line: as it came, with or without its end. An empty one has no answer.
        """
        word, _, rest = line.strip().partition(" ")
        if self._pending is not None and not word[:1].isalpha():
            self._stone(line)
            return
        command = self._commands.get(word.upper())
        if word.upper() == "DONE" and self._pending is not None:
            command = self._done
        elif command is not None:
            self._pending = None  # another command: the manager has given the BOARD up
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
        """A new game on a square board."""
        if not re.fullmatch(r"\d{1,4}", rest):
            raise _Refused("START needs one number, the side of the board")
        return self._new_game(int(rest), int(rest))

    def _rect_start(self, rest: str) -> Iterator[str]:
        """A new game on a board of so many columns and rows."""
        pair = _PAIR.fullmatch(rest)
        if pair is None:
            raise _Refused("RECTSTART needs two numbers, WIDTH,HEIGHT")
        return self._new_game(int(pair[1]), int(pair[2]))

    def _new_game(self, columns: int, rows: int) -> Iterator[str]:
        """An empty board; the first search on it also loads the compiled kernels, before any clock runs."""
        if not (min(rows, columns) >= 1 and GOAL <= max(rows, columns) <= MAX_SIDE):
            raise _Refused(
                f"unsupported size: a side may be {MAX_SIDE} at most, the longer one {GOAL} at least"
            )
        self._rules = Rules(rows, columns, GOAL)
        self._cells = bytearray(rows * columns)
        self._left_ms = None
        self._forget()
        self._choose(Position.empty(self._rules), Limits(max_nodes=1))
        yield "OK"

    def _restart(self, rest: str) -> Iterator[str]:
        """The same board, empty again."""
        self._cells = bytearray(self._known_rules().cells)
        self._left_ms = None
        self._forget()
        yield "OK"

    def _forget(self) -> None:
        """Let nothing of the games so far shape the next."""
        default = choose if self._max_nodes < NO_NODE_LIMIT else Remembering()
        self._choose = self._chooser or default

    def _begin(self, rest: str) -> Iterator[str]:
        """Move first."""
        self._known_rules()
        if any(self._cells):
            raise _Refused("BEGIN is for an empty board")
        return self._own_move()

    def _turn(self, rest: str) -> Iterator[str]:
        """The other side has moved: mark it and answer."""
        cell = self._cell(rest, "TURN")
        if self._cells[cell]:
            raise _Refused(f"the cell {rest} is taken")
        self._playable_rules()
        self._cells[cell] = _THEIRS
        try:
            yield from self._own_move()
        except _Refused:
            self._cells[cell] = 0
            raise

    def _take_back(self, rest: str) -> Iterator[str]:
        """Empty a cell."""
        cell = self._cell(rest, "TAKEBACK")
        if not self._cells[cell]:
            raise _Refused(f"the cell {rest} is empty")
        self._cells[cell] = 0
        yield "OK"

    def _board(self, rest: str) -> Iterator[str]:
        """From now on, until ``DONE``, the stones of a board follow."""
        self._pending = bytearray(self._known_rules().cells)
        self._wrong = ""
        return iter(())

    def _stone(self, line: str) -> None:
        """One line of a board: ``X,Y,1`` an own stone, ``X,Y,2`` the other side's."""
        if self._wrong or not line.strip():
            return
        assert self._pending is not None
        found = _STONE.fullmatch(line)
        if found is None or int(found[3]) not in (_OWN, _THEIRS):
            self._wrong = f"BOARD: {_quoted(line)} is no X,Y,1 or X,Y,2"
            return
        try:
            cell = self._cell(f"{found[1]},{found[2]}", "BOARD")
        except _Refused as why:
            self._wrong = str(why)
            return
        if self._pending[cell]:
            self._wrong = f"BOARD: the cell {found[1]},{found[2]} is there twice"
        self._pending[cell] = int(found[3])

    def _done(self, rest: str) -> Iterator[str]:
        """The board is complete: take it over and move."""
        stones, self._pending = self._pending, None
        assert stones is not None
        if self._wrong:
            raise _Refused(self._wrong)
        before, self._cells = self._cells, stones
        try:
            yield from self._own_move()
        except _Refused:
            self._cells = before
            raise

    # --- the move -------------------------------------------------------------------------------------

    def _own_move(self) -> Iterator[str]:
        """Find a move, mark it and say it."""
        position = self._position()
        cell = self._choose(position, self._limits())
        self._cells[cell] = _OWN
        row, column = divmod(cell, position.rules.columns)
        yield f"{column},{row}"

    def _position(self) -> Position:
        """The position with this side to move, X where it has as many stones as the other side."""
        rules = self._playable_rules()
        own, theirs = self._cells.count(_OWN), self._cells.count(_THEIRS)
        side: Side = X if own == theirs else O
        cells = bytes(self._cells) if side == X else bytes(self._cells).translate(_SWAP)
        try:
            position = Position.checked(rules, cells, side)
        except InputError:
            if own != theirs and own != theirs - 1:
                raise _Refused(
                    f"{own} own stones and {theirs} others: it cannot be this side's move"
                ) from None
            raise _Refused("the game is over") from None
        if position.ending().state != "ongoing":
            raise _Refused("the game is over")
        return position

    def _limits(self) -> Limits:
        """How long to think: the time for a move, or the share of the match that is left, less the margin."""
        turn = self._turn_ms or AT_ONCE_MS
        left = self._left_ms
        if left is None and self._match_ms:
            left = self._match_ms
        if left is not None:
            turn = min(turn, max(left, 1) // MOVES_TO_COME + MARGIN_MS, left)
        margin = min(turn / 2, max(MARGIN_MS, turn * MARGIN_SHARE))
        return Limits(self._max_nodes, time_limit_ms=max(1, int(turn - margin)))

    # --- the rest -------------------------------------------------------------------------------------

    def _info(self, rest: str) -> Iterator[str]:
        """Something to know; never answered but by a message, and what is unknown or unclear is passed over."""
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
            case "rule":
                self._rule = value
                if self._rule not in (FREESTYLE, EXACT_FIVE):
                    yield f"MESSAGE rule {self._rule} ({self._rule_name()}) is not supported"
            case "max_memory" if 0 < value < MEMORY_NEEDED:
                yield f"MESSAGE up to {MEMORY_NEEDED >> 20} MiB of memory are needed"
            case _:
                pass  # game_type, evaluate, folder and what later managers may say change nothing

    def _about(self, rest: str) -> Iterator[str]:
        """Who this is."""
        yield f'name="kinarow", version="{VERSION}", author="kinarow contributors", country="-"'

    def _end(self, rest: str) -> Iterator[str]:
        """The manager is done."""
        self.ended = True
        return iter(())

    def _known_rules(self) -> Rules:
        """The rules of the board, which must have been started."""
        if self._rules is None:
            raise _Refused("START or RECTSTART must come first")
        return self._rules

    def _playable_rules(self) -> Rules:
        """The rules of the game with the rule that INFO named."""
        rules = self._known_rules()
        if self._rule not in (FREESTYLE, EXACT_FIVE):
            raise _Refused(f"rule {self._rule} ({self._rule_name()}) is not supported")
        return replace(rules, exact_goal=self._rule == EXACT_FIVE)

    def _rule_name(self) -> str:
        """The rule in words."""
        return "continuous game" if self._rule & CONTINUOUS else _RULES.get(self._rule, "unknown")

    def _cell(self, text: str, command: str) -> int:
        """The cell that ``X,Y`` names."""
        rules = self._known_rules()
        pair = _PAIR.fullmatch(text)
        if pair is None:
            raise _Refused(f"{command} needs a cell, X,Y")
        column, row = int(pair[1]), int(pair[2])
        if column >= rules.columns or row >= rules.rows:
            raise _Refused(f"{command}: {column},{row} is not on the board of {rules.columns} x {rules.rows}")
        return row * rules.columns + column


_SWAP = bytes.maketrans(b"\x01\x02", b"\x02\x01")


def _quoted(text: str) -> str:
    """Text from outside, short and without anything that would break the line."""
    shown = "".join(mark if mark.isprintable() else "?" for mark in text.strip())
    return f"'{shown[:MAX_WORD]}...'" if len(shown) > MAX_WORD else f"'{shown}'"
