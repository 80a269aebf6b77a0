"""The configuration of gunicorn: ``gunicorn --config python:service.gunicorn_conf service.wsgi:app``.

``kinarow serve`` uses it too.
"""

# ruff: noqa: E402 - this process must be patched before anything else is imported
from service.start import prepare, read_keys_again

_settings = prepare()

from typing import Any

from service import server

globals().update(server.options(_settings))


def on_starting(arbiter: Any) -> None:
    """Called by gunicorn's master before it listens."""
    server.warm_up_master(_settings)


def on_reload(arbiter: Any) -> None:
    """Called by gunicorn's master at SIGHUP, before it forks the new workers."""
    read_keys_again()
