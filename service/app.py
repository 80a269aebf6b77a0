"""Wires the objects of the service into a Flask app."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import structlog
from flask import Flask

from service import logs, metrics, workers
from service.admission import Admission
from service.api import (
    access,
    adapters,
    browsers,
    documentation,
    health,
    moves,
    problems,
    recommend,
    review,
    scrape,
    tree,
    web,
)
from service.api.clients import Clients
from service.api.readiness import Engine, Readiness
from service.metrics import Metrics
from service.settings import Settings, load_settings
from service.shared_cache import SharedCache
from service.version import VERSION

if TYPE_CHECKING:
    from service.known import SharedAnswers
    from service.recommender import Recommender

EXTENSION = "kinarow"


@dataclass(frozen=True, slots=True)
class Services:
    """The objects an app is made of, at ``app.extensions["kinarow"]``."""

    settings: Settings
    readiness: Readiness
    metrics: Metrics | None


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
    counts = Metrics() if settings.metrics else None
    admission = _admission(settings, counts)
    readiness = Readiness(
        lambda: _load_engine(settings, recommender, admission, counts), lambda: _overloaded(settings)
    )
    app = Flask("service", static_folder=None)
    app.extensions[EXTENSION] = Services(settings, readiness, counts)
    app.extensions[metrics.EXTENSION] = counts
    # A path with doubled slashes is not known, rather than another name that redirects.
    app.url_map.merge_slashes = False
    logs.install(app, settings.log_level, write_log, counts.request if counts else None)
    problems.install(app)
    browsers.install(app, settings.known_cors_origins)
    access.install(app, settings.known_api_keys)
    clients = Clients()
    memo = recommend.install(app, settings, readiness, admission, clients)
    moves.install(app, settings, readiness, clients)
    review.install(app, settings, readiness, clients)
    tree.install(app, settings, readiness, admission, clients)
    adapters.install(app, settings, readiness, clients)
    health.install(app, readiness)
    if counts:
        scrape.install(app, counts)
        scrape.watch_admission(counts, admission)
        scrape.watch_memo(counts, memo)
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


def write_metrics(app: Flask) -> None:
    """Keep the series that other workers show of this one up to date; called once the process forks no more."""
    counts = services(app).metrics
    if counts:
        counts.start()


def _admission(settings: Settings, counts: Metrics | None) -> Admission:
    """What bounds the searches of this worker; one thread is always left."""
    return Admission(
        searches=settings.searches,
        queue=settings.queue_slots,
        wait_s=settings.search_wait_ms / 1000,
        places=settings.threads - 1,
        streams=settings.stream_slots,
        on_busy=workers.set_busy,
        on_wait=counts.waited if counts else None,
    )


def _overloaded(settings: Settings) -> bool:
    """Whether ``/readyz`` should say no because no worker has had a search to spare for long."""
    return settings.unready_after_s > 0 and workers.all_busy_for(settings.unready_after_s)


def _load_engine(
    settings: Settings,
    recommender: "Recommender | None",
    admission: Admission,
    counts: Metrics | None,
) -> Engine:
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
    made = recommender or Recommender(
        cache_size=settings.cache_size,
        shared=_shared_answers(settings, engine_version(), counts),
        gate=admission,
        on_searched=counts.searched if counts else None,
    )
    if counts:
        counts.built(VERSION, engine_version())
        scrape.watch_recommender(counts, made)
    return Engine(made, engine_version())


def _shared_answers(settings: Settings, version: str, counts: Metrics | None) -> "SharedAnswers | None":
    """The cache that all workers and machines share, if there is one."""
    if settings.redis_url is None:
        return None
    from service.known import SharedAnswers

    shared = SharedCache(
        settings.redis_url.get_secret_value(),
        version=version,
        timeout_ms=settings.redis_timeout_ms,
        expiry_s=settings.redis_expiry_s,
        connections=settings.threads,
    )
    if counts:
        scrape.watch_shared_cache(counts, shared)
    return SharedAnswers(shared)
