"""``kinarow serve``: warm the kernels up once, then answer over HTTP with gunicorn until told to stop."""

import argparse
import os
import signal
import socket
import sys
from typing import Any

import structlog
from gunicorn.app.base import BaseApplication

from service import logs, serving
from service.master import Master
from service.settings import Settings, SettingsError, load_settings, unknown_variables
from service.version import VERSION


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "Everything else is set by environment variables that begin with KINAROW_; the README lists them."
    )
    parser.add_argument("--host", help="address to listen on (KINAROW_HOST)")
    parser.add_argument("--port", type=int, help="TCP port, 0 for any free one (KINAROW_PORT)")
    parser.add_argument("--workers", type=int, help="worker processes (KINAROW_WORKERS)")
    parser.add_argument("--threads", type=int, help="threads of each worker (KINAROW_THREADS)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal ends it.

    Raises:
        SettingsError: a setting is impossible.
    """
    given = {name: getattr(arguments, name) for name in ("host", "port", "workers", "threads")}
    settings = load_settings(**{name: value for name, value in given.items() if value is not None})
    _check_address(settings)
    logs.configure(settings.log_level)
    for warning in unknown_variables(os.environ):
        structlog.get_logger().warning(warning)
    # The first process of a container gets no signal it has no handler for; gunicorn sets its own later.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    _say(f"kinarow {VERSION}: loading")
    serving.prepare(settings)
    serving.warm_up_master(_say)
    _Server(settings).run()
    return 0


def _check_address(settings: Settings) -> None:
    """Refuse an address that cannot be listened on now, rather than after the kernels are compiled.

    Raises:
        SettingsError: it is in use, or no address of this machine.
    """
    if _INHERITED.intersection(os.environ):
        return
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SettingsError(
            f"KINAROW_HOST, KINAROW_PORT: cannot listen on {settings.host} port {settings.port}: {reason}"
        ) from None


_INHERITED = frozenset({"GUNICORN_FD", "LISTEN_FDS"})
"""Set where the listening socket is handed down: by gunicorn's upgrade in place, or by systemd."""


def _say(line: str) -> None:
    """Tell a person at a terminal in words, a log collector in its own form."""
    if sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)
    else:
        structlog.get_logger().info(line)


def _when_ready(server: Any) -> None:
    """Called by gunicorn's master when it listens."""
    count, threads = server.cfg.workers, server.cfg.threads
    for listener in server.LISTENERS:
        _say(f"listening at {listener} with {count} workers of {threads} threads; play at /, read at /docs")


class _Server(BaseApplication):  # type: ignore[misc]
    """Gunicorn with our options; each worker loads an app of its own."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn at the start and at each reload."""
        for name, value in serving.options(self._settings).items():
            self.cfg.set(name, value)
        self.cfg.set("when_ready", _when_ready)

    def load(self) -> Any:
        """Called in each worker after the fork."""
        return serving.build_app(self._settings)

    def run(self) -> None:
        """Serve; ends with ``SystemExit``."""
        Master(self, self._settings.drain_s).run()
