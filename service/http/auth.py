"""API keys: if the settings name keys, every path that is not listed here needs one, sent as a bearer token.

Keys with the scope ``metrics`` open ``/metrics`` and ``/version`` alone, so that Prometheus cannot ask for searches.
"""

from flask import Flask, request

from kinarow.contract.problems import UNAUTHORIZED, UNAVAILABLE, Problem
from kinarow.keys import CHALLENGE, READ_AGAIN_S
from service.http.services import services
from service.settings import Settings

_OPEN = frozenset(
    {
        *("/", "/healthz", "/readyz", "/openapi.yaml", "/openapi.json", "/problems", "/docs", "/guide", "/llms.txt"),
        *("/atlas", "/atlas.json", "/atlas.csv"),
    }
)
_OPEN_BELOW = ("/docs/", "/guide/", "/web/")
_FOR_METRICS = frozenset({"/metrics", "/version"})  # paths that keys for metrics open


def init_app(app: Flask, settings: Settings) -> None:
    """Check the key of every request of the app if the settings name keys."""
    if settings.needs_key:
        app.before_request(_check_key)


def _check_key() -> None:
    """Raise the problem 401 if the key is missing or unknown, 503 if the service cannot read its keys."""
    # Preflight requests (OPTIONS) carry no credentials.
    if request.method == "OPTIONS" or request.path in _OPEN or request.path.startswith(_OPEN_BELOW):
        return
    keys = services().keys
    assert keys is not None
    authorization = request.headers.get("Authorization", "")
    refusal = keys.refusal(authorization, metrics=request.path in _FOR_METRICS)
    if refusal == "missing":
        headers = {"WWW-Authenticate": CHALLENGE}
        raise Problem(UNAUTHORIZED, "Send Authorization: Bearer and a key.", headers=headers)
    if refusal == "unknown":
        headers = {"WWW-Authenticate": f'{CHALLENGE}, error="invalid_token"'}
        raise Problem(UNAUTHORIZED, "The key is unknown.", headers=headers)
    if refusal == "unread":
        headers = {"Retry-After": str(READ_AGAIN_S)}
        raise Problem(UNAVAILABLE, "The service cannot read its API keys.", headers=headers)
