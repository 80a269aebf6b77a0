"""The settings of the HTTP service, on top of those of ``kinarow.settings``."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, PrivateAttr, SecretStr, ValidationInfo, field_validator

from kinarow import settings
from kinarow.cores import usable_cores
from kinarow.errors import nearest, quoted
from kinarow.settings import MEBIBYTE, PREFIX, listed
from service.searches.redis_pool import problem_with

_DAY_S = 86_400

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
HOST = re.compile(r"\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\]")
_FORMS = {
    "trusted_hosts": (HOST, "names of hosts such as example.org, without a port, or *"),
    "cors_origins": (_ORIGIN, "origins such as https://example.org, or * (a page opened as a file needs *)"),
}
LOOPBACK_HOSTS = (".localhost", "host.docker.internal", "host.containers.internal")
"""The names, beside every IP address, that a service on loopback addresses trusts if no hosts are set; the last two
are this machine as containers name it."""


class Settings(settings.Settings):
    """The settings of the service; a message names the environment variable of an impossible one."""

    workers: Annotated[int, Field(ge=1, le=1024)] = Field(default_factory=usable_cores)
    """Worker processes; by default one for each usable core."""
    searches: Annotated[int, Field(ge=1, le=1024)] = Field(default_factory=usable_cores)
    """Searches that run at once in all workers together; by default one for each usable core."""
    search_queue: Annotated[int, Field(ge=0, le=10_000)] = 32
    """Maximum number of requests that wait for a search, in each worker; further requests get 503."""
    search_wait_ms: Annotated[int, Field(ge=0, le=60_000)] = 2000
    """Maximum time a request waits for a search slot, in milliseconds; then it gets 503."""
    streams: Annotated[int, Field(ge=0, le=1024)] = 16
    """Maximum number of event streams open at once in each worker."""
    metrics: bool = True
    """Whether `/metrics` is enabled."""
    max_batch: Annotated[int, Field(ge=1, le=10_000)] = 100
    """Maximum requests in one `/moves`."""
    max_tree_nodes: Annotated[int, Field(ge=1, le=10**6)] = 50_000
    """Maximum number of nodes of a tree of `/tree`; each takes about 110 bytes of the answer."""
    response_cache_bytes: Annotated[int, Field(ge=0)] = 8 * MEBIBYTE
    """Bytes of cached responses and their requests in each worker; 0 disables this cache."""
    max_age_s: Annotated[int, Field(ge=0, le=365 * _DAY_S)] = _DAY_S
    """Seconds for which browsers and proxies may cache the answer to a GET request."""
    receive_s: Annotated[float, Field(gt=0, le=3600)] = 10.0
    """Seconds within which a body must arrive; then the answer is 408."""
    send_s: Annotated[float, Field(gt=0, le=3600)] = 10.0
    """Seconds after which a client that does not read its answer is disconnected."""
    trusted_hosts: str = ""
    """Hosts, separated by commas, that the header `Host` of a request may name; one that begins with a dot stands for
    its subdomains too, and `*` for any host. The default is any host, but where the server listens on loopback
    addresses alone: IP addresses, `.localhost`, `host.docker.internal` and `host.containers.internal`."""
    cors_origins: str = ""
    """Origins, separated by commas, whose pages may read answers, such as `https://example.org`, or `*` for all;
    without any, only the service's own page may read them."""
    redis_url: SecretStr | None = None
    """A Redis or Valkey server in which all workers and machines share answers: `redis://`, `rediss://` or `unix://`;
    needs the extra `kinarow[redis]`."""
    redis_timeout_ms: Annotated[int, Field(ge=1, le=1000)] = 5
    """Timeout of a call to that server, in milliseconds."""
    redis_hmac_key: Annotated[SecretStr, Field(min_length=16)] | None = None
    """A secret of at least 16 characters that signs the values on that server; all workers and machines need the same
    one. Without it, values have only a checksum, which others can forge."""
    redis_expiry_s: Annotated[int, Field(ge=1, le=365 * _DAY_S)] = 7 * _DAY_S
    """Seconds until an answer on that server expires."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The lowest level of events that are logged; `warning` leaves out the line of each request."""
    _on_loopback: bool = PrivateAttr(default=False)

    @property
    def known_trusted_hosts(self) -> tuple[str, ...]:
        """The hosts that requests may name, in lower case; empty if they may name any."""
        hosts = listed(self.trusted_hosts.lower())
        return () if "*" in hosts else hosts

    @property
    def only_on_loopback(self) -> bool:
        """Whether only this machine reaches the server, and ``trusted_hosts`` does not say whom it trusts."""
        return self._on_loopback and not self.trusted_hosts

    def listening_on_loopback(self) -> Self:
        """The same settings for a server that only this machine reaches."""
        changed = self.model_copy()
        changed._on_loopback = True
        return changed

    @property
    def known_cors_origins(self) -> frozenset[str]:
        """The origins whose pages may read answers."""
        return frozenset(listed(self.cors_origins))

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("trusted_hosts", "cors_origins")
    @classmethod
    def _have_their_form(cls, value: str, info: ValidationInfo) -> str:
        form, wanted = _FORMS[str(info.field_name)]
        if not all(each == "*" or form.fullmatch(each) for each in listed(value)):
            raise ValueError(wanted)
        return value

    @field_validator("redis_url")
    @classmethod
    def _can_be_used(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            problem = problem_with(value.get_secret_value())
            if problem:
                raise ValueError(problem)
        return value


def load_settings(**overrides: Any) -> Settings:
    """The settings of the service, as ``kinarow.settings.load`` reads them."""
    return settings.load(Settings, **overrides)


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A warning for each variable that begins with ``KINAROW_`` but is not a setting, such as a misspelt one."""
    known = [name.upper() for name in Settings.model_fields]
    warnings = []
    for name in sorted(environ):
        own = name.removeprefix(PREFIX)
        if own != name and own not in known and not _FROM_KUBERNETES.fullmatch(name):
            meant = nearest(own, known)
            hint = f"; did you mean {PREFIX}{meant}?" if meant else ""
            warnings.append(f"{quoted(name)} is not a setting and changes nothing{hint}")
    return warnings


# The variables that Kubernetes sets in every pod for a Service called kinarow or kinarow-something.
_FROM_KUBERNETES = re.compile(PREFIX + r"(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)")


def default_settings(**overrides: Any) -> Settings:
    """The defaults, independent of the environment."""
    return settings.defaults(Settings, **overrides)
