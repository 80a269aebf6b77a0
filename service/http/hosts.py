"""Refuses requests whose header ``Host`` names a host that is not trusted.

A page of another site may make its own name lead to a visitor's machine (DNS rebinding). Its requests then reach a
service that listens there alone, but they name the site.
"""

from functools import lru_cache

from flask import Flask, request

from kinarow.contract.problem_kinds import UNTRUSTED_HOST, Problem
from kinarow.settings import PREFIX
from service.settings import Settings

_FOR_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})  # probes send the address of a container or a machine


def install(app: Flask, settings: Settings) -> None:
    """Trust the hosts of the settings alone, as Flask's ``TRUSTED_HOSTS`` does; if they name none, any host."""
    hosts = settings.known_trusted_hosts
    if not hosts:
        return
    names = frozenset(host.removeprefix(".") for host in hosts)
    endings = tuple(host for host in hosts if host.startswith("."))

    @lru_cache(maxsize=100)
    def is_trusted(host: str) -> bool:
        name = host.lower()
        if not name.endswith("]"):
            name = name.rpartition(":")[0] or name
        return name in names or name.endswith(endings)

    def check() -> None:
        """The problem 400 if the host of the request is not trusted."""
        environ = request.environ
        # Requests of HTTP/1.0 may name no host: it is the address that the server listens on.
        if not is_trusted(environ.get("HTTP_HOST") or environ["SERVER_NAME"]) and request.path not in _FOR_PROBES:
            raise Problem(UNTRUSTED_HOST, f"The host of the request is not in {PREFIX}TRUSTED_HOSTS.")

    app.before_request(check)
