"""The configuration of gunicorn: ``gunicorn --config python:service.server.config service.wsgi:app``.

``kinarow serve`` runs the same. The master reads the settings, opens the kernels and then forks, so workers share that
memory and are ready at once. Each worker builds its own app after the fork, so that they share no locks and no random
state.
"""

# ruff: noqa: E402 - this process must be patched before anything else is imported
from gevent import monkey

monkey.patch_all()

import gc
import logging
import os
import signal
import socket
import sys
from typing import Any

import gevent

from service.server import master

# The first process of a container receives only signals that it handles; gunicorn sets its own handlers later.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
settings = master.prepare()  # before prometheus-client is imported, which must know the folder of the metrics

from kinarow.kernels.library import KernelsMissing
from kinarow.search import best_move
from kinarow.version import VERSION, engine_version
from service import app  # noqa: F401 - the workers find it loaded
from service.routes import docs, page
from service.server.options import TURN_REQUESTS, options
from service.settings import unknown_variables
from service.telemetry import logs, metrics

SWITCH_S = 0.001  # time slice of threads that run Python; the default of 5 ms is as long as a whole answer takes

_log = logging.getLogger(__name__)

sys.stderr = logs.STREAM  # for what libraries print there
logs.on_dropped(metrics.log_lines_dropped.inc)

globals().update(options(settings))


def on_starting(arbiter: Any) -> None:
    """In the master, before it listens: load what workers share."""
    for warning in unknown_variables(os.environ):
        _log.warning(warning)
    _say(f"kinarow {VERSION}: loading")
    try:
        best_move.warm_up()
    except KernelsMissing as missing:
        master.refuse(missing)
    engine_version()
    docs.document()
    page.load()
    # Workers would copy a shared table page by page as they write to it.
    best_move.free_idle_tables()
    # All present objects stay alive. Frozen, they are not touched by the collector, so workers go on sharing them.
    gc.collect()
    gc.freeze()


def when_ready(arbiter: Any) -> None:
    """In the master, once it listens: have the system disconnect clients that do not read their answer."""
    for listener in arbiter.LISTENERS:
        if hasattr(socket, "TCP_USER_TIMEOUT") and listener.sock.family in (socket.AF_INET, socket.AF_INET6):
            # Accepted sockets inherit it.
            listener.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, round(settings.send_s * 1000))
        _say(f"listening at {listener} with {arbiter.cfg.workers} workers; play at /, read at /docs")


def on_reload(arbiter: Any) -> None:
    """In the master at SIGHUP, before it forks the new workers."""
    master.read_keys_again()


def child_exit(arbiter: Any, worker: Any) -> None:
    """In the master, after a worker has ended."""
    metrics.worker_exited(worker.pid)


def post_fork(arbiter: Any, worker: Any) -> None:
    """In a new worker, before it loads the app."""
    sys.setswitchinterval(SWITCH_S)
    master.trust_loopback_if_alone(listener.sock for listener in arbiter.LISTENERS)


def worker_int(worker: Any) -> None:
    """In a worker at SIGINT or SIGQUIT: Ctrl-C reaches it from the terminal and from the master; obey it once."""
    previous = [signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGQUIT)]
    if signal.SIG_IGN in previous:
        raise gevent.GreenletExit


def post_request(worker: Any, req: Any, environ: Any, resp: Any) -> None:
    """In a worker: a client that sends many requests without waiting must not occupy the loop."""
    if worker.nr % TURN_REQUESTS == 0:
        gevent.sleep(0)


def _say(line: str) -> None:
    """Print a line on a terminal; otherwise log it as JSON."""
    if sys.stderr.isatty():
        print(line, file=sys.stderr)  # noqa: T201 - a person reads it
    else:
        _log.info(line)
