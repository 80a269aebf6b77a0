"""Bytes in a Redis (or Valkey) that all workers and machines share; whatever happens there, callers go on.

Two rules keep it from hurting. What waits for the network is bounded by a few milliseconds: readers use
connections that exist already, while names are resolved, connections opened and values written in a thread
of its own. And what fails is left alone: after a few failures in a row nobody asks any more (the circuit is
open) until that thread has found, once a second, that the server answers again.
"""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Hashable
from hashlib import blake2b
from typing import Any, Literal

import structlog

FORMAT = 1
"""Part of every key: to be raised when the bytes of a value change their meaning."""

MAX_VALUE_BYTES = 256 * 1024
"""No longer value is written, and of a longer one no more is read."""
MAX_WAITING = 256
"""Most values that wait to be written; more are let go."""

FAILURES_TO_OPEN = 3
"""So many failures in a row open the circuit: a dead server costs no more than so many time limits."""
PROBE_EVERY_S = 1.0
CONNECT_WITHIN_S = 1.0
WRITE_WITHIN_S = 1.0
NO_WRITES_S = 1.0
"""For so long nothing is written after the server has refused a value: it is full, or may not be written to."""

_DIGEST_BYTES = 20

Event = Literal["hit", "miss", "error", "skipped", "written", "refused", "dropped"]
"""What is counted: answers found, not there, failed reads (a connection, or a key of a wrong type); questions not
asked because the circuit is open or no connection is free; values written, refused by the server or lost with its
connection, and let go because too many waited or the circuit is open."""


class SharedCache:
    """Values by key, each method done in a few milliseconds and without an exception, whatever the server does.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``.
        version: part of every key; values of another version are never seen.
        timeout_ms: how long one answer of the server is waited for.
        expiry_s: seconds after which the server forgets a value.
        connections: the most connections for reading.
        count: told of every event as well as ``counts``, such as a metric.

    Attributes:
        counts: how often each event has happened.
        is_open: the circuit is open: the server cannot be reached, and nobody waits for it.
    """

    def __init__(
        self,
        url: str,
        *,
        version: str,
        timeout_ms: int,
        expiry_s: int,
        connections: int,
        count: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.counts: Counter[Event] = Counter()
        self.is_open = True
        self._prefix = f"kinarow:{FORMAT}:{version}:"
        self._expiry_s = expiry_s
        self._max_connections = connections
        self._count_elsewhere = count
        self._read_pool = _pool(url, timeout_ms / 1000)
        self._write_pool = _pool(url, WRITE_WITHIN_S)
        self._writer: Any = None
        self._no_writes_until = 0.0
        self._changed = threading.Condition()
        # All below only with the condition's lock.
        self._idle: list[Any] = []
        self._opened = 0
        self._wanted = False
        self._waiting: deque[tuple[Hashable, Callable[[], bytes]]] = deque()
        self._failures = 0
        self._closed = False
        self._told: bool | None = None
        self._thread = threading.Thread(target=self._look_after, name="shared-cache", daemon=True)
        self._thread.start()

    def get(self, key: Hashable) -> bytes | None:
        """The value of a key, or None where there is none or the server does not say so in time."""
        connection = self._borrow()
        if connection is None:
            return None
        try:
            connection.send_command("GETRANGE", self.name(key), 0, MAX_VALUE_BYTES)
            found = connection.read_response()
        except Exception as error:
            self._after_error(connection, error)
            return None
        sound = isinstance(found, bytes) and 0 < len(found) <= MAX_VALUE_BYTES
        self._give_back(connection, "hit" if sound else "miss")
        return found if sound else None

    def put(self, key: Hashable, make: Callable[[], bytes]) -> None:
        """Have a value written in a while; ``make`` is called then, in another thread."""
        with self._changed:
            if self.is_open or len(self._waiting) >= MAX_WAITING or time.monotonic() < self._no_writes_until:
                self._count("dropped")
                return
            self._waiting.append((key, make))
            self._changed.notify()

    def name(self, key: Hashable) -> str:
        """The server's key: a digest of the ``repr`` of ours, which must say all that shaped the value."""
        return self._prefix + blake2b(repr(key).encode(), digest_size=_DIGEST_BYTES).hexdigest()

    def close(self) -> None:
        """End the thread and all connections; nothing is found or written from now on."""
        with self._changed:
            self._closed = self.is_open = True
            self._changed.notify()
        self._thread.join()
        self._drop_connections()

    def _borrow(self) -> Any:
        """A connection that is there already; without one the thread is asked to open one for the next reader."""
        with self._changed:
            if not self.is_open and self._idle:
                return self._idle.pop()
            self._count("skipped")
            if not self.is_open and self._opened < self._max_connections:
                self._wanted = True
                self._changed.notify()
            return None

    def _give_back(self, connection: Any, event: Event) -> None:
        with self._changed:
            self._count(event)
            self._failures = 0
            if not self.is_open:
                self._idle.append(connection)
                return
            self._opened -= 1
        _disconnect(connection)

    def _after_error(self, connection: Any, error: Exception) -> None:
        """What the server says is an answer, if not the one hoped for; all else is a failure of the connection."""
        if _is_reply(error):
            self._give_back(connection, "error")
            return
        _disconnect(connection)
        with self._changed:
            self._count("error")
            self._opened -= 1
        self._failed(error)

    def _failed(self, error: Exception) -> None:
        """Count a failure, and open the circuit when there have been too many."""
        with self._changed:
            self._failures += 1
            opens = not self.is_open and self._failures >= FAILURES_TO_OPEN
            if opens:
                self.is_open = True
        if opens:
            self._drop_connections()
        if self.is_open:
            self._tell(reachable=False, reason=error)

    def _drop_connections(self) -> None:
        with self._changed:
            idle, self._idle = self._idle, []
            self._opened -= len(idle)
            for _ in self._waiting:
                self._count("dropped")
            self._waiting.clear()
        for connection in idle:
            _disconnect(connection)

    def _count(self, event: Event) -> None:
        self.counts[event] += 1
        self._count_elsewhere(event)

    def _tell(self, *, reachable: bool, reason: Exception | None = None) -> None:
        """One line in the log when it changes."""
        if self._told is reachable or self._closed:
            return
        self._told = reachable
        log = structlog.get_logger()
        if reachable:
            log.info("the shared cache answers")
        else:
            log.warning("the shared cache does not answer; going on without it", reason=type(reason).__name__)

    # From here on: the thread that connects and writes.

    def _look_after(self) -> None:
        """Probe while the circuit is open; else open the connections that readers lack, and write."""
        self._probe()
        while True:
            with self._changed:
                if self.is_open:
                    self._changed.wait_for(lambda: self._closed, timeout=PROBE_EVERY_S)
                else:
                    self._changed.wait_for(
                        lambda: self._closed or self.is_open or self._wanted or bool(self._waiting)
                    )
                if self._closed:
                    break
                opened = self.is_open
                # A reader may have asked while the last connection allowed was being opened.
                wanted, self._wanted = self._wanted and self._opened < self._max_connections, False
                job = self._waiting.popleft() if self._waiting else None
            if opened:
                self._drop_writer()
                self._probe()
                continue
            if wanted:
                self._connect()
            if job is not None:
                self._write(*job)
        self._drop_writer()

    def _drop_writer(self) -> None:
        if self._writer is not None:
            _disconnect(self._writer)
        self._writer = None

    def _probe(self) -> None:
        """Close the circuit if the server answers as quickly as readers need it to."""
        if self._connect():
            with self._changed:
                self._failures = 0
                self.is_open = self._closed
            self._tell(reachable=True)

    def _connect(self) -> bool:
        """Open one connection for readers, and try it."""
        try:
            connection = self._read_pool.make_connection()
            connection.connect()
            connection.send_command("PING")
            connection.read_response()
        except Exception as error:
            self._failed(error)
            return False
        with self._changed:
            self._idle.append(connection)
            self._opened += 1
        return True

    def _write(self, key: Hashable, make: Callable[[], bytes]) -> None:
        """Write one value."""
        event: Event = "refused"
        try:
            value = make()
            if len(value) > MAX_VALUE_BYTES:
                return
            if self._writer is None:
                self._writer = self._write_pool.make_connection()
            self._writer.send_command("SET", self.name(key), value, "EX", self._expiry_s)
            self._writer.read_response()
            event = "written"
        except Exception as error:
            if _is_reply(error):
                self._no_writes_until = time.monotonic() + NO_WRITES_S
            else:
                self._drop_writer()
                self._failed(error)
        with self._changed:
            self._count(event)


def problem_with(url: str) -> str | None:
    """Why this URL cannot be used, without telling it, for it may hold a password; None if it can."""
    try:
        _pool(url, WRITE_WITHIN_S).make_connection()
    except ImportError:
        return "needs the package redis: pip install 'kinarow[redis]'"
    except Exception:
        return (
            "must be redis://HOST:PORT/NUMBER, rediss://… or unix:///PATH, with options that redis-py knows"
        )
    return None


def _pool(url: str, timeout_s: float) -> Any:
    """Where connections to the server come from; its own waiting and retrying are switched off."""
    import redis
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    return redis.ConnectionPool.from_url(
        url,
        socket_timeout=timeout_s,
        socket_connect_timeout=CONNECT_WITHIN_S,
        retry=Retry(NoBackoff(), 0),
        health_check_interval=0,
        max_connections=2**31,  # the pool only makes connections here, and would count those that are gone
    )


def _is_reply(error: Exception) -> bool:
    """Whether this is the server's own refusal, after which the connection is as good as before."""
    import redis

    return isinstance(error, redis.ResponseError)


def _disconnect(connection: Any) -> None:
    try:
        connection.disconnect()
    except Exception:  # noqa: S110 - it is gone, which is all that was wanted
        pass
