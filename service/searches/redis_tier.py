"""The shared tier of the answer cache: a Redis or Valkey server. Its failures never fail or delay a caller.

A call ends within its time limit. After a failure the tier is silent: it sends no commands until a thread has opened
the connections again. The first silence takes ``PAUSE_S`` seconds, and each further one, if no call succeeds between
them, twice as long, up to ``RETRY_EVERY_S``. Values are signed JSON, checked for their shape and against the position.
"""

import hmac
import logging
import math
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pydantic import TypeAdapter

from kinarow import score
from kinarow.engine import Question, SearchStats
from kinarow.game.position import Position
from kinarow.game.rules import EMPTY
from kinarow.play.levels import FULL_STRENGTH
from kinarow.score import MAX_ESTIMATE, Score
from kinarow.search_types import SearchResult
from service.searches.threads import time_limit

FORMAT = 4  # part of every key; raise it when the format of the values changes
MAX_VALUE_BYTES = 256 * 1024  # longer values are neither written nor accepted
CONNECTIONS = 4  # connections of each worker; calls are so short that more are rarely needed at once
CONNECT_WITHIN_S = 1.0  # time limit for connecting, including name resolution and TLS
PAUSE_S = 0.02
RETRY_EVERY_S = 1.0
MIN_EMPTIES = 20  # positions with fewer empty cells are not shared: most are searched faster than looked up
MIN_ELAPSED_MS = 1.0  # answers that took less time are not shared
_MAC_BYTES = 32
_MAX_COUNT = 2**53
_RESULT = TypeAdapter(SearchResult)
_ANSWERS = "the shared cache answers"
_SILENT = "the shared cache does not answer; going on without it"
_log = logging.getLogger(__name__)


class RedisTier:
    """A cache of answers on the server; no method raises, whatever the server does.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``.
        version: part of every key; values of other versions are never read.
        timeout_ms: the time limit of a call.
        expiry_s: seconds after which the server forgets a value.
        secret: the key of the HMAC of every value; if it is empty, anybody can forge values.
        on_lookup: called with the result of each lookup: ``hit``, ``miss``, ``error`` or ``skipped`` (after a failure,
            or as no connection is free).
        on_silence: called with True when the tier falls silent, also at the start, and with False when that ends.
    """

    def __init__(
        self,
        url: str,
        *,
        version: str,
        timeout_ms: int,
        expiry_s: int,
        secret: bytes = b"",
        on_lookup: Callable[[str], None] = lambda result: None,
        on_silence: Callable[[bool], None] = lambda is_silent: None,
    ) -> None:
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        self._pool = redis.ConnectionPool.from_url(
            url,
            socket_timeout=timeout_ms / 1000,
            socket_connect_timeout=CONNECT_WITHIN_S,
            retry=Retry(NoBackoff(), 0),
            max_connections=CONNECTIONS,
        )
        self._redis = redis.Redis(connection_pool=self._pool)
        self._prefix = f"kinarow:{FORMAT}:{version}:"
        self._timeout_s, self._expiry_s, self._secret = timeout_ms / 1000, expiry_s, secret
        self._on_lookup, self._on_silence = on_lookup, on_silence
        self._closed = threading.Event()
        self.is_silent = False
        self._pause_s = 0.0
        self._logged: str | None = None  # the last logged message
        self._fall_silent()

    def get(self, kind: str, question: Question, key: bytes) -> SearchResult | None:
        """Return the stored answer, or None if it is not shared, is missing, or does not fit the position."""
        data = self.read(self.name(key)) if _is_shared(kind, question) else None
        return None if data is None else decode(data, question.position, kind)

    def put(self, kind: str, question: Question, key: bytes, result: SearchStats) -> None:
        """Store an answer unless time ended its search: another machine might give another."""
        worth_it = result.stopped_by != "time" and result.elapsed_ms >= MIN_ELAPSED_MS and not self.is_silent
        if worth_it and isinstance(result, SearchResult) and _is_shared(kind, question):
            self.write(self.name(key), encode(result))

    def name(self, key: bytes) -> str:
        """Return the key on the server."""
        return self._prefix + key.hex()

    def read(self, name: str) -> bytes | None:
        """Read a key on the server; None if it is missing, too long or not signed by us."""
        # The range is inclusive, so it has one byte more than the longest entry; a longer entry shows.
        failure, entry = self._call("GETRANGE", name, 0, _MAC_BYTES + MAX_VALUE_BYTES)
        mac, value = (entry[:_MAC_BYTES], entry[_MAC_BYTES:]) if entry else (b"", b"")
        is_ours = len(value) <= MAX_VALUE_BYTES and hmac.compare_digest(mac, self._mac(name, value))
        self._on_lookup(failure or ("hit" if is_ours else "error" if entry else "miss"))
        return value if is_ours else None

    def write(self, name: str, value: bytes) -> None:
        """Write the value of a key on the server, with its signature."""
        if len(value) <= MAX_VALUE_BYTES:
            self._call("SET", name, self._mac(name, value) + value, "EX", self._expiry_s)

    def close(self) -> None:
        """Disconnect; later calls do nothing."""
        self._closed.set()
        self.is_silent = True
        self._pool.disconnect()

    def _mac(self, name: str, value: bytes) -> bytes:
        return hmac.digest(self._secret, name.encode() + b"\0" + value, "sha256")

    def _call(self, *command: Any) -> tuple[str, Any]:
        """Return an empty text and the reply of a command; after a failure, the result for ``on_lookup`` and None."""
        import redis

        if self.is_silent:
            return "skipped", None
        try:
            with time_limit(self._timeout_s):
                reply = self._redis.execute_command(*command)  # type: ignore[no-untyped-call]
            self._pause_s = PAUSE_S
            return "", reply
        except redis.exceptions.MaxConnectionsError:
            return "skipped", None
        except redis.ResponseError:  # the server works, but refuses this, such as a write while its memory is full
            return "error", None
        except (redis.RedisError, OSError) as error:  # with the TimeoutError of time_limit
            if not self.is_silent:
                if self._pause_s >= RETRY_EVERY_S:
                    self._log(error)
                self._fall_silent()
            return "error", None

    def _fall_silent(self) -> None:
        """Send no more commands, and start the thread that connects again."""
        self.is_silent = True
        self._on_silence(True)
        threading.Thread(target=self._connect, name="redis", daemon=True).start()

    def _connect(self) -> None:
        """Open all connections, since that would take too long within a request; retry until it succeeds."""
        while not self._closed.wait(self._pause_s):
            self._pause_s = min(RETRY_EVERY_S, 2 * self._pause_s) or PAUSE_S
            taken: list[Any] = []
            try:
                self._pool.disconnect()
                with time_limit(CONNECT_WITHIN_S):
                    taken.extend(self._pool.get_connection() for _ in range(CONNECTIONS))
                    taken[0].send_command("PING")
                    taken[0].read_response()
            except Exception as error:
                self._log(error)
            else:
                self.is_silent = self._closed.is_set()
                self._on_silence(self.is_silent)
                self._log()
                return
            finally:
                for connection in taken:
                    self._pool.release(connection)

    def _log(self, failure: Exception | None = None) -> None:
        """Log a failure, or without one that the server answers; never the same message twice in a row."""
        said = _ANSWERS if failure is None else _SILENT
        if said != self._logged:
            self._logged = said
            level = logging.INFO if failure is None else logging.WARNING
            _log.log(level, said, extra={} if failure is None else {"reason": type(failure).__name__})


def _is_shared(kind: str, question: Question) -> bool:
    """Return True if an answer is worth sharing: full strength, all moves, and enough empty cells."""
    of_all_moves = question.level == FULL_STRENGTH and question.allowed is None
    return kind in ("move", "analysis") and of_all_moves and question.position.empties >= MIN_EMPTIES


def encode(answer: SearchResult) -> bytes:
    """Return an answer as JSON."""
    return _RESULT.dump_json(answer, exclude_defaults=True)


def decode(data: bytes, position: Position, kind: str) -> SearchResult | None:
    """Read an answer from JSON, with its scores rebuilt; return None if it doesn't fit the position and the kind."""
    try:
        result = _RESULT.validate_json(data, strict=True)
        moves = tuple(replace(move, score=_own_score(move.score, position)) for move in result.moves)
        own = replace(result, score=_own_score(result.score, position), moves=moves)
    except ValueError:
        return None
    legal = position.legal_moves()
    possible = (
        position.ending().state == "ongoing"
        and own.stopped_by != "time"
        and 0 <= own.depth <= position.rules.cells
        and 0 <= own.nodes <= _MAX_COUNT
        and 0 <= own.elapsed_ms < math.inf
        and own.move in legal
        and len(own.best_moves) > 0
        and list(own.best_moves) == sorted(set(own.best_moves).intersection(legal))
        and sorted(move.move for move in moves) == (list(legal) if kind == "analysis" else [])
        and _is_line(own.line, own.move, position)
        and all(_is_line(move.line, move.move, position) for move in moves)
        and all(0 <= cell < position.rules.cells for reason in own.reasons for cell in reason.cells)
    )
    return own if possible else None


def _is_line(line: tuple[int, ...], move: int | None, position: Position) -> bool:
    """Return True if a line begins with the move, and marks different empty cells."""
    empty = {cell for cell, mark in enumerate(position.cells) if mark == EMPTY}
    return line[:1] == (move,) and len(set(line)) == len(line) and empty.issuperset(line)


def _own_score(claimed: Score, position: Position) -> Score:
    """Return the claimed score as this process would build it; raise ``ValueError`` if it would build another."""
    if claimed.outcome == "unknown":
        own = Score(claimed.value + 0.0, "unknown", None, calibrated=claimed.calibrated)
        possible = abs(own.value) <= MAX_ESTIMATE and abs(own.calibrated or 0) <= 1
    else:
        cells = position.rules.cells
        possible = abs(claimed.value) <= cells
        own = score.proven(int(claimed.value) if possible else 0, cells, position.empties, claimed.is_bound)
    if own != claimed or not possible:
        raise ValueError(f"a board of {position.rules.cells} cells has no score {claimed}")
    return own
