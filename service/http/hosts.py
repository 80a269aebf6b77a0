"""Refuses requests whose header ``Host`` names a host that is not trusted.

A page of another site may make its own name resolve to a visitor's machine (DNS rebinding). Its requests then reach a
service that listens there alone, but they name the site.
"""

from functools import lru_cache

from flask import Flask, request

from kinarow.contract.problem_kinds import UNTRUSTED_HOST, Problem
from kinarow.settings import PREFIX
from service.http.services import services

_FOR_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})  # probes send the address of a container or a machine


def init_app(app: Flask) -> None:
    """Check the host of every request of the app."""
    app.before_request(_check_host)


def _check_host() -> None:
    """Raise the problem 400 if the settings name trusted hosts and the request names another.

    Flask's own ``TRUSTED_HOSTS`` makes no exception for probes.
    """
    trusted = services().settings.known_trusted_hosts
    if not trusted:
        return
    environ = request.environ
    # Requests of HTTP/1.0 may name no host: it is the address that the server listens on.
    host = environ.get("HTTP_HOST") or environ["SERVER_NAME"]
    if not _is_trusted(host, trusted) and request.path not in _FOR_PROBES:
        raise Problem(UNTRUSTED_HOST, f"The host of the request is not in {PREFIX}TRUSTED_HOSTS.")


@lru_cache(maxsize=100)
def _is_trusted(host: str, trusted: tuple[str, ...]) -> bool:
    name = host.lower()
    if not name.endswith("]"):
        name = name.rpartition(":")[0] or name
    return any(name == each.removeprefix(".") or (each.startswith(".") and name.endswith(each)) for each in trusted)
