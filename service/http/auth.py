"""API keys: if the settings name keys, requests that cost computing time must send one as a bearer token.

Keys with the scope ``metrics`` open ``/metrics`` and ``/version`` alone, so that Prometheus cannot ask for searches.
"""

from flask import Flask, request

from kinarow.contract.problem_kinds import UNAUTHORIZED, UNAVAILABLE, Problem
from kinarow.keys import CHALLENGE, READ_AGAIN_S, Keys
from service.settings import Settings

HAS_KEYS = "HAS_KEYS"  # whether the service asks for keys, in the configuration of the app

_OPEN = frozenset(
    {
        *("/", "/healthz", "/readyz", "/openapi.yaml", "/openapi.json", "/problems", "/docs", "/guide"),
        *("/atlas", "/atlas.json", "/atlas.csv"),
    }
)
_OPEN_BELOW = ("/docs/", "/guide/", "/web/")  # no key: health, documentation, and the page, which asks for it
_FOR_METRICS = frozenset({"/metrics", "/version"})  # paths that keys for metrics open


def install(app: Flask, settings: Settings) -> None:
    """Refuse requests without one of the keys of the settings; without keys every request is accepted."""
    app.config[HAS_KEYS] = settings.needs_key
    if not settings.needs_key:
        return
    keys = Keys(settings)

    def check() -> None:
        """Check the key before each request: the problem 401 if it is missing or unknown, 503 if no key can be read."""
        # Preflight requests (OPTIONS) carry no credentials.
        if request.method == "OPTIONS" or request.path in _OPEN or request.path.startswith(_OPEN_BELOW):
            return
        authorization = request.environ.get("HTTP_AUTHORIZATION", "")
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

    app.before_request(check)
