"""API keys: checks the key of a request. This module does not need Flask."""

import logging
from hashlib import blake2b
from time import monotonic
from typing import Literal, NamedTuple

from kinarow.errors import SettingsError
from kinarow.settings import ApiKeys, Settings

SCHEME = "Bearer"
CHALLENGE = f'{SCHEME} realm="kinarow"'
READ_AGAIN_S = 10  # seconds between two attempts to read a keys file, after the first has failed

_log = logging.getLogger("kinarow.keys")

Refusal = Literal["missing", "unknown", "unread"]


class _Digests(NamedTuple):
    """The digests of accepted keys; comparing digests, not keys, keeps a look-up's time from revealing a key."""

    all: frozenset[bytes]  # of keys for all requests
    metrics: frozenset[bytes]  # of keys for ``/metrics`` and ``/version``: those in ``all`` too


class Keys:
    """The keys of a service that requires them.

    If the settings have not read the keys file, it is read here. If that fails, every request is refused, and the first
    request after ``READ_AGAIN_S`` reads the file again.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._read_at = 0.0
        known = settings.known_api_keys
        self._digests = _digests(known) if known.all else self._read()

    def refusal(self, authorization: str, *, metrics: bool = False) -> Refusal | None:
        """Return why the header ``Authorization`` is refused, or None; ``unread`` if the keys file cannot be used."""
        if self._digests is None and monotonic() - self._read_at >= READ_AGAIN_S:
            self._digests = self._read()
        if self._digests is None:
            return "unread"
        scheme, _, key = authorization.partition(" ")
        if not key:
            return "missing"
        accepted = self._digests.metrics if metrics else self._digests.all
        return None if scheme.lower() == SCHEME.lower() and _digest(key.strip()) in accepted else "unknown"

    def _read(self) -> _Digests | None:
        """Read the keys file; log an error and return None if it cannot be used."""
        self._read_at = monotonic()
        try:
            keys = self._settings.with_keys_read_again().known_api_keys
        except SettingsError as wrong:
            _log.error("the API keys cannot be read; requests that need one get 503: %s", wrong)
            return None
        return _digests(keys)


def _digests(keys: ApiKeys) -> _Digests:
    opening_all = frozenset(map(_digest, keys.all))
    return _Digests(opening_all, opening_all.union(map(_digest, keys.metrics)))


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "surrogatepass")).digest()
