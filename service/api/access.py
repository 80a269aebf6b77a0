"""API keys, where the settings name any: who asks for something that costs must send one as a bearer token."""

import hmac
from collections.abc import Iterable
from hashlib import blake2b

from flask import Flask, request

from service.api.problems import UNAUTHORIZED, Problem

SCHEME = "Bearer"
_CHALLENGE = {"WWW-Authenticate": f'{SCHEME} realm="kinarow"'}

_OPEN = frozenset({"/", "/healthz", "/readyz", "/openapi.yaml", "/openapi.json", "/problems", "/docs"})
_OPEN_BELOW = ("/docs/", "/web/")
"""What anybody may see: whether the service is well, its documentation, and the page, which asks for a key."""


def install(app: Flask, keys: Iterable[str]) -> None:
    """Refuse requests without one of these keys; with no keys at all every request is let through."""
    digests = [_digest(key) for key in keys]
    if not digests:
        return

    def check() -> None:
        """Flask calls it before each request.

        Raises:
            Problem: 401, there is no key or it is none of ours.
        """
        # A browser asks whether it may ask (OPTIONS) without credentials.
        if request.method == "OPTIONS" or _is_open(request.path):
            return
        scheme, _, key = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
        if not key:
            raise Problem(UNAUTHORIZED, "Send Authorization: Bearer and a key.", headers=_CHALLENGE)
        if scheme.lower() != SCHEME.lower() or not _is_one_of(key.strip(), digests):
            raise Problem(
                UNAUTHORIZED,
                "The key is none that is known here.",
                headers={"WWW-Authenticate": f'{_CHALLENGE["WWW-Authenticate"]}, error="invalid_token"'},
            )

    app.before_request(check)


def _is_open(path: str) -> bool:
    return path in _OPEN or path.startswith(_OPEN_BELOW)


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass")).digest()


def _is_one_of(key: str, digests: list[bytes]) -> bool:
    """Whether a key is known, in a time that does not depend on the key nor on which it is."""
    given = _digest(key)
    found = False
    for digest in digests:
        found |= hmac.compare_digest(given, digest)
    return found
