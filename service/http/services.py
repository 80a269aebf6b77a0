"""The objects that an app's routes and hooks share."""

from dataclasses import dataclass
from typing import Any

from flask import current_app

from kinarow.answer_cache import Cache
from kinarow.keys import Keys
from service.http.connections import Disconnects
from service.http.response_cache import ResponseCache
from service.searches.limiter import SearchLimiter
from service.searches.recommender import Recommender
from service.settings import Settings
from service.telemetry.metrics import Metrics

EXTENSION = "kinarow"


@dataclass(frozen=True, slots=True)
class Services:
    """The objects of one app, at ``app.extensions["kinarow"]``.

    Without ``keys`` the API is open to everybody. ``trees`` keeps no tree: equal requests at the same time share one.
    """

    settings: Settings
    metrics: Metrics
    keys: Keys | None
    limiter: SearchLimiter
    recommender: Recommender
    trees: Cache[Any]
    responses: ResponseCache
    disconnects: Disconnects


def services() -> Services:
    """The objects of the current app."""
    found: Services = current_app.extensions[EXTENSION]
    return found
