"""Gunicorn as ``kinarow serve`` runs it: with ``service.server.config``, and without options of gunicorn's own."""

from typing import Any

from gunicorn.app.base import Application
from gunicorn.util import import_app


class Server(Application):  # type: ignore[misc]
    """Serves ``service.wsgi`` until a signal ends it; ``service.server.start.prepare`` has patched this process."""

    def load_config(self) -> None:
        """Called by gunicorn at the start and at each reload."""
        self.load_config_from_module_name_or_filename("python:service.server.config")

    def load(self) -> Any:
        """Called in each worker after the fork."""
        return import_app("service.wsgi:app")
