"""For ``gunicorn --config python:service.gunicorn_conf service.wsgi:app``: the options of ``kinarow serve``."""

# ruff: noqa: E402 - this process must be patched before anything else is imported
from service.start import prepare

_settings = prepare()

import os
from typing import Any

import structlog

from service import logs, server
from service.settings import unknown_variables

globals().update(server.options(_settings))


def on_starting(arbiter: Any) -> None:
    """Called by gunicorn's master before it listens."""
    logs.configure(_settings.log_level)
    for warning in unknown_variables(os.environ):
        structlog.get_logger().warning(warning)
    server.warm_up_master()
