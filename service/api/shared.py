"""What the routes of an app share."""

from typing import NamedTuple

from service.answers.recommender import Recommender
from service.answers.search_limiter import SearchLimiter
from service.api.disconnects import Disconnects
from service.api.response_cache import ResponseCache
from service.settings import Settings


class Shared(NamedTuple):
    """One for each app."""

    settings: Settings
    recommender: Recommender
    limiter: SearchLimiter
    disconnects: Disconnects
    responses: ResponseCache
