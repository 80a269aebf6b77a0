"""What /readyz says, and that /metrics may be switched off."""

import threading

import pytest

from service.api.problem_kinds import Problem
from service.api.readiness import Readiness


def test_it_is_ready_once_the_engine_is_loaded(make_asker):
    ask = make_asker()
    assert ask.get("/readyz").status_code == 200
    assert ask.get("/healthz").status_code == 200


def test_it_refuses_while_the_kernels_are_being_loaded():
    go_on = threading.Event()

    def load():
        assert go_on.wait(10)

    readiness = Readiness(load)
    readiness.start()
    with pytest.raises(Problem) as refused:
        readiness.check()
    assert refused.value.kind.status == 503
    assert int(refused.value.headers["Retry-After"]) >= 1
    go_on.set()
    for _ in range(1000):
        if readiness.ready:
            break
        threading.Event().wait(0.01)
    readiness.check()


def test_metrics_may_be_switched_off(make_asker):
    assert make_asker().get("/metrics").status_code == 200
    assert make_asker(metrics=False).get("/metrics").status_code == 404
