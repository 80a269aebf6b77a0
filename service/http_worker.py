"""A gunicorn worker whose threads never wait for a client: the main loop collects requests and sends answers.

Gunicorn's own threaded worker gives a thread to every connection on which a byte can be read, and the thread
then waits for the rest: a dozen clients that send a byte a second hold up everybody, and so do clients that
never read. Here the main loop collects what arrives, as a proxy would, and sends what a client does not take
at once, within limits of bytes and time. Connections are closed without waiting, and when there are too many
the one that has been at it longest makes room.

What gunicorn itself refuses (a line too long, too many headers and the like) is a problem like any other.
"""

import errno
import os
import select
import socket
import struct
import time
from concurrent.futures import Future
from functools import partial
from selectors import EVENT_READ, EVENT_WRITE
from typing import Any

import structlog
from gunicorn import http
from gunicorn.glogging import Logger
from gunicorn.http import errors as refusals
from gunicorn.http.unreader import Unreader
from gunicorn.workers.gthread import STOP_KEEPALIVE_LINGER, TConn, ThreadWorker

from service import logs, metrics
from service.api import memo, problems
from service.api.memo import Memo
from service.api.problems import Kind
from service.api.readiness import draining
from service.framing import Arrival, Arrived
from service.metrics import Metrics

LINGER_S = 2.0
"""For a client to take the end of its answer and close, before the connection is closed for it."""

READ_BYTES = 64 * 1024
MIN_ARRIVING_BYTES = 16 * 1024 * 1024
"""For all that has arrived and is not yet whole, in one worker; at least four of the largest bodies."""
MAX_UNSENT_BYTES = 8 * 1024 * 1024
"""For what one client has not taken of an answer; for more the thread waits. More than any answer has."""
MAX_SENDING_BYTES = 64 * 1024 * 1024
"""For what all clients of a worker have not taken."""

_REMEMBERED = b"POST /move HTTP/1."
"""How a request begins whose answer may be remembered by its body."""

_UNREAD = "unread"
"""The route in log and metrics of a request that was refused before its route was known."""

_NO_LINGER = struct.pack("ii", 1, 0)
_OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_NOBODY_WAITS = (errno.EAGAIN, errno.EWOULDBLOCK, errno.ECONNABORTED)

_KINDS: tuple[tuple[type[Exception], Kind], ...] = (
    (refusals.LimitRequestLine, problems.LINE_TOO_LONG),
    (refusals.LimitRequestHeaders, problems.HEADERS_TOO_LARGE),
    (refusals.ExpectationFailed, problems.EXPECTATION_FAILED),
    (refusals.UnsupportedTransferCoding, problems.UNSUPPORTED_CODING),
    (refusals.ConfigurationProblem, problems.INTERNAL_ERROR),
    (refusals.InvalidResponseHeader, problems.INTERNAL_ERROR),
    (refusals.InvalidResponseHeaderName, problems.INTERNAL_ERROR),
    (refusals.ParseException, problems.MALFORMED_REQUEST),
)


class QuietLogger(Logger):  # type: ignore[misc]
    """Gunicorn's own, without its line for each request: the app writes that."""

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Spare the atoms of a line that nobody would see."""


class _Memory(Unreader):  # type: ignore[misc]
    """What gunicorn's parser reads from: the bytes of one request, and then the end."""

    def chunk(self, size_hint: int | None = None) -> bytes:
        """Nothing more comes."""
        return b""


class _Socket(socket.socket):
    """A connection's socket, never waited for: what cannot be sent at once is kept until it can.

    Attributes:
        unsent: what is still to be sent.
        send_s: how long a thread may wait where that is too much.
    """

    unsent: bytearray
    send_s: float

    @classmethod
    def of(cls, accepted: Any, send_s: float) -> "_Socket":
        """The same connection as a socket of this class."""
        sock = cls(fileno=accepted.detach())
        sock.setblocking(False)
        sock.unsent = bytearray()
        sock.send_s = send_s
        return sock

    def sendall(self, data: Any, flags: int = 0) -> None:
        """Send what the client takes and keep the rest; a head goes out with what follows it.

        A worker that is killed between the two would leave half an answer, which no proxy can ask for again.
        """
        if not self.unsent and data.startswith(b"HTTP/1.1 ") and data.endswith(b"\r\n\r\n"):
            self.unsent += data
            return
        if not self.unsent:
            try:
                sent = self.send(data)
            except (BlockingIOError, InterruptedError):
                sent = 0
            if sent == len(data):
                return
            data = data[sent:]
        self.unsent += data
        self.flush()
        if len(self.unsent) > MAX_UNSENT_BYTES:
            self._wait()

    def flush(self) -> bool:
        """Send what the client takes now; whether that was all."""
        try:
            while self.unsent:
                del self.unsent[: self.send(self.unsent)]
        except (BlockingIOError, InterruptedError):
            return False
        return True

    def _wait(self) -> None:
        """Have an answer without end wait for its client.

        Raises:
            TimeoutError: the client takes too little.
        """
        until = time.monotonic() + self.send_s
        while len(self.unsent) > MAX_UNSENT_BYTES:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            select.select((), (self,), (), left)
            self.flush()


class Connection(TConn):  # type: ignore[misc]
    """A connection, and what has arrived on it.

    Attributes:
        arrival: bytes that belong to no request handed over yet.
        whole: the request handed over came with its body.
        goes_on: another request may come after the answer that is being sent.
        deadline: until when the request must be whole, the answer be taken, or the client have closed.
    """

    def __init__(self, cfg: Any, sock: _Socket, client: Any, server: Any, max_body: int) -> None:
        super().__init__(cfg, sock, client, server)
        self.parser: Any = None
        self.arrival = Arrival(max_body)
        self.whole = True
        self.goes_on = False
        self.deadline = 0.0
        self.data_ready = True  # the base class need not wait for any

    def init(self) -> None:
        """Called in the thread that answers: give the parser the request."""
        if self.parser is None:
            self.initialized = True
            self.parser = http.get_parser(self.cfg, (), self.client)
            self.parser.unreader = _Memory()
        self.parser.unreader.unread(self.arrival.take())
        self.sock.setblocking(False)

    def cut_off(self) -> None:
        """Have the connection reset when it is closed, so that nothing waits to be sent."""
        try:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
        except OSError:
            pass  # it is gone already


class Worker(ThreadWorker):  # type: ignore[misc]
    """The worker; ``worker_for`` makes one with the service's limits.

    Attributes:
        max_body: most bytes of a body.
        receive_s: for a whole request, from the connection's or the request's first byte to its last.
        send_s: for a client to take what is left of its answer.
    """

    max_body = 65_536
    receive_s = 10.0
    send_s = 10.0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Each in the order of its deadlines, for each has one limit of time.
        self._arriving: dict[Connection, None] = {}
        self._sending: dict[Connection, None] = {}
        self._lingering: dict[Connection, None] = {}
        self._arriving_bytes = 0
        self._max_arriving_bytes = max(MIN_ARRIVING_BYTES, 4 * self.max_body)
        self._memo: Memo | None = None
        self._counts: Metrics | None = None
        # Since newcomers last had their turn.
        self._answered_here = 0

    def load_wsgi(self) -> None:
        """Load the app, what it remembers and what counts its answers."""
        super().load_wsgi()
        parts = getattr(self.wsgi, "extensions", {})
        self._memo = parts.get(memo.EXTENSION)
        self._counts = parts.get(metrics.EXTENSION)

    def handle_quit(self, sig: int, frame: Any) -> None:
        """End at once: searches that run would otherwise be waited for."""
        self.cfg.worker_int(self)
        os._exit(0)

    def wait_for_and_dispatch_events(self, timeout: float) -> None:
        """Wait for events and see to each, but for those of a connection that an earlier one has closed."""
        for key, _ in self.poller.select(timeout):
            if self.poller.get_map().get(key.fd) is key:
                key.data(key.fileobj)

    # Connections come.

    def set_accept_enabled(self, enabled: bool) -> None:
        """When the worker stops, take what waits to be accepted, then let newcomers be refused at once."""
        stopping = not enabled and not self.alive
        if stopping:
            for listener in self.sockets:
                while self._accept_one(listener):
                    pass
        super().set_accept_enabled(enabled)
        if stopping:
            for listener in self.sockets:
                listener.close()

    def accept(self, listener: Any) -> None:
        """Accept a connection, and one more for each answer that was given here meanwhile.

        Else newcomers would have one turn for a turn of each connection that is there.
        """
        turns = 1 + self._answered_here
        while self._accept_one(listener) and turns > 1 and self.nr_conns + 1 < self.worker_connections:
            turns -= 1
        self._answered_here = 0

    def _accept_one(self, listener: Any) -> bool:
        """Accept a connection; whether there was one."""
        try:
            sock, address = listener.accept()
        except OSError as error:
            if error.errno in _OUT_OF_RESOURCES:
                self._make_room()
            elif error.errno not in _NOBODY_WAITS:
                raise
            return False
        self.nr_conns += 1
        own = _Socket.of(sock, self.send_s)
        conn = Connection(self.cfg, own, address, listener.getsockname(), self.max_body)
        if self.nr_conns >= self.worker_connections:
            self._make_room()
        self._begin(conn)
        return True

    def _make_room(self) -> None:
        """Close the connection that has been arriving longest, else the one that has been idle longest."""
        if self._arriving:
            conn = next(iter(self._arriving))
            self._forget(conn)
            self._close(conn)
        elif self.keepalived_conns:
            conn = self.keepalived_conns.popleft()
            self._unregister(conn)
            self._close(conn)

    # Requests arrive. A connection is either being waited for, in ``_arriving`` and known to the poller, or in hand.

    def on_client_socket_readable(self, conn: Connection, client: Any) -> None:
        """Called when something comes on a connection that was idle."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._begin(conn)

    def _begin(self, conn: Connection) -> None:
        """Read the begin of a request on a connection in hand; mostly it is the whole."""
        data = self._read(conn)
        if data == b"":
            self._close(conn)
            return
        self._begin_answer(conn, conn.arrival.add(data or b""))

    def _on_readable(self, conn: Connection, sock: Any) -> None:
        """Read more of a request that is being waited for."""
        data = self._read(conn)
        if data is None:
            return
        self._arriving_bytes += len(data)
        arrived = conn.arrival.add(data)
        if data and arrived is Arrived.PART:
            self._go_ahead(conn)
            self._bound_arriving()
            return
        self._forget(conn)
        if data:
            self._begin_answer(conn, arrived)
        else:
            # Nothing whole will come of it; a client that has sent all it wanted is answered already.
            self._close(conn)

    def _read(self, conn: Connection) -> bytes | None:
        """What has come, nothing at the end, None where there is nothing yet."""
        try:
            data: bytes = conn.sock.recv(READ_BYTES)
        except (BlockingIOError, InterruptedError):
            return None
        except OSError:
            return b""
        return data

    def _begin_answer(self, conn: Connection, arrived: Arrived) -> None:
        """Answer the request of a connection in hand here, where that can be, or proceed."""
        if arrived is not Arrived.WHOLE or not self._answer_here(conn):
            self._proceed(conn, arrived)

    def _proceed(self, conn: Connection, arrived: Arrived) -> None:
        """Hand the request of a connection in hand over, refuse it, or wait for the rest."""
        if arrived is Arrived.PART:
            self._expect(conn)
        elif arrived is Arrived.HEAD_TOO_LARGE:
            self._refuse(conn, problems.HEADERS_TOO_LARGE, "The request line and headers are too large.")
        elif arrived is Arrived.BODY_TOO_LARGE:
            self._refuse(conn, problems.BODY_TOO_LARGE, f"The body has more than {self.max_body} bytes.")
        else:
            conn.whole = arrived is Arrived.WHOLE
            self.enqueue_req(conn)

    def _expect(self, conn: Connection) -> None:
        """Wait for the rest of a request, from now on."""
        conn.deadline = time.monotonic() + self.receive_s
        self._arriving[conn] = None
        self._arriving_bytes += len(conn.arrival)
        self.poller.register(conn.sock, EVENT_READ, partial(self._on_readable, conn))
        self._go_ahead(conn)
        self._bound_arriving()

    def _forget(self, conn: Connection) -> None:
        """The opposite of ``_expect``: the connection is in hand."""
        del self._arriving[conn]
        self._arriving_bytes -= len(conn.arrival)
        self._unregister(conn)

    def _go_ahead(self, conn: Connection) -> None:
        """Tell a client that waits for it to send the body."""
        if conn.arrival.wants_go_ahead():
            self._send_now(conn, b"HTTP/1.1 100 Continue\r\n\r\n")

    def _bound_arriving(self) -> None:
        """Let the oldest go while there is more than may wait."""
        while self._arriving_bytes > self._max_arriving_bytes:
            self._make_room()

    def _refuse(self, conn: Connection, kind: Kind, detail: str) -> None:
        """Answer from the main loop, and close."""
        self._send_now(conn, self._refusal(kind, detail))
        self._linger(conn)

    def _send_now(self, conn: Connection, data: bytes) -> None:
        """Send a few bytes without waiting; a client that cannot take them does not get them."""
        try:
            conn.sock.send(data)
        except OSError:
            pass

    def _answer_here(self, conn: Connection) -> bool:
        """Answer in the main loop what is remembered, which takes less time than to wake a thread; whether it was.

        Not while the worker stops: what waits to be accepted would then grow as fast as it is taken.
        """
        known = self._memo if self.alive else None
        body = None if known is None else conn.arrival.body_after(_REMEMBERED)
        if known is None or body is None:
            return False
        with known.hold(body) as is_known:
            if not is_known:
                return False
            conn.whole = True
            done: Future[bool] = Future()
            done.set_result(self.handle(conn))
        self._answered_here += 1
        self.finish_request(conn, done)
        return True

    def _refusal(self, kind: Kind, detail: str) -> bytes:
        """The answer to a request that the app never saw, which is logged and counted like any other."""
        request_id = logs.new_request_id()
        structlog.get_logger().info(
            "request", method=None, route=_UNREAD, status=kind.status, request_id=request_id
        )
        if self._counts is not None:
            self._counts.request("", _UNREAD, kind.status, None)
        return problems.unread_response(kind, detail, request_id)

    # Requests are answered, in threads.

    def handle_request(self, req: Any, conn: Connection) -> Any:
        """Answer a request; the connection goes on only if its end is known and the worker does."""
        req._expected_100_continue = False  # said already, or not to be said
        if not conn.whole or draining():
            req.force_close()
        try:
            return super().handle_request(req, conn)
        except TimeoutError:
            self.log.debug("The client does not read its answer.")
            conn.cut_off()
            raise StopIteration from None

    def _keepalive_after(self, conn: Connection, keepalive: Any) -> bool:
        """Whether the next request may come: not if gunicorn saw this one end elsewhere than we did."""
        return (
            conn.whole
            and bool(super()._keepalive_after(conn, keepalive))
            and not conn.parser.unreader.buf.getvalue()
        )

    def handle_error(self, req: Any, client: Any, addr: Any, exc: BaseException) -> None:
        """Tell that a request cannot be read, or that the app has failed, as a problem."""
        kind = next((kind for error, kind in _KINDS if isinstance(exc, error)), problems.INTERNAL_ERROR)
        if kind is problems.INTERNAL_ERROR:
            self.log.exception("Error handling request")
            detail = "The failure has been logged."
        else:
            detail = str(exc)
        try:
            client.sendall(self._refusal(kind, detail))
        except OSError:
            self.log.debug("Failed to send error message.")

    # Connections go, or wait for the next request.

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """Called in the main loop when a thread is done with a request."""
        try:
            conn.goes_on = not fs.cancelled() and bool(fs.result())
            if conn.sock.flush():
                self._after_answer(conn)
                return
            conn.deadline = time.monotonic() + self.send_s
            self.poller.register(conn.sock, EVENT_WRITE, partial(self._on_writable, conn))
            self._sending[conn] = None
            while sum(len(each.sock.unsent) for each in self._sending) > MAX_SENDING_BYTES:
                self._cut_off(next(iter(self._sending)))
        except (OSError, ValueError, KeyError):
            self._close(conn)

    def _on_writable(self, conn: Connection, sock: Any) -> None:
        """Send more of an answer."""
        try:
            if not conn.sock.flush():
                return
        except OSError:
            self._cut_off(conn)
            return
        del self._sending[conn]
        self._unregister(conn)
        self._after_answer(conn)

    def _cut_off(self, conn: Connection) -> None:
        """Give up a client that does not take its answer."""
        del self._sending[conn]
        self._unregister(conn)
        conn.cut_off()
        self._close(conn)

    def _after_answer(self, conn: Connection) -> None:
        """The client has its answer: wait for its next request, or close."""
        if not conn.goes_on:
            self._linger(conn)
        elif len(conn.arrival):
            self._proceed(conn, conn.arrival.state())
        else:
            conn.set_timeout()
            if not self.alive:
                conn.timeout = min(conn.timeout, time.monotonic() + STOP_KEEPALIVE_LINGER)
            self.keepalived_conns.append(conn)
            self.poller.register(conn.sock, EVENT_READ, partial(self.on_client_socket_readable, conn))
            if self.nr_conns >= self.worker_connections:
                # Nobody could make room when the last came, and as long as nobody does no other is accepted.
                self._make_room()

    def _linger(self, conn: Connection) -> None:
        """Say that no more comes, and close when the client has, or soon.

        To close at once would reset the connection where bytes lie unread, and the answer could be lost.
        """
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            self.poller.register(conn.sock, EVENT_READ, partial(self._on_lingering, conn))
        except (OSError, ValueError, KeyError):
            self._close(conn)
            return
        conn.deadline = time.monotonic() + LINGER_S
        self._lingering[conn] = None

    def _on_lingering(self, conn: Connection, sock: Any) -> None:
        """Pass over what still comes; close at its end."""
        try:
            if conn.sock.recv(READ_BYTES):
                return
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            pass
        self._end_lingering(conn)

    def _end_lingering(self, conn: Connection) -> None:
        del self._lingering[conn]
        self._unregister(conn)
        self._close(conn)

    def murder_pending(self) -> None:
        """Called every second or more often: close what is past its time."""
        now = time.monotonic()
        while self._arriving and (conn := next(iter(self._arriving))).deadline <= now:
            self._forget(conn)
            if len(conn.arrival):
                self._refuse(conn, problems.TOO_SLOW, f"No whole request came within {self.receive_s:g} s.")
            else:
                self._close(conn)
        while self._sending and (conn := next(iter(self._sending))).deadline <= now:
            self._cut_off(conn)
        while self._lingering and (conn := next(iter(self._lingering))).deadline <= now:
            self._end_lingering(conn)

    def _unregister(self, conn: Connection) -> None:
        try:
            self.poller.unregister(conn.sock)
        except (OSError, KeyError, ValueError):
            pass

    def _close(self, conn: Connection) -> None:
        self.nr_conns -= 1
        conn.close()


def worker_for(*, max_body: int, receive_s: float, send_s: float) -> type[Worker]:
    """The worker of a service with these limits."""
    return type("Worker", (Worker,), {"max_body": max_body, "receive_s": receive_s, "send_s": send_s})
