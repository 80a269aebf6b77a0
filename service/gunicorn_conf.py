"""The configuration of gunicorn: ``gunicorn --config python:service.gunicorn_conf service.wsgi:app``.

``kinarow serve`` uses it too.
"""

# ruff: noqa: E402 - this process must be patched before anything else is imported
from service.start import prepare, read_keys_again, trust_loopback

_settings = prepare()

import sys
from typing import Any

from service import server

globals().update(server.options(_settings))


def on_starting(arbiter: Any) -> None:
    """Called by gunicorn's master before it listens."""
    server.warm_up_master(_settings)


def post_fork(arbiter: Any, worker: Any) -> None:
    """Called by gunicorn in a new worker, before it loads the app."""
    sys.setswitchinterval(server.SWITCH_S)
    if server.only_loopback(arbiter.LISTENERS):
        trust_loopback()


def on_reload(arbiter: Any) -> None:
    """Called by gunicorn's master at SIGHUP, before it forks the new workers."""
    read_keys_again()
