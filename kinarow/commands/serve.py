"""``kinarow serve``: warm up the kernels once, then answer over HTTP with gunicorn until it is stopped."""

import argparse
import os
import signal
import sys


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.epilog = "Environment variables that begin with KINAROW_ set everything else; docs/settings.md lists them."
    parser.add_argument("--host", help="address to listen on (KINAROW_HOST)")
    parser.add_argument("--port", help="TCP port, 0 for any free one (KINAROW_PORT)")
    parser.add_argument("--workers", help="worker processes (KINAROW_WORKERS)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal ends it."""
    for name in ("host", "port", "workers"):
        if getattr(arguments, name) is not None:
            os.environ[f"KINAROW_{name.upper()}"] = getattr(arguments, name)
    # The first process of a container receives only signals that it handles; gunicorn sets its own handlers later.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    from service.server.start import prepare

    prepare(check_address=True)
    # This import must come after the process is patched.
    from service.server.gunicorn_app import Server

    Server().run()
    return 0
