"""The configuration of gunicorn: ``gunicorn --config python:service.server.config service.wsgi:app``.

``kinarow serve`` uses it too.
"""

# ruff: noqa: E402 - this process must be patched before anything else is imported
from service.server.start import prepare, read_keys_again, trust_loopback

_settings = prepare()

import sys
from typing import Any

from service.server import hooks

globals().update(hooks.options(_settings))


def on_starting(arbiter: Any) -> None:
    """Called by gunicorn's master before it listens."""
    hooks.warm_up_master(_settings)


def post_fork(arbiter: Any, worker: Any) -> None:
    """Called by gunicorn in a new worker, before it loads the app."""
    sys.setswitchinterval(hooks.SWITCH_S)
    if hooks.only_loopback(arbiter.LISTENERS):
        trust_loopback()


def on_reload(arbiter: Any) -> None:
    """Called by gunicorn's master at SIGHUP, before it forks the new workers."""
    read_keys_again()
