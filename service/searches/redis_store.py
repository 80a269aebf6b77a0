"""Bytes in a Redis or Valkey server that all workers and machines share. Its failures never fail a caller.

Every call ends within a few milliseconds. While the breaker is open, a thread probes the server once a second.
"""

import hmac
import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from service.searches.redis_pool import CONNECT_WITHIN_S, CONNECTIONS, make_pool
from service.searches.threads import time_limit

_log = logging.getLogger(__name__)

FORMAT = 3  # part of every key; raise it when the format of the values changes
MAX_VALUE_BYTES = 256 * 1024  # longer values are neither written nor accepted
PROBE_EVERY_S = 1.0
NO_WRITES_S = 1.0  # pause after the server has refused a write, which means that it is full
_MAC_BYTES = 32
FAILURES_TO_OPEN = 3  # failures in a row that open the breaker: a dead server costs a worker this many timeouts


class RedisStore:
    """Values by key; no method raises, whatever the server does.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``.
        version: part of every key; values of other versions are never read.
        timeout_ms: the time limit of a call.
        expiry_s: seconds after which the server forgets a value.
        secret: the key of the HMAC that every value carries; an empty one makes it a checksum, which anybody can write.
        on_lookup: called with the result of each lookup: ``hit``, ``miss``, ``error`` or ``skipped`` (the breaker is
            open, or no connection is free).
        on_breaker_change: called when the breaker opens or closes.
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
        on_breaker_change: Callable[[bool], None] = lambda is_open: None,
    ) -> None:
        import redis

        self._pool = make_pool(url, timeout_ms / 1000)
        self._redis = redis.Redis(connection_pool=self._pool)
        self._prefix = f"kinarow:{FORMAT}:{version}:"
        self._timeout_s, self._expiry_s, self._secret = timeout_ms / 1000, expiry_s, secret
        self._on_lookup, self._breaker = on_lookup, Breaker(on_breaker_change)
        self._no_writes_until = 0.0
        self._closed = threading.Event()
        threading.Thread(target=self._probe_for_ever, name="redis-probe", daemon=True).start()

    @property
    def is_open(self) -> bool:
        """Whether the breaker is open, so that calls are skipped."""
        return self._breaker.is_open

    def get(self, key: bytes) -> bytes | None:
        """The value of a key, or None if it is missing or the server does not answer in time."""
        if self.is_open:
            self._on_lookup("skipped")
            return None
        name = self.name(key)
        # One byte more than the largest value: a longer one is noticed and refused.
        result, entry = self._call(lambda: self._redis.getrange(name, 0, _MAC_BYTES + MAX_VALUE_BYTES))
        value = self._verified(name, entry) if entry else None
        self._on_lookup(result or ("hit" if value is not None else "error" if entry else "miss"))
        return value

    def put(self, key: bytes, make: Callable[[], bytes]) -> None:
        """Write the value that ``make`` returns."""
        if self.is_open or time.monotonic() < self._no_writes_until:
            return
        name, value = self.name(key), make()
        if len(value) <= MAX_VALUE_BYTES:
            value = self._mac(name, value) + value
            result, _ = self._call(lambda: self._redis.set(name, value, ex=self._expiry_s))
            if result == "error":
                self._no_writes_until = time.monotonic() + NO_WRITES_S

    def name(self, key: bytes) -> str:
        """The key on the server."""
        return self._prefix + key.hex()

    def close(self) -> None:
        """Disconnect; nothing is read or written afterwards."""
        self._closed.set()
        self._breaker.open("closed")
        self._pool.disconnect()

    def _call(self, command: Callable[[], Any]) -> tuple[str | None, Any]:
        """Run a command; returns why it failed (None if it did not) and the reply."""
        import redis

        try:
            with time_limit(self._timeout_s):
                reply = command()
        except redis.exceptions.MaxConnectionsError:
            return "skipped", None
        except redis.ResponseError:
            self._breaker.succeeded()  # the server's own refusal is an answer
            return "error", None
        except (redis.RedisError, OSError) as error:  # with the TimeoutError of time_limit
            self._breaker.failed(type(error).__name__)
            return "error", None
        self._breaker.succeeded()
        return None, reply

    def _mac(self, name: str, value: bytes) -> bytes:
        return hmac.digest(self._secret, name.encode() + b"\0" + value, "sha256")

    def _verified(self, name: str, entry: bytes) -> bytes | None:
        """The value in the bytes of an entry, or None if it is too long or its HMAC is wrong."""
        mac, value = entry[:_MAC_BYTES], entry[_MAC_BYTES:]
        sound = len(value) <= MAX_VALUE_BYTES and hmac.compare_digest(mac, self._mac(name, value))
        return value if sound else None

    def _probe_for_ever(self) -> None:
        while not self._closed.is_set():
            if self.is_open:
                self._probe()
            self._closed.wait(PROBE_EVERY_S)

    def _probe(self) -> None:
        """Open all connections, which would take too long during a call; close the breaker if the server answers."""
        taken: list[Any] = []
        try:
            self._pool.disconnect()
            with time_limit(CONNECT_WITHIN_S):
                taken.extend(self._pool.get_connection() for _ in range(CONNECTIONS))
            with time_limit(self._timeout_s):
                taken[0].send_command("PING")
                taken[0].read_response()
            if not self._closed.is_set():
                self._breaker.close()
        except Exception as error:
            self._breaker.open(type(error).__name__)
        finally:
            for connection in taken:
                self._pool.release(connection)


class Breaker:
    """A circuit breaker, open at first: calls are then skipped. It logs each change and reports it to ``on_change``."""

    def __init__(self, on_change: Callable[[bool], None] = lambda is_open: None) -> None:
        self.is_open = True
        self._on_change = on_change
        self._failures = 0
        self._logged: bool | None = None  # the last state that was logged
        on_change(True)

    def succeeded(self) -> None:
        """Note a successful call, which ends the failures in a row."""
        self._failures = 0

    def failed(self, reason: str) -> None:
        """Count a failed call; ``FAILURES_TO_OPEN`` in a row open the breaker."""
        self._failures += 1
        if self._failures >= FAILURES_TO_OPEN:
            self.open(reason)

    def open(self, reason: str) -> None:
        """Skip calls from now on."""
        if self._logged is not True:
            _log.warning("the shared cache does not answer; going on without it", extra={"reason": reason})
        self._set(True)

    def close(self) -> None:
        """Allow calls again."""
        self._failures = 0
        if self._logged is not False:
            _log.info("the shared cache answers")
        self._set(False)

    def _set(self, is_open: bool) -> None:
        has_changed = is_open != self.is_open
        self.is_open = self._logged = is_open
        if has_changed:
            self._on_change(is_open)
