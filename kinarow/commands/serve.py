"""``kinarow serve``: serves HTTP with gunicorn."""

import argparse
import os


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Environment variables that begin with KINAROW_ set everything else; docs/settings.md lists them."
    parser.add_argument("--host", help="address to listen on (KINAROW_HOST)")
    parser.add_argument("--port", help="TCP port, 0 for any free one (KINAROW_PORT)")
    parser.add_argument("--workers", help="worker processes (KINAROW_WORKERS)")


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal comes."""
    for name in ("host", "port", "workers"):
        if getattr(arguments, name) is not None:
            os.environ[f"KINAROW_{name.upper()}"] = getattr(arguments, name)
    from service.server import serve  # gevent patches the process

    serve()
    return 0
