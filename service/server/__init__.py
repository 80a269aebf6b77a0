"""Runs the service under gunicorn: checks before the start, the application and the worker."""

import signal
import sys

from gevent import monkey


def serve() -> None:
    """Serve until a signal; for an impossible setting print the error and raise ``SystemExit``."""
    monkey.patch_all()  # before any import of a module that blocks
    # A container's first process ignores signals without a handler, and gunicorn sets its handlers later.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    from service.server.startup import prepare

    settings = prepare()
    from service.server.application import Application  # after ``prepare`` has set prometheus-client's folder

    Application(settings).run()
