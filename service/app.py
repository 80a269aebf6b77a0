"""The application factory."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from flask import Flask

from kinarow.keys import Keys
from kinarow.searches import Searches, Span
from kinarow.version import VERSION, engine_version
from service.http import connections, errors, responses, security
from service.http.connections import Disconnects
from service.http.services import EXTENSION, ResponseCache, Services
from service.routes import adapters, atlas, docs, drawings, health, moves, page
from service.searches.limiter import Load, SearchLimiter
from service.searches.redis_tier import RedisTier
from service.settings import REDIS_EXPIRY_S, Settings, load_settings
from service.telemetry import logs
from service.telemetry.metrics import Metrics

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

MAX_STREAMS = 16  # event streams open at once in each worker
RESPONSES_SHARE = 5  # a fifth of the cache's bytes is for finished responses

ROUTES = (moves, drawings, adapters, atlas, docs, page, health)


def create_app(
    settings: Settings | None = None, *, searches: Searches | None = None, slots_folder: Path | None = None
) -> Flask:
    """Create the Flask app, by default with settings from the environment and its own search slots.

    Raises ``SettingsError``. Workers with the same ``slots_folder`` share their search slots.
    """
    settings = settings or load_settings()
    metrics = Metrics()
    app = Flask("service", static_folder=None)
    app.url_map.merge_slashes = False  # a path with doubled slashes is unknown, not redirected
    app.wsgi_app = _without_upgrade(app.wsgi_app)  # type: ignore[assignment, method-assign]
    # Flask runs before_request hooks in the order of these calls, after_request hooks in reverse.
    logs.init_app(app, metrics.count_request)
    limiter = _limiter(settings, slots_folder, metrics, logs.start_traces(app))
    app.extensions[EXTENSION] = Services(
        settings=settings,
        metrics=metrics,
        keys=Keys(settings) if settings.needs_key else None,
        limiter=limiter,
        searches=_searches(settings, limiter, metrics) if searches is None else searches,
        responses=ResponseCache(
            settings.cache_bytes // RESPONSES_SHARE,
            on_hit=partial(metrics.count_hit, "memo"),
            on_size=partial(metrics.set_entries, "memo"),
        ),
        disconnects=Disconnects(),
    )
    errors.init_app(app)
    connections.init_app(app)
    security.init_app(app, settings)
    responses.init_app(app)
    for routes in ROUTES:
        app.register_blueprint(routes.blueprint)
    return app


def _without_upgrade(app: "WSGIApplication") -> "WSGIApplication":
    """Wrap the app to drop the header Upgrade: with it Werkzeug would look for a WebSocket route."""

    def without_upgrade(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        environ.pop("HTTP_UPGRADE", None)
        return app(environ, start_response)

    return without_upgrade


def _limiter(settings: Settings, slots_folder: Path | None, metrics: Metrics, span: Span) -> SearchLimiter:
    limits = Load(settings.searches, settings.search_queue, streams=MAX_STREAMS)
    metrics.set_versions(VERSION, engine_version(), limits)
    return SearchLimiter(
        limits,
        settings.search_wait_ms / 1000,
        slots_folder,
        security.client,
        on_load=metrics.set_load,
        on_waited=metrics.observe_wait,
        on_refused=metrics.count_refusal,
        span=span,
    )


def _searches(settings: Settings, limiter: SearchLimiter, metrics: Metrics) -> Searches:
    return Searches(
        settings.cache_bytes - settings.cache_bytes // RESPONSES_SHARE,
        run=limiter.run,
        join=limiter.join,
        span=limiter.span,
        shared=_redis_tier(settings, metrics),
        on_searched=metrics.count_search,
        on_hit=partial(metrics.count_hit, "local"),
        on_size=partial(metrics.set_entries, "local"),
    )


def _redis_tier(settings: Settings, metrics: Metrics) -> RedisTier | None:
    if settings.redis_url is None:
        return None
    secret = settings.redis_hmac_key
    return RedisTier(
        settings.redis_url.get_secret_value(),
        version=engine_version(),
        timeout_ms=settings.redis_timeout_ms,
        expiry_s=REDIS_EXPIRY_S,
        secret=secret.get_secret_value().encode() if secret else b"",
        on_lookup=metrics.count_lookup,
        on_silence=metrics.set_shared_open,
    )
