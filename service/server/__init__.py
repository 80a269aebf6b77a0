"""gunicorn: what is checked before it starts, its application, and its worker."""

import signal
import sys

from gevent import monkey


def serve() -> None:
    """Serve until a signal ends it; if a setting is impossible, print the error and raise ``SystemExit``."""
    monkey.patch_all()  # before anything else that may wait is imported
    # The first process of a container receives only signals that it handles; gunicorn sets its own handlers later.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    from service.server.startup import prepare

    settings = prepare()
    from service.server.application import Application  # prometheus-client must know the folder of the metrics

    Application(settings).run()
