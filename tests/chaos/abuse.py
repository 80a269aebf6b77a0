"""What strangers send: broken, oversized, misleading and expensive requests, as bytes, in a repeatable order."""

import contextlib
import json
import random
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass

HOST = b"Host: localhost\r\n"
JSON = b"Content-Type: application/json\r\n"
BODY_LIMIT = 65_536
"""KINAROW_MAX_BODY_BYTES unless it is set."""


@dataclass(frozen=True)
class Abuse:
    """One request.

    Attributes:
        kind: its name in reports.
        data: the bytes to send.
        read: whether the sender waits for an answer; else it breaks the connection off.
        may_be_silent: whether closing the connection without an answer is as good as an answer.
    """

    kind: str
    data: bytes
    read: bool = True
    may_be_silent: bool = False


def post(body: bytes, path: bytes = b"/move", headers: bytes = JSON) -> bytes:
    """A request with a body, well-formed as HTTP."""
    length = b"Content-Length: %d\r\n\r\n" % len(body)
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + headers + length + body


def get(path: bytes) -> bytes:
    """A request without one."""
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"\r\n"


def _bodies(choice: random.Random) -> Iterator[bytes]:
    """Bodies that are no JSON, or none that is taken."""
    yield b""
    yield b"{"
    yield b"\xff\xfe{\x00}\x00"
    yield b'{"board": NaN}'
    yield b'{"board": ["..."], "board": ["..."]}'
    yield b"[" * choice.randrange(17, 5000)
    yield b'{"goal": ' + b"9" * choice.randrange(21, 3000) + b"}"
    yield b'{"goal": 1e' + b"9" * 30 + b"}"
    yield b'"\\ud800"'
    yield bytes(choice.randrange(256) for _ in range(choice.randrange(1, 300)))


def _questions(choice: random.Random) -> Iterator[object]:
    """JSON that asks nothing that can be answered."""
    yield None
    yield []
    yield {"board": choice.choice([None, 3, {}, [], [[]], [""], "x" * 400])}
    yield {"board": ["X" * choice.randrange(26, 400)] * choice.randrange(1, 60), "goal": 5}
    yield {"board": ["XO.", ".X"], "goal": 3}
    yield {"board": ["XXX", "OOO", "..."]}
    yield {"board": ["...", "...", "..."], "goal": choice.choice([0, -1, 10**18, "3", True, 3.5, None])}
    yield {"board": ["...", "...", "..."], "max_nodes": choice.choice([0, -5, 10**19, "1"])}
    yield {"board": ["...", "...", "..."], "game": "chess"}
    yield {"board": ["...", "...", "..."], f"field{choice.randrange(10**9)}": 1}
    yield {"board": [["X", "<script>", "\u0000"], [".", ".", "."], [".", ".", "."]]}


def _broken(choice: random.Random) -> Iterator[bytes]:
    """Bytes that are no HTTP, or HTTP over its limits."""
    yield b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + choice.randbytes(100) + b"\r\n\r\n"
    yield b"GARBAGE\r\n\r\n"
    yield b"GET / HTTP/9.9\r\n" + HOST + b"\r\n"
    yield b"GET /" + b"a" * choice.randrange(9000, 20_000) + b" HTTP/1.1\r\n" + HOST + b"\r\n"
    yield b"GET / HTTP/1.1\r\n" + HOST + b"A: " + b"a" * 40_000 + b"\r\n\r\n"
    yield b"GET / HTTP/1.1\r\n" + HOST + b"A: a\r\n" * 2000 + b"\r\n"
    yield b"POST /move HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: -1\r\n\r\n"
    yield b"POST /move HTTP/1.1\r\n" + HOST + JSON + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}"
    yield b"POST /move HTTP/1.1\r\n" + HOST + JSON + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n"
    yield (
        b"POST /move HTTP/1.1\r\n"
        + HOST
        + JSON
        + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"
    )


def _elsewhere(choice: random.Random) -> Iterator[bytes]:
    """Paths and methods that are not there."""
    yield get(b"/../../etc/passwd")
    yield get(b"/web/%2e%2e/%2e%2e/settings.py")
    yield get(b"/" + bytes(choice.choices(range(33, 127), k=30)))
    yield get(b"/move?board=" + b"." * choice.randrange(1, 3000))
    yield get(b"/move?" + b"goal=3&" * 400)
    yield b"DELETE /move HTTP/1.1\r\n" + HOST + b"\r\n"
    yield b"TRACE / HTTP/1.1\r\n" + HOST + b"\r\n"
    yield post(b"x=1", headers=b"Content-Type: application/x-www-form-urlencoded\r\n")
    yield post(b"\x1f\x8b\x08", headers=JSON + b"Content-Encoding: gzip\r\n")


def expensive(choice: random.Random) -> Iterator[bytes]:
    """Valid questions that take as long as a question may."""
    stones = [choice.choices(".XO", weights=(8, 0, 0), k=25) for _ in range(25)]
    for mark in "XOXOXO":
        stones[choice.randrange(25)][choice.randrange(25)] = mark
    marks = sum(row.count("X") for row in stones), sum(row.count("O") for row in stones)
    side = "X" if marks[0] <= marks[1] else "O"
    large = {"board": ["".join(row) for row in stones], "goal": 5, "to_move": side, "max_nodes": 100_000_000}
    yield post(json.dumps(large).encode())
    yield post(json.dumps(large).encode(), b"/analysis")
    column = choice.randrange(8)
    bottom = "." * column + "X" + "." * (7 - column)
    wide = {"board": ["........"] * 6 + [bottom], "goal": 4, "gravity": True, "max_nodes": 100_000_000}
    yield post(json.dumps(wide).encode())


def _valid(choice: random.Random) -> bytes:
    """A harmless question, one of very many."""
    rows = ["".join(choice.choice("...XO") for _ in range(3)) for _ in range(3)]
    return post(json.dumps({"board": rows, "to_move": choice.choice("XO")}).encode())


def _oversized(choice: random.Random) -> bytes:
    """More than a body may have, said in advance and sent all the same."""
    return post(b'{"board": ["' + b"." * (BODY_LIMIT + choice.randrange(1, 30_000)) + b'"]}')


Maker = Callable[[random.Random], Abuse]


def _one_of(kind: str, make: Callable[[random.Random], Iterator[bytes]], may_be_silent: bool = False) -> Maker:
    return lambda choice: Abuse(kind, choice.choice(list(make(choice))), may_be_silent=may_be_silent)


KINDS: tuple[tuple[float, Maker], ...] = (
    (20, lambda choice: Abuse("no JSON", post(choice.choice(list(_bodies(choice)))))),
    (20, lambda choice: Abuse("no question", post(json.dumps(choice.choice(list(_questions(choice)))).encode()))),
    (15, _one_of("no HTTP, or too much", _broken, may_be_silent=True)),
    (12, _one_of("nothing there", _elsewhere)),
    (8, lambda choice: Abuse("too large", _oversized(choice), may_be_silent=True)),
    (10, lambda choice: Abuse("broken off", _valid(choice)[: -choice.randrange(1, 60)], read=False)),
    (8, lambda choice: Abuse("never read", _valid(choice), read=False)),
    (6, lambda choice: Abuse("harmless", _valid(choice))),
    (1, _one_of("expensive", expensive)),
)
"""Each kind with how many in a hundred are of it."""


def abuses(seed: int) -> Iterator[Abuse]:
    """Requests without end, the same for the same seed."""
    choice = random.Random(seed)
    makers = [maker for _, maker in KINDS]
    weights = [weight for weight, _ in KINDS]
    while True:
        yield choice.choices(makers, weights)[0](choice)


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
