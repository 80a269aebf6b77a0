"""A recommender that answers with the plain data of the contract, as the routes write it."""

import json
from typing import Any

import pytest

from kinarow import engine
from kinarow.contract.answers import AnalysisAnswer, MoveAnswer
from kinarow.engine import Question
from kinarow.game.position import Position
from kinarow.search.best_move import Listener
from kinarow.search_types import Limits, Stop
from service.searches import recommender
from service.searches.overload import Overloaded
from service.searches.spans import no_span
from tests.support.app import request_of
from tests.support.contract import check_answer

PLENTY = Limits(max_nodes=10**7)


class Recommender(recommender.Recommender):
    """The service's recommender; ``options`` are the further fields of a question."""

    def move(self, position: Position, limits: Limits, *, stop: Stop | None = None, **options: Any) -> Any:
        """The answer of ``/move``."""
        question = Question(position, limits, **options).watched(stop)
        return MoveAnswer.of(position, *engine.move(question, self.ask)).model_dump()

    def analysis(
        self,
        position: Position,
        limits: Limits,
        *,
        stop: Stop | None = None,
        progress: Listener | None = None,
        **options: Any,
    ) -> Any:
        """The answer of ``/analysis``."""
        question = Question(position, limits, **options).watched(stop, progress)
        return AnalysisAnswer.of(position, *engine.analysis(question, self.ask)).model_dump()


def checked(position: Position, limits: Limits, *, analysis: bool = False, **options: Any) -> Any:
    """The answer of a recommender that was asked nothing before, which keeps the contract."""
    recommender = Recommender(cache_bytes=1 << 20)
    answer = (recommender.analysis if analysis else recommender.move)(position, limits, **options)
    check_answer(request_of(position, limits) | options, answer, analysis=analysis)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer
    return answer


class CountingGate:
    """Lets every search pass, and counts them."""

    passed = 0
    span = staticmethod(no_span)

    def run(self, compute, stop):
        self.passed += 1
        return compute()

    def try_at_once(self, compute):
        return None

    def run_at_once(self, compute):
        return compute()

    def join(self, flight, limits, stop):
        pytest.fail("nobody computes this at the same time")


class FullGate(CountingGate):
    """Has room for nothing but what is found at once."""

    def run(self, compute, stop):
        raise Overloaded("queue_full")

    def try_at_once(self, compute):
        return compute()
