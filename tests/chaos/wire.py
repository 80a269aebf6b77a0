"""Requests as bytes over a connection, right or wrong, and what came of them."""

import contextlib
import socket
from dataclasses import dataclass

from tests.chaos.abuse import Abuse

PATIENCE_S = 15
"""Within this an answer must come."""
EXPENSIVE_PATIENCE_S = 1
"""Whoever asks for the most expensive goes away after this."""
FAILED = "FAILED"
"""How what may not come of a request begins."""
SILENCE = "closed without an answer"
GAVE_UP = "did not wait for the answer"
BROKEN_OFF = "broken off as meant"


class Line:
    """A connection that is opened anew whenever the other side, or this one, has closed it.

    Args:
        address: host and port of the other side.
        source: the address that it comes from; any by default.
    """

    def __init__(self, address: tuple[str, int], source: str = "") -> None:
        self._address = address
        self._source = (source, 0) if source else None
        self._socket: socket.socket | None = None

    def close(self) -> None:
        """Close it if it is open."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def send(self, abuse: Abuse) -> str:
        """Send one request: the status of its answer, or what else came of it, ``FAILED…`` where none may."""
        # On a connection that stood open silence may mean that it was closed just then: asked once more.
        for fresh in (self._socket is None, True):
            came = self._once(abuse)
            if came != SILENCE or fresh:
                break
        if came == SILENCE and not abuse.may_be_silent:
            return f"{FAILED}: {SILENCE}"
        return came

    def _once(self, abuse: Abuse) -> str:
        try:
            if self._socket is None:
                self._socket = socket.create_connection(self._address, PATIENCE_S, self._source)
            self._socket.settimeout(EXPENSIVE_PATIENCE_S if abuse.kind == "expensive" else PATIENCE_S)
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                # The other side may refuse, and close, before it has read all of it.
                self._socket.sendall(abuse.data)
            if not abuse.read:
                self.close()
                return BROKEN_OFF
            answer = read_answer(self._socket)
        except TimeoutError:
            self.close()
            return GAVE_UP if abuse.kind == "expensive" else f"{FAILED}: no answer within {PATIENCE_S} s"
        except (ConnectionResetError, ConnectionAbortedError, BrokenPipeError):
            self.close()
            return SILENCE
        if answer is None:
            self.close()
            return SILENCE
        if answer.closes:
            self.close()
        if answer.status == 503 and not answer.retry_after:
            return f"{FAILED}: 503 without Retry-After"
        # Where silence would do, so does a server's own page: nginx has no other for one kind, a body in
        # chunks that are none of a request that it refuses for another reason.
        if answer.status >= 400 and not answer.is_problem and not abuse.may_be_silent:
            return f"{FAILED}: {answer.status} that is no problem+json"
        return str(answer.status)


@dataclass(frozen=True)
class Read:
    """What matters of an answer."""

    status: int
    closes: bool
    retry_after: bool
    is_problem: bool


def read_answer(connection: socket.socket) -> Read | None:
    """One whole answer, or None where the connection ended without one."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65_536)
        if not piece:
            return None
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    lower = head.lower()
    length = int(_header(lower, b"content-length") or 0)
    while len(body) < length:
        piece = connection.recv(65_536)
        if not piece:
            return None
        body += piece
    return Read(
        int(head.split(b" ", 2)[1]),
        b"connection: close" in lower,
        bool(_header(lower, b"retry-after")),
        _header(lower, b"content-type").startswith(b"application/problem+json"),
    )


def is_whole_ok(received: bytes | bytearray) -> bool:
    """Whether these bytes are a whole answer, for those who ask without waiting.

    Raises:
        RuntimeError: it is not 200.
    """
    head, found, body = received.partition(b"\r\n\r\n")
    if not found:
        return False
    if not head.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"wrong answer: {bytes(head)!r}")
    return len(body) >= int(_header(bytes(head).lower(), b"content-length"))


def _header(head: bytes, name: bytes) -> bytes:
    """A header's value in a head in lower case, or nothing."""
    return head.partition(b"\r\n" + name + b":")[2].partition(b"\r\n")[0].strip()
