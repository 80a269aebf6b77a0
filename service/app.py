"""Wires the objects of the service into a Flask app."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from flask import Flask

from service import logs
from service.api import documentation, health, problems, recommend, web
from service.api.readiness import Engine, Readiness
from service.settings import Settings, load_settings

if TYPE_CHECKING:
    from service.recommender import Recommender

EXTENSION = "kinarow"


@dataclass(frozen=True, slots=True)
class Services:
    """The objects an app is made of, at ``app.extensions["kinarow"]``."""

    settings: Settings
    readiness: Readiness


def create_app(
    settings: Settings | None = None,
    *,
    recommender: "Recommender | None" = None,
    write_log: Callable[[bytes], None] = logs.write_line,
) -> Flask:
    """The app, ready to be served; its engine is loaded on first use or by ``warm_up``.

    Args:
        settings: by default those of the environment.
        recommender: by default one of its own, made when the engine is loaded.
        write_log: where the line of each request goes.

    Raises:
        SettingsError: a setting is impossible.
    """
    settings = settings or load_settings()
    readiness = Readiness(lambda: _load_engine(settings, recommender))
    app = Flask("service", static_folder=None)
    app.extensions[EXTENSION] = Services(settings, readiness)
    # A path with doubled slashes is not known, rather than another name that redirects.
    app.url_map.merge_slashes = False
    logs.install(app, settings.log_level, write_log)
    problems.install(app)
    recommend.install(app, settings, readiness)
    health.install(app, readiness)
    documentation.install(app)
    web.install(app)
    return app


def services(app: Flask) -> Services:
    """The objects an app is made of."""
    found: Services = app.extensions[EXTENSION]
    return found


def warm_up(app: Flask, *, in_background: bool = False) -> None:
    """Load the engine and warm it up, so that ``/readyz`` says yes.

    Args:
        app: made by ``create_app``.
        in_background: return at once; until it is done requests that need the engine are answered 503.
    """
    readiness = services(app).readiness
    if in_background:
        readiness.start()
    else:
        readiness.engine()


def _load_engine(settings: Settings, recommender: "Recommender | None") -> Engine:
    """Compile the kernels or load them from their cache."""
    log = structlog.get_logger()

    def report(line: str) -> None:
        log.info("warming up", step=line)

    # The folder of compiled kernels must be known before the first module with a kernel is imported.
    from service.engine.kernels.cache_dir import use_kernel_cache
    from service.engine.kernels.compile_report import compile_report

    use_kernel_cache(settings.kernel_cache_dir)
    with compile_report(report):
        from service.engine.search import engine_version
        from service.engine.search import warm_up as warm_up_search
        from service.recommender import Recommender

        warm_up_search()
    log.info("ready", engine=engine_version())
    return Engine(recommender or Recommender(cache_size=settings.cache_size), engine_version())
