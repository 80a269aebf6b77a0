"""The settings of the command line and of every server: limits of searches, address, keys and cache.

Each is read from an environment variable. ``service.settings`` adds those of the HTTP service.
"""

import ipaddress
import math
import os
import re
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self, TypeVar

from pydantic import Field, PrivateAttr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from kinarow.errors import SettingsError, quoted
from kinarow.game.rules import Rules
from kinarow.game.size import MAX_SIDE
from kinarow.search.best_move import slow_to_prove, solvable
from kinarow.search_types import MOST_NODES

PREFIX = "KINAROW_"
_GONE = {
    "CACHE_SIZE": "set KINAROW_CACHE_BYTES",
    "RESPONSE_CACHE_BYTES": "KINAROW_CACHE_BYTES bounds responses too",
    "API_KEYS": "write the keys to a file and set KINAROW_API_KEYS_FILE",
    "STREAMS": "each worker has 16 streams",
    "MAX_TREE_NODES": "a tree has at most 50,000 nodes",
    "METRICS": "/metrics is always there, and the proxy hides it",
}
"""Settings of earlier versions, and what replaces them."""

RARELY_SOON_SHARE = 8
"""The divisor of the default nodes on boards that are rarely proven within seconds, such as Score Four's: an analysis
there has 5 million nodes by default, one to two seconds of processor time."""

MEBIBYTE = 1024 * 1024

REVIEW_SHARES, REVIEW_MS = 5, 50_000
"""The most time of a review: ``REVIEW_SHARES`` times that of a search, but at most ``REVIEW_MS`` milliseconds."""

STOP_MARGIN_S = 5  # seconds that a stopping server has, beyond the time of the longest answer

_SECRET = frozenset({"redis_url", "redis_hmac_key"})  # settings whose values no message may show
_API_KEY = re.compile(r"[A-Za-z0-9._~+/=-]{16,200}")
_KEY_RULE = "every key must have 16 to 200 letters, digits and any of - . _ ~ + / ="
METRICS_SCOPE = "metrics"  # the word in a keys file before a key that opens ``/metrics`` and ``/version`` alone
MAX_KEYS_BYTES = 1024 * 1024  # the most bytes of a file of keys


CONTAINER_HOSTS = ("host.docker.internal", "host.containers.internal")
"""The names that containers have for the machine they run on."""


def is_loopback(host: str) -> bool:
    """Return True if only this machine can reach an address; of names only ``localhost`` counts."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listed(text: str) -> tuple[str, ...]:
    """Split a text at commas; strip the parts and leave out empty ones."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


class ApiKeys(NamedTuple):
    """The accepted API keys; without any the service is open."""

    all: tuple[str, ...] = ()  # keys for every request
    metrics: tuple[str, ...] = ()  # keys for ``/metrics`` and ``/version`` alone


def read_api_keys(path: Path) -> ApiKeys:
    """Read a keys file: one key on each line; before a key for the metrics alone stands ``metrics`` and a blank.

    Empty lines and those that begin with ``#`` are skipped. Raise ``SettingsError`` for a file that cannot be read or
    holds no usable key; no message shows a key.
    """
    name = f"{PREFIX}API_KEYS_FILE"
    try:
        with path.open("rb") as file:
            read = file.read(MAX_KEYS_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"{name}: {path} cannot be read: {error.strerror}") from None
    if len(read) > MAX_KEYS_BYTES:
        raise SettingsError(f"{name}: {path} has more than {MAX_KEYS_BYTES:,} bytes")
    keys: dict[str, list[str]] = {"": [], METRICS_SCOPE: []}
    for number, line in enumerate(read.decode("ascii", "replace").splitlines(), 1):
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
        raise SettingsError(f"{name}: add a line with a key alone, without a scope")
    return ApiKeys(tuple(keys[""]), tuple(keys[METRICS_SCOPE]))


class Settings(BaseSettings):
    """The settings; each is read from the variable ``KINAROW_`` and its name in capitals.

    An impossible value is a ``ValidationError``, which ``load`` turns into one clear line.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True, use_attribute_docstrings=True
    )

    host: Annotated[str, Field(min_length=1)] = "127.0.0.1"
    """Address to listen on.

    Change it when other machines send requests, or a container publishes the port: `0.0.0.0`."""
    port: Annotated[int, Field(ge=0, le=65_535)] = 8000
    """TCP port; 0 lets the system choose.

    Change it when the port is taken."""
    max_time_ms: Annotated[int, Field(ge=1, le=3_600_000)] = 10_000
    """Longest time for all searches of a request, in milliseconds, even if it asks for more; for those of a review five
    times as long, 50 seconds at most.

    Change it when clients wait longer, or the machine is shared."""
    max_nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = 200_000_000
    """Largest number of nodes of a search, on every board; a request with a larger `max_nodes` is refused. `/solve` has
    no limit of nodes.

    Change it when clients wait longer, or the machine is shared."""
    default_nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = 20_000_000
    """Nodes of a search without `max_nodes`, on boards that can be solved; an eighth of that if a proof is unlikely.

    Change it when answers without limits take too long, or should prove more."""
    default_nodes_large: Annotated[int, Field(ge=1, le=MOST_NODES)] = 1_000_000
    """Nodes of a search without `max_nodes` on all other boards.

    Change it when answers without limits take too long, or should look further."""
    threads: Annotated[int, Field(ge=0, le=1024)] = 1
    """Most threads for one `/solve`, or for one search with `time_limit_ms`, while fewer than `KINAROW_SEARCHES` run; 0
    for `KINAROW_SEARCHES`. Other requests do not depend on it.

    Change it when few clients need the deepest answer within their time."""
    max_side: Annotated[int, Field(ge=1, le=MAX_SIDE)] = MAX_SIDE
    """Most rows or columns of a board.

    Change it when clients send only small boards: a smaller value saves memory."""
    max_body_bytes: Annotated[int, Field(ge=1, le=64 * MEBIBYTE)] = 65_536
    """Largest body of a request, in bytes; a larger one is answered 413.

    Change it when `/moves` requests are larger."""
    cache_bytes: Annotated[int, Field(ge=0)] = 40 * MEBIBYTE
    """Bytes of cached answers in each worker, 0 for none; a server keeps a fifth for finished responses. Symmetric
    positions share one answer. An answer of `/move` takes about 600 bytes, an analysis of 25 × 25 at most about 8 kB.

    Change it when the metrics show repeated searches of the same positions."""
    api_keys_file: Path | None = None
    """A file with API keys, one on each line; after SIGHUP the service reads it again. Requests must then send one as
    `Authorization: Bearer KEY`, except for the page, the documentation, the atlas and health checks. A line
    `metrics KEY` is a key only for `/metrics` and `/version`. Lines that begin with `#` are comments; a key that
    appears twice is an error.

    Change it when you restrict access."""
    _keys: ApiKeys = PrivateAttr(default=ApiKeys())

    def nodes_by_default(self, rules: Rules) -> int:
        """Return the nodes of a search without ``max_nodes`` on a board of these rules."""
        if not solvable(rules):
            return self.default_nodes_large
        return max(1, self.default_nodes // RARELY_SOON_SHARE) if slow_to_prove(rules) else self.default_nodes

    @property
    def review_time_ms(self) -> int:
        """Maximum time of a review in milliseconds."""
        return min(REVIEW_MS, REVIEW_SHARES * self.max_time_ms)

    @property
    def stop_s(self) -> int:
        """The most seconds that a server takes to stop: it finishes the answers that it has begun, reviews too."""
        return math.ceil(max(self.max_time_ms, self.review_time_ms) / 1000) + STOP_MARGIN_S

    @property
    def needs_key(self) -> bool:
        """Whether a request that costs computing time must send a key."""
        return self.api_keys_file is not None

    @property
    def known_api_keys(self) -> ApiKeys:
        """The accepted keys; empty if the service is open, or if the keys file has not been read."""
        return self._keys

    def with_keys_read_again(self) -> Self:
        """Return the settings with the keys that their file has now; raises like ``read_api_keys``."""
        if self.api_keys_file is None:
            return self
        again = self.model_copy()
        again._keys = read_api_keys(self.api_keys_file)
        return again

    @model_validator(mode="after")
    def _budgets_fit(self) -> Self:
        """Raise ``ValueError`` if default nodes are above ``max_nodes``."""
        for name in ("default_nodes", "default_nodes_large"):
            nodes = getattr(self, name)
            if nodes > self.max_nodes:
                default, most = f"{PREFIX}{name.upper()} ({nodes})", f"{PREFIX}MAX_NODES ({self.max_nodes})"
                raise ValueError(f"{default} must not be more than {most}")
        return self


Wanted = TypeVar("Wanted", bound=Settings)


def load(kind: type[Wanted], *, read_keys: bool = True, **overrides: Any) -> Wanted:
    """Read the settings from this process's environment; raise ``SettingsError`` for an impossible one.

    Args:
        kind: the class of settings to return.
        read_keys: whether to read the keys file now; otherwise ``kinarow.keys`` reads it later.
        overrides: settings by name that replace those of the environment, such as ``port=0``.
    """
    for name, remedy in _GONE.items():
        if os.environ.get(PREFIX + name):
            raise SettingsError(f"{PREFIX}{name}: no longer exists; {remedy}")
    try:
        settings = kind(**overrides)
    except ValidationError as failure:
        raise SettingsError("; ".join(map(_line, failure.errors(include_url=False)))) from None
    return settings.with_keys_read_again() if read_keys else settings


def defaults(kind: type[Wanted], **overrides: Any) -> Wanted:
    """Return the default settings, whatever the environment says."""
    values = {name: field.get_default(call_default_factory=True) for name, field in kind.model_fields.items()}
    return load(kind, **(values | overrides))


def load_settings(**overrides: Any) -> Settings:
    """Read the settings of the command line."""
    return load(Settings, **overrides)


def _line(error: Any) -> str:
    """Return an error of Pydantic as one line that names the environment variable and quotes no secret."""
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
