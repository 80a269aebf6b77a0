"""Every setting of the service: its environment variable, unit, default and limits."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from service.engine.errors import quoted
from service.engine.rules import MAX_SIDE

PREFIX = "KINAROW_"

_MEBIBYTE = 1024 * 1024
_DAY_S = 86_400


def usable_cores() -> int:
    """How many processor cores this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class SettingsError(ValueError):
    """A setting is impossible; the message is one line that names its environment variable."""


class Settings(BaseSettings):
    """The settings, each read from ``KINAROW_`` and its name in capitals.

    Raises:
        ValidationError: a value is impossible; ``load_settings`` turns that into one clear line.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", env_ignore_empty=True)

    host: Annotated[str, Field(min_length=1)] = Field("127.0.0.1", description="Address to listen on.")
    port: Annotated[int, Field(ge=0, le=65_535)] = Field(
        8000, description="TCP port; 0 lets the system choose."
    )
    workers: Annotated[int, Field(ge=1, le=1024)] = Field(
        default_factory=usable_cores, description="Worker processes; by default one for each usable core."
    )
    threads: Annotated[int, Field(ge=1, le=1024)] = Field(4, description="Threads of each worker.")

    max_time_ms: Annotated[int, Field(ge=1, le=3_600_000)] = Field(
        10_000, description="Most milliseconds one search may take, whatever a request asks for."
    )
    max_nodes: Annotated[int, Field(ge=1, le=10**15)] = Field(
        200_000_000, description="Most nodes a request may ask for in `max_nodes`; more is refused."
    )
    default_nodes: Annotated[int, Field(ge=1, le=10**15)] = Field(
        10_000_000,
        description="Nodes a search may visit when the request has no `max_nodes`, on boards that can be solved.",
    )
    default_nodes_large: Annotated[int, Field(ge=1, le=10**15)] = Field(
        1_000_000,
        description="The same on larger boards, where a node takes longer and no budget brings a proof.",
    )
    max_side: Annotated[int, Field(ge=1, le=MAX_SIDE)] = Field(
        MAX_SIDE, description=f"Most rows or columns of a board, 1 to {MAX_SIDE}."
    )
    max_body_bytes: Annotated[int, Field(ge=1, le=64 * _MEBIBYTE)] = Field(
        65_536, description="Most bytes of a request's body; more is answered with 413."
    )

    cache_size: Annotated[int, Field(ge=0, le=10_000_000)] = Field(
        20_000, description="Answers each worker keeps, up to symmetry."
    )
    memo_entries: Annotated[int, Field(ge=0, le=10_000_000)] = Field(
        4096,
        description="Finished responses each worker keeps by the exact bytes of their request; 0 keeps none.",
    )
    memo_bytes: Annotated[int, Field(ge=0)] = Field(
        8 * _MEBIBYTE, description="Most bytes of requests and responses that are kept so."
    )
    max_age_s: Annotated[int, Field(ge=0, le=365 * _DAY_S)] = Field(
        _DAY_S, description="Seconds for which caches in between may keep an answer to GET /move."
    )

    kernel_cache_dir: Path | None = Field(
        None,
        description="Folder for compiled kernels; without it one is chosen below the user's cache folder.",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info",
        description="Least important events that are logged; `warning` leaves out the line for each request.",
    )

    def nodes_by_default(self, solvable: bool) -> int:
        """The nodes of a search whose request names none, on a board that can be solved or a larger one."""
        return self.default_nodes if solvable else self.default_nodes_large

    @field_validator("log_level", mode="before")
    @classmethod
    def _lower(cls, value: object) -> object:
        return value.lower() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _budgets_fit(self) -> "Settings":
        if self.default_nodes > self.max_nodes:
            default, most = (
                f"{PREFIX}DEFAULT_NODES ({self.default_nodes})",
                f"{PREFIX}MAX_NODES ({self.max_nodes})",
            )
            raise ValueError(f"{default} must not be more than {most}")
        return self


def load_settings(**overrides: Any) -> Settings:
    """The settings of this process's environment.

    Args:
        overrides: settings by name that go before the environment, such as ``port=0``.

    Raises:
        SettingsError: one is impossible.
    """
    return _checked(lambda: Settings(**overrides))


def default_settings(**overrides: Any) -> Settings:
    """The defaults, whatever the environment says."""
    defaults = {
        name: field.get_default(call_default_factory=True) for name, field in Settings.model_fields.items()
    }
    return _checked(lambda: Settings(**(defaults | overrides)))


def _checked(build: Callable[[], Settings]) -> Settings:
    """Build the settings, every failure one line."""
    try:
        return build()
    except ValidationError as failure:
        lines = [_line(error) for error in failure.errors(include_url=False)]
        raise SettingsError("; ".join(lines)) from None


def _line(error: Any) -> str:
    """What is wrong with one setting."""
    message = error["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if not error["loc"]:
        return str(message)
    name = PREFIX + str(error["loc"][0]).upper()
    if error["type"] == "extra_forbidden":
        return f"{name}: there is no such setting"
    hint = ""
    if str(error["input"]).startswith("tcp://"):
        # Kubernetes sets NAME_PORT for every service NAME, so a service called kinarow sets this one.
        hint = " (set by a Kubernetes service of this name: use enableServiceLinks: false)"
    return f"{name}: must be {message}, not {quoted(error['input'])}{hint}"
