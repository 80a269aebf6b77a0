"""Schemathesis asks the whole API by its own document, one request at a time and in chains along its links."""

from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings

from service.app import create_app, warm_up
from service.settings import default_settings

ROOT = Path(__file__).parents[3]
TINY = {
    "default_nodes": 300, "default_nodes_large": 300, "max_nodes": 3_000, "max_time_ms": 500, "max_batch": 10,
    "max_tree_nodes": 2_000,
}  # fmt: skip
"""Searches cost next to nothing: it is the answers' form that is tried here."""
CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]
"""A failure is not shrunk: that would take minutes."""

app = create_app(default_settings(**TINY), write_log=lambda line: None)
schema = schemathesis.openapi.from_wsgi(
    "/openapi.json", app, config=schemathesis.Config.from_path(ROOT / "schemathesis.toml")
)


@pytest.fixture(scope="module")
def warm():
    """The app, warm; it was made when this module was imported, which must not wait for the kernels."""
    warm_up(app)


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=CALM, phases=PHASES)
def test_no_request_breaks_the_contract(warm, case):
    case.call_and_validate()


def test_no_chain_of_requests_breaks_the_contract(warm):
    machine = schema.as_state_machine()
    machine.run(
        settings=settings(
            max_examples=12, stateful_step_count=5, deadline=None, suppress_health_check=CALM, phases=PHASES
        )
    )
