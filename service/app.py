"""Wires the objects of the service into a Flask app."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from flask import Flask, Request
from werkzeug.routing import MapAdapter

from kinarow.version import VERSION, engine_version
from service.http import auth, compression, headers, hosts, problem_responses
from service.http.disconnects import Disconnects
from service.http.response_cache import ResponseCache
from service.http.shared import Shared
from service.routes import atlas, guide, health, picture, solve, tree
from service.routes import docs as documentation
from service.routes import kaggle as adapters
from service.routes import moves as answers
from service.routes import page as web
from service.searches.limiter import SearchLimiter
from service.searches.overload import Load
from service.searches.recommender import Recommender
from service.searches.redis_answers import RedisAnswers
from service.searches.redis_tier import RedisTier
from service.settings import Settings, load_settings
from service.telemetry import logs
from service.telemetry.metrics import Metrics, Tier

EXTENSION = "kinarow"


@dataclass(frozen=True, slots=True)
class Services:
    """The objects an app is made of, at ``app.extensions["kinarow"]``."""

    settings: Settings
    metrics: Metrics | None


class _App(Flask):
    """A Flask app without WebSockets and coroutines."""

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Drop the header Upgrade, which a server may ignore; with it Werkzeug would look for a WebSocket route."""
        if request is not None:
            request.environ.pop("HTTP_UPGRADE", None)
        return super().create_url_adapter(request)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself: none here is a coroutine, and Flask would ask that for each hook of each request."""
        return func


def create_app(
    settings: Settings | None = None,
    *,
    recommender: Recommender | None = None,
    slots_folder: Path | None = None,
    write_log: Callable[[bytes], None] = logs.write_line,
) -> Flask:
    """The app, ready to be served; its kernels are opened when they are first used.

    Args:
        settings: by default those of the environment; an impossible one is a ``SettingsError``.
        slots_folder: ``service.searches.slots.slots_folder`` in a worker; by default only this app has its slots.
        write_log: called with the log line of each request.
    """
    settings = settings or load_settings()
    metrics = Metrics() if settings.metrics else None
    limiter = _limiter(settings, slots_folder, metrics)
    if metrics:
        metrics.started(VERSION, engine_version(), limiter.limits)
    recommender = recommender or _recommender(settings, limiter, metrics)
    app = _App("service", static_folder=None)
    app.extensions[EXTENSION] = Services(settings, metrics)
    # A path with doubled slashes is unknown; it does not redirect.
    app.url_map.merge_slashes = False
    logs.install(app, settings.log_level, write_log, metrics.request if metrics else None)
    problem_responses.install(app)
    hosts.install(app, settings)
    headers.install(app, settings.known_cors_origins)
    compression.install(app)
    auth.install(app, settings)
    responses = ResponseCache(settings.response_cache_bytes, **_cache_listeners(metrics, "memo"))
    shared = Shared(settings, recommender, limiter, Disconnects(), responses)
    for routes in (answers, tree, adapters, picture, solve):
        routes.install(app, shared)
    health.install(app, metrics)
    documentation.install(app)
    atlas.install(app, settings)
    guide.install(app)
    web.install(app, settings.max_nodes)
    return app


def services(app: Flask) -> Services:
    """The objects an app is made of."""
    found: Services = app.extensions[EXTENSION]
    return found


def _limiter(settings: Settings, slots_folder: Path | None, metrics: Metrics | None) -> SearchLimiter:
    most = Load(settings.searches, settings.search_queue, streams=settings.streams)
    listeners: dict[str, Any] = {}
    if metrics is not None:
        listeners = {"on_load": metrics.load, "on_waited": metrics.waited, "on_refused": metrics.refused}
    return SearchLimiter(most, settings.search_wait_ms / 1000, slots_folder, **listeners)


def _cache_listeners(metrics: Metrics | None, tier: Tier) -> dict[str, Any]:
    return {} if metrics is None else {"on_hit": partial(metrics.hit, tier), "on_size": partial(metrics.kept, tier)}


def _recommender(settings: Settings, limiter: SearchLimiter, metrics: Metrics | None) -> Recommender:
    listeners = _cache_listeners(metrics, "local")
    if metrics is not None:
        listeners["on_searched"] = metrics.searched
    shared = _shared_answers(settings, engine_version(), metrics)
    return Recommender(cache_size=settings.cache_size, shared=shared, limiter=limiter, **listeners)


def _shared_answers(settings: Settings, version: str, metrics: Metrics | None) -> RedisAnswers | None:
    if settings.redis_url is None:
        return None
    secret = settings.redis_hmac_key
    return RedisAnswers(
        RedisTier(
            settings.redis_url.get_secret_value(),
            version=version,
            timeout_ms=settings.redis_timeout_ms,
            expiry_s=settings.redis_expiry_s,
            secret=secret.get_secret_value().encode() if secret else b"",
            on_lookup=metrics.shared if metrics else lambda result: None,
            on_breaker_change=metrics.shared_open if metrics else lambda is_open: None,
        )
    )
