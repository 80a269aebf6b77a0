"""``/healthz``, ``/readyz`` and ``/version`` for operators, ``/metrics`` for Prometheus."""

from flask import Blueprint, Response

from kinarow.contract.answers import Health, Version
from kinarow.version import VERSION, engine_version
from service.http.responses import NO_STORE, json_answer
from service.http.services import services
from service.searches.threads import run_off_loop
from service.telemetry.metrics import CONTENT_TYPE

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def get_healthz() -> Response:
    """Answer while the process is alive."""
    return json_answer(Health(status="ok"))


@blueprint.get("/readyz")
def get_readyz() -> Response:
    """Answer 200: the service loads everything before its first request."""
    return json_answer(Health(status="ready"))


@blueprint.get("/version")
def get_version() -> Response:
    """Return the versions of the package and of its answers."""
    return json_answer(Version(name="kinarow", version=VERSION, engine=engine_version()))


@blueprint.get("/metrics")
def get_metrics() -> Response:
    """Return the series of all workers."""
    return Response(
        run_off_loop(services().metrics.scrape), content_type=CONTENT_TYPE, headers={"Cache-Control": NO_STORE}
    )
