"""The objects that an app's routes and hooks share."""

from dataclasses import dataclass

from flask import current_app

from kinarow.keys import Keys
from kinarow.searches import Searches
from service.http.connections import Disconnects
from service.http.response_cache import ResponseCache
from service.searches.limiter import SearchLimiter
from service.settings import Settings
from service.telemetry.metrics import Metrics

EXTENSION = "kinarow"


@dataclass(frozen=True, slots=True)
class Services:
    """The objects of one app, at ``app.extensions["kinarow"]``.

    Without ``keys`` the API is open to everybody.
    """

    settings: Settings
    metrics: Metrics
    keys: Keys | None
    limiter: SearchLimiter
    searches: Searches
    responses: ResponseCache
    disconnects: Disconnects


def services() -> Services:
    """The objects of the current app."""
    found: Services = current_app.extensions[EXTENSION]
    return found
