"""The service as a gunicorn application: its options, hooks and worker.

The master loads the kernels and then forks, so workers share that memory and are ready at once. Each worker creates its
app after the fork, so that they share no locks and no random state.
"""

import gc
import logging
import os
import resource
import shutil
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import gevent
from gevent.event import Event
from gevent.pool import Pool
from gevent.server import StreamServer
from gunicorn.app.base import BaseApplication
from gunicorn.glogging import Logger
from gunicorn.workers.ggevent import GeventWorker

from kinarow.errors import SettingsError
from kinarow.kernels.shared_library import KernelsMissing
from kinarow.search import best_move
from kinarow.search.known import atlas
from kinarow.settings import is_loopback
from kinarow.version import VERSION, engine_version
from service.app import create_app
from service.routes import docs, page
from service.searches.slots import slots_folder, temporary_folder
from service.server import startup
from service.settings import Settings, unknown_variables
from service.telemetry import logs, metrics

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

KEEP_ALIVE_S = 75
"""Time in which a kept-alive connection must send the head of its next request. Proxies usually close idle connections
after 60 s, so they close first."""

WORKER_TIMEOUT_S = 60  # a worker without a heartbeat for so long is replaced; requests may take longer
SWITCH_S = 0.001  # time slice of Python threads; the default of 5 ms is as long as a whole answer takes

TURN_REQUESTS = 8
"""Number of requests after which a worker lets other connections run: a few milliseconds of cached answers."""

MAX_CONNECTIONS = 2000
MIN_CONNECTIONS = 50
OTHER_FILES = 100  # files that a worker may have open in addition to its connections
MAX_REQUEST_LINE = 4094
MAX_HEADERS = 64
MAX_HEADER_BYTES = 8190

IDLE_S = 1.0
"""Seconds from the signal until idle connections are closed. Until then a request that a proxy has just sent is
answered, with ``Connection: close``."""

_BEAT_S = 1.0
_LOOK_S = 0.05

_log = logging.getLogger(__name__)


class QuietLogger(Logger):  # type: ignore[misc]
    """Gunicorn's logger without the lines that the service writes itself: of requests, and where it listens."""

    def access(self, resp: Any, req: Any, environ: Any, request_time: Any) -> None:
        """Write nothing."""

    def info(self, msg: str, *args: Any, **options: Any) -> None:
        """Log everything except the listening address."""
        if not msg.startswith("Listening at"):
            super().info(msg, *args, **options)


def load() -> None:
    """Load everything before the fork, so that workers share it and no request waits for it."""
    best_move.warm_up()
    engine_version()
    atlas.shipped()
    docs.openapi_document()
    page.load()


class Application(BaseApplication):  # type: ignore[misc]
    """Gunicorn's application in the master and its workers; SIGHUP reads the keys again."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        super().__init__()

    def load_config(self) -> None:
        """Set gunicorn's options from the settings, its hooks, and the options in ``GUNICORN_CMD_ARGS``."""
        hooks = ("on_starting", "when_ready", "child_exit", "post_fork", "worker_int", "post_request", "on_exit")
        more = vars(self.cfg.parser().parse_args(self.cfg.get_cmd_args_from_env()))
        given = {name: value for name, value in more.items() if value is not None and name != "args"}
        for name, value in {**options(self.settings), **{hook: getattr(self, hook) for hook in hooks}, **given}.items():
            self.cfg.set(name, value)

    def load(self) -> "WSGIApplication":
        """Create the worker's app."""
        return create_app(self.settings, slots_folder=slots_folder(self.settings.host, self.settings.port))

    def reload(self) -> None:
        """Read the keys file for new workers (master, on SIGHUP); a bad file changes nothing."""
        try:
            self.settings = self.settings.with_keys_read_again()
        except SettingsError as wrong:
            _log.error("the API keys were not changed", extra={"reason": str(wrong)})
        super().reload()

    def on_starting(self, arbiter: Any) -> None:
        """Load what workers share (master, before it listens)."""
        sys.stderr = logs.STREAM  # libraries print there
        for warning in unknown_variables(os.environ):
            _log.warning(warning)
        _announce(f"kinarow {VERSION}: loading")
        try:
            load()
        except KernelsMissing as missing:
            startup.exit_with_error(missing)
        # Writing to a table shared with the master would copy it page by page.
        best_move.free_idle_tables()
        # These objects live forever. The collector doesn't touch frozen objects, so workers keep sharing their memory.
        gc.collect()
        gc.freeze()

    def when_ready(self, arbiter: Any) -> None:
        """Make the kernel disconnect clients that don't read their answer (master, once it listens)."""
        for listener in arbiter.LISTENERS:
            if hasattr(socket, "TCP_USER_TIMEOUT") and listener.sock.family in (socket.AF_INET, socket.AF_INET6):
                # Accepted sockets inherit it.
                longest_ms = round(self.settings.receive_s * 1000)
                listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, longest_ms)
            _announce(f"listening at {listener} with {arbiter.cfg.workers} workers; play at /, read at /docs")

    def child_exit(self, arbiter: Any, worker: Any) -> None:
        """Merge the metrics of a worker that has ended (master)."""
        metrics.merge_dead_worker(worker.pid)

    def on_exit(self, arbiter: Any) -> None:
        """Remove the slot files (master, at its end)."""
        shutil.rmtree(slots_folder(self.settings.host, self.settings.port, os.getpid()), ignore_errors=True)

    def post_fork(self, arbiter: Any, worker: Any) -> None:
        """Prepare a new worker before it loads the app."""
        sys.setswitchinterval(SWITCH_S)
        sockets = [listener.sock for listener in arbiter.LISTENERS]
        if all(each.family != socket.AF_UNIX and is_loopback(each.getsockname()[0]) for each in sockets):
            self.settings = self.settings.listening_on_loopback()

    def worker_int(self, worker: Any) -> None:
        """Stop at the first SIGINT or SIGQUIT and ignore the next: Ctrl-C comes from the terminal and the master."""
        previous = [signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGQUIT)]
        if signal.SIG_IGN in previous:
            raise gevent.GreenletExit

    def post_request(self, worker: Any, req: Any, environ: Any, resp: Any) -> None:
        """Let other greenlets run, or a client that pipelines requests would occupy the loop."""
        if worker.nr % TURN_REQUESTS == 0:
            gevent.sleep(0)


def options(settings: Settings) -> dict[str, Any]:
    """Return gunicorn's options by name."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return {
        "bind": [f"{host}:{settings.port}"],
        "worker_class": "service.server.application.Worker",
        "workers": settings.workers,
        "worker_connections": _connections(),
        "timeout": WORKER_TIMEOUT_S,
        "graceful_timeout": settings.stop_s,
        "keepalive": KEEP_ALIVE_S,
        "worker_tmp_dir": str(temporary_folder()),  # heartbeats; on a slow disk a worker would seem hung
        "control_socket_disable": True,
        "forwarder_headers": "",  # no header of a client may set SCRIPT_NAME
        "limit_request_line": MAX_REQUEST_LINE,
        "limit_request_fields": MAX_HEADERS,
        "limit_request_field_size": MAX_HEADER_BYTES,
        "accesslog": None,  # the app writes a line for each request
        "logger_class": QuietLogger,
        "logconfig_dict": logs.logging_config(settings.log_level),
        "proc_name": "kinarow",
    }


class Worker(GeventWorker):  # type: ignore[misc]
    """A gevent worker that closes idle connections when it stops; gunicorn's would wait for its graceful timeout."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._waiting: dict[gevent.Greenlet, gevent.Timeout] = {}  # connections without a request
        self._stopping = Event()

    def handle_exit(self, sig: int, frame: object) -> None:
        """Handle SIGTERM."""
        super().handle_exit(sig, frame)
        self._stopping.set()

    @contextmanager
    def timeout_ctx(self) -> Iterator[None]:
        """Limit the wait for the head of a connection's next request."""
        me = gevent.getcurrent()
        with gevent.Timeout(self.cfg.keepalive if self.alive else IDLE_S, False) as timeout:
            self._waiting[me] = timeout
            try:
                yield
            finally:
                del self._waiting[me]

    def run(self) -> None:
        """Serve until the signal; then finish the running requests."""
        servers = [self._listen(each) for each in self.sockets]
        while self.alive:
            self.notify()
            self._stopping.wait(_BEAT_S)
        for server in servers:
            _stop_accepting(server)
        timer = gevent.get_hub().loop.timer(IDLE_S)
        timer.start(self._close_idle)
        end = time.monotonic() + self.cfg.graceful_timeout
        while any(len(server.pool) for server in servers):
            if time.monotonic() > end:
                self.log.warning("requests were cut off: they took longer than the graceful timeout")
                return
            self.notify()
            gevent.sleep(_LOOK_S)

    def _listen(self, listener: Any) -> StreamServer:
        listener.setblocking(1)
        name = listener.getsockname()
        # Greenlets ask for the address when they begin, perhaps after the socket was closed.
        named = SimpleNamespace(getsockname=lambda: name)
        server = StreamServer(listener, handle=partial(self.handle, named), spawn=Pool(self.worker_connections))
        if self.cfg.workers > 1:
            server.max_accept = 1  # spreads connections over the workers
        server.start()
        return server

    def _close_idle(self) -> None:
        """Close idle connections. Runs in gevent's hub, so no request can start in between."""
        for connection, timeout in list(self._waiting.items()):
            if self._waiting.get(connection) is timeout:
                connection.throw(timeout)


def _stop_accepting(server: StreamServer) -> None:
    """Accept the connections in the backlog, which closing would drop, then close the listening socket."""
    while not server.full() and (accepted := server.do_read()):
        server.do_handle(*accepted)
    server.close()


def _connections() -> int:
    """Return the most connections of a worker, limited by the files that it may open."""
    open_files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if open_files == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    return max(MIN_CONNECTIONS, min(MAX_CONNECTIONS, open_files - OTHER_FILES))


def _announce(line: str) -> None:
    if sys.stderr.isatty():
        print(line, file=sys.stderr)  # noqa: T201 - a person reads it
    else:
        _log.info(line)
