"""Gunicorn with the service's options, in a process that ``service.start.prepare`` has patched."""

from typing import Any

import structlog
from gunicorn.app.base import BaseApplication

from service import server
from service.settings import Settings, SettingsError


def serve(settings: Settings) -> None:
    """Serve until a signal ends it, with ``SystemExit``."""
    server.warm_up_master(settings)
    _Server(settings).run()


class _Server(BaseApplication):  # type: ignore[misc]
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        super().__init__()

    def load_config(self) -> None:
        """Called by gunicorn at the start and at each reload; a reload reads the keys again."""
        try:
            self._settings = self._settings.with_keys_read_again()
        except SettingsError as wrong:
            # This happens at a reload: the new workers use the old keys.
            structlog.get_logger().error("the API keys were not changed", reason=str(wrong))
        for name, value in server.options(self._settings).items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Called in each worker after the fork."""
        return server.build_app(self._settings)
