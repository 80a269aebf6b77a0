"""The routes /healthz (the process is alive), /readyz (the service is ready), /version, and Prometheus's /metrics."""

import json
from typing import Any

from flask import Flask, Response

from kinarow.version import VERSION, engine_version
from service.http.responses import NO_STORE, json_reply
from service.telemetry.metrics import CONTENT_TYPE, Metrics

NAME = "kinarow"


def install(app: Flask, metrics: Metrics | None) -> None:
    """Add the routes to the app, ``/metrics`` only if there are any."""

    def healthz() -> Response:
        return _answer({"status": "ok"})

    def readyz() -> Response:
        return _answer({"status": "ready"})

    def version() -> Response:
        return _answer({"name": NAME, "version": VERSION, "engine": engine_version()})

    def scrape() -> Response:
        assert metrics is not None
        return Response(metrics.scrape(), content_type=CONTENT_TYPE, headers={"Cache-Control": NO_STORE})

    for view in (healthz, readyz, version):
        app.add_url_rule(f"/{view.__name__}", view.__name__, view, methods=["GET"])
    if metrics:
        app.add_url_rule("/metrics", "metrics", scrape, methods=["GET"])


def _answer(data: dict[str, Any]) -> Response:
    return json_reply(json.dumps(data).encode() + b"\n")
