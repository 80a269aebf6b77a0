"""For ``gunicorn --config python:service.gunicorn_conf service.wsgi:app``: the same options as ``kinarow serve``."""

import os
from typing import Any

import structlog

from service import logs, serving
from service.settings import load_settings, unknown_variables

_settings = load_settings()
globals().update(serving.options(_settings))


def on_starting(server: Any) -> None:
    """Called by gunicorn's master before it listens."""
    logs.configure(_settings.log_level)
    for warning in unknown_variables(os.environ):
        structlog.get_logger().warning(warning)
    serving.prepare(_settings)
    serving.warm_up_master(structlog.get_logger().info)
