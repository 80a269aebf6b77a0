"""The routes /healthz (the process is alive), /readyz (the service is ready) and /version."""

import json
from typing import Any

from flask import Flask, Response

from kinarow.version import VERSION, engine_version
from service.api.readiness import Readiness

NAME = "kinarow"


def install(app: Flask, readiness: Readiness) -> None:
    """Add ``/healthz``, ``/readyz`` and ``/version`` to the app."""

    def healthz() -> Response:
        return _answer({"status": "ok"})

    def readyz() -> Response:
        readiness.check()
        return _answer({"status": "ready"})

    def version() -> Response:
        return _answer({"name": NAME, "version": VERSION, "engine": engine_version()})

    for view in (healthz, readyz, version):
        app.add_url_rule(f"/{view.__name__}", view.__name__, view, methods=["GET"])


def _answer(data: dict[str, Any]) -> Response:
    response = Response(json.dumps(data) + "\n", content_type="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response
