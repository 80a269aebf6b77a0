"""API keys: if the settings name keys, requests that cost computing time must send one as a bearer token.

Keys with the scope ``metrics`` open ``/metrics`` and ``/version`` alone, so that Prometheus cannot ask for searches.
"""

import hmac
from hashlib import blake2b

from flask import Flask, request

from service.api.problem_kinds import UNAUTHORIZED, Problem
from service.settings import ApiKeys

SCHEME = "Bearer"
HAS_KEYS = "HAS_KEYS"  # whether the service asks for keys, in the configuration of the app
_CHALLENGE = {"WWW-Authenticate": f'{SCHEME} realm="kinarow"'}

_OPEN = frozenset(
    {
        *("/", "/healthz", "/readyz", "/openapi.yaml", "/openapi.json", "/problems", "/docs", "/guide"),
        *("/atlas", "/atlas.json", "/atlas.csv"),
    }
)
_OPEN_BELOW = ("/docs/", "/guide/", "/web/")  # no key: health, documentation, and the page, which asks for it
_FOR_METRICS = frozenset({"/metrics", "/version"})  # paths that keys for metrics open


def install(app: Flask, keys: ApiKeys) -> None:
    """Refuse requests without one of these keys; without keys every request is accepted."""
    app.config[HAS_KEYS] = bool(keys.all)
    if not keys.all:
        return
    digests = [_digest(key) for key in keys.all]
    for_metrics = [*digests, *(_digest(key) for key in keys.metrics)]

    def check() -> None:
        """Check the key before each request: the problem 401 if it is missing or unknown."""
        # Preflight requests (OPTIONS) carry no credentials.
        if request.method == "OPTIONS" or request.path in _OPEN or request.path.startswith(_OPEN_BELOW):
            return
        scheme, _, key = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        if not key:
            raise Problem(UNAUTHORIZED, "Send Authorization: Bearer and a key.", headers=_CHALLENGE)
        accepted = for_metrics if request.path in _FOR_METRICS else digests
        if scheme.lower() != SCHEME.lower() or not _is_one_of(key.strip(), accepted):
            raise Problem(
                UNAUTHORIZED,
                "The key is unknown.",
                headers={"WWW-Authenticate": f'{_CHALLENGE["WWW-Authenticate"]}, error="invalid_token"'},
            )

    app.before_request(check)


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass")).digest()


def _is_one_of(key: str, digests: list[bytes]) -> bool:
    """Whether a key has one of the digests; all are compared, so the time taken reveals nothing."""
    given = _digest(key)
    known = False
    for digest in digests:
        known |= hmac.compare_digest(given, digest)
    return known
