"""``kinarow serve``: warm the kernels up once, then answer over HTTP with gunicorn until told to stop."""

import argparse
import os
import signal
import sys


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = (
        "All else is set by environment variables that begin with KINAROW_; docs/settings.md lists them."
    )
    parser.add_argument("--host", help="address to listen on (KINAROW_HOST)")
    parser.add_argument("--port", help="TCP port, 0 for any free one (KINAROW_PORT)")
    parser.add_argument("--workers", help="worker processes (KINAROW_WORKERS)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal ends it.

    Raises:
        SystemExit: a setting is impossible, or the service was told to stop.
    """
    for name in ("host", "port", "workers"):
        if getattr(arguments, name) is not None:
            os.environ[f"KINAROW_{name.upper()}"] = getattr(arguments, name)
    # The first process of a container gets no signal it has no handler for; gunicorn sets its own later.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    from service.start import prepare

    settings = prepare(check_address=True)
    # Only once the process is patched.
    from service.gunicorn_app import serve

    serve(settings)
    return 0
