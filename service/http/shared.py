"""What the routes of an app share."""

from typing import NamedTuple

from service.http.disconnects import Disconnects
from service.http.response_cache import ResponseCache
from service.searches.limiter import SearchLimiter
from service.searches.recommender import Recommender
from service.settings import Settings


class Shared(NamedTuple):
    """One for each app."""

    settings: Settings
    recommender: Recommender
    limiter: SearchLimiter
    disconnects: Disconnects
    responses: ResponseCache
