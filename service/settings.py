"""Every setting of the service: its environment variable, unit, default and limits."""

import ipaddress
import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field, PrivateAttr, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from kinarow.errors import quoted
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_SIDE
from kinarow.search.search import rarely_soon, solvable
from kinarow.search_types import MOST_NODES
from service.answers.redis_pool import problem_with

PREFIX = "KINAROW_"

RARELY_SOON_SHARE = 8
"""One in this many of the default nodes are searched where a proof within seconds is rare, such as in Score Four: the
default makes an analysis of 5 million nodes there, one to two seconds of processor time."""

_MEBIBYTE = 1024 * 1024
_DAY_S = 86_400


def usable_cores() -> int:
    """The number of processor cores that this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_SECRET = frozenset({"api_keys", "redis_url", "redis_hmac_key"})  # settings whose values no message may show
_API_KEY = re.compile(r"[A-Za-z0-9._~+/=-]{16,200}")
_KEY_RULE = "every key must have 16 to 200 letters, digits and any of - . _ ~ + / ="
METRICS_SCOPE = "metrics"  # the word before a key, in a file of keys, that opens ``/metrics`` and ``/version`` alone
MAX_KEYS_BYTES = 1024 * 1024  # the most bytes of a file of keys that are read
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?")
_HOST = re.compile(r"\.?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\]")
LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address; of names only ``localhost`` counts."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


class ApiKeys(NamedTuple):
    """Keys that open all, and keys that open ``/metrics`` and ``/version`` alone; without any the service is open."""

    all: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()


def read_api_keys(path: Path) -> ApiKeys:
    """The keys in a file: one on each line, ``metrics`` and a blank before it for a key with that scope.

    Empty lines and those that begin with ``#`` are left out. A file that cannot be read, or holds no usable keys, is a
    ``SettingsError``; no message shows a key.
    """
    name = f"{PREFIX}API_KEYS_FILE"
    try:
        with path.open("rb") as file:
            text = file.read(MAX_KEYS_BYTES).decode("ascii", "replace")
    except OSError as error:
        raise SettingsError(f"{name}: {path} cannot be read: {error.strerror}") from None
    keys: dict[str, list[str]] = {"": [], METRICS_SCOPE: []}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        scope, key = ("", *words) if len(words) == 1 else (words[0], " ".join(words[1:]))
        if scope not in keys or not _API_KEY.fullmatch(key):
            raise SettingsError(f"{name}: line {number} is not a key: {_KEY_RULE}")
        keys[scope].append(key)
    known = [*keys[""], *keys[METRICS_SCOPE]]
    if len(set(known)) != len(known):
        raise SettingsError(f"{name}: a key appears twice")
    if not keys[""]:
        raise SettingsError(f"{name}: must name at least one key without a scope")
    return ApiKeys(tuple(keys[""]), tuple(keys[METRICS_SCOPE]))


class SettingsError(ValueError):
    """A setting is impossible; the message is one line that names its environment variable."""


class Settings(BaseSettings):
    """The settings; each is read from the variable ``KINAROW_`` and its name in capitals.

    An impossible value is a ``ValidationError``, which ``load_settings`` turns into one clear line.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    host: Annotated[str, Field(min_length=1)] = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[int, Field(ge=0, le=65_535)] = Field(8000, description="TCP port; 0 lets the system choose.")
    workers: Annotated[int, Field(ge=1, le=1024)] = Field(
        default_factory=usable_cores, description="Worker processes; by default one for each usable core."
    )
    searches: Annotated[int, Field(ge=1, le=1024)] = Field(
        default_factory=usable_cores,
        description="Searches that run at once in all workers together; by default one for each usable core.",
    )
    search_queue: Annotated[int, Field(ge=0, le=10_000)] = Field(
        32, description="The most requests of each worker that wait for a search; any further one is answered 503."
    )
    search_wait_ms: Annotated[int, Field(ge=0, le=60_000)] = Field(
        2000, description="The longest wait of a request for a search, in milliseconds; after it the answer is 503."
    )
    streams: Annotated[int, Field(ge=0, le=1024)] = Field(
        16, description="Server-sent event streams open at once in each worker."
    )
    metrics: bool = Field(True, description="Whether `/metrics` answers.")

    max_time_ms: Annotated[int, Field(ge=1, le=3_600_000)] = Field(
        10_000, description="The longest search, in milliseconds, whatever a request asks for."
    )
    max_nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = Field(
        200_000_000, description="The largest `max_nodes` of a request; a larger one is refused."
    )
    default_nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = Field(
        20_000_000,
        description="Nodes of a search without `max_nodes`, on boards that can be solved; an eighth of them on "
        "boards of other shapes (layers, joined edges, blocked cells, chosen directions) with more than 36 cells.",
    )
    default_nodes_large: Annotated[int, Field(ge=1, le=MOST_NODES)] = Field(
        1_000_000, description="Nodes of a search without `max_nodes`, on larger boards, where a node takes longer."
    )
    max_side: Annotated[int, Field(ge=1, le=MAX_SIDE)] = Field(
        MAX_SIDE, description=f"The most rows or columns of a board, 1 to {MAX_SIDE}."
    )
    max_body_bytes: Annotated[int, Field(ge=1, le=64 * _MEBIBYTE)] = Field(
        65_536, description="The largest body of a request, in bytes; a larger one is answered 413."
    )
    max_batch: Annotated[int, Field(ge=1, le=10_000)] = Field(100, description="The most requests in one `/moves`.")
    max_tree_nodes: Annotated[int, Field(ge=1, le=10**6)] = Field(
        50_000, description="The most nodes of a tree of `/tree`; each takes about 110 bytes of the answer."
    )

    cache_size: Annotated[int, Field(ge=0, le=10_000_000)] = Field(
        20_000, description="Answers that each worker keeps; symmetric positions share one."
    )
    response_cache_bytes: Annotated[int, Field(ge=0)] = Field(
        8 * _MEBIBYTE,
        description="The most bytes of finished responses and their requests that each worker keeps; 0 keeps none.",
    )
    max_age_s: Annotated[int, Field(ge=0, le=365 * _DAY_S)] = Field(
        _DAY_S, description="Seconds for which browsers and proxies may keep the answer to a GET request."
    )

    receive_s: Annotated[float, Field(gt=0, le=3600)] = Field(
        10.0, description="The longest time for a body to arrive, in seconds; after it the answer is 408."
    )
    send_s: Annotated[float, Field(gt=0, le=3600)] = Field(
        10.0, description="Seconds after which a client that does not read its answer is disconnected."
    )

    api_keys: SecretStr | None = Field(
        None,
        description="Keys, separated by commas. A request that costs computing time must send one of them as "
        "`Authorization: Bearer KEY`; without any key the service is open.",
    )
    api_keys_file: Path | None = Field(
        None,
        description="A file with the keys instead, one on each line. SIGHUP reads it again. A line `metrics KEY` is a "
        "key for `/metrics` and `/version` alone.",
    )
    _keys: ApiKeys = PrivateAttr(default=ApiKeys())
    trusted_hosts: str = Field(
        "",
        description="Hosts, separated by commas, that the header `Host` of a request may name; one that begins with a "
        "dot stands for its subdomains too, and `*` for any host. The default is `localhost,127.0.0.1,[::1]` where the "
        "server listens on loopback addresses alone, otherwise any host.",
    )
    cors_origins: str = Field(
        "",
        description="Origins, separated by commas, whose pages may read answers, such as `https://example.org`, "
        "or `*` for all; without any, only the service's own page may read them.",
    )

    redis_url: SecretStr | None = Field(
        None,
        description="A Redis or Valkey server in which all workers and machines share answers: `redis://`, "
        "`rediss://` or `unix://`; needs the extra `kinarow[redis]`.",
    )
    redis_timeout_ms: Annotated[int, Field(ge=1, le=1000)] = Field(
        5, description="The longest call of that server, in milliseconds."
    )
    redis_hmac_key: Annotated[SecretStr, Field(min_length=16)] | None = Field(
        None,
        description="A secret of at least 16 characters that signs the values on that server; all workers and "
        "machines need the same one. Without it they carry a checksum, which anybody can write.",
    )
    redis_expiry_s: Annotated[int, Field(ge=1, le=365 * _DAY_S)] = Field(
        7 * _DAY_S, description="Seconds after which that server forgets an answer."
    )

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The lowest level of events that are logged; `warning` leaves out the line of each request."
    )

    def nodes_by_default(self, rules: Rules) -> int:
        """The nodes of a search without ``max_nodes``, on a board of these rules."""
        if not solvable(rules):
            return self.default_nodes_large
        return max(1, self.default_nodes // RARELY_SOON_SHARE) if rarely_soon(rules) else self.default_nodes

    @property
    def needs_key(self) -> bool:
        """Whether a request that costs computing time must send a key."""
        return self.api_keys is not None or self.api_keys_file is not None

    @property
    def known_api_keys(self) -> ApiKeys:
        """The accepted keys; empty if the service is open, or if the file of keys has not been read."""
        return self._keys

    def with_keys_read_again(self) -> "Settings":
        """The same settings with the present keys of their file; ``SettingsError`` as in ``read_api_keys``."""
        if self.api_keys_file is None:
            return self
        again = self.model_copy()
        again._keys = read_api_keys(self.api_keys_file)
        return again

    @property
    def known_trusted_hosts(self) -> tuple[str, ...]:
        """The hosts that requests may name, in lower case; empty if they may name any."""
        hosts = _listed(self.trusted_hosts.lower())
        return () if "*" in hosts else hosts

    def listening_on_loopback(self) -> "Settings":
        """The same settings with the default of ``trusted_hosts`` for a server that only this machine reaches."""
        return self if self.trusted_hosts else self.model_copy(update={"trusted_hosts": ",".join(LOOPBACK_NAMES)})

    @property
    def known_cors_origins(self) -> frozenset[str]:
        """The origins whose pages may read answers."""
        return frozenset(_listed(self.cors_origins))

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @field_validator("api_keys")
    @classmethod
    def _keys_are_sound(cls, value: SecretStr | None) -> SecretStr | None:
        keys = _listed(value.get_secret_value()) if value is not None else ()
        if value is not None and not keys:
            raise ValueError("must name at least one key")
        if any(not _API_KEY.fullmatch(key) for key in keys):
            raise ValueError(_KEY_RULE)
        if len(set(keys)) != len(keys):
            raise ValueError("a key appears twice")
        return value

    @field_validator("trusted_hosts")
    @classmethod
    def _hosts_are_names(cls, value: str) -> str:
        for host in _listed(value):
            if host != "*" and not _HOST.fullmatch(host):
                raise ValueError("names of hosts such as example.org, without a port, or *")
        return value

    @field_validator("cors_origins")
    @classmethod
    def _origins_are_sound(cls, value: str) -> str:
        for origin in _listed(value):
            if origin != "*" and not _ORIGIN.fullmatch(origin):
                raise ValueError("origins such as https://example.org, or *")
        return value

    @field_validator("redis_url")
    @classmethod
    def _can_be_used(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            problem = problem_with(value.get_secret_value())
            if problem:
                raise ValueError(problem)
        return value

    @model_validator(mode="after")
    def _keys_have_one_source(self) -> "Settings":
        if self.api_keys is not None:
            if self.api_keys_file is not None:
                raise ValueError(f"{PREFIX}API_KEYS, {PREFIX}API_KEYS_FILE: only one of them may be set")
            self._keys = ApiKeys(_listed(self.api_keys.get_secret_value()))
        return self

    @model_validator(mode="after")
    def _budgets_fit(self) -> "Settings":
        if self.default_nodes > self.max_nodes:
            default, most = (f"{PREFIX}DEFAULT_NODES ({self.default_nodes})", f"{PREFIX}MAX_NODES ({self.max_nodes})")
            raise ValueError(f"{default} must not be more than {most}")
        return self


def load_settings(*, read_keys: bool = True, **overrides: Any) -> Settings:
    """The settings of this process's environment; an impossible one is a ``SettingsError``.

    Args:
        read_keys: whether to read the file of keys; if not, ``service.api.keys`` reads it.
        overrides: settings by name that replace those of the environment, such as ``port=0``.
    """
    try:
        settings = Settings(**overrides)
    except ValidationError as failure:
        raise SettingsError("; ".join(map(_line, failure.errors(include_url=False)))) from None
    return settings.with_keys_read_again() if read_keys else settings


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """A warning for each variable that begins with ``KINAROW_`` but is not a setting, such as a misspelt one."""
    known = [name.upper() for name in Settings.model_fields]
    warnings = []
    for name in sorted(environ):
        own = name.removeprefix(PREFIX)
        if own != name and own not in known and not _FROM_KUBERNETES.fullmatch(name):
            nearest = get_close_matches(own, known, n=1)
            hint = f"; did you mean {PREFIX}{nearest[0]}?" if nearest else ""
            warnings.append(f"{quoted(name)} is not a setting and changes nothing{hint}")
    return warnings


# The variables that Kubernetes sets in every pod for a Service called kinarow or kinarow-something.
_FROM_KUBERNETES = re.compile(PREFIX + r"(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)")


def default_settings(**overrides: Any) -> Settings:
    """The defaults, independent of the environment."""
    defaults = {name: field.get_default(call_default_factory=True) for name, field in Settings.model_fields.items()}
    return load_settings(**(defaults | overrides))


def _line(error: Any) -> str:
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if not error["loc"]:
        return str(message)
    name = PREFIX + str(error["loc"][0]).upper()
    if error["type"] == "extra_forbidden":
        return f"{name}: no such setting"
    if error["loc"][0] in _SECRET:
        return f"{name}: {message}"
    hint = ""
    if str(error["input"]).startswith("tcp://"):
        # Kubernetes sets NAME_PORT for every Service NAME, so a Service called kinarow sets this one.
        hint = " (set by a Kubernetes service of this name: use enableServiceLinks: false)"
    return f"{name}: must be {message}, not {quoted(error['input'])}{hint}"
