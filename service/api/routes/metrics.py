"""``GET /metrics``: the series that Prometheus reads."""

from flask import Flask, Response

from service.api.responses import NO_STORE
from service.metrics import CONTENT_TYPE, Metrics


def install(app: Flask, metrics: Metrics) -> None:
    """Add ``/metrics`` to the app."""

    def scrape() -> Response:
        return Response(metrics.scrape(), content_type=CONTENT_TYPE, headers={"Cache-Control": NO_STORE})

    app.add_url_rule("/metrics", "metrics", scrape, methods=["GET"])
