"""The settings of the HTTP service, on top of those of ``kinarow.settings``."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, SecretStr, ValidationInfo, field_validator
from pydantic_settings import NoDecode

from kinarow import settings
from kinarow.cores import usable_cores
from kinarow.errors import nearest, quoted
from kinarow.settings import CONTAINER_HOSTS, PREFIX, listed

_DAY_S = 86_400
REDIS_EXPIRY_S = 7 * _DAY_S  # seconds until an answer on a Redis server expires

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
HOST = re.compile(r"\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\]")
_FORMS = {
    "trusted_hosts": (HOST, "names of hosts such as example.org, without a port, or *"),
    "cors_origins": (_ORIGIN, "origins such as https://example.org, or * (a page opened as a file needs *)"),
}
LOOPBACK_HOSTS = (".localhost", *CONTAINER_HOSTS)
"""Host names that a service on a loopback address trusts by default, besides every IP address."""


_Listed = Annotated[tuple[str, ...], NoDecode]  # comma-separated in the environment


class Settings(settings.Settings):
    """The settings of the service; errors name the environment variable."""

    workers: Annotated[int, Field(ge=1, le=1024)] = Field(default_factory=usable_cores)
    """Worker processes.

    Change it when a container has no CPU limit but should not use all cores."""
    searches: Annotated[int, Field(ge=1, le=1024)] = Field(default_factory=usable_cores)
    """Searches that run at once in all workers together; with one for each core, the 99th percentile of cached answers
    is about 25 ms at full load.

    Change it when a container has no CPU limit but should not use all cores."""
    search_queue: Annotated[int, Field(ge=0, le=10_000)] = 32
    """Most requests in each worker that wait for a search to end; of more, a client with the most waiting gets 503.

    Change it when more clients should wait, or fewer."""
    search_wait_ms: Annotated[int, Field(ge=0, le=60_000)] = 2000
    """Longest wait until a search may begin, in milliseconds; then the answer is 503. `/move` with at most 50,000 nodes
    waits only for others like it.

    Change it when clients can wait longer, or want a 503 sooner; for a public instance, several times
    `KINAROW_MAX_TIME_MS`."""
    max_age_s: Annotated[int, Field(ge=0, le=365 * _DAY_S)] = _DAY_S
    """Seconds for which browsers and proxies may cache answers to `GET` (`/move`, `/analysis`, `/board.svg`, `/solve`,
    the atlas).

    Change it when you upgrade often."""
    receive_s: Annotated[float, Field(gt=0, le=3600)] = 10.0
    """Seconds within which a body must arrive; then the answer is 408. A client that does not read its answer for as
    long is disconnected.

    Change it when clients are very slow."""
    trusted_hosts: _Listed = ()
    """Hosts that the header `Host` may name, separated by commas; `.example.org` allows `example.org` and its
    subdomains, `*` allows any. Health checks, `/metrics` and `/solve` accept any host.

    Change it when a proxy forwards requests under your own name."""
    cors_origins: _Listed = ()
    """Origins whose pages may read answers, separated by commas, such as `https://example.org`; `*` allows any.

    Change it when pages of other sites send requests."""
    redis_url: SecretStr | None = None
    """A Redis or Valkey server in which all workers and machines share answers: `redis://`, `rediss://` or `unix://`;
    needs the extra `kinarow[redis]`.

    Change it when there is more than one instance."""
    redis_timeout_ms: Annotated[int, Field(ge=1, le=1000)] = 5
    """Longest call to that server, in milliseconds.

    Change it when the server is far away."""
    redis_hmac_key: Annotated[SecretStr, Field(min_length=16)] | None = None
    """A secret of at least 16 characters that signs the values on that server; all workers and machines need the same
    one. Without it, whoever can write there can forge values.

    Change it when others can write to that server."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level of events that are logged.

    Change it when you do not want a line for each request: `warning`."""
    _on_loopback: bool = PrivateAttr(default=False)

    @property
    def known_hosts(self) -> tuple[str, ...]:
        """The trusted hosts; empty if any host is trusted."""
        return () if "*" in self.trusted_hosts else self.trusted_hosts or (LOOPBACK_HOSTS if self._on_loopback else ())

    def listening_on_loopback(self) -> Self:
        """Return the settings for a server that only this machine can reach; it trusts ``LOOPBACK_HOSTS``."""
        changed = self.model_copy()
        changed._on_loopback = True
        return changed

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("trusted_hosts", "cors_origins", mode="before")
    @classmethod
    def _split(cls, value: object, info: ValidationInfo) -> object:
        """Split a text at commas; raise ``ValueError`` if a part has the wrong form."""
        if not isinstance(value, str):
            return value
        form, wanted = _FORMS[str(info.field_name)]
        parts = listed(value.lower() if info.field_name == "trusted_hosts" else value)
        if not all(part == "*" or form.fullmatch(part) for part in parts):
            raise ValueError(wanted)
        return parts

    @field_validator("redis_url")
    @classmethod
    def _can_be_used(cls, value: SecretStr | None) -> SecretStr | None:
        """Raise ``ValueError`` if redis-py is not installed, or cannot use the URL."""
        # No message repeats the URL, which may hold a password.
        try:
            if value is not None:
                import redis

                redis.ConnectionPool.from_url(value.get_secret_value()).make_connection()
        except ImportError:
            raise ValueError("needs the package redis: pip install 'kinarow[redis]'") from None
        except Exception:
            form = "redis://HOST:PORT/NUMBER, rediss://… or unix:///PATH"
            raise ValueError(f"must be {form}, with options that redis-py knows") from None
        return value


def load_settings(**overrides: Any) -> Settings:
    """Read the settings of the service from the environment; raise like ``kinarow.settings.load``."""
    return settings.load(Settings, **overrides)


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Return a warning for each ``KINAROW_`` variable that isn't a setting, such as a misspelt one."""
    known = [name.upper() for name in Settings.model_fields]
    warnings = ["WEB_CONCURRENCY changes nothing; set KINAROW_WORKERS"] if "WEB_CONCURRENCY" in environ else []
    for name in sorted(environ):
        own = name.removeprefix(PREFIX)
        if own != name and own not in known and not _FROM_KUBERNETES.fullmatch(name):
            meant = nearest(own, known)
            hint = f"; did you mean {PREFIX}{meant}?" if meant else ""
            warnings.append(f"{quoted(name)} is not a setting and changes nothing{hint}")
    return warnings


# Kubernetes sets these variables in every pod for a Service called kinarow or kinarow-something.
_FROM_KUBERNETES = re.compile(PREFIX + r"(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)")


def default_settings(**overrides: Any) -> Settings:
    """Return the default settings, without reading the environment."""
    return settings.defaults(Settings, **overrides)
