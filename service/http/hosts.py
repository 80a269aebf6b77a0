"""Refuses requests whose header ``Host`` names a host that is not trusted.

A page of another site may make its own name resolve to a visitor's machine (DNS rebinding). Its requests then reach a
service that listens there alone, but they name the site.
"""

import re

from flask import Flask, request

from kinarow.contract.problems import UNTRUSTED_HOST, Problem
from kinarow.settings import PREFIX
from service.settings import Settings

_PORT = re.compile(r":[^:\]]*$")  # not the colons of an IPv6 address, which stands between brackets
_FOR_PROBES = frozenset({"/healthz", "/readyz", "/metrics"})  # probes send the address of a container or a machine


def init_app(app: Flask, settings: Settings) -> None:
    """Check the host of every request of the app if the settings name trusted hosts.

    Flask's own ``TRUSTED_HOSTS`` makes no exception for probes.
    """
    hosts = settings.known_trusted_hosts
    if hosts:
        app.before_request(_TrustedHosts(hosts).check)


class _TrustedHosts:
    def __init__(self, hosts: tuple[str, ...]) -> None:
        self._names = frozenset(host.removeprefix(".") for host in hosts)
        self._endings = tuple(host for host in hosts if host.startswith("."))

    def check(self) -> None:
        """Raise the problem 400 if the host of the current request is not trusted."""
        # Requests of HTTP/1.0 may name no host: it is the address that the server listens on.
        host = (request.headers.get("Host") or request.environ["SERVER_NAME"]).lower()
        name = _PORT.sub("", host)
        if not (name in self._names or name.endswith(self._endings) or request.path in _FOR_PROBES):
            raise Problem(UNTRUSTED_HOST, f"The host of the request is not in {PREFIX}TRUSTED_HOSTS.")
